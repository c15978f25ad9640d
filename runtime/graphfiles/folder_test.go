package graphfiles_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/graphstate"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/graphfiles"
)

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

func TestTaskName(t *testing.T) {
	for _, tt := range []struct{ task, source, workflow, want string }{
		{"", "My Flow_2.yaml", "w", "my-flow-2"},
		{"", "a.b.yml", "w", "ab"},
		{"", "ÀÉ 日本.yaml", "the flow", "the-flow"},
		{"", "", "Wörk", "wrk"},
		{"", "", "日本", "task"},
		{"", "templates.yaml", "w", "templates-task"},
		{"Given", "a.yaml", "w", "Given"},
	} {
		run := &flow.RunInfo{Workflow: tt.workflow, Graph: &flow.GraphOptions{Folder: tt.task}}
		if got := graphfiles.TaskName(run, &flow.Definition{Source: tt.source}); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
	p := graphfiles.New().(graphstate.Keeper)
	for _, name := range []string{"", ".", "..", "a/b", `a\b`, "../x", "/x", ".x", " x", "x.", "a\x00b", "a\nb", "templates", "a:b", strings.Repeat("x", 101)} {
		if p.Name(name) == nil {
			t.Errorf("%q is a name", name)
		}
		d := newDesk(t)
		d.run.Graph = &flow.GraphOptions{Folder: name}
		if name == "" {
			continue
		}
		if _, err := p.Take(&d.run, d.def, "me", false); err == nil {
			t.Errorf("%q can be taken", name)
		}
		if r := d.save(midway()); r.Status != flow.Failed {
			t.Errorf("%q can be saved", name)
		}
	}
	for _, name := range []string{"a", "Feature 12", "日本", "a.b"} {
		if err := p.Name(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// take takes the desk's folder and gives it back.
func (d *desk) take() error {
	task, err := graphfiles.New().(graphstate.Keeper).Take(&d.run, d.def, "me", false)
	if err == nil {
		task.Release()
	}
	return err
}

func TestFolderHasOneRun(t *testing.T) {
	d := newDesk(t)
	p := graphfiles.New().(graphstate.Keeper)
	task, err := p.Take(&d.run, d.def, "process 7", false)
	if err != nil {
		t.Fatal(err)
	}
	other := d.run
	other.ID = "feature-2"
	if _, err := p.Take(&other, d.def, "x", false); err == nil || !strings.Contains(err.Error(), "run feature-1 (process 7) works on the task in "+d.path("")[:len(d.path(""))]) {
		t.Errorf("%v", err)
	}
	other.Graph = &flow.GraphOptions{Folder: "another"}
	beside, err := p.Take(&other, d.def, "x", false)
	if err != nil {
		t.Fatal(err)
	}
	beside.Release()
	task.Release()
	if err := d.take(); err != nil {
		t.Error(err)
	}
}

// What an earlier run has left is put aside, and nothing of it is lost.
func TestEarlierRunsArePutAside(t *testing.T) {
	d := newDesk(t)
	d.saved(midway())
	first := d.read("state.json")
	if err := d.take(); err != nil || d.read("state.json") != first {
		t.Fatalf("a run does not keep its own folder: %v", err)
	}
	d.run.ID = "feature-2"
	d.def.Graph.Text = "workflow: feature # again\n"
	if err := d.take(); err != nil {
		t.Fatal(err)
	}
	if d.read("state.json") != "" || d.read("memory.md") != "" || d.read("history/iteration-008.json") != "" || d.read("workflow.yaml") != d.def.Graph.Text {
		t.Error("the earlier run is still there")
	}
	if d.read("earlier/001/state.json") != first || d.read("earlier/001/history/iteration-008.json") == "" || d.read("earlier/002/workflow.yaml") != "workflow: feature\n" {
		t.Error("something is lost")
	}
	d.saved(midway())
	d.run.ID, d.run.Graph = "feature-3", &flow.GraphOptions{FromDir: d.path("")}
	if err := d.take(); err != nil || d.read("state.json") == "" {
		t.Errorf("what the run goes on from is put aside: %v", err)
	}
	// A run that goes on elsewhere takes along what is written down.
	from := d.path("")
	d.write("memory.md", "remembered")
	d.run.ID, d.run.Graph = "feature-4", &flow.GraphOptions{Folder: "elsewhere", FromDir: from}
	if err := d.take(); err != nil || d.read("memory.md") != "remembered" || d.read("state.json") != "" {
		t.Errorf("%v %q", err, d.read("memory.md"))
	}
}

func TestFolderOfAnotherWorkflow(t *testing.T) {
	d := newDesk(t)
	d.write("state.json", `{"_workflow":"other","_current_node":"x"}`)
	if err := d.take(); err == nil || !strings.Contains(err.Error(), "is the folder of workflow `other`, and this is `feature`; give the task another name by --task NAME, or move its files aside by --force") {
		t.Errorf("%v", err)
	}
	d.write("state.json", `{`)
	if err := d.take(); err == nil || !strings.Contains(err.Error(), "is not a JSON object") {
		t.Errorf("%v", err)
	}
	d.run.Graph = &flow.GraphOptions{Force: true}
	if err := d.take(); err != nil || d.read("earlier/001/state.json") != "{" {
		t.Errorf("%v %q", err, d.read("earlier/001/state.json"))
	}
	d.write("state.json", `{"workflow":"other"}`)
	if err := d.take(); err != nil || d.read("earlier/002/state.json") != `{"workflow":"other"}` {
		t.Errorf("%v %q", err, d.read("earlier/002/state.json"))
	}
}

func TestLook(t *testing.T) {
	d := newDesk(t)
	p := graphfiles.New().(graphstate.Keeper)
	if task := p.Look(&d.run, d.def); task != nil {
		t.Errorf("%+v", task)
	}
	d.saved(midway())
	task := p.Look(&d.run, d.def)
	if task == nil || task.Dir != d.path("") && task.Dir+"/" != d.path("") || task.State.Next != "review" || task.State.Iteration != 8 || task.State.Usage.CostUSD != 0.42 || task.State.Usage.Elapsed.Minutes() != 15.5 {
		t.Errorf("%+v", task)
	}
	d.run.ID = "feature-2"
	if task := p.Look(&d.run, d.def); task != nil {
		t.Errorf("%+v", task)
	}
}
