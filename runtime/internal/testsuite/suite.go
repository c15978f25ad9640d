// Package testsuite runs the tests of test files, in parallel, and reports them as text,
// JSON, JUnit XML, GitHub annotations or a table.
//
// A report depends on the tests only: it has no times and no temporary folders, unless
// folders are kept. So the same tests always give the same report.
package testsuite

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
	"github.com/wfc-lang/wfc/runtime/internal/testrun"
)

// Suffix is how the names of test files end.
const Suffix = ".test.yaml"

// A Source is a test file with the workflow that it tests.
type Source struct {
	testjob.Source
	// Definition is nil if the workflow was not found; Problem then says why.
	Definition *flow.Definition
}

// Options say how to run the tests of files.
type Options struct {
	// Only selects tests by their full names, such as triage/a bug; nil selects all.
	Only *regexp.Regexp
	// Shuffle is the seed of a random order; 0 keeps the order of the files.
	Shuffle uint64
	// Count is how often each test runs; less than 1 is once.
	Count int
	// Update rewrites golden files.
	Update bool
	// Keep keeps the folders of the tests.
	Keep bool
	// Crash and Orders repeat each test; see testrun.Options.
	Crash  bool
	Orders int
	// Parallel is the number of tests at once; less than 1 is one for each processor.
	Parallel int
	// Patience is the longest time of a worker without an answer for one test; 0 is 2 minutes.
	Patience time.Duration
}

// A Report is the end of a suite.
type Report struct {
	Files []*File
	// Dir has the folders of the tests if they were kept, else it is "".
	Dir string
	// Isolated means that programs ran without network.
	Isolated bool
}

// A File is the part of a report about a test file.
type File struct {
	Source
	// Name is the name of the file without Suffix.
	Name string
	// Faults are mistakes in the file: its tests with one did not run.
	Faults []testfile.Fault
	Lines  []string
	Tests  []*Test
	golden map[string]string
	// snapshots are the names of the tests with golden transcripts, in order.
	snapshots []string
}

// A Test is the end of a test.
type Test struct {
	*testrun.Result
	File *File
	// Name is the full name.
	Name string
	// Round counts the repetitions of the test from 1; 0 means that it ran once.
	Round int
	spec  *testfile.Test
	kept  bool
}

// Failed reports whether the test failed.
func (t *Test) Failed() bool { return !t.Passed() }

// Counts returns the number of tests that ran, and of those that failed. A file with
// faults counts as a failed test.
func (r *Report) Counts() (ran, failed int) {
	for _, f := range r.Files {
		n, bad := f.Counts()
		ran, failed = ran+n, failed+bad
	}
	return ran, failed
}

// Counts returns the number of the file's tests, and of those that failed.
func (f *File) Counts() (ran, failed int) {
	for _, t := range f.Tests {
		ran++
		if t.Failed() {
			failed++
		}
	}
	if len(f.Faults) > 0 {
		ran, failed = ran+1, failed+1
	}
	return ran, failed
}

// Hits returns what the tests of a file covered.
func (f *File) Hits() testrun.Hits {
	all := testrun.Hits{}
	for _, t := range f.Tests {
		if t.Observed == nil {
			continue
		}
		for name, n := range t.Observed.Hits() {
			all[name] += n
		}
	}
	return all
}

// Run runs the tests of files. The error says why it could not; failures of tests are in
// the report.
func Run(sources []Source, opt Options) (*Report, error) {
	dir, err := os.MkdirTemp("", "wfc-test-")
	if err != nil {
		return nil, fmt.Errorf("make the folder of the tests: %w", err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, fmt.Errorf("find the folder of the tests: %w", err)
	}
	if !opt.Keep {
		defer os.RemoveAll(dir)
	}
	r := &Report{}
	if opt.Keep {
		r.Dir = dir
	}
	for _, s := range sources {
		f, err := readTestFile(s)
		if err != nil {
			return nil, err
		}
		if n := len(r.Files); n > 0 && r.Files[n-1].Path == f.Path && len(f.Faults) > 0 && len(r.Files[n-1].Faults) > 0 {
			continue // the faults of a fixture of several workflows
		}
		r.Files = append(r.Files, f)
	}
	all := selectTests(r, opt)
	if opt.Shuffle != 0 {
		rng := rand.New(rand.NewPCG(opt.Shuffle, 0))
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	performTests(all, dir, opt)
	if opt.Keep {
		for _, t := range all {
			if err := keepTranscript(t); err != nil {
				return nil, err
			}
		}
	}
	if opt.Update {
		for _, f := range r.Files {
			if err := f.updateGolden(); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// readTestFile reads a test file.
func readTestFile(s Source) (*File, error) {
	text, err := wholefile.Source.Read(s.Path)
	if err != nil {
		return nil, fmt.Errorf("read the test file: %w", err)
	}
	f := &File{Source: s, Name: strings.TrimSuffix(filepath.Base(s.Path), Suffix), Lines: strings.Split(string(text), "\n")}
	switch {
	case len(s.Syntax) > 0:
		for _, x := range s.Syntax {
			f.Faults = append(f.Faults, testfile.Fault{Place: testfile.Place{Line: x.Line, Column: x.Column}, Message: x.Message})
		}
		if f.Label != "" {
			f.Name = f.Label
		}
		return f, nil
	case s.Label != "":
		return readFixture(f, text), nil
	}
	parsed, faults := testfile.Parse(s.Shown, text)
	f.Faults = faults
	if f.golden, err = readGolden(s.Path); err != nil {
		return nil, err
	}
	if s.Definition == nil {
		f.Faults = append(f.Faults, testfile.Fault{Place: parsed.WorkflowAt, Message: s.Problem})
		return f, nil
	}
	for _, t := range parsed.Tests {
		f.Tests = append(f.Tests, &Test{File: f, Name: f.Name + "/" + t.Name, spec: t})
		if t.Snapshot {
			f.snapshots = append(f.snapshots, t.Name)
		}
	}
	return f, nil
}

// readFixture reads a fixture of archon, which is one test of each workflow beside it.
func readFixture(f *File, text []byte) *File {
	f.Name = f.Label
	var t *testfile.Test
	if t, f.Faults = testfile.ParseStubs(text); len(f.Faults) > 0 {
		return f
	}
	if f.Definition == nil {
		f.Faults = []testfile.Fault{{Message: f.Problem}}
		return f
	}
	t.Name = f.Definition.Name
	f.Tests = []*Test{{File: f, Name: f.Name + " → " + t.Name, spec: t}}
	return f
}

// selectTests leaves the tests that run in the report, each as often as it runs.
func selectTests(r *Report, opt Options) (chosen []*Test) {
	for _, f := range r.Files {
		var own []*Test
		for _, t := range f.Tests {
			if opt.Only != nil && !opt.Only.MatchString(t.Name) {
				continue
			}
			if opt.Count <= 1 {
				own = append(own, t)
				continue
			}
			for round := 1; round <= opt.Count; round++ {
				own = append(own, &Test{File: f, Name: t.Name, spec: t.spec, Round: round})
			}
		}
		f.Tests = own
		chosen = append(chosen, own...)
	}
	return chosen
}

// performTests runs tests, several at once.
func performTests(all []*Test, dir string, opt Options) {
	tools := testrun.NewTools(dir)
	workers := opt.Parallel
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(workers, len(all)) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(all)); i = next.Add(1) - 1 {
				t := all[i]
				t.Result = t.performIn(filepath.Join(dir, strconv.FormatInt(i+1, 10)), tools, opt, 0)
				if !opt.Keep && t.Dir != "" {
					_ = os.RemoveAll(t.Dir) // the whole folder goes at the end
				}
			}
		})
	}
	wait.Wait()
}

// performIn runs the test in a folder. steps is its limit, or 0.
func (t *Test) performIn(dir string, tools *testrun.Tools, opt Options, steps int) *testrun.Result {
	return testrun.Run(t.spec, testrun.Options{
		Definition: t.File.Definition, Dir: dir, Source: filepath.Dir(t.File.Path),
		Tools: tools, Diagnostics: t.File.Diagnostics, Snapshot: t.File.golden[t.spec.Name],
		Project: t.File.Project, Placeholders: t.File.Placeholders, Crash: opt.Crash, Orders: opt.Orders, Steps: steps,
	})
}

// keepTranscript writes the transcript into the folder of a test.
func keepTranscript(t *Test) error {
	if t.Observed == nil {
		return nil
	}
	t.kept = true
	if err := os.MkdirAll(t.Dir, 0o755); err != nil {
		return fmt.Errorf("keep the folder of a test: %w", err)
	}
	if err := os.WriteFile(filepath.Join(t.Dir, "transcript.txt"), []byte(t.Observed.Transcript()), 0o644); err != nil {
		return fmt.Errorf("keep the transcript: %w", err)
	}
	return nil
}
