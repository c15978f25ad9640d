package xprompt

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/detect"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// actions are the keys that select the work of a step.
var actions = []string{"prompt", "bash", "python", "parallel"}

// otherKeys are further keys by which the format is known.
var otherKeys = []string{"for", "while", "repeat", "hitl", "output", "if"}

// Detect reports whether a document has the format's shape: a list `steps:` with
// an entry that has a name and does something. In a file that has no other keys
// than this format's, a key that only this format knows is enough.
func (Frontend) Detect(look detect.Look) (ok bool, why string) {
	steps, misspelt := look.Key("steps")
	if steps == nil || steps.Value.Kind != yamlsrc.Sequence {
		return false, ""
	}
	known := detect.Only(look.Root, append(decode.Names(workflowFields), steps.Key.Value)...)
	titled := known && look.Has("name", "input", "xprompts")
	entries, others := detect.Entries(steps.Value), 0
	for _, step := range entries {
		if step.Pair("agent") != nil && step.Pair("id") != nil {
			return false, "" // another format's
		}
		if detect.OtherStep(step) {
			others++
		}
	}
	// A misplaced key makes no pipeline of a file that is otherwise one of these.
	if others > 0 && (!titled || 2*others >= len(entries)) {
		return false, ""
	}
	for _, step := range entries {
		if key := evidence(step, known, titled, look.Near && !misspelt); key != "" {
			return true, fmt.Sprintf("it has a list %s with an entry that has %s", detect.Quote(steps, "steps"), key)
		}
	}
	return false, ""
}

// evidence describes why an entry is a step of this format, or returns "". known
// says that the file has only keys of the format, titled that it has more of them
// than `steps:`; near accepts a misspelt key.
func evidence(step *yamlsrc.Node, known, titled, near bool) string {
	if step.Kind != yamlsrc.Mapping || detect.OtherStep(step) {
		return ""
	}
	keys := decode.Names(stepFields)
	named, only := step.Pair("name") != nil, detect.Only(step, keys...)
	action, other := detect.First(step, actions...), detect.First(step, otherKeys...)
	switch {
	case action != "" && named && (known || only):
		return "`name` and `" + action + "`"
	case action != "" && known && only && (titled || action != "bash"):
		// A pipeline of a CI service may consist of steps that have `bash` alone.
		return "`" + action + "`"
	case action != "" && titled:
		return "`" + action + "`"
	case other != "" && known && only && (named || titled):
		return "`" + other + "`"
	case !near || action != "" || !named || !known:
		return ""
	}
	if written, meant := detect.Misspelt(step, keys, actions...); written != "" {
		return "`name` and `" + written + "` (meant as `" + meant + "`)"
	}
	return ""
}
