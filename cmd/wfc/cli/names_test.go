package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every command that takes a workflow file takes the name of a workflow in place of it: it
// knows the names when it does not find one. A command on runs takes the id of a run, too.
func TestEveryCommandTakesNames(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "flow.yaml"), "name: release\ndescription: d\nnodes:\n  - {id: a, bash: echo hi}\n")
	// The words behind the name that a command needs.
	more := map[string][]string{
		"gen": {"-o", "out"}, "build": {"-o", "out"}, "signal": {"event"}, "diff": {"flow.yaml"}, "answer": {"-m", "x"}, "prune": {"--keep", "1"},
	}
	// Those whose arguments are no workflows.
	none := strings.Fields("add explain init schema upgrade version vettool lsp completion help man mcp-build mcp-list serve waiting")
	seen := 0
	for _, cmd := range (&app{}).newRootCommand(nil).Commands() {
		name := cmd.Name()
		if strings.HasPrefix(name, "__") || slices.Contains(none, name) {
			continue
		}
		seen++
		args := append([]string{name, "relese"}, more[name]...)
		env := []string{"WFC_STATE=" + filepath.Join(dir, "state"), "GOPROXY=off"}
		if code, out, messages := wfcCommand(t, dir, env, args...); code == ExitClean || !strings.Contains(messages, "did you mean `release`?") {
			t.Errorf("wfc %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, messages)
		}
	}
	if seen < 15 {
		t.Errorf("only %d commands", seen)
	}
}
