package engine

import "github.com/wfc-lang/wfc/runtime/flow"

// A Judge is a Performer that can tell, without performing anything, whether a
// text could be an action's output.
type Judge interface {
	Performer
	// Judge returns the output that the performer would record if what it is
	// performed by gave the text. The error says what is wrong with the text.
	Judge(p flow.Payload, text string) (string, error)
}
