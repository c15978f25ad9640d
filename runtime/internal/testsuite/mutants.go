package testsuite

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/testrun"
)

// Mutants: the test program has the code of all mutants, and one is selected at a time for
// the whole process. So each mutant runs in a worker: a second process of the same program,
// which runs tests until one fails. A mutant that breaks its process, or that never ends,
// does not affect the others.

// How tests notice a mutant.
const (
	ByTest  = "test"
	ByLimit = "limit" // the run does not end
	ByCrash = "crash" // the process of the run breaks down
)

// A Select selects a mutant of a workflow, and returns the places to which runs came since
// the last call.
type Select func(mutant int) (places []int)

// A trial asks a worker to run tests with a mutant until one fails.
type trial struct {
	Workflow string
	Mutant   int
	Tests    []int
	// Steps are the limits of the runs of the tests.
	Steps []int
	// Facts asks for the facts of the tests.
	Facts bool
	// Dir is an empty folder for the worker, the same for all its trials.
	Dir string
}

// A tried is the answer of a worker.
type tried struct {
	// Failed is the first test that failed, or -1; Endless says that its run did not end.
	Failed  int
	Endless bool
	Facts   []facts
	// ReadOnly says that the worker can change only temporary files.
	ReadOnly bool
}

// facts are the observations of a test without a fault.
type facts struct {
	Places []int
	Hits   testrun.Hits
	Steps  int
	// Programs is the number of programs that ran for real.
	Programs int
}

// Work is a worker: it answers trials until its input ends.
func Work(in *json.Decoder, out io.Writer, sources []Source, opt Options, selects map[string]Select) error {
	all, err := loadTests(sources, opt)
	if err != nil {
		return err
	}
	guarded := readOnly(os.TempDir()) == nil
	var tools *testrun.Tools
	answers := json.NewEncoder(out)
	for n := 0; ; {
		var t trial
		if err := in.Decode(&t); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if tools == nil {
			tools = testrun.NewTools(t.Dir)
		}
		answer := tried{Failed: -1, ReadOnly: guarded}
		choose := selects[t.Workflow]
		choose(t.Mutant)
		for k, i := range t.Tests {
			n++
			test := all[i]
			limit := 0
			if len(t.Steps) > k {
				limit = t.Steps[k]
			}
			where := filepath.Join(t.Dir, strconv.Itoa(n))
			result := test.performIn(where, tools, Options{}, limit)
			if t.Facts {
				answer.Facts = append(answer.Facts, factsOf(result, choose(t.Mutant)))
			}
			_ = os.RemoveAll(where) // the whole folder goes at the end
			if !result.Passed() {
				answer.Failed, answer.Endless = i, result.Endless
				break
			}
		}
		choose(0)
		if err := answers.Encode(answer); err != nil {
			return err
		}
	}
}

func factsOf(r *testrun.Result, places []int) facts {
	f := facts{Places: places, Steps: r.Steps}
	if r.Observed != nil {
		f.Hits = r.Observed.Hits()
		for _, e := range r.Observed.Entries {
			if e.Real {
				f.Programs++
			}
		}
	}
	return f
}

// loadTests returns the selected tests of files, in order.
func loadTests(sources []Source, opt Options) ([]*Test, error) {
	r := &Report{}
	for _, s := range sources {
		f, err := readTestFile(s)
		if err != nil {
			return nil, err
		}
		r.Files = append(r.Files, f)
	}
	return selectTests(r, Options{Only: opt.Only}), nil
}

// Mutate runs the tests with each mutant, and returns the verdicts in the order of the
// mutants. request is the input of a worker before its trials. The tests must pass without a
// mutant. guarded says that scripts could change only temporary files.
func Mutate(sources []Source, opt Options, mutants []testjob.Mutant, request []byte) (verdicts []testjob.Verdict, guarded bool, err error) {
	all, err := loadTests(sources, opt)
	if err != nil {
		return nil, false, err
	}
	dir, err := os.MkdirTemp("", "wfc-mutant-")
	if err != nil {
		return nil, false, fmt.Errorf("make a folder for the tests: %w", err)
	}
	defer os.RemoveAll(dir)
	m := &mutation{request: request, tests: all, facts: make([]facts, len(all)), dir: dir, patience: cmp.Or(opt.Patience, patience)}
	if err := m.measureTests(); err != nil {
		return nil, false, err
	}
	verdicts = make([]testjob.Verdict, len(mutants))
	var next atomic.Int64
	err = m.runWorkers(min(workersOf(opt), len(mutants)), func(w *worker) error {
		for i := next.Add(1) - 1; i < int64(len(mutants)); i = next.Add(1) - 1 {
			v, err := m.tryMutant(w, mutants[i])
			if err != nil {
				return err
			}
			verdicts[i] = v
		}
		return nil
	})
	return verdicts, !m.open.Load(), err
}

func workersOf(opt Options) int {
	if opt.Parallel > 0 {
		return opt.Parallel
	}
	return runtime.GOMAXPROCS(0)
}

type mutation struct {
	request []byte
	tests   []*Test
	facts   []facts
	// dir has a folder for each worker.
	dir string
	// patience is the longest time without an answer for one test.
	patience time.Duration
	// plain makes workers start without their own mounts, and open says that one could
	// change all files.
	plain, open atomic.Bool
}

// runWorkers runs do with several workers at once, and returns the first error.
func (m *mutation) runWorkers(n int, do func(w *worker) error) error {
	var wait sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		wait.Go(func() {
			w := &worker{of: m}
			defer w.stopProcess()
			errs[i] = do(w)
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// measureTests runs each test without a mutant.
func (m *mutation) measureTests() error {
	var next atomic.Int64
	return m.runWorkers(min(workersOf(Options{}), len(m.tests)), func(w *worker) error {
		for i := int(next.Add(1) - 1); i < len(m.tests); i = int(next.Add(1) - 1) {
			t := m.tests[i]
			answer, err := w.runTrial(trial{Workflow: t.File.Workflow, Tests: []int{i}, Facts: true}, patience)
			if err != nil {
				return fmt.Errorf("test `%s` without a mutant: %w", t.Name, err)
			}
			if answer.Failed >= 0 {
				return fmt.Errorf("test `%s` fails when it runs a second time, so mutants cannot be compared; a program reads the clock or makes random values", t.Name)
			}
			m.facts[i] = answer.Facts[0]
		}
		return nil
	})
}

// patience is the longest time of a worker without an answer for one test. Only programs
// take time: the clock of runs is virtual.
const patience = 2 * time.Minute

// tryMutant runs the tests that can notice a mutant, those of the fewest steps first.
func (m *mutation) tryMutant(w *worker, mutant testjob.Mutant) (testjob.Verdict, error) {
	v := testjob.Verdict{Workflow: mutant.Workflow, ID: mutant.ID}
	t := trial{Workflow: mutant.Workflow, Mutant: mutant.ID}
	near := func(i int) bool {
		if len(mutant.Facts) == 0 {
			return true
		}
		return slices.ContainsFunc(mutant.Facts, func(name string) bool { return m.facts[i].Hits[name] > 0 })
	}
	for i, test := range m.tests {
		if test.File.Workflow != mutant.Workflow || !slices.ContainsFunc(mutant.Places, func(p int) bool { return slices.Contains(m.facts[i].Places, p) }) {
			continue
		}
		v.Covered = v.Covered || near(i)
		t.Tests = append(t.Tests, i)
	}
	slices.SortStableFunc(t.Tests, func(a, b int) int {
		if na, nb := near(a), near(b); na != nb {
			if na {
				return -1
			}
			return 1
		}
		return cmp.Compare(m.facts[a].weight(), m.facts[b].weight())
	})
	for _, i := range t.Tests {
		t.Steps = append(t.Steps, mostSteps(m.facts[i].Steps))
	}
	if len(t.Tests) == 0 {
		return v, nil
	}
	answer, err := w.runTrial(t, m.patience+time.Duration(len(t.Tests))*time.Second)
	var fault *broken
	switch {
	case errors.As(err, &fault):
		v.Killed = fault.how
	case err != nil:
		return v, err
	case answer.Failed >= 0:
		v.Killed, v.By = ByTest, m.tests[answer.Failed].Name
		if answer.Endless {
			v.Killed = ByLimit
		}
	}
	v.Covered = v.Covered || v.Killed != ""
	return v, nil
}

// weight orders tests by their cost: a program takes as long as many simulated steps.
func (f facts) weight() int { return f.Steps + 50*f.Programs }

// mostSteps is the limit of a run with a mutant, from the steps of the run without.
func mostSteps(steps int) int { return 20*steps + 2000 }

// A worker is a process that answers trials. It starts when it is first asked.
type worker struct {
	dir string
	of  *mutation
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

// broken is the error of a worker that gave no answer.
type broken struct{ how string }

func (b *broken) Error() string { return "the process of the run ended (" + b.how + ")" }

func (w *worker) startProcess(m *mutation) error {
	path, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the test program: %w", err)
	}
	if w.dir, err = os.MkdirTemp(m.dir, ""); err != nil {
		return fmt.Errorf("make a folder for the tests: %w", err)
	}
	cmd := exec.Command(path)
	if !m.plain.Load() {
		ownMounts(cmd)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		if m.plain.CompareAndSwap(false, true) {
			return w.startProcess(m) // the system refuses it
		}
		return fmt.Errorf("start a test program: %w", err)
	}
	w.cmd, w.in, w.out = cmd, in, json.NewDecoder(out)
	_, err = in.Write(m.request)
	return err
}

// runTrial sends a trial and waits for the answer, for a time at most. If the process breaks
// down or the time passes, the error is a *broken, and the next trial has another process.
func (w *worker) runTrial(t trial, most time.Duration) (answer tried, err error) {
	if w.cmd == nil {
		if err := w.startProcess(w.of); err != nil {
			return answer, err
		}
	}
	t.Dir = w.dir
	var late atomic.Bool
	timer := time.AfterFunc(most, func() {
		late.Store(true)
		_ = w.cmd.Process.Kill() // it may have ended
	})
	defer timer.Stop()
	if err = json.NewEncoder(w.in).Encode(t); err == nil {
		err = w.out.Decode(&answer)
	}
	if err == nil {
		if !answer.ReadOnly {
			w.of.open.Store(true)
		}
		return answer, nil
	}
	w.stopProcess()
	w.endPrograms()
	if late.Load() {
		return answer, &broken{ByLimit}
	}
	return answer, &broken{ByCrash}
}

// endPrograms ends the programs that the process left behind.
func (w *worker) endPrograms() {
	runs, err := filepath.Glob(filepath.Join(w.dir, "*", "run"))
	if err != nil {
		return // the pattern is valid
	}
	for _, dir := range runs {
		process.KillSurvivors(dir)
	}
}

// stopProcess ends the process.
func (w *worker) stopProcess() {
	if w.cmd == nil {
		return
	}
	_ = w.in.Close() // the worker then ends, unless a run does not
	done := make(chan struct{})
	timer := time.AfterFunc(5*time.Second, func() { _ = w.cmd.Process.Kill() })
	go func() { _ = w.cmd.Wait(); close(done) }()
	<-done
	timer.Stop()
	w.cmd = nil
}
