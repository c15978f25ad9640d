// Package testrun runs tests of workflows: the real kernel on the simulated engine, with
// stand-ins for agents, programs and people.
//
// A test has three parts, each in a file or two: the world of its run (stand-ins, the
// working folder, the transcript), the run itself, and the expectations, which only read
// the Observed of a run. So other sources of runs (crashes, other orders, mutants) and
// other readers (coverage) use the same parts.
package testrun

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/input"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Options say how to run a test.
type Options struct {
	// Definition is the tested workflow.
	Definition *flow.Definition
	// Dir is the test's own folder. It does not exist; the run makes it if it needs it.
	Dir string
	// Source is the folder of the test file, in which fixtures are.
	Source string
	// Tools has the folders of commands that every script may call.
	Tools *Tools
	// Diagnostics are the codes of the findings of the workflow; nil is unknown.
	Diagnostics []string
	// Placeholders are the outputs of nodes that a fixture of archon need not stub, by key.
	Placeholders map[string]string
	// Project are the settings of the project that runs of the workflow have.
	Project testjob.Project
	// Crash repeats the test with a process that dies at each point of the run, and Orders
	// is the number of other orders of ready steps in which to repeat it.
	Crash  bool
	Orders int
	// NoPrograms fails bash scripts without a result, instead of running them.
	NoPrograms bool
	// Steps is the number of actions and commits at which the run is stopped; 0 means no
	// limit.
	Steps int
	// Snapshot is the golden transcript, or "" if there is none yet.
	Snapshot string
}

// A Failure is an expectation that does not hold, or a mistake in the test.
type Failure struct {
	testfile.Place
	// What names the thing that differs.
	What string
	// Expected and Happened may be "" if What says all.
	Expected, Happened string
	// Diff is the difference of two transcripts.
	Diff string
}

// A Result is the end of a test.
type Result struct {
	Test     *testfile.Test
	Failures []Failure
	// Notes are remarks that fail nothing, such as an unused stand-in.
	Notes []string
	// Stubs is the use of the stubs of a fixture of archon, or nil.
	Stubs *StubUse
	// Observed is the run, or nil if the test could not run.
	Observed *Observed
	// Snapshot is the transcript for the golden file.
	Snapshot string
	// Dir is the test's folder, which exists if the run needed it.
	Dir string
	// Took is the time that the test took.
	Took time.Duration
	// Endless means that the run was stopped at Options.Steps.
	Endless bool
	// Steps is the number of actions and commits of the run.
	Steps int
}

// errEndless stops a run at Options.Steps.
var errEndless = errors.New("the run does not end")

// countStep counts an action or a commit, and stops a run that has too many.
func (w *world) countStep() {
	w.steps++
	if w.opt.Steps > 0 && w.steps > w.opt.Steps {
		panic(errEndless)
	}
}

// Passed reports whether the test passed.
func (r *Result) Passed() bool { return len(r.Failures) == 0 }

// Run runs a test. It never panics.
func Run(t *testfile.Test, opt Options) (r *Result) {
	r = &Result{Test: t}
	begin := time.Now()
	defer func() {
		if fault := recover(); fault != nil {
			r.Endless = fault == any(errEndless)
			r.Failures = append(r.Failures, Failure{Place: t.Place, What: fmt.Sprintf("internal error: %v\n%s", fault, debug.Stack())})
		}
		r.Took = time.Since(begin)
	}()
	w, o, failures := simulateAs(t, &opt, nil)
	if o == nil {
		r.Failures = failures
		return r
	}
	r.Observed, r.Dir, r.Steps = w.observed, opt.Dir, w.steps
	for _, fault := range o.Faults {
		w.addFailure(t.Place, "internal error: %s", fault)
	}
	w.noteUnusedStandIns()
	r.Failures, r.Notes = w.failures, w.notes
	if t.Stubs != nil {
		r.Stubs = w.stubUse()
		r.Failures = append(r.Failures, w.compareFixture()...)
	} else {
		r.Failures = append(r.Failures, w.compareRun()...)
	}
	if t.Snapshot {
		r.Snapshot = w.observed.Transcript()
		r.Failures = append(r.Failures, compareSnapshot(t, opt.Snapshot, r.Snapshot)...)
	}
	if r.Passed() {
		r.Failures = w.repeatDisturbed(o)
		r.Notes = w.notes
	}
	slices.SortStableFunc(r.Failures, func(a, b Failure) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return r
}

// Simulate runs a test without its expectations, and returns the outcome of the run, the
// files that prompts needed and did not find, and the mistakes of the test, such as a missing
// stand-in. The outcome is nil if the run could not start.
func Simulate(t *testfile.Test, opt Options) (o *sim.Result, files, problems []string) {
	w, o, failures := simulateAs(t, &opt, nil)
	if o != nil {
		w.failMissedEvents()
		failures, files = w.failures, w.absent
	}
	for _, f := range failures {
		problems = append(problems, f.What)
	}
	return o, files, problems
}

// simulateAs runs the test's workflow in its world, disturbed by d if it is not nil. The outcome
// is nil if it could not start.
func simulateAs(t *testfile.Test, opt *Options, d *disturbance) (*world, *sim.Result, []Failure) {
	if faults := checkNames(t, opt.Definition); len(faults) > 0 {
		var failures []Failure
		for _, f := range faults {
			failures = append(failures, Failure{Place: f.Place, What: f.Message})
		}
		return nil, nil, failures
	}
	w, err := newWorld(t, opt)
	if err != nil {
		return nil, nil, []Failure{{Place: t.Place, What: err.Error()}}
	}
	w.disturbed = d
	for _, in := range opt.Definition.Inputs {
		if in.Type == "path" { // the path must exist
			if err := w.folder.ensureReady(); err != nil {
				return nil, nil, []Failure{{Place: t.Place, What: err.Error()}}
			}
		}
	}
	inputs, failures := inputsOf(t, opt.Definition, w.info.WorkDir)
	if len(failures) > 0 {
		return nil, nil, failures
	}
	definition := opt.Definition
	if t.Stubs != nil {
		alone := *definition
		alone.Children = nil // the runs of other workflows are not simulated
		definition = &alone
	}
	seed, crash := uint64(1), []int(nil)
	if d != nil && d.crash > 0 {
		crash = []int{d.crash}
	}
	if d != nil && d.seed > 0 {
		seed = d.seed
	}
	interrupts := opt.Project.OnInterrupt
	if d != nil {
		interrupts = settings.Interrupts{} // the outcome of --crash is that of a run without crashes
	}
	o := sim.Run(sim.World{
		Definition: definition, PauseOnWait: t.Stubs != nil, PausesOn: w.leavesOpen, Inputs: inputs, Info: w.info, Start: t.Now, Orderly: d == nil || d.seed == 0,
		MaxParallel: opt.Definition.Concurrency, OnInterrupt: interrupts, Limits: opt.Project.Limits,
		Perform: w.performAction, Person: w.answerQuestion, Committed: w.commitBatch,
	}, seed, crash...)
	w.observed.recordOutcome(o)
	return w, o, nil
}

// inputsOf returns the inputs of the run with the defaults of those that the test does not
// give.
func inputsOf(t *testfile.Test, def *flow.Definition, dir string) (inputs []byte, failures []Failure) {
	inputs = []byte{'{'}
	for _, in := range def.Inputs {
		value, given := t.Inputs.Get(in.Name)
		switch {
		case given:
			v, err := input.Value(in, value, dir)
			if err != nil {
				at := t.Inputs[slices.IndexFunc(t.Inputs, func(e testfile.Entry[json.RawMessage]) bool { return e.Key == in.Name })].Place
				failures = append(failures, Failure{Place: at, What: fmt.Sprintf("input `%s`: %v", in.Name, err)})
			}
			value = v
		case in.Replaces != "":
			continue
		case in.Default == "":
			failures = append(failures, Failure{Place: t.Place, What: fmt.Sprintf("the workflow needs the input `%s`; add it to `inputs`", in.Name)})
		default:
			value = json.RawMessage(in.Default)
		}
		name, err := kernel.Encode(in.Name)
		if err != nil {
			panic(err)
		}
		if len(inputs) > 1 {
			inputs = append(inputs, ',')
		}
		inputs = append(append(append(inputs, name...), ':'), value...)
	}
	return append(inputs, '}'), failures
}
