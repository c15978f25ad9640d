package wfctest

import (
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/testfile"
	"github.com/wfc-lang/wfc/runtime/internal/testrun"
	"github.com/wfc-lang/wfc/runtime/internal/testsuite"
)

// Run runs the tests of the test files that match a pattern (see filepath.Glob), each as a
// subtest called FILE/TEST. NAME.test.yaml tests the definition whose Source is NAME.yaml
// or NAME.yml, or the only definition.
//
// A test with `snapshot: true` compares its transcript, the prompts, scripts, questions and
// results of its run, with the golden one in NAME.test.golden. The environment variable
// WFC_UPDATE=1 rewrites this file; `go test -update` does not.
func Run(t *testing.T, pattern string, definitions ...*flow.Definition) {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatalf("invalid pattern %q: %v", pattern, err)
	}
	if len(paths) == 0 {
		t.Fatalf("no test file matches %q", pattern)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), testsuite.Suffix)
		t.Run(name, func(t *testing.T) {
			def := definitionOf(name, definitions)
			if def == nil {
				t.Fatalf("%s: no definition has the source %s.yaml", path, name)
			}
			report, err := testsuite.Run([]testsuite.Source{{Source: testjob.Source{Path: path, Shown: filepath.ToSlash(path)}, Definition: def}},
				testsuite.Options{Update: os.Getenv("WFC_UPDATE") == "1"})
			if err != nil {
				t.Fatal(err)
			}
			showSubtests(t, report)
		})
	}
}

func definitionOf(name string, definitions []*flow.Definition) *flow.Definition {
	if len(definitions) == 1 {
		return definitions[0]
	}
	for _, d := range definitions {
		if strings.TrimSuffix(d.Source, filepath.Ext(d.Source)) == name {
			return d
		}
	}
	return nil
}

// showSubtests makes a subtest of each test.
func showSubtests(t *testing.T, report *testsuite.Report) {
	t.Helper()
	for _, f := range report.Files {
		for _, fault := range f.Faults {
			t.Error(strings.TrimSpace(f.Fault(fault)))
		}
		for _, test := range f.Tests {
			t.Run(strings.TrimPrefix(test.Name, f.Name+"/"), func(t *testing.T) {
				if test.Failed() {
					t.Error("\n" + test.Explain("") + fmt.Sprintf("repeat: go test -run '%s'", t.Name()))
				}
			})
		}
	}
}

// A Case is one run of a workflow with stand-ins for agents, programs and people. It
// works in an empty temporary folder, which the test removes.
type Case struct {
	// Inputs are the inputs: the Inputs of a generated package, or any value that encodes
	// to a JSON object. Nil gives every input its default.
	Inputs any
	// Replies are the replies of agents by node, in order; the last one repeats. A string
	// is the reply itself, an error a failure (a *flow.Failure with its class), and any
	// other value, such as one of the generated types, a structured reply.
	Replies map[string][]any
	// Outputs are the outputs of bash and script nodes, in the same form, in place of their
	// scripts. A bash node without an output really runs its script, with the bash on PATH,
	// in the working folder of the case. The script can call builtins and tools that only
	// read and write files, such as grep, sed and jq, and nothing else: a call of another
	// command is an error of the test. Its environment is always the same and has no
	// variables of the test process. The node's timeout counts in real time. A script node
	// (JavaScript, Python) without an output is an error of the test.
	Outputs map[string][]any
	// Answers are the answers to the questions of nodes, such as approve, in order; the
	// last one repeats. A node without an answer leaves the run paused.
	Answers map[string][]string
}

// Run runs the workflow and returns the run: how it ended or why it paused, and its
// steps. A step that needs a stand-in and has none is an error of the test: Run then
// calls t.Error and still returns the run, or, if the run could not start, t.FailNow.
func (c Case) Run(t testing.TB, definition *flow.Definition) *sim.Result {
	t.Helper()
	spec, err := c.toTest()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	o, _, problems := testrun.Simulate(spec, testrun.Options{
		Definition: definition, Dir: filepath.Join(dir, "test"), Tools: testrun.NewTools(dir),
	})
	for _, p := range problems {
		t.Error(p)
	}
	if o == nil {
		t.FailNow()
	}
	return o
}

// toTest returns the case as a test of a test file.
func (c Case) toTest() (*testfile.Test, error) {
	t := &testfile.Test{}
	if c.Inputs != nil {
		inputs, err := kernel.Encode(c.Inputs)
		if err != nil {
			return nil, fmt.Errorf("the inputs: %w", err)
		}
		if t.Inputs, err = testfile.Inputs(inputs); err != nil {
			return nil, fmt.Errorf("the inputs: %w", err)
		}
	}
	for node, list := range sortedEntries(c.Replies) {
		var replies []testfile.Reply
		for _, v := range list {
			r := testfile.Reply{}
			if err, failed := v.(error); failed {
				f := flow.AsFailure(err)
				r.Fail, r.Class = f.Message, f.Class
			} else if text, err := textOf(v); err != nil {
				return nil, fmt.Errorf("a reply of node %s: %w", node, err)
			} else {
				r.Text = text
			}
			replies = append(replies, r)
		}
		t.Agents = append(t.Agents, testfile.Entry[[]testfile.Reply]{Key: node, Value: replies})
	}
	for node, list := range sortedEntries(c.Outputs) {
		var programs []testfile.Program
		for _, v := range list {
			p := testfile.Program{}
			if err, failed := v.(error); failed {
				f := flow.AsFailure(err)
				p.Error, p.Exit = f.Message, max(f.ExitCode, 1)
			} else if text, err := textOf(v); err != nil {
				return nil, fmt.Errorf("an output of node %s: %w", node, err)
			} else {
				p.Output = text
			}
			programs = append(programs, p)
		}
		entry := testfile.Entry[[]testfile.Program]{Key: node, Value: programs}
		t.Bash, t.Scripts = append(t.Bash, entry), append(t.Scripts, entry)
	}
	for node, list := range sortedEntries(c.Answers) {
		var answers []testfile.Answer
		for _, choice := range list {
			answers = append(answers, testfile.Answer{Choice: choice})
		}
		t.Answers = append(t.Answers, testfile.Entry[[]testfile.Answer]{Key: node, Value: answers})
	}
	return t, nil
}

func textOf(v any) (string, error) {
	if text, ok := v.(string); ok {
		return text, nil
	}
	text, err := kernel.Encode(v)
	return string(text), err
}

// sortedEntries yields the entries of a map in the order of the keys.
func sortedEntries[T any](m map[string]T) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}
