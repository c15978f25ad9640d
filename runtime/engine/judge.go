package engine

import "github.com/wfc-lang/wfc/runtime/flow"

// A Judge is a Performer that can tell, without performing anything, whether a text could
// be an action's output. Only `run --dry-run --outputs FILE` asks it: about the outputs
// in the file. For a Performer that is not a Judge, they count as they are.
type Judge interface {
	Performer
	// Judge returns the output that the performer would return if the program or the agent
	// replied with text. The error says why the text cannot be an output.
	Judge(p flow.Payload, text string) (string, error)
}
