package conformance

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/dev/devkit"
)

var corpus = filepath.Join(root, "../shared/corpus/archon")

// nowAccepted are files with constructs that are newer than the recorded verdicts.
var nowAccepted = []string{"test-workflows/e2e-fanout-alldone.yaml", "test-workflows/e2e-fanout-allsuccess.yaml"}

// TestCorpus takes real workflow files through the compiler: those that the
// original engine accepts are compiled, generated and built, and have no
// warning that they do not deserve; the others are refused for the same fault
// at the same node.
func TestCorpus(t *testing.T) {
	verdicts := readVerdicts(t)
	for _, name := range nowAccepted {
		if v := verdicts[name]; v != nil {
			v.Accepted, v.Error = true, ""
		}
	}
	deserved := readDeserved(t)
	batch := devkit.NewBatch(t)
	counts := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(verdicts)) {
		t.Run(name, func(t *testing.T) {
			r := compileFile(t, name)
			verdict := verdicts[name]
			if strings.Contains(verdict.Error, "must have either") && !r.HasErrors() {
				verdict = &loaderEnd{Accepted: true} // by newer versions, for a newer node type
			}
			diffs := compareVerdict(r, verdict)
			for _, d := range diffs {
				t.Error(d)
			}
			switch {
			case len(diffs) > 0:
			case !verdict.Accepted:
				counts["refused"]++
				checkFault(t, r, verdict.Error)
			default:
				checkWarnings(t, r, deserved[name])
				counts["built"]++
				batch.Add(t, r.Workflow)
			}
		})
	}
	for name := range deserved {
		if verdicts[name] == nil {
			t.Errorf("%s has warnings but is not in the corpus", name)
		}
	}
	// One program of all: each on its own would link the runtime anew.
	batch.Build(t, "dev/conformance/runner")
	summary(t, "%d files: %v, %d packages", len(verdicts), counts, batch.Size())
}

func readVerdicts(t *testing.T) map[string]*loaderEnd {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(corpus, "verdicts.json"))
	if err != nil {
		t.Skip("the corpus is not here: ", err)
	}
	var verdicts map[string]*loaderEnd
	if err := json.Unmarshal(text, &verdicts); err != nil {
		t.Fatal(err)
	}
	workflows := filepath.Join(corpus, ".archon/workflows")
	err = filepath.WalkDir(workflows, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		name, err := filepath.Rel(workflows, path)
		if err == nil && verdicts[filepath.ToSlash(name)] == nil {
			t.Errorf("%s has no verdict", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return verdicts
}

// readDeserved reads the warnings that files deserve: one a line, as
// "FILE CODE NODE", with - for what is in no node.
func readDeserved(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/warnings.txt")
	if err != nil {
		t.Fatal(err)
	}
	deserved := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, warning, ok := strings.Cut(line, " ")
		if !ok {
			t.Fatalf("warnings.txt: %q is not FILE CODE NODE", line)
		}
		deserved[name] = append(deserved[name], warning)
	}
	return deserved
}

func compileFile(t *testing.T, name string) *compiler.Result {
	t.Helper()
	path := filepath.Join(corpus, ".archon/workflows", name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return compiler.Compile(source.NewFile(name, text), compiler.Options{Path: path})
}

// absent are the codes for files that are not there. Most of what the corpus'
// workflows name is not part of it.
var absent = []string{"missing-file"}

func checkWarnings(t *testing.T, r *compiler.Result, deserved []string) {
	t.Helper()
	var got []string
	for _, d := range r.Diagnostics {
		if d.Severity != diag.Warning || slices.Contains(absent, d.Code.Slug) {
			continue
		}
		node := findingNode(d)
		if node == "" {
			node = "-"
		}
		got = append(got, d.Code.ID+" "+node)
	}
	slices.Sort(got)
	slices.Sort(deserved)
	if !slices.Equal(got, deserved) {
		t.Errorf("warnings %q, want %q:\n%s", got, deserved, messages(r))
	}
}

// checkFault requires an error at the node that the engine names.
func checkFault(t *testing.T, r *compiler.Result, text string) {
	t.Helper()
	known := slices.ContainsFunc(faults, func(f fault) bool { return strings.Contains(text, f.text) })
	if !known {
		t.Errorf("no code is known for %q", text)
	}
	_, rest, ok := strings.Cut(text, "Node '")
	if !ok {
		return
	}
	id, _, _ := strings.Cut(rest, "'")
	if !slices.ContainsFunc(errorsOf(r), func(d *diag.Diagnostic) bool { return findingNode(d) == id }) {
		t.Errorf("no error is at node %q:\n%s", id, messages(r))
	}
}

func messages(r *compiler.Result) string {
	var b strings.Builder
	for _, d := range r.Diagnostics {
		fmt.Fprintf(&b, "%s:%d: %s %s\n", r.File.Name, d.Span.Position().Line, d.Code.ID, d.Message)
	}
	return b.String()
}
