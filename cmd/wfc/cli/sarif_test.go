package cli

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// A sarifOutput is the part of a SARIF log that the test reads.
type sarifOutput struct {
	Runs []struct {
		Tool struct {
			Driver struct{ Version, InformationURI string }
		}
		Bases   map[string]any `json:"originalUriBaseIds"`
		Results []struct {
			RuleID    string
			Locations []struct {
				Physical struct {
					Artifact struct{ URI, URIBaseID string } `json:"artifactLocation"`
				} `json:"physicalLocation"`
			}
			Fixes         []any
			BaselineState string
			Suppressions  []struct{ Kind string }
		}
	}
}

// TestSARIF checks the logs of `wfc check` for a project with findings that are new, known,
// suppressed and fixable, from its root and from a folder below. With WFC_TEST_SARIF, which
// `make test-sarif` sets, it also validates them against the schema of the standard.
func TestSARIF(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("this test needs git")
	}
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("git: %v\n%s", err, out)
	}
	const flow = "name: a\ndescription: d\nnodes:\n  - id: one\n    intercative: true\n    bash: ls $ARGUMENTS # wfc:ignore[WFC530] each word is one argument\n"
	for name, content := range map[string]string{
		"flows/a b.yaml":    flow,
		"flows/ä#1%.yaml":   strings.Replace(flow, "one", "two", 1),
		"flows/deep/c.yaml": "name: c\ndescription: d\nnodes:\n  - id: one\n    depends_on: [non]\n    when: $one.output = 'x'\n    bash: echo\n",
		"flows/deep/d.yaml": "name: d\ndescription: d\nnodes:\n\t- id: one\n",
		"good.yaml":         "name: good\ndescription: d\nnodes:\n  - id: one\n    bash: echo\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	validate := sarifSchema(t)
	check := func(folder string, args ...string) sarifOutput {
		t.Helper()
		t.Chdir(filepath.Join(dir, folder))
		var out, errs strings.Builder
		code := Main(append([]string{"check", "--format", "sarif"}, args...), Streams{Out: &out, Err: &errs})
		if code > ExitFindings {
			t.Fatalf("%v: exit code %d: %s", args, code, errs.String())
		}
		var log sarifOutput
		if err := json.Unmarshal([]byte(out.String()), &log); err != nil || len(log.Runs) != 1 {
			t.Fatalf("%v: %v\n%s", args, err, out.String())
		}
		validate(out.String())
		run := log.Runs[0]
		if run.Bases["%SRCROOT%"] == nil || run.Tool.Driver.InformationURI == "" || run.Tool.Driver.Version == "" {
			t.Errorf("%v: the run lacks its base, version or page: %s", args, out.String())
		}
		states := map[bool]bool{}
		for _, r := range run.Results {
			states[r.BaselineState == ""] = true
			for _, l := range r.Locations {
				if a := l.Physical.Artifact; a.URIBaseID != "%SRCROOT%" || !strings.HasPrefix(a.URI, "flows/") {
					t.Errorf("%v: place %+v", args, a)
				}
			}
		}
		if len(states) > 1 {
			t.Errorf("%v: some results have a baselineState, others not: %s", args, out.String())
		}
		return log
	}
	kinds := func(log sarifOutput) (list []string) {
		for _, r := range log.Runs[0].Results {
			kind := r.BaselineState
			for _, s := range r.Suppressions {
				kind += " " + s.Kind
			}
			if len(r.Fixes) > 0 {
				kind += " fix"
			}
			if kind = strings.TrimSpace(kind); !slices.Contains(list, kind) {
				list = append(list, kind)
			}
		}
		slices.Sort(list)
		return list
	}
	want := func(log sarifOutput, kind ...string) {
		t.Helper()
		if got := kinds(log); !slices.Equal(got, kind) {
			t.Errorf("results are %q, want %q", got, kind)
		}
	}
	want(check(".", "."), "", "fix", "inSource fix")
	want(check("flows/deep", "."), "", "fix")
	want(check("flows/deep", ".."), "", "fix", "inSource fix")
	want(check("flows/deep", filepath.Join(dir, "flows")), "", "fix", "inSource fix")
	want(check(".", "good.yaml"))

	var out, errs strings.Builder
	t.Chdir(dir)
	if code := Main([]string{"check", "flows/deep", "--baseline", filepath.Join(dir, "known.json"), "--update-baseline"}, Streams{Out: &out, Err: &errs}); code != ExitClean {
		t.Fatalf("exit code %d: %s%s", code, out.String(), errs.String())
	}
	want(check("flows/deep", "..", "--baseline", filepath.Join(dir, "known.json")), "new", "new inSource fix", "unchanged external", "unchanged external fix")
}

// sarifSchema returns the validation of a log: none without WFC_TEST_SARIF. That names the
// folder of the Go module github.com/owenrumney/go-sarif/v3, whose code has the schema of the
// standard in a constant. The schema is not part of this repository, because it belongs to
// OASIS.
func sarifSchema(t *testing.T) func(log string) {
	module := os.Getenv("WFC_TEST_SARIF")
	if module == "" {
		t.Log("not validated against the schema; `make test-sarif` does that")
		return func(string) {}
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(module, "pkg", "report", "v210", "sarif", "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && len(lit.Value) > len(text) {
			text = lit.Value
		}
		return true
	})
	if text, err = strconv.Unquote(text); err != nil {
		t.Fatal(err)
	}
	var raw map[string]any
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		t.Fatal(err)
	}
	if id, _ := raw["id"].(string); !strings.HasSuffix(id, "/sarif-schema-2.1.0.json") {
		t.Fatalf("%s has the schema %q", module, id)
	}
	// The schema is of draft 4, and uses nothing of it that later drafts changed but these.
	delete(raw, "id")
	delete(raw, "$schema")
	content, err := json.Marshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(content, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if resolved.Validate(map[string]any{"version": "2.1.0", "runs": []any{map[string]any{"results": []any{}}}}) == nil {
		t.Fatal("the schema accepts a run without a tool")
	}
	return func(log string) {
		t.Helper()
		var value any
		if err := json.Unmarshal([]byte(log), &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("the log does not follow the schema of SARIF: %v", err)
		}
	}
}
