package compiler

import (
	"bytes"
	"slices"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/detect"
)

// looksLikeWorkflow reports whether the lines of a file that is not YAML resemble
// those of a workflow: a top-level key that holds nodes or steps, and either
// entries with the keys of some dialect or no top-level keys but a workflow's.
func looksLikeWorkflow(content []byte) bool {
	keys := linesOf(content)
	holds := func(in []string, wanted ...string) bool {
		return slices.ContainsFunc(wanted, func(key string) bool { return slices.Contains(in, key) })
	}
	switch {
	case !holds(keys.top, "nodes", "steps"),
		slices.ContainsFunc(keys.top, detect.IsOther),
		holds(keys.inner, "uses", "run", "image", "task", "displayName", "label", "role", "address", "hostname"):
		return false
	case !slices.ContainsFunc(keys.top, func(key string) bool { return !slices.Contains(workflowKeys, key) }) &&
		!slices.ContainsFunc(keys.inner, detect.IsOtherEntry):
		return true
	case holds(keys.top, "nodes"):
		return holds(keys.inner, "id") && holds(keys.inner, "prompt", "command", "bash", "script", "loop", "approval", "depends_on") ||
			holds(keys.inner, "type") && holds(keys.inner, "outputs")
	}
	return holds(keys.inner, "id") && holds(keys.inner, "agent", "prompt") ||
		holds(keys.inner, "name") && holds(keys.inner, "prompt", "bash", "python", "parallel")
}

// workflowKeys are top-level keys that workflows of some dialect often have.
var workflowKeys = []string{
	"name", "description", "nodes", "steps", "workflow", "edges", "state", "limits", "completion", "interrupts", "input", "schedule",
	"deliver_to", "provider", "model", "interactive", "worktree", "tags",
}

// lineKeys are keys that lines of a file begin with.
type lineKeys struct{ top, inner []string }

// linesOf returns the keys of lines: those at the margin, and those that are
// indented or begin an item of a list, also in braces.
func linesOf(content []byte) lineKeys {
	var keys lineKeys
	for line := range bytes.Lines(content) {
		text := bytes.TrimLeft(line, " \t-{")
		inner := len(text) < len(line)
		for _, part := range bytes.Split(text, []byte(",")) {
			name, _, ok := bytes.Cut(bytes.TrimLeft(part, " {"), []byte(":"))
			if !ok || !isName(name) {
				break
			}
			if !inner {
				keys.top = append(keys.top, string(name))
				break
			}
			keys.inner = append(keys.inner, string(name))
		}
	}
	return keys
}

// isName reports whether a text can be the key of a setting.
func isName(text []byte) bool {
	for _, c := range text {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return len(text) > 0
}
