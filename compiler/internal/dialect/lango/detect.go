package lango

import (
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/detect"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// Detect reports whether a document has the format's shape: a list `steps:` with
// an entry that has an id and asks an agent. In a file that has a name, and no
// other keys than this format's, an id is enough.
func (Frontend) Detect(look detect.Look) (ok bool, why string) {
	steps, misspelt := look.Key("steps")
	if steps == nil || steps.Value.Kind != yamlsrc.Sequence {
		return false, ""
	}
	if look.Has("input") && slices.ContainsFunc(detect.Entries(steps.Value), isScript) {
		return false, "" // xprompt's, with `id` for `name` in a step
	}
	titled := look.Has("name") && detect.Only(look.Root, append(decode.Names(workflowFields), steps.Key.Value)...)
	for _, step := range detect.Entries(steps.Value) {
		if key := stepEvidence(step, titled && !misspelt, look.Near && !misspelt); key != "" {
			return true, fmt.Sprintf("it has a list %s with an entry that has %s", detect.Quote(steps, "steps"), key)
		}
	}
	return false, ""
}

// isScript reports whether a step has a name and a script, as those of xprompt have.
func isScript(step *yamlsrc.Node) bool {
	return step.Pair("name") != nil && step.Pair("id") == nil && detect.First(step, "bash", "python", "parallel") != ""
}

// stepEvidence describes why an entry is a step of this format, or returns "". titled
// says that the file as a whole resembles the format; near accepts a misspelt key.
func stepEvidence(step *yamlsrc.Node, titled, near bool) string {
	if step.Kind != yamlsrc.Mapping || detect.OtherStep(step) {
		return ""
	}
	known := decode.Names(stepFields)
	asks := decode.Evidence(stepFields, step, "agent", "prompt", "deliver_to")
	switch {
	case step.Pair("id") != nil && asks != "" && (titled || step.Pair("name") == nil):
		return "`id` and `" + asks + "`"
	case step.Pair("agent") != nil && step.Pair("prompt") != nil && step.Pair("name") == nil && (titled || detect.Only(step, known...)):
		return "`agent` and `prompt`"
	case titled && step.Pair("id") != nil && detect.Only(step, known...):
		return "an `id`"
	case !near || step.Pair("id") == nil:
		return ""
	}
	if written, meant := detect.Misspelt(step, known, "agent", "prompt", "deliver_to"); written != "" {
		return "`id` and `" + written + "` (meant as `" + meant + "`)"
	}
	return ""
}
