package archon

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/finding"
)

// hookNames are the events that a hook can answer.
var hookNames = []string{
	"PreToolUse", "PostToolUse", "PostToolUseFailure", "Notification", "UserPromptSubmit",
	"SessionStart", "SessionEnd", "Stop", "SubagentStart", "SubagentStop", "PreCompact",
	"PermissionRequest", "Setup", "TeammateIdle", "TaskCompleted", "Elicitation", "ElicitationResult",
	"ConfigChange", "WorktreeCreate", "WorktreeRemove", "InstructionsLoaded",
}

// hookDecl is one answer to a hook event.
type hookDecl struct{ ok bool }

var hookLevel = level{Where: "in a hook", Name: "the hook", Prefix: "hooks."}

var hookFields = []field[hookDecl]{
	{Name: "matcher", Shape: decode.String,
		Doc:  "Pattern of the tools that the hook applies to; all if absent.",
		Read: func(d *decoder, v value, h *hookDecl) { _, ok := d.Text(v); h.ok = h.ok && ok }},
	{Name: "response", Shape: decode.MapOf(decode.Any), Required: true,
		Doc:  "Answer of the hook, as a JSON object that the agent gets.",
		Read: func(d *decoder, v value, h *hookDecl) { h.ok = d.IsMapping(v) && h.ok }},
	{Name: "timeout", Shape: decode.Number.Above(0).In("seconds"),
		Doc: "Time limit of the hook.",
		Read: func(d *decoder, v value, h *hookDecl) {
			_, ok := d.NumberIn(v, "")
			h.ok = h.ok && ok
		}},
}

// readHooks reads the hooks option: a mapping of events to lists of answers.
func readHooks(d *decoder, v value) (string, bool) {
	if !d.IsMapping(v) {
		return "", false
	}
	good := true
	for _, p := range v.Node.Pairs {
		event := p.Key.Value
		if !slices.Contains(hookNames, event) {
			d.Fault(v, finding.UnknownHook(p.Key.Span, event, hookNames))
			good = false
			continue
		}
		list := v.Member(&p)
		if !d.IsList(list) {
			good = false
			continue
		}
		for _, n := range p.Value.Items {
			hook := list.Item(n)
			hook.Path = list.Path
			good = readHook(d, hook) && good
		}
	}
	return v.Node.JSON(), good
}

func readHook(d *decoder, v value) bool {
	h := hookDecl{ok: true}
	if !decode.Fields(d, hookLevel, v, hookFields, &h) {
		return false
	}
	return d.Missing(v, v.Place(), hookLevel, decode.Required(hookFields)...) && h.ok
}
