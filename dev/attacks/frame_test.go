package attacks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/dev/devkit"
	"github.com/wfc-lang/wfc/dev/e2e/runner"
)

// Marker is the name in payloads for the marker program.
const Marker = "PWN"

// PayloadVariable names the environment variable that holds the path of the
// file with the payload. A workflow's first step prints that file.
const PayloadVariable = "PAYLOAD"

// A Case is one hostile script.
type Case struct {
	// Kind is the kind of step: bash, python, bun. A Form defines its meaning.
	Kind string
	// Script is the text of the step.
	Script string
}

// A Step is a case in a workflow.
type Step struct {
	// Key is the id of the step.
	Key string
	Case
}

// A Form writes cases as workflows of one dialect.
type Form struct {
	// Name is the base name of the workflow files.
	Name string
	// Workflow returns a workflow with a step for each case, all of which read
	// the payload.
	Workflow func(steps []Step) string
	// Alone makes a workflow of each accepted case. Use it when a failed step
	// stops the steps after it.
	Alone bool
	// Files are more files of the project, by their slash-separated paths
	// relative to the workflow: named scripts, wfc.yaml. Nil means none.
	Files map[string]string
	// Arguments returns more arguments of a run, given the payload. dir is an empty
	// folder for the files that they name. Nil means none.
	Arguments func(t testing.TB, dir, payload string) []string
}

// An Outcome is the result of a case.
type Outcome int

const (
	// Refused means that the compiler reported an error.
	Refused Outcome = iota
	// Accepted means that the script ran with every payload and executed none.
	Accepted
	// Executed means that the compiler accepted the script and a payload ran.
	Executed
)

// String returns the outcome in one word.
func (o Outcome) String() string { return [...]string{"refused", "accepted", "executed"}[o] }

// A Report is the outcome of one case.
type Report struct {
	Step
	Outcome Outcome
	// Findings are all findings of the compiler, with warnings.
	Findings []*diag.Diagnostic
	// Payloads are the payloads that ran, as they are written.
	Payloads []string
}

// Codes returns the codes of the findings, in order.
func (r *Report) Codes() []string {
	var codes []string
	for _, d := range r.Findings {
		codes = append(codes, d.Code.ID)
	}
	return codes
}

// limit bounds one run of one workflow.
const limit = 5 * time.Minute

// Try compiles the cases alone, builds the accepted ones together and runs them
// with each payload. Reports are in the order of the cases.
func Try(t testing.TB, form Form, cases []Case, payloads []string) []Report {
	t.Helper()
	reports := make([]Report, len(cases))
	var accepted []Step
	for i, c := range cases {
		r := Report{Step: Step{Key: fmt.Sprintf("s%03d", i), Case: c}, Outcome: Refused}
		result := compile(t, form, []Step{r.Step})
		if r.Findings = result.Diagnostics; !result.HasErrors() {
			r.Outcome = Accepted
			accepted = append(accepted, r.Step)
		}
		reports[i] = r
	}
	if len(accepted) == 0 || len(payloads) == 0 {
		return reports
	}
	hits := runAll(t, form, accepted, payloads)
	for i := range reports {
		if ran := hits[reports[i].Key]; len(ran) > 0 {
			reports[i].Outcome, reports[i].Payloads = Executed, ran
		}
	}
	return reports
}

// compile writes the steps as a workflow and compiles it in a separate folder.
func compile(t testing.TB, form Form, steps []Step) *compiler.Result {
	t.Helper()
	dir := t.TempDir()
	for name, content := range form.Files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	name := form.Name + ".yaml"
	return compiler.Compile(source.NewFile(name, []byte(form.Workflow(steps))), compiler.Options{
		Path: filepath.Join(dir, name), Root: dir,
	})
}

// runAll builds the accepted steps and returns, by the key of a step, the
// payloads that ran in it.
func runAll(t testing.TB, form Form, accepted []Step, payloads []string) map[string][]string {
	t.Helper()
	groups := [][]Step{accepted}
	if form.Alone {
		groups = nil
		for _, s := range accepted {
			groups = append(groups, []Step{s})
		}
	}
	batch := devkit.NewBatch(t)
	var ids []string
	for _, g := range groups {
		result := compile(t, form, g)
		if result.HasErrors() {
			t.Fatalf("%s: accepted alone, refused together: %v", form.Name, result.Diagnostics[0].Message)
		}
		ids = append(ids, batch.Add(t, result.Workflow))
	}
	r := &run{form: form, program: batch.Build(t, "dev/e2e/runner"), dir: t.TempDir(), found: map[string][]string{}}
	r.hits = filepath.Join(r.dir, "hits")
	if err := os.Mkdir(r.hits, 0o700); err != nil {
		t.Fatal(err)
	}
	marker := filepath.Join(r.dir, "pwn")
	touch := "#!/bin/sh\ntouch '" + r.hits + "'/\"${WFC_STEP_KEY:-none}\"\n"
	for _, p := range payloads {
		// A script that writes to a file named by its value may have written over it.
		if err := os.WriteFile(marker, []byte(touch), 0o700); err != nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
		for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
			r.try(t, id, p, strings.ReplaceAll(p, Marker, marker))
		}
	}
	return r.found
}

// run is the state that the runs of one program share.
type run struct {
	form               Form
	program, dir, hits string
	found              map[string][]string
}

// wrongCommandLine is the exit code of a program whose command line is wrong.
const wrongCommandLine = 2

// try runs one workflow with one payload and notes which steps executed it.
func (r *run) try(t testing.TB, id, payload, text string) {
	t.Helper()
	work, err := os.MkdirTemp(r.dir, "work")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(work) }()
	file := filepath.Join(r.dir, "payload")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	args := []string{"run", "-q"}
	if r.form.Arguments != nil {
		args = append(args, r.form.Arguments(t, t.TempDir(), text)...)
	}
	cmd := exec.CommandContext(ctx, r.program, args...)
	cmd.Dir, cmd.WaitDelay = work, time.Second
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + work, "TMPDIR=" + work, "TERM=dumb", "WFC_STATE=" + filepath.Join(work, ".state"),
		PayloadVariable + "=" + file, runner.Variable + "=" + id,
	}
	var exit *exec.ExitError
	switch out, err := cmd.CombinedOutput(); {
	case err != nil && !errors.As(err, &exit):
		t.Errorf("payload %q: %v\n%s", payload, err, out)
	case cmd.ProcessState.ExitCode() == wrongCommandLine:
		t.Fatalf("payload %q: the run has not started\n%s", payload, out)
	}
	entries, err := os.ReadDir(r.hits)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		// Keys of steps inside others begin with that of the step around them, and
		// those of visits end with a number.
		key := e.Name()
		if i := strings.IndexAny(key, "#@"); i >= 0 {
			key = key[:i]
		}
		r.found[key] = append(r.found[key], payload)
		_ = os.Remove(filepath.Join(r.hits, e.Name()))
	}
}
