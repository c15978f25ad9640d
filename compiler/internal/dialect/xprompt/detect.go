package xprompt

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/detect"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// actions are the keys that select the work of a step.
var actions = []string{"prompt", "agent", "bash", "python", "parallel"}

// otherKeys are further keys by which the format is known.
var otherKeys = []string{"for", "repeat", "hitl", "output", "use", "prompt_part", "while", "if"}

// Detect reports whether a document has the format's shape: a list `steps:` with
// an entry that has a name and does something. In a file that has no other keys
// than this format's, a key that only this format knows is enough.
func (Frontend) Detect(look detect.Look) (ok bool, why string) {
	steps, misspelt := look.Key("steps")
	if steps == nil || steps.Value.Kind != yamlsrc.Sequence {
		return false, ""
	}
	at := file{near: look.Near && !misspelt, known: detect.Only(look.Root, "name", "input", "xprompts", "macros", steps.Key.Value)}
	at.mapped = at.known || detect.Only(look.Root, append(decode.Names(workflowFields), steps.Key.Value)...)
	at.titled = at.mapped && look.Has("name", "input", "xprompts", "macros")
	entries, others, prompted := detect.Entries(steps.Value), 0, false
	for _, step := range entries {
		if step.Pair("agent") != nil && step.Pair("id") != nil {
			return false, "" // another format's
		}
		if detect.OtherStep(step) {
			others++
		} else if step.Pair("name") != nil && step.Pair("prompt") != nil && detect.Only(step, decode.Names(stepFields)...) {
			prompted = true
		}
	}
	// A misplaced key makes no pipeline of a file that is otherwise one of these: the steps
	// of pipelines have no prompts.
	if others > 0 && (!at.titled || 2*others >= len(entries) && !prompted) {
		return false, ""
	}
	for _, step := range entries {
		if key := at.stepEvidence(step); key != "" {
			return true, fmt.Sprintf("it has a list %s with an entry that has %s", detect.Quote(steps, "steps"), key)
		}
	}
	return false, ""
}

// A file is the evidence outside of the steps.
type file struct {
	// known says that the file has only keys of the format, and mapped that it has only
	// those and keys of the successor, which other formats have as well. titled says
	// that it has more of the format's keys than `steps:`.
	known, mapped, titled bool
	// near accepts a misspelt key.
	near bool
}

// stepEvidence describes why an entry is a step of this format, or returns "".
func (f file) stepEvidence(step *yamlsrc.Node) string {
	if step.Kind != yamlsrc.Mapping || detect.OtherStep(step) {
		return ""
	}
	keys := decode.Names(stepFields)
	named, only := step.Pair("name") != nil, detect.Only(step, keys...)
	action, other := decode.Evidence(stepFields, step, actions...), decode.Evidence(stepFields, step, otherKeys...)
	if condition := step.Get(other); (other == "if" || other == "while") && condition.IsString() && !strings.Contains(condition.Value, "{{") {
		other = "" // prose
	}
	if namesAgent(step) {
		only = false // another format's key of this name
		if action == "agent" {
			action = ""
		}
	}
	switch {
	case action != "" && named && (f.known || only):
		return "`name` and `" + action + "`"
	case action != "" && f.mapped && only && (f.titled || action != "bash"):
		// A pipeline of a CI service may consist of steps that have `bash` alone.
		return "`" + action + "`"
	case action != "" && f.known && f.titled:
		return "`" + action + "`"
	case other != "" && f.mapped && only && (named || f.titled):
		return "`" + other + "`"
	case !f.near || action != "" || !named || !f.known:
		return ""
	}
	if written, meant := detect.Misspelt(step, keys, actions...); written != "" {
		return "`name` and `" + written + "` (meant as `" + meant + "`)"
	}
	return ""
}

// namesAgent reports whether the key `agent` of a step holds a name, as in other
// formats, and not a prompt.
func namesAgent(step *yamlsrc.Node) bool {
	agent := step.Get("agent")
	return agent != nil && (agent.Kind != yamlsrc.Scalar || !strings.ContainsAny(agent.Value, " \t\n#{") || step.Pair("prompt") != nil)
}
