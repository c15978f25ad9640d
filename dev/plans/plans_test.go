// Package plans tests the plans of workflows that are compiled from YAML.
package plans

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/dev/devkit"
	"github.com/wfc-lang/wfc/dev/plans/runner"
	"github.com/wfc-lang/wfc/runtime/flow"
)

var update = flag.Bool("update", false, "write the goldens")

// corpus holds real workflows, if it is there.
const corpus = "../../../shared/corpus/archon/.archon/workflows"

// scenarios are plans of testdata/review.yaml with scripted outputs.
var scenarios = []struct{ name, outputs string }{
	{"unknown", ``},
	{"bad", `{
		"size": "120\n", "judge": {"verdict": "bad", "faults": 2, "risky": true, "summary": "It leaks."},
		"mend#1": "closed one", "mend#1/until": false,
		"ask#1": {"choice": "reject", "text": "too late"}, "ask#2": {"choice": "approve", "text": "fine"}}`},
	{"good", `{"size": "7", "judge": {"verdict": "good", "faults": 0, "risky": false, "summary": "Fine."}, "ask": "approve"}`},
	{"unclear", `{"judge": "Well: {\"verdict\": \"unclear\", \"faults\": 0, \"risky\": false, \"summary\": \"What?\"}"}`},
	{"rejected", `{"judge": {"verdict": "good", "faults": 0, "risky": false, "summary": "Fine."}, "ask": {"choice": "reject", "text": "no"}}`},
}

// TestMain leaves all out with -short.
func TestMain(m *testing.M) {
	devkit.ExitIfShort()
	os.Exit(m.Run())
}

// TestPlans plans a workflow in the ways in which it can go, and every real
// workflow there is: nothing that is not known may fail a node of a plan.
func TestPlans(t *testing.T) {
	batch := devkit.NewBatch(t)
	var jobs []runner.Job
	add := func(file, outputs string) bool {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r := compiler.Compile(source.NewFile(filepath.Base(file), text), compiler.Options{Path: file})
		if r.HasErrors() {
			return false
		}
		job := runner.Job{Workflow: batch.Add(t, r.Workflow), Inputs: map[string]string{"arguments": "speed it up", "context": ""}, Outputs: outputs}
		for _, in := range r.Workflow.Workflow.Inputs {
			if in.Default == nil {
				job.Inputs[in.Name] = "x"
			}
		}
		jobs = append(jobs, job)
		return true
	}
	for _, s := range scenarios {
		if !add("testdata/review.yaml", s.outputs) {
			t.Fatal("review.yaml has errors")
		}
	}
	var files []string
	err := filepath.WalkDir(corpus, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".yaml" && add(path, "") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Log("without real workflows: ", err)
	}
	reports := run(t, batch, jobs)
	for i, s := range scenarios {
		t.Run(s.name, func(t *testing.T) { golden(t, s.name, reports[i]) })
	}
	for i, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { plausible(t, reports[len(scenarios)+i]) })
	}
	t.Logf("%d real workflows", len(files))
}

// run builds the program and has it do the jobs in an empty folder, which stays
// empty, with a home that cannot be written to.
func run(t *testing.T, batch *devkit.Batch, jobs []runner.Job) []runner.Report {
	t.Helper()
	input, err := json.Marshal(jobs)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(batch.Build(t, "dev/plans/runner"))
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=" + os.DevNull, "XDG_STATE_HOME=" + os.DevNull, "PATH="}
	cmd.Stdin = bytes.NewReader(input)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	left, err := os.ReadDir(cmd.Dir)
	if err != nil || len(left) > 0 {
		t.Errorf("the plans left %v %v", left, err)
	}
	var reports []runner.Report
	if err := json.Unmarshal(out, &reports); err != nil {
		t.Fatal(err)
	}
	return reports
}

func golden(t *testing.T, name string, r runner.Report) {
	t.Helper()
	if r.Err != "" {
		t.Fatal(r.Err)
	}
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(r.Text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if r.Text != string(want) {
		t.Errorf("the plan is not what is kept in %s (go test -update writes it); got:\n%s", file, r.Text)
	}
}

// plausible checks the properties of every plan without scripted outputs.
func plausible(t *testing.T, r runner.Report) {
	t.Helper()
	if r.Err != "" {
		t.Fatal(r.Err)
	}
	var plan struct {
		Steps []struct {
			ID, Failure string
			Status      flow.Status
			Actions     []struct {
				Key             string `json:"id"`
				Prompt, Message string
			}
		}
	}
	if err := json.Unmarshal(r.Plan, &plan); err != nil {
		t.Fatal(err)
	}
	for _, s := range plan.Steps {
		// A node fails at its turn whose file was not there when it was compiled.
		if s.Status == flow.Failed && !strings.HasSuffix(s.Failure, "resume the run with --force") {
			t.Errorf("%s fails: %s", s.ID, s.Failure)
		}
		for _, a := range s.Actions {
			if strings.Contains(a.Prompt+a.Message, "735184620") {
				t.Errorf("%s shows a number that nobody knows: %s%s", a.Key, a.Prompt, a.Message)
			}
		}
	}
	if len(plan.Steps) == 0 || !strings.Contains(r.Text, plan.Steps[0].ID) {
		t.Errorf("the plan is %s", r.Text)
	}
}
