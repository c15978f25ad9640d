package wfctest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
	"github.com/wfc-lang/wfc/runtime/internal/testsuite"
)

// A job is the request that `wfc test` writes to the standard input of a test program.
type job struct {
	// Schema asks for the JSON Schema of test files, and nothing else.
	Schema bool `json:"schema,omitempty"`
	// Files are the test files, in order.
	Files []struct {
		Path, Shown string
		// Workflow is the name of the workflow in the program's table, or "" if there is
		// none; Problem then says why.
		Workflow    string
		Problem     string
		Diagnostics []string
		// Label is set for fixtures of archon, and Placeholders are the outputs of nodes
		// that they need not stub.
		Label        string
		Placeholders map[string]string
	}
	Only         string
	Shuffle      uint64
	Count        int
	Update, Keep bool
	Verbose      bool
	Format       string
	Repeat       string
	// Isolated means that this process has no network.
	Isolated bool
}

// Main is the main function of the program that `wfc test` builds. It reads a job from
// standard input, runs the tests, prints the report, and exits with 0 if all passed, 1 if
// one failed, and 2 if they could not run.
func Main(workflows map[string]*flow.Definition) {
	os.Exit(run(os.Stdin, os.Stdout, os.Stderr, workflows))
}

func run(in io.Reader, out, errs io.Writer, workflows map[string]*flow.Definition) int {
	var j job
	if err := json.NewDecoder(in).Decode(&j); err != nil {
		fmt.Fprintf(errs, "wfc: read the tests to run: %v\n", err)
		return 2
	}
	failed, err := j.do(out, errs, workflows)
	switch {
	case err != nil:
		fmt.Fprintf(errs, "wfc: %v\n", err)
		return 2
	case failed:
		return 1
	}
	return 0
}

func (j *job) do(out, errs io.Writer, workflows map[string]*flow.Definition) (failed bool, err error) {
	if j.Schema {
		_, err := out.Write(testfile.Schema())
		return false, err
	}
	format, ok := testsuite.Formats()[j.Format]
	if !ok {
		var known []string
		for name := range testsuite.Formats() {
			known = append(known, name)
		}
		slices.Sort(known)
		return false, fmt.Errorf("--format must be one of %s, not `%s`", strings.Join(known, ", "), j.Format)
	}
	opt := testsuite.Options{Shuffle: j.Shuffle, Count: j.Count, Update: j.Update, Keep: j.Keep}
	if j.Only != "" {
		if opt.Only, err = regexp.Compile(j.Only); err != nil {
			return false, fmt.Errorf("--run: %w", err)
		}
	}
	var sources []testsuite.Source
	for _, f := range j.Files {
		def := workflows[f.Workflow]
		if def == nil && f.Problem == "" {
			return false, fmt.Errorf("the test program lacks the workflow of %s", f.Shown)
		}
		sources = append(sources, testsuite.Source{Path: f.Path, Shown: f.Shown, Definition: def, Problem: f.Problem, Diagnostics: append([]string{}, f.Diagnostics...),
			Label: f.Label, Placeholders: f.Placeholders})
	}
	report, err := testsuite.Run(sources, opt)
	if err != nil {
		return false, err
	}
	report.Isolated = j.Isolated
	if err := format(report, out, testsuite.TextOptions{Verbose: j.Verbose, Repeat: j.Repeat}); err != nil {
		return false, fmt.Errorf("write the report: %w", err)
	}
	if report.Dir != "" {
		fmt.Fprintf(errs, "the folders of the tests are in %s\n", report.Dir)
	}
	ran, bad := report.Counts()
	if ran == 0 {
		return false, errors.New("no test matches --run")
	}
	return bad > 0, nil
}
