package tables_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/dev/devkit"
	"github.com/wfc-lang/wfc/dev/e2e/tables"
	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A graph is a workflow with the table of runs that exploring it yields.
type graph struct {
	name string
	id   string // in the program
	// missing are the targets for which there is no run.
	missing []string
	tests   []explore.Test
}

// TestMain leaves all out with -short.
func TestMain(m *testing.M) {
	devkit.ExitIfShort()
	os.Exit(m.Run())
}

// TestTables explores graphs, and replays the run that it finds to every node and
// label and edge: the compiled workflow has to go that way, and end so.
func TestTables(t *testing.T) {
	batch := devkit.NewBatch(t)
	var graphs []graph
	files, err := filepath.Glob(filepath.Join("testdata", "*.yaml"))
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		graphs = append(graphs, table(t, batch, filepath.Base(file), text))
	}
	if text := requirement(t); text != nil {
		graphs = append(graphs, table(t, batch, "requirement.yaml", text))
	}
	var jobs []tables.Job
	for _, g := range graphs {
		for i := range g.tests {
			jobs = append(jobs, job(g.id, &g.tests[i]))
		}
	}
	reports := run(t, batch, jobs)
	for _, g := range graphs {
		t.Run(g.name, func(t *testing.T) {
			if want := unreachable[g.name]; !slices.Equal(g.missing, want) {
				t.Errorf("no run was found for %q, want that of %q", g.missing, want)
			}
			for i := range g.tests {
				compare(t, &g.tests[i], reports[0])
				reports = reports[1:]
			}
			t.Logf("%d runs", len(g.tests))
		})
	}
}

// unreachable are the targets of which the exploration does not know that there is
// no way to them.
var unreachable = map[string][]string{}

func table(t *testing.T, batch *devkit.Batch, name string, text []byte) graph {
	t.Helper()
	r := compiler.Compile(source.NewFile(name, text), compiler.Options{})
	if r.HasErrors() {
		for _, d := range r.Diagnostics {
			t.Log(d.Span.Position(), d.Message)
		}
		t.Fatal(name, "has errors")
	}
	found := explore.Run(r.Workflow.Workflow.Body.(*ir.Graph), explore.Options{})
	if !found.Complete {
		t.Fatal(name, "is too large")
	}
	g := graph{name: name, id: batch.Add(t, r.Workflow)}
	var missing []explore.Target
	g.tests, missing = found.Tests()
	for _, m := range missing {
		g.missing = append(g.missing, target(m))
	}
	return g
}

func target(t explore.Target) string {
	to := "no edge"
	switch {
	case t.Edge != nil && t.Edge.To == nil:
		to = "END"
	case t.Edge != nil:
		to = t.Edge.To.ID
	}
	return fmt.Sprintf("%s [%s] → %s", t.Node.ID, t.Label, to)
}

// job writes down what happens in a test by the keys of actions and questions.
func job(workflow string, test *explore.Test) tables.Job {
	j := tables.Job{Workflow: workflow, Inputs: test.Inputs, Limit: test.Limit, Acts: map[string]tables.Act{}, Answers: map[string]tables.Answer{}, Crashes: true}
	var visit func(v *explore.Visit)
	visit = func(v *explore.Visit) {
		key := fmt.Sprintf("%s@%d", v.Node.ID, v.Number)
		for i, answer := range v.Before {
			j.Answers[fmt.Sprintf("%s/before#%d", key, i+1)] = tables.Answer{Choice: answer}
		}
		for i, answer := range v.After {
			j.Answers[fmt.Sprintf("%s/after#%d", key, i+1)] = tables.Answer{Choice: answer}
		}
		g := v.Give
		switch a := v.Node.Action.(type) {
		case *ir.Human:
			j.Answers[key+"#1"] = tables.Answer{Choice: v.Label, Text: g.Text}
		case *ir.Join:
			if a.Prompt != nil {
				j.Acts[key] = tables.Act{Text: g.Text}
			}
		case *ir.Prompt, *ir.Bash:
			j.Acts[key] = tables.Act{Text: g.Text, Exit: g.Exit, Late: g.Late, Fails: g.Fails}
		}
		if g.Again != "" {
			j.Acts[key+"/again"] = tables.Act{Text: g.Again}
		}
		for i := range v.Branches {
			visit(&v.Branches[i])
		}
	}
	for i := range test.Visits {
		visit(&test.Visits[i])
	}
	return j
}

// compare holds a run against what the test says of it.
func compare(t *testing.T, test *explore.Test, r tables.Report) {
	t.Helper()
	var want, executed []string
	add := func(v *explore.Visit, saved bool) {
		if v.Label == "" {
			return
		}
		executed = append(executed, v.Node.ID)
		if saved {
			want = append(want, v.Node.ID+" "+v.Label)
		}
	}
	for i := range test.Visits {
		v := &test.Visits[i]
		// A node without a way on has failed, unless it ends the run.
		saved := v.Edge != nil || test.Finish == explore.Success && i == len(test.Visits)-1
		add(v, saved)
		for b := range v.Branches {
			add(&v.Branches[b], saved)
		}
	}
	status, reason := flow.Completed, ""
	switch test.Finish {
	case explore.Unsuccessful:
		reason = "no_goal"
	case explore.NoEdge:
		status, reason = flow.Failed, "no_edge"
	case explore.Limited:
		status, reason = flow.LimitReached, "max_iterations"
	}
	if r.Status != status || r.Reason != reason || !slices.Equal(r.Trace, want) || !slices.Equal(r.Executed, executed) || len(r.Faults) > 0 {
		t.Errorf("%s: the run ended as %s %s, %s\n got %s\nwant %s\nexecuted %s\nfaults %s", target(test.Target), r.Status, r.Reason, r.Error,
			strings.Join(r.Trace, " → "), strings.Join(want, " → "), r.Executed, r.Faults)
	}
}

// run builds the program and has it do the jobs.
func run(t *testing.T, batch *devkit.Batch, jobs []tables.Job) []tables.Report {
	t.Helper()
	input, err := json.Marshal(jobs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(batch.Build(t, "dev/e2e/tables"))
	cmd.Dir = t.TempDir()
	cmd.Stdin = bytes.NewReader(input)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	var reports []tables.Report
	if err := json.Unmarshal(out, &reports); err != nil {
		t.Fatal(err)
	}
	if len(reports) != len(jobs) {
		t.Fatal(len(reports), "reports of", len(jobs), "jobs")
	}
	return reports
}

// requirement is the full example of the format's description, or nil where that
// is not there.
func requirement(t *testing.T) []byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "shared", "requirements", "004_*"))
	if err != nil || len(files) == 0 {
		t.Log("without the requirement's full example, which is not there")
		return nil
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := bytes.Cut(text, []byte("## Full Example\n\n```yaml\n"))
	example, _, closed := bytes.Cut(rest, []byte("```"))
	if !found || !closed {
		t.Fatal("the requirement has no full example")
	}
	return example
}
