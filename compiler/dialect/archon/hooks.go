package archon

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
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

var hookLevel = level{where: "in a hook", name: "the hook", prefix: "hooks."}

var hookFields = []field[hookDecl]{
	{"matcher", func(d *decoder, v value, h *hookDecl) { _, ok := d.text(v); h.ok = h.ok && ok }},
	{"response", func(d *decoder, v value, h *hookDecl) { h.ok = d.isMapping(v) && h.ok }},
	{"timeout", func(d *decoder, v value, h *hookDecl) {
		_, ok := d.numberIf(v, "a number of seconds above 0", isPositive)
		h.ok = h.ok && ok
	}},
}

// readHooks reads the hooks option: a mapping of events to lists of answers.
func readHooks(d *decoder, v value) (string, bool) {
	if !d.isMapping(v) {
		return "", false
	}
	good := true
	for _, p := range v.node.Pairs {
		event := p.Key.Value
		if !slices.Contains(hookNames, event) {
			d.fault(v, diag.UnknownHook(p.Key.Span, event, hookNames))
			good = false
			continue
		}
		list := value{node: p.Value, key: p.Key, path: "hooks." + event, lenient: v.lenient}
		if !d.isList(list) {
			good = false
			continue
		}
		for _, n := range p.Value.Items {
			good = readHook(d, list.item(n)) && good
		}
	}
	return v.node.JSON(), good
}

func readHook(d *decoder, v value) bool {
	h := hookDecl{ok: true}
	if !decodeFields(d, hookLevel, v, hookFields, &h) {
		return false
	}
	if v.node.Pair("response") == nil {
		d.fault(v, diag.MissingKey(v.place(), "response", hookLevel.name))
		return false
	}
	return h.ok
}
