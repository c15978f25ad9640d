package local_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A prompt whose file does not exist fails before its agent is asked. Paths start
// from the run's working folder; a replayed prompt checks nothing again.
func TestFilesThatPromptsRequire(t *testing.T) {
	w, agent := newWorld(t), &talker{}
	e := w.engine(t, func(c *local.Config) { c.Performers = append(c.Performers, agent) })
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, file := range []string{filepath.Join(w.work, "here"), filepath.Join(home, "home")} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		path string
		ok   bool
	}{
		{"here", true}, {filepath.Join(w.work, "here"), true}, {".", true}, {"~/home", true}, {"~", true},
		{"home", false}, {"~/here", false}, {"there", false}, {"", false},
	} {
		before := agent.turns
		p := flow.Prompt{Text: "show", Requires: []flow.RequiredFile{{Path: "here", Missing: "!"}, {Path: c.path, Missing: "there is no file " + c.path}}}
		r, err := e.Run(t.Context(), talk("require", "ask", p), nil, w.options())
		if err != nil {
			t.Fatal(err)
		}
		step := w.steps(t, r.ID)["ask"]
		switch {
		case c.ok && (step.Status != flow.Completed || agent.turns != before+1):
			t.Errorf("%s: the step is %s, %v", c.path, step.Status, step.Failure)
		case !c.ok && (step.Status != flow.Failed || step.Failure.Reason != "template" || step.Failure.Message != "there is no file "+c.path || agent.turns != before):
			t.Errorf("%s: the step is %s, %+v, after %d turns", c.path, step.Status, step.Failure, agent.turns-before)
		}
	}
}
