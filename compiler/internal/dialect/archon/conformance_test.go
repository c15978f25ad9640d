package archon_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
)

// shared is the folder of recorded behaviour, which is not part of the
// repository.
const shared = "../../../../../shared"

type recordedCase struct {
	Name  string
	Op    string
	Input struct {
		YAML   string
		Script string
		Files  map[string]string
	}
	Expect json.RawMessage
}

func recordedCases(t *testing.T, op string) []recordedCase {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(shared, "conformance/archon/cases.json"))
	if err != nil {
		t.Skip("the recorded cases are not here: ", err)
	}
	// Inputs of other operations have other shapes, so only the wanted ones
	// are decoded in full.
	var raw []struct {
		Name, Op      string
		Input, Expect json.RawMessage
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	var list []recordedCase
	for _, r := range raw {
		if r.Op != op {
			continue
		}
		c := recordedCase{Name: r.Name, Op: r.Op, Expect: r.Expect}
		if err := json.Unmarshal(r.Input, &c.Input); err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		t.Fatalf("no recorded case of %s", op)
	}
	return list
}

// everything is a project in which every command and script exists: the engine's
// loader does not search for them.
type everything struct{}

func (everything) Read(string) ([]byte, error) { return []byte("{}"), nil }

func (everything) List(dir string) []string {
	switch filepath.Base(dir) {
	case "commands":
		return []string{"ok-cmd.md", "a.md.md", "z.md", "foo.md"}
	case "scripts":
		return []string{"foo.ts", "foo.py"}
	}
	return nil
}

// decidedOtherwise says for which recorded cases wfc decides otherwise, and by
// which of its rules.
var decidedOtherwise = map[string]string{
	"prompt unknown ref":            "requirement 001: an unknown node is empty text with a warning",
	"prompt unknown field ref":      "requirement 001: an unknown node is empty text with a warning",
	"loop prompt unknown ref":       "requirement 001: an unknown node is empty text with a warning",
	"when unknown shorthand ref":    "law 3: references resolve at compile time",
	"loop command (newer)":          "archon-now, section 3: a loop can name a command file",
	"loop_group (newer)":            "archon-now, section 3: a loop_group repeats nodes",
	"when garbage accepted at load": "law 2: a condition that cannot be decided is a compile error",
	"downstream ref accepted":       "section 11: a reference to a descendant is an error",
	"retry on loop rejected":        "section 11: retry on every type",
	"workflow (newer)":              "archon-now, section 5: a node can run another workflow",
	"node effort xhigh":             "archon-now, section 1: newer versions have more efforts",
}

func TestRecordedVerdicts(t *testing.T) {
	for _, c := range recordedCases(t, "accept") {
		t.Run(c.Name, func(t *testing.T) {
			var want struct{ Accepted bool }
			if err := json.Unmarshal(c.Expect, &want); err != nil {
				t.Fatal(err)
			}
			env := &dialect.Env{Root: "/repo", Home: "/home", Files: everything{}}
			_, list := lint(t, env, c.Input.YAML)
			agrees := hasError(list) != want.Accepted
			if want.Accepted && len(list) == 1 && list[0].Code.Slug == "yaml-syntax" {
				t.Skip("the YAML library cannot read this file: ", list[0].Message)
			}
			if reason, otherwise := decidedOtherwise[c.Name]; otherwise == agrees {
				t.Errorf("accepted = %v, the engine says %v (decided otherwise: %q)\n%s\nfindings: %q",
					!hasError(list), want.Accepted, reason, c.Input.YAML, findings(list))
			}
		})
	}
}

func TestRecordedResourceProblems(t *testing.T) {
	// Where the engine sees a problem that wfc has no more.
	solved := map[string]string{
		"bun deps warning":          "section 11: packages are installed",
		"double-quoted ref warning": "law 1: values are bound, so quotes are right",
	}
	codes := map[string]string{
		"command": "missing-file", "script": "script-runtime", "mcp": "missing-file",
		"skills": "missing-file", "hooks": "ignored-option",
	}
	for _, c := range recordedCases(t, "validate") {
		t.Run(c.Name, func(t *testing.T) {
			var problems []struct{ Level, Field string }
			if err := json.Unmarshal(c.Expect, &problems); err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, p := range problems {
				if p.Field == "command" || p.Field == "mcp" {
					// The loader accepts the workflow; the node fails at its turn.
					p.Level = "warning"
				}
				if p.Field == "runtime" || solved[c.Name] != "" {
					continue // installed files depend on the machine that runs
				}
				want = append(want, p.Level+" "+codes[p.Field])
			}
			_, list := lint(t, project(c.Input.Files), c.Input.YAML)
			var got []string
			for _, d := range list {
				got = append(got, d.Severity.String()+" "+d.Code.Slug)
			}
			if !slices.Equal(got, want) {
				t.Errorf("findings %q, want %q", got, want)
			}
		})
	}
}

func TestRecordedInlineScripts(t *testing.T) {
	for _, c := range recordedCases(t, "inline") {
		t.Run(c.Name, func(t *testing.T) {
			var want bool
			if err := json.Unmarshal(c.Expect, &want); err != nil {
				t.Fatal(err)
			}
			quoted, _ := json.Marshal(c.Input.Script)
			_, list := lint(t, project(nil), nodes("  - id: a\n    runtime: uv\n    script: "+string(quoted)+"\n"))
			named := slices.ContainsFunc(list, func(d *diag.Diagnostic) bool { return d.Code.Slug == "missing-file" })
			if named == want {
				t.Errorf("%q is taken for a name: %v, want %v", c.Input.Script, named, !want)
			}
		})
	}
}

// faults maps the recorded reasons to reject a file to the codes that say the
// same. Each is a part of the engine's text; order matters.
var faults = []struct{ text, slug string }{
	{"Missing required field 'description'", "missing-key"},
	{"mutually exclusive", "node-action"},
	{"depends_on unknown node", "unknown-node"},
	{"must have either", "newer-node-type"},
}

// nowSupported are files that the recorded version rejects because they have constructs of
// a newer one.
var nowSupported = []string{"test-workflows/e2e-fanout-alldone.yaml", "test-workflows/e2e-fanout-allsuccess.yaml"}

func TestCorpusVerdicts(t *testing.T) {
	root := filepath.Join(shared, "corpus/archon")
	data, err := os.ReadFile(filepath.Join(root, "verdicts.json"))
	if err != nil {
		t.Skip("the corpus is not here: ", err)
	}
	var verdicts map[string]struct {
		Accepted bool
		Error    string
	}
	if err := json.Unmarshal(data, &verdicts); err != nil {
		t.Fatal(err)
	}
	for name, want := range verdicts {
		t.Run(name, func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join(root, ".archon/workflows", name))
			if err != nil {
				t.Fatal(err)
			}
			_, list := lint(t, &dialect.Env{Root: root, Files: disk{}}, string(content))
			list = slices.DeleteFunc(list, beyondLoading)
			if !want.Accepted && strings.Contains(string(content), "loop_group:") {
				checkNoise(t, name, list) // newer versions of the engine accept it
				return
			}
			if slices.Contains(nowSupported, name) {
				want.Accepted = true
			}
			if hasError(list) == want.Accepted {
				t.Fatalf("accepted = %v, the engine says %v: %q", !hasError(list), want.Accepted, findings(list))
			}
			if want.Accepted {
				checkNoise(t, name, list)
				return
			}
			for _, f := range faults {
				if strings.Contains(want.Error, f.text) {
					checkFault(t, list, want.Error, f.slug)
					return
				}
			}
			t.Errorf("no code is known for %q", want.Error)
		})
	}
}

// checkNoise requires that an accepted file has no finding but those that it
// deserves.
func checkNoise(t *testing.T, name string, list []*diag.Diagnostic) {
	t.Helper()
	deserved := map[string][]string{
		// The engine warns, too.
		"test-workflows/e2e-copilot-all-nodes-smoke.yaml": {"ignored-option"},
		"test-workflows/e2e-pi-all-nodes-smoke.yaml":      {"ignored-option"},
		// Keys of a newer version, which the engine ignores.
		// The first also has a setting for codex and asks another agent.
		"docs-snippets/guides__authoring-workflows--02.yaml": {"unknown-key", "ignored-option"},
		"docs-snippets/guides__authoring-workflows--35.yaml": {"unknown-key"},
	}
	for _, d := range list {
		if d.Code.ID[3] != '2' && !slices.Contains(deserved[name], d.Code.Slug) {
			t.Errorf("%s: %s: %s", name, d.Code.Slug, d.Message)
		}
	}
}

// beyondLoading reports whether a finding is about something that the engine's
// loader does not check: files, most of which are not part of the corpus, fields of
// outputs, and the content of conditions, schemas and scripts.
func beyondLoading(d *diag.Diagnostic) bool {
	return slices.Contains([]string{"missing-file", "unknown-field"}, d.Code.Slug) ||
		!strings.ContainsAny(d.Code.ID[3:4], "127")
}

// checkFault requires a finding of the code at the node that the engine's text
// names.
func checkFault(t *testing.T, list []*diag.Diagnostic, text, slug string) {
	t.Helper()
	_, rest, _ := strings.Cut(text, "Node '")
	id, _, _ := strings.Cut(rest, "'")
	for _, d := range list {
		if d.Code.Slug != slug || d.Severity != diag.Error {
			continue
		}
		at := d.Span.Start
		before := string(d.Span.File.Content[:at])
		last := before[strings.LastIndex(before, "- id:")+1:]
		if id == "" || strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(last, " id:")), id) {
			return
		}
	}
	t.Errorf("no %s at node %q: %q", slug, id, findings(list))
}

// disk is the files of this machine.
type disk struct{}

func (disk) Read(path string) ([]byte, error) { return os.ReadFile(path) }

func (disk) List(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() {
			name += "/"
		}
		names = append(names, name)
	}
	return names
}
