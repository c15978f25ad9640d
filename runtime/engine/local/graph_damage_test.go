package local_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/graphfiles"
)

// Whatever happens to a task's folder, its run can be resumed: the state is saved
// again, out of the journal, before anything else happens, and what was damaged is
// kept. No step is performed again.
func TestDamagedTaskIsSavedAgain(t *testing.T) {
	for name, damage := range map[string]struct {
		do   func(folder string) error
		kept string // a text in a file that was put aside
	}{
		"not JSON":     {func(f string) error { return os.WriteFile(filepath.Join(f, "state.json"), []byte("{torn"), 0o644) }, "{torn"},
		"empty":        {func(f string) error { return os.WriteFile(filepath.Join(f, "state.json"), nil, 0o644) }, ""},
		"null":         {func(f string) error { return os.WriteFile(filepath.Join(f, "state.json"), []byte("null"), 0o644) }, "null"},
		"another JSON": {func(f string) error { return os.WriteFile(filepath.Join(f, "state.json"), []byte(`["x"]`), 0o644) }, `["x"]`},
		"a wrong iteration": {func(f string) error {
			return replaceIn(filepath.Join(f, "state.json"), `"iteration": 2`, `"iteration": "two"`)
		}, `"two"`},
		"another run's": {func(f string) error {
			return replaceIn(filepath.Join(f, "state.json"), `"run_id": "`, `"run_id": "other-`)
		}, `"other-`},
		"another workflow's": {func(f string) error {
			return os.WriteFile(filepath.Join(f, "state.json"), []byte(`{"workflow": "other", "run_id": "other-1"}`), 0o644)
		}, `"other-1"`},
		"gone":      {func(f string) error { return os.Remove(filepath.Join(f, "state.json")) }, ""},
		"all gone":  {os.RemoveAll, ""},
		"no folder": {func(f string) error { return os.RemoveAll(filepath.Dir(f)) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			keeps := func(c *local.Config) { c.Performers = append(c.Performers, graphfiles.New()) }
			def := counting(5)
			opt := w.options()
			opt.Graph = &flow.GraphOptions{Limits: &flow.GraphLimits{Iterations: 2}}
			r := must(t, flow.LimitReached)(w.engine(t, keeps).Run(context.Background(), def, nil, opt))
			folder := filepath.Join(w.work, ".graph-loop", "count")
			if err := damage.do(folder); err != nil {
				t.Fatal(err)
			}
			must(t, flow.LimitReached)(w.engine(t, keeps).Resume(context.Background(), def, r.ID, local.Options{}))
			content, err := os.ReadFile(filepath.Join(folder, "state.json"))
			if err != nil {
				t.Fatal(err)
			}
			var s struct {
				Status    string
				Iteration int
				RunID     string `json:"run_id"`
				Variables map[string]int
			}
			if err := json.Unmarshal(content, &s); err != nil || s.Status != "LIMIT_REACHED" || s.Iteration != 2 || s.Variables["n"] != 2 || s.RunID != r.ID {
				t.Errorf("%v: %s", err, content)
			}
			if damage.kept != "" {
				aside, err := os.ReadFile(filepath.Join(folder, "earlier", "001", "state.json"))
				if err != nil || !strings.Contains(string(aside), damage.kept) {
					t.Errorf("put aside: %q %v", aside, err)
				}
			}
			for key, n := range w.performer.done {
				if n != 1 {
					t.Errorf("%s was performed %d times", key, n)
				}
			}
			must(t, flow.Completed)(w.engine(t, keeps).Resume(context.Background(), def, r.ID, local.Options{Graph: &flow.GraphOptions{Limits: &flow.GraphLimits{}}}))
		})
	}
}

func replaceIn(path, old, by string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.ReplaceAll(string(content), old, by)), 0o644)
}
