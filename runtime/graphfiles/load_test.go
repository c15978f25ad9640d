package graphfiles_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/graphfiles"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

func (d *desk) load(force bool) (*graphstate.Task, error) {
	return graphfiles.New().(graphstate.Keeper).Load(d.path(""), d.def, force)
}

// loads loads a state file that fits.
func (d *desk) loads(text string) *graphstate.Task {
	d.t.Helper()
	d.write("state.json", text)
	task, err := d.load(false)
	if err != nil {
		d.t.Fatal(err)
	}
	return task
}

func TestLoadWhatWasSaved(t *testing.T) {
	d := newDesk(t)
	d.run.Graph = &flow.GraphOptions{Promise: "ALL DONE"}
	s := midway()
	s.Ended[0] = graphstate.Ended{Node: "review", Iteration: 8, Label: "clean", Text: "I learned", Agent: true}
	d.saved(s)
	for _, path := range []string{d.path(""), d.path("state.json")} {
		task, err := graphfiles.New().(graphstate.Keeper).Load(path, d.def, false)
		if err != nil {
			t.Fatal(err)
		}
		got := task.State
		if task.Name != "full-feature-1" || task.Promise != "ALL DONE" || got.Next != "review" || got.Node != "run_tests" || got.Iteration != 8 || !got.Started.Equal(begun) || len(got.Executed) != 2 || len(task.Notes) != 0 {
			t.Errorf("%+v", task)
		}
		if string(got.Variables) != `{"coverage":87,"notes":["\u003ca\u003e"]}` || string(got.Labels) != `{"research":"all_done","run_tests":"pass"}` || got.Usage.Elapsed != 15*time.Minute+30*time.Second || got.Usage.CostUSD != 0.42 {
			t.Errorf("%s %s %+v", got.Variables, got.Labels, got.Usage)
		}
		if !strings.HasSuffix(got.Memory, "## Iteration 8\n\nI learned") {
			t.Errorf("%q", got.Memory)
		}
		o, err := graphfiles.Continue(path, d.def)
		if err != nil || o.Promise != "ALL DONE" || o.FromDir != d.path("") || !strings.Contains(string(o.From), `"next":"review"`) {
			t.Errorf("%+v, %v", o, err)
		}
	}
}

// The example of the format's description.
const described = `{
  "workflow": "feature", "version": "1.0", "current_node": "review", "iteration": 8,
  "started_at": "2026-01-17T10:00:00Z", "last_updated": "2026-01-17T10:15:32Z", "status": "running",
  "nodes_executed": ["research", "a", "b", "run_tests"],
  "outputs": {"research": "all_done", "a": "done", "b": "done", "run_tests": "pass"},
  "variables": {"notes": ["x"], "coverage": 87},
  "limits": {"max_iterations": 20, "max_time_minutes": 60, "max_cost_dollars": 10.00},
  "usage": {"iterations_used": 8, "time_elapsed_minutes": 15.5, "estimated_cost_dollars": 0.42}
}`

func TestLoadOtherSpellings(t *testing.T) {
	d := newDesk(t)
	if s := d.loads(described).State; s.Next != "review" || s.Iteration != 8 || s.Usage.Elapsed != 930*time.Second {
		t.Errorf("%+v", s)
	}
	script := func(more string) string {
		return `{"_workflow":"feature","_task_name":"t","_mode":"hook-driven","_current_node":"review","_iteration":4,"_started_at":"2026-01-17T10:00:00Z",
			"_updated_at":"2026-01-17T10:05:00Z","_completion_promise":"X","_last_output":null,"_exit_reason":null,"limits":{"max_iterations":10},
			"nodes_executed":[],"outputs":{},"variables":{}` + more + `}`
	}
	task := d.loads(script(""))
	if s := task.State; task.Promise != "X" || task.Name != "t" || s.Next != "review" || s.Iteration != 3 || s.Usage.Elapsed != 5*time.Minute || string(s.Variables) != "{}" {
		t.Errorf("%+v", task)
	}
	// Variables beside the keys, and a history in the file.
	task = d.loads(script(`,"coverage":12.5,"_history":[],"plan":"x"`))
	if s := task.State; string(s.Variables) != `{"coverage":12.5}` || len(task.Notes) != 1 || task.Notes[0] != "unknown key `plan` in the state file" {
		t.Errorf("%+v %s", task, s.Variables)
	}
	if s := d.loads(`{"_current_node":"START","_iteration":1,"_mode":"manual"}`).State; s.Next != kernel.Start || s.Iteration != 0 {
		t.Errorf("%+v", s)
	}
	if s := d.loads(`{"_current_node":"review","_iteration":10,"_mode":"limit_reached","_exit_reason":"max_iterations"}`).State; s.Status != kernel.StateLimit || s.Iteration != 9 {
		t.Errorf("%+v", s)
	}
	if s := d.loads(`{"current_node":"review","status":"LIMIT_REACHED","iteration":20}`).State; s.Status != kernel.StateLimit || s.Iteration != 20 {
		t.Errorf("%+v", s)
	}
	if s := d.loads(`{"current_node":"END","status":"running"}`).State; s.Next != "" {
		t.Errorf("%+v", s)
	}
	task = d.loads(`{"current_node":"b","started_at":"soon"}`)
	if task.State.Next != "research" || len(task.Notes) != 2 {
		t.Errorf("%+v", task)
	}
}

func TestLoadRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		// forced says that --force goes on all the same.
		forced bool
		want   []string
	}{
		{"finished", `{"current_node":"END","status":"completed"}`, false, []string{"the run has completed; there is nothing to resume"}},
		{"finished by a script", `{"_current_node":"END","_mode":"completed"}`, false, []string{"the run has completed"}},
		{"no place", `{"status":"running"}`, false, []string{"missing `current_node`"}},
		{"variables", `{"current_node":"review","variables":{"coverage":"high","tries":1.5,"ready":"yes","notes":[1],"feedback":null,"extra":{"a":1}}}`, false, []string{
			"variable `coverage` is the string \"high\", and it must be a number", "variable `notes` is a list that holds the number 1, and it must be a list of strings",
			"variable `ready` is the string \"yes\", and it must be true or false", "variable `tries` is the number 1.5, and it must be an integer",
		}},
		{"null", `{"current_node":"review","variables":{"coverage":null}}`, false, []string{"variable `coverage` is null, and it must be a number"}},
		{"unknown node", `{"current_node":"nowhere"}`, false, []string{"the run is at the unknown node `nowhere`"}},
		{"unknown names", `{"current_node":"review","variables":{"x":1},"outputs":{"gone":"done","a":"failed","review":null},"nodes_executed":["gone","gone"]}`, true, []string{
			"unknown node `gone` in `nodes_executed`", "unknown output `failed` of node `a` in `outputs`", "unknown node `gone` in `outputs`", "unknown variable `x`",
		}},
		{"another workflow", `{"workflow":"other","current_node":"review"}`, true, []string{"it belongs to workflow `other`, and this is `feature`"}},
		{"another file", `{"current_node":"review","workflow_sha256":"abc"}`, true, []string{"its workflow.yaml is not the file that this program was built from"}},
		{"iteration", `{"current_node":"review","iteration":-1}`, false, []string{"`iteration` is -1, which is not a number of nodes"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t)
			d.write("state.json", tt.text)
			_, err := d.load(false)
			var unfit *graphstate.UnfitError
			if !errors.As(err, &unfit) || unfit.Forced != tt.forced || len(unfit.Problems) != len(tt.want) {
				t.Fatalf("%v", err)
			}
			for i, want := range tt.want {
				if !strings.Contains(unfit.Problems[i], want) {
					t.Errorf("%q is not %q", unfit.Problems[i], want)
				}
			}
			if strings.Contains(err.Error(), "--force") != tt.forced {
				t.Errorf("%v", err)
			}
			task, err := d.load(true)
			if (err == nil) != tt.forced {
				t.Errorf("with --force: %v", err)
			}
			if tt.forced && len(task.Notes) != len(tt.want) {
				t.Errorf("%q", task.Notes)
			}
		})
	}
}

func TestLoadWithoutAFile(t *testing.T) {
	d := newDesk(t)
	if _, err := d.load(false); err == nil || !strings.Contains(err.Error(), "keeps no state") {
		t.Errorf("%v", err)
	}
	for text, want := range map[string]string{"[]": "is not a JSON object", "null": "is not a JSON object", `{"iteration":"x"}`: "iteration", `{"outputs":3,"current_node":"a"}`: "`outputs` is a JSON number"} {
		d.write("state.json", text)
		if _, err := d.load(true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	// The folder's own copy of the workflow tells, too.
	d.write("state.json", `{"_current_node":"review"}`)
	d.write("workflow.yaml", "workflow: feature # older\n")
	if _, err := d.load(false); err == nil {
		t.Error("another workflow.yaml is taken")
	}
}

// Reading never panics, whatever the file holds.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(described))
	f.Add([]byte(`{"_current_node":"START","_iteration":1e3,"coverage":[],"outputs":{"a":null}}`))
	dir, def := f.TempDir(), feature()
	f.Fuzz(func(t *testing.T, text []byte) {
		path := dir + "/state.json"
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		task, err := graphfiles.New().(graphstate.Keeper).Load(path, def, true)
		if (task == nil) == (err == nil) {
			t.Errorf("%v %v", task, err)
		}
	})
}
