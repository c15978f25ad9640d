package wfctest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/wfc-lang/wfc/internal/shared/ci"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
	"github.com/wfc-lang/wfc/runtime/internal/testmake"
	"github.com/wfc-lang/wfc/runtime/internal/testrun"
	"github.com/wfc-lang/wfc/runtime/internal/testsuite"
)

// A job is the request that `wfc test` writes to the standard input of a test program.
type job struct{ testjob.Job }

// A covered has the facts about a workflow that its tests covered: see testrun.Hits. Terms
// count how often each term of a condition did not hold and held.
type covered struct {
	Hits  map[string]int
	Terms map[string][2]uint64
}

// Main is the main function of the program that `wfc test` builds. It reads a job from
// standard input, runs the tests, prints the report, and exits with 0 if all passed, 1 if
// one failed, and 2 if they could not run. Other programs have no use for it.
//
// The keys of the maps are the ids that the program gives its workflows. A function in
// terms returns how often each operand of the workflow's conditions was false and how
// often it was true, by its place in the workflow file; see gen.Options.Cover. A function
// in mutants selects a mutant of the workflow by its number, and returns the mutants that
// the run has reached. Both maps may be nil.
func Main(workflows map[string]*flow.Definition, terms map[string]func() map[string][2]uint64, mutants map[string]func(int) []int) {
	os.Exit(runJob(os.Stdin, os.Stdout, os.Stderr, workflows, terms, mutants))
}

func runJob(in io.Reader, out, errs io.Writer, workflows map[string]*flow.Definition, terms map[string]func() map[string][2]uint64, mutants map[string]func(int) []int) int {
	var j job
	requests := json.NewDecoder(in)
	if err := requests.Decode(&j); err != nil {
		fmt.Fprintf(errs, "wfc: read the tests to run: %v\n", err)
		return 2
	}
	var failed bool
	var err error
	if j.Worker {
		err = j.runWorker(requests, out, workflows, mutants)
	} else {
		failed, err = j.runRequest(out, errs, workflows, terms)
	}
	switch {
	case err != nil:
		fmt.Fprintf(errs, "wfc: %v\n", err)
		return 2
	case failed:
		return 1
	}
	return 0
}

func (j *job) runRequest(out, errs io.Writer, workflows map[string]*flow.Definition, terms map[string]func() map[string][2]uint64) (failed bool, err error) {
	if j.Schema {
		_, err := out.Write(testfile.Schema())
		return false, err
	}
	if j.Recording != "" && len(j.Files) > 0 {
		return false, j.fromRecording(out, workflows[j.Files[0].Workflow])
	}
	if j.Document != "" {
		text, err := testfile.Document(j.Comments, []byte(j.Document))
		if err == nil {
			_, err = out.Write(text)
		}
		return false, err
	}
	if len(j.Probes) > 0 && len(j.Files) > 0 {
		return false, j.runProbes(out, workflows[j.Files[0].Workflow], terms)
	}
	format, ok := testsuite.Formats()[j.Format]
	if !ok {
		return false, errors.New(plain.UnknownValue("format", j.Format, slices.Sorted(maps.Keys(testsuite.Formats()))))
	}
	opt, err := j.suiteOptions()
	if err != nil {
		return false, err
	}
	sources, err := j.testSources(workflows)
	if err != nil {
		return false, err
	}
	report, err := testsuite.Run(sources, opt)
	if err != nil {
		return false, err
	}
	report.Isolated = j.Isolated
	if err := format(report, out, testsuite.TextOptions{Verbose: j.Verbose, Repeat: j.Repeat}); err != nil {
		return false, fmt.Errorf("write the report: %w", err)
	}
	annotations := j.Format == "github"
	if j.Format != "text" && ci.IsUnseen(out, annotations) {
		if err := report.WriteBrief(errs); err != nil {
			return false, fmt.Errorf("name the failed tests: %w", err)
		}
	}
	if annotations { // a log has nothing else of tests that pass
		fmt.Fprintln(errs, report.Conclusion())
	}
	if j.Cover != "" {
		if err := j.writeCoverage(report, terms); err != nil {
			return false, err
		}
	}
	if report.Dir != "" {
		fmt.Fprintf(errs, "the folders of the tests are in %s\n", report.Dir)
	}
	ran, bad := report.Counts()
	if ran == 0 {
		return false, errors.New("no test matches --run")
	}
	if bad == 0 && j.Verdicts != "" {
		return false, j.writeVerdicts(sources, opt)
	}
	return bad > 0, nil
}

func (j *job) suiteOptions() (opt testsuite.Options, err error) {
	opt = testsuite.Options{Shuffle: j.Shuffle, Count: j.Count, Update: j.Update, Keep: j.Keep, Crash: j.Crash, Orders: j.Orders}
	if j.Only != "" {
		if opt.Only, err = regexp.Compile(j.Only); err != nil {
			return opt, fmt.Errorf("--run: %w", err)
		}
	}
	return opt, nil
}

// testSources returns the test files with their workflows.
func (j *job) testSources(workflows map[string]*flow.Definition) ([]testsuite.Source, error) {
	var sources []testsuite.Source
	for _, f := range j.Files {
		def := workflows[f.Workflow]
		if def == nil && f.Problem == "" && len(f.Syntax) == 0 {
			return nil, fmt.Errorf("the test program lacks the workflow of %s", f.Shown)
		}
		f.Diagnostics = append([]string{}, f.Diagnostics...) // nil is unknown
		sources = append(sources, testsuite.Source{Source: f, Definition: def})
	}
	return sources, nil
}

// writeVerdicts runs the tests with each mutant, in further processes of this program, and writes
// the verdicts.
func (j *job) writeVerdicts(sources []testsuite.Source, opt testsuite.Options) error {
	worker := *j
	worker.Worker, worker.Mutants = true, nil
	request, err := json.Marshal(&worker)
	if err != nil {
		return fmt.Errorf("the request of a worker: %w", err)
	}
	verdicts, guarded, err := testsuite.Mutate(sources, opt, j.Mutants, request)
	if err != nil {
		return err
	}
	text, err := json.Marshal(testjob.Verdicts{Verdicts: verdicts, ReadOnly: guarded})
	if err != nil {
		return fmt.Errorf("encode the verdicts: %w", err)
	}
	if err := os.WriteFile(j.Verdicts, text, 0o600); err != nil {
		return fmt.Errorf("write the verdicts: %w", err)
	}
	return nil
}

// runWorker runs single mutants as a worker.
func (j *job) runWorker(requests *json.Decoder, out io.Writer, workflows map[string]*flow.Definition, mutants map[string]func(int) []int) error {
	opt, err := j.suiteOptions()
	if err != nil {
		return err
	}
	sources, err := j.testSources(workflows)
	if err != nil {
		return err
	}
	selects := map[string]testsuite.Select{}
	for name, choose := range mutants {
		selects[name] = choose
	}
	return testsuite.Work(requests, out, sources, opt, selects)
}

// fromRecording writes a test made of a recording as JSON.
func (j *job) fromRecording(out io.Writer, def *flow.Definition) error {
	if def == nil {
		return errors.New("the test program lacks the workflow of the recording")
	}
	test, notes, err := testmake.FromRecording(def, j.Recording, j.Files[0].Project)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(struct {
		Test  string
		Notes []string
	}{string(test), notes})
}

// runProbes runs candidates of tests and writes their runs as JSON, one a line.
func (j *job) runProbes(out io.Writer, def *flow.Definition, terms map[string]func() map[string][2]uint64) error {
	if def == nil {
		return errors.New("the test program lacks the workflow")
	}
	count := terms[j.Files[0].Workflow]
	dir, err := os.MkdirTemp("", "wfc-probe-")
	if err != nil {
		return fmt.Errorf("make a folder for the runs: %w", err)
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return fmt.Errorf("find the folder of the runs: %w", err)
	}
	var tests []*testfile.Test
	for _, text := range j.Probes {
		f, faults := testfile.Parse("test", []byte(text))
		if len(faults) > 0 || len(f.Tests) != 1 {
			return fmt.Errorf("a candidate is not a test file: %v\n%s", faults, text)
		}
		tests = append(tests, f.Tests[0])
	}
	tools, source := testrun.NewTools(dir), filepath.Dir(j.Files[0].Path)
	probes := testrun.ProbeAll(tests, func(i int) testrun.Options {
		return testrun.Options{Definition: def, Dir: filepath.Join(dir, strconv.Itoa(i)), Source: source, Tools: tools, Project: j.Files[0].Project, Diagnostics: append([]string{}, j.Files[0].Diagnostics...)}
	}, count)
	return json.NewEncoder(out).Encode(probes)
}

// writeCoverage writes the covered facts of each workflow by its name.
func (j *job) writeCoverage(report *testsuite.Report, terms map[string]func() map[string][2]uint64) error {
	all := map[string]*covered{}
	for _, f := range j.Files {
		if all[f.Workflow] != nil || f.Workflow == "" {
			continue
		}
		c := &covered{Hits: map[string]int{}}
		if count := terms[f.Workflow]; count != nil {
			c.Terms = count()
		}
		all[f.Workflow] = c
	}
	for _, f := range report.Files {
		for _, source := range j.Files {
			if source.Path != f.Path || source.Workflow == "" || source.Workflow != f.Workflow {
				continue
			}
			for name, n := range f.Hits() {
				all[source.Workflow].Hits[name] += n
			}
			break
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("encode the coverage: %w", err)
	}
	if err := os.WriteFile(j.Cover, text, 0o600); err != nil {
		return fmt.Errorf("write the coverage: %w", err)
	}
	return nil
}
