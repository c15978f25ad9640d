package compiler

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// samples reads the files of an archive in testdata.
func samples(t *testing.T, name string) []txtar.File {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return archive.Files
}

// Files of other tools are not workflows.
func TestForeignFiles(t *testing.T) {
	files := samples(t, "foreign.txtar")
	if len(files) < 60 {
		t.Errorf("only %d samples", len(files))
	}
	for _, f := range files {
		t.Run(f.Name, func(t *testing.T) {
			r := Compile(source.NewFile(f.Name, f.Data), Options{Path: "/p/" + f.Name, Root: "/p", Files: memory{}})
			if !r.NotWorkflow || r.Dialect != "" {
				t.Errorf("taken for %q because %s: %s", r.Dialect, r.Why, summary(r))
			}
		})
	}
}

// A file meant as a workflow is reported with its dialect, and its misspelt key
// once, with the correct spelling.
func TestMisspeltFiles(t *testing.T) {
	for _, f := range samples(t, "misspelt.txtar") {
		t.Run(f.Name, func(t *testing.T) {
			dialect, _, _ := strings.Cut(f.Name, "-")
			first, _, _ := strings.Cut(string(f.Data), "\n")
			key := strings.TrimPrefix(first, "# ")
			r := Compile(source.NewFile(f.Name, f.Data), Options{Path: "/p/" + f.Name, Root: "/p", Files: memory{}})
			if r.Dialect != dialect || r.NotWorkflow {
				t.Fatalf("taken for %q because %s", r.Dialect, r.Why)
			}
			found := slices.IndexFunc(r.Diagnostics, func(d *diag.Diagnostic) bool { return d.Code.Slug == "wrong-key" && d.Span.Text() == key })
			if found < 0 {
				t.Fatalf("nothing is said about `%s`: %s", key, summary(r))
			}
			d := r.Diagnostics[found]
			if d.Severity != diag.Error || len(d.Fixes) != 1 {
				t.Fatalf("%s, fixes %v", d.Message, d.Fixes)
			}
			meant := d.Fixes[0].Edits[0].New
			for _, d := range r.Diagnostics {
				if d.Code.Slug == "missing-key" && strings.Contains(d.Message, "`"+meant+"`") {
					t.Errorf("a follower: %s", d.Message)
				}
			}
		})
	}
}

// A key that is misspelt anywhere in a real workflow does not hide it.
func TestMisspeltExamples(t *testing.T) {
	names, _ := filepath.Glob("../examples/*/*.y*ml")
	key := regexp.MustCompile(`(?m)^( *(?:- )?)([a-z]{3,})([a-z_]*:)`)
	tried := 0
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		compile := func(text []byte) *Result {
			return Compile(source.NewFile(name, text), Options{Path: "/p/w.yaml", Root: "/p", Files: memory{}})
		}
		dialect := compile(text).Dialect
		for _, at := range key.FindAllSubmatchIndex(text, -1) {
			if dialect == "" {
				break // the file is not a workflow
			}
			tried++
			wrong := slices.Clone(text)
			wrong[at[4]+1], wrong[at[4]+2] = wrong[at[4]+2], wrong[at[4]+1]
			if r := compile(wrong); r.Dialect != dialect {
				t.Errorf("%s: with `%s` for `%s` taken for %q because %s", name, wrong[at[4]:at[7]], text[at[4]:at[7]], r.Dialect, r.Why)
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d keys", tried)
	}
}

// The folder decides before the shape.
func TestFolderDecides(t *testing.T) {
	const path = "/p/.archon/workflows/old.yaml"
	for _, test := range []struct{ name, path, text, dialect, want string }{
		{"steps of the format's early version", path, "name: w\ndescription: d\nsteps:\n  - command: plan\n  - command: build\n", "archon", "3 error unsupported-key"},
		{"steps that look like another dialect's", path, "name: w\ndescription: d\nsteps:\n  - name: a\n    prompt: say hi\n", "archon", "3 error unsupported-key"},
		{"steps that look like a third one's", path, "name: w\ndescription: d\nsteps:\n  - id: a\n    agent: b\n    prompt: c\n", "archon", "3 error unsupported-key"},
		{"a key of other tools", path, "name: w\ndescription: d\non: push\nnodes:\n  - id: a\n    bash: echo hi\n", "archon", "3 warning unknown-key"},
		{"a comment goes before it", path, "# wfc: dialect=xprompt\nsteps:\n  - name: a\n    bash: echo hi\n", "xprompt", ""},
		{"replies for tests", "/p/.archon/workflows/x/fixtures/good.stubs.yaml", "fixture: {expect: completed}\na: {done: true}\n", "", "1 error not-a-workflow"},
		{"another folder", "/p/flows/old.yaml", "name: w\nsteps:\n  - name: a\n    bash: echo hi\n", "xprompt", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := Compile(source.NewFile("old.yaml", []byte(test.text)), Options{Path: test.path, Root: "/p", Files: memory{}})
			if got := summary(r); r.Dialect != test.dialect || got != test.want {
				t.Errorf("%s: %s", r.Dialect, got)
			}
		})
	}
}

// Files with the keys of the xprompt format's successor are recognised by steps that no
// other tool has: other tools also have agents, tags and an environment.
func TestSuccessorDetected(t *testing.T) {
	for _, test := range []struct{ name, text, dialect string }{
		{"prompts by their newer key", "steps:\n  - name: a\n    agent: Say hi.\n", "xprompt"},
		{"metadata", "description: d\ntags: x\nenvironment: {A: b}\nsteps:\n  - name: a\n    bash: ls\n    hidden: true\n", "xprompt"},
		{"metadata and no names", "description: d\ninput: {a: line}\nsteps:\n  - agent: Say hi.\n", "xprompt"},
		{"an imported step", "steps:\n  - name: a\n    use: shared/lint\n", "xprompt"},
		{"a part of prompts", "input: {a: line}\nsteps:\n  - name: a\n    prompt_part: |\n      Use {{ a }}.\n", "xprompt"},
		{"steps at the end", "steps:\n  - {name: a, bash: ls}\n  - {name: b, bash: ls, finally: true}\n", "xprompt"},
		{"agents by name", "team: x\nsteps:\n  - name: a\n    agent: researcher\n    prompt: Say hi.\n", ""},
		{"agents by name alone", "steps:\n  - name: a\n    agent: researcher\n", ""},
		{"agents as mappings", "steps:\n  - name: a\n    agent: {model: x}\n", ""},
		{"a recipe", "description: d\ntags: x\nsteps:\n  - name: a\n    prompt: Say hi.\n    model: x\n", ""},
		{"a pipeline", "environment: {A: b}\nsteps:\n  - bash: ls\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := Compile(source.NewFile("w.yml", []byte(test.text)), Options{Path: "/p/w.yml", Root: "/p", Files: memory{}})
			if r.Dialect != test.dialect {
				t.Errorf("%q because %s: %s", r.Dialect, r.Why, summary(r))
			}
		})
	}
}

// TestNearlyWorkflows checks what a file that is nearly a workflow lacks, and where.
func TestNearlyWorkflows(t *testing.T) {
	for _, c := range []struct{ text, at, why, help string }{
		{"name: w\ndescription: d\nnodes:\n", "nodes", "`nodes:` is empty", "write a list of nodes"},
		{"name: w\nsteps: []\n", "steps", "`steps:` is empty", "write a list of steps"},
		{"name: w\ndescription: d\n", "name", "it has no nodes and no steps", "add a list `nodes:`"},
		{"nodes:\n  - id: a\n    run: make\n", "nodes", "no entry of `nodes:` is a node", "give each node of archon an `id`"},
		{"nodes:\n  a: {type: task, agent: self, outputs: [x]}\n", "nodes", "`nodes:` is a mapping, but", "add both for graphloop"},
		{"workflow: w\nnodes:\n  - {id: a, type: task, outputs: [x]}\nedges: [{from: START, to: a}]\n", "nodes", "`nodes:` beside `edges:` is a list", "write a mapping"},
		{"nodes: all\n", "nodes", "`nodes:` is neither a list nor a mapping", "write a list"},
		{"workflow: w\nnodes:\n  a: {to: b}\nedges: {}\n", "nodes", "no entry of `nodes:` is a node", "give each node of graphloop"},
		{"name: w\nsteps:\n  a: {agent: executor, prompt: hi}\n", "steps", "`steps:` is not a list", "write a list of steps"},
		{"name: w\nsteps:\n  - promt: hi\n", "steps", "no entry of `steps:` is a step", "give each step `id`"},
		{"name: w\ntasks:\n  - {id: a, prompt: hi}\n", "tasks", "unknown key `tasks:` (meant as `steps:`)", "rename the key"},
		{"name: w\nNodes:\n  - {id: a, Prompt: hi}\n", "Nodes", "unknown key `Nodes:` (meant as `nodes:`)", "rename the key"},
		{"workflow:\n  nodes:\n    - {id: a, prompt: hi}\n", "nodes", "`nodes:` is inside `workflow:`", "move it"},
		{"- {id: a, prompt: hi}\n", "- {id: a, prompt: hi}", "its top level is a list", "put the list under `nodes:`"},
	} {
		r := Compile(source.NewFile("w.yaml", []byte(c.text)), Options{})
		if !r.NotWorkflow || len(r.Diagnostics) != 1 {
			t.Errorf("%q: %v", c.text, r.Diagnostics)
			continue
		}
		d := r.Diagnostics[0]
		if d.Span.Text() != c.at || !strings.HasPrefix(d.Message, "not a workflow: "+c.why) || !strings.HasPrefix(d.Help[0], c.help) {
			t.Errorf("%q: at %q: %s; %q", c.text, d.Span.Text(), d.Message, d.Help)
		}
	}
	for _, text := range []string{"title: x\n", "- a\n", "- {name: x, hosts: all}\n", "name: x\nimage: y\n", "tasks:\n  - {name: x, run: y}\n"} {
		if d := Compile(source.NewFile("w.yaml", []byte(text)), Options{}).Diagnostics[0]; d.Message != "not a workflow of any known format" {
			t.Errorf("%q: %s", text, d.Message)
		}
	}
}
