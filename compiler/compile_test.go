package compiler

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/detect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// memory is files by absolute path.
type memory map[string]string

func (m memory) Read(name string) ([]byte, error) {
	if text, ok := m[name]; ok {
		return []byte(text), nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (m memory) List(dir string) []string {
	var names []string
	for name := range maps.Keys(m) {
		if rest, ok := strings.CutPrefix(name, path.Clean(dir)+"/"); ok {
			first, _, deeper := strings.Cut(rest, "/")
			if deeper {
				first += "/"
			}
			names = append(names, first)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// stub is a front end whose findings are warnings at each "warn" and errors at
// each "fail" in the file.
type stub struct{}

var (
	stubWarning, _ = codes.Lookup("bad-directive")
	stubError, _   = codes.Lookup("not-a-workflow")
)

func (stub) Name() string           { return "stub" }
func (stub) Tables() []decode.Table { return nil }
func (stub) Typed() bool            { return true }

func (stub) Detect(look detect.Look) (bool, string) {
	return look.Has("nodes"), "it has nodes"
}
func (stub) Compile(doc *yamlsrc.Document, env *dialect.Env, bag *diag.Bag) *ir.Program {
	text := string(doc.File.Content)
	for word, code := range map[string]*diag.Code{"warn": stubWarning, "fail": stubError} {
		for at := 0; ; {
			i := strings.Index(text[at:], word)
			if i < 0 {
				break
			}
			at += i + len(word)
			bag.Add(&diag.Diagnostic{Code: code, Severity: code.Severity, Span: source.Span{File: doc.File, Start: at - len(word), End: at}, Message: word})
		}
	}
	if strings.Contains(text, "panic") {
		panic("the stub fell over")
	}
	return nil
}

func compileStub(text string, opt Options) *Result {
	opt.Path, opt.Root, opt.Files = "/p/flow.yaml", "/p", memory{}
	return compileFile(source.NewFile("flow.yaml", []byte(text)), opt, []dialect.Frontend{stub{}})
}

func summary(r *Result) string {
	var lines []string
	for _, d := range r.Diagnostics {
		lines = append(lines, fmt.Sprintf("%d %s %s", d.Span.Position().Line, d.Severity, d.Code.Slug))
	}
	return strings.Join(lines, "; ")
}

func TestIgnore(t *testing.T) {
	const w, e = "warning bad-directive", "error not-a-workflow"
	tests := []struct{ name, text, want string }{
		{"none", "nodes:\n- warn\n", "2 " + w},
		{"its own line", "nodes:\n- warn # wfc:ignore[bad-directive] reason\n- warn\n", "3 " + w},
		{"the line above", "nodes:\n# wfc:ignore[WFC804] reason\n- warn\n- warn\n", "4 " + w},
		{"the line above, over comments and empty lines", "nodes:\n# wfc:ignore[wfc804]\n# more\n\n- warn\n- warn\n", "6 " + w},
		{"a blank after the colon", "nodes:\n- warn # wfc: ignore[WFC804]\n", ""},
		{"the top", "# wfc:ignore[WFC804] all over\nnodes:\n- warn\n- warn\n", ""},
		{"the top after a document start", "# wfc:ignore[WFC804]\n---\nnodes:\n- warn\n", ""},
		{"a block scalar as a whole", "nodes:\n  # wfc:ignore[WFC804]\n  a: |\n    one\n    warn\n  b: warn\n", "6 " + w},
		{"a comment inside a block scalar is text", "nodes:\n  a: |\n    # wfc:ignore[WFC804]\n    warn\n", "4 " + w},
		{"several codes", "nodes:\n- warn # wfc:ignore[not-a-workflow, WFC804]\n", "2 warning ignored-error"},
		{"an error stays", "nodes:\n- fail # wfc:ignore[not-a-workflow]\n", "2 " + e + "; 2 warning ignored-error"},
		{"unused", "nodes:\n- x # wfc:ignore[WFC804]\n- warn\n", "2 warning unused-ignore; 3 " + w},
		{"unused next to an error says nothing", "nodes:\n- x # wfc:ignore[WFC804]\n- fail\n", "3 " + e},
		{"unknown", "nodes:\n- x # wfc:ignore[unknown-ignor]\n", "2 " + w},
		{"no brackets", "nodes:\n- warn # wfc:ignore WFC804\n", "2 " + w + "; 2 warning bad-directive"},
		{"not closed", "nodes:\n- x # wfc:ignore[WFC804\n", "2 warning bad-directive"},
		{"empty", "nodes:\n- x # wfc:ignore[ ]\n", "2 warning bad-directive"},
		{"unheard of", "nodes:\n- x # wfc:ignor[WFC804]\n", "2 warning bad-directive"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := summary(compileStub(test.text, Options{})); got != test.want {
				t.Errorf("got  %s\nwant %s\nin:\n%s", got, test.want, test.text)
			}
		})
	}
}

func TestUnknownIgnoreAtTheName(t *testing.T) {
	r := compileStub("nodes:\n- x # wfc:ignore[unused-ignore, unknown-ignor] why\n", Options{})
	for _, d := range r.Diagnostics {
		if d.Code.Slug == "bad-directive" && d.Span.Text() != "unknown-ignor" {
			t.Errorf("at %q", d.Span.Text())
		}
	}
}

func TestSeverities(t *testing.T) {
	const text = "nodes:\n- warn\n- fail\n"
	set := func(l diag.Severity) Options {
		return Options{Severities: map[*diag.Code]diag.Severity{stubWarning: l, stubError: l}}
	}
	strict := Options{Strict: true}
	strictNote := set(diag.Note)
	strictNote.Strict = true
	for _, test := range []struct {
		name string
		opt  Options
		want string
	}{
		{"off", set(diag.Off), "3 error not-a-workflow"},
		{"note", set(diag.Note), "2 note bad-directive; 3 error not-a-workflow"},
		{"error", set(diag.Error), "2 error bad-directive; 3 error not-a-workflow"},
		{"strict", strict, "2 error bad-directive; 3 error not-a-workflow"},
		{"strict leaves notes", strictNote, "2 note bad-directive; 3 error not-a-workflow"},
	} {
		if got := summary(compileStub(text, test.opt)); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
	ignored := "nodes:\n- warn # wfc:ignore[WFC804] as before\n"
	if got := summary(compileStub(ignored, set(diag.Error))); got != "" {
		t.Errorf("a raised warning can be ignored: %s", got)
	}
	if got := summary(compileStub("nodes: [] # wfc:ignore[WFC804]\n", set(diag.Off))); got != "" {
		t.Errorf("nothing is known about the use of ignoring what is off: %s", got)
	}
}

func TestPanicBecomesAFinding(t *testing.T) {
	r := compileStub("nodes:\n- warn\n- panic\n", Options{})
	if got := summary(r); got != "1 error internal-error; 2 warning bad-directive" {
		t.Errorf("got %s", got)
	}
	if !strings.Contains(r.Stack, "stub) Compile") && !strings.Contains(r.Stack, "stub.Compile") {
		t.Errorf("stack: %s", r.Stack)
	}
}

func TestDetection(t *testing.T) {
	const nodes = "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n"
	for _, test := range []struct {
		name, text  string
		opt         Options
		dialect     string
		notWorkflow bool
		codes       string
	}{
		{"archon", nodes, Options{}, "archon", false, ""},
		{"lango", "steps:\n  - id: a\n    agent: b\n", Options{}, "lango", false, "WFC112 WFC280"},
		{"xprompt", "steps:\n  - name: a\n    python: x\n", Options{}, "xprompt", false, ""},
		{"graphloop by its edges", "workflow: w\nnodes:\n  a: {}\nedges: []\n", Options{}, "graphloop", false, "WFC112 WFC410"},
		{"graphloop by its three keys", "workflow: w\nextra: 1\nnodes:\n  a: {bash: echo}\nedges: [{from: START, to: a}]\n", Options{}, "graphloop", false, "*"},
		{"graphloop by its name", "workflow: w\nnodes:\n  a: {}\n", Options{}, "graphloop", false, "WFC112"},
		{"nothing", "a: b\n", Options{}, "", true, "WFC160"},
		{"empty", "", Options{}, "", true, "WFC110"},
		{"list", "- a\n", Options{}, "", true, "WFC160"},
		{"comment", "# wfc: dialect=lango\n" + nodes, Options{}, "lango", false, "WFC112 WFC117"},
		{"comment with a typo", "# wfc: dialect=lang\n" + nodes, Options{}, "", false, "WFC114"},
		{"comment too late", nodes + "# wfc: dialect=lango\n", Options{}, "archon", false, "WFC804"},
		{"configuration", nodes, Options{ConfigDialect: "lango"}, "lango", false, "WFC112 WFC117"},
		{"comment before configuration", "# wfc: dialect=archon\n" + nodes, Options{ConfigDialect: "lango"}, "archon", false, ""},
		{"flag before comment", "# wfc: dialect=lango\n" + nodes, Options{Dialect: "archon"}, "archon", false, ""},
		{"folder", "a: b\n", Options{Path: "/p/.archon/workflows/x/a.yaml"}, "archon", false, "*"},
		{"broken, but with nodes", "nodes:\n- a: [\n", Options{}, "", false, "WFC101"},
		{"broken", "{{ helm }}: [\n", Options{}, "", true, "WFC101"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.opt.Files, test.opt.Root = memory{}, "/p"
			r := Compile(source.NewFile("flow.yaml", []byte(test.text)), test.opt)
			var codes []string
			for _, d := range r.Diagnostics {
				codes = append(codes, d.Code.ID)
			}
			got := strings.Join(slices.Compact(codes), " ")
			if r.Dialect != test.dialect || r.NotWorkflow != test.notWorkflow || got != test.codes && (test.codes != "*" || got == "") {
				t.Errorf("dialect %q (%s), not a workflow %v, codes %s", r.Dialect, r.Why, r.NotWorkflow, got)
			}
		})
	}
}

func TestConstants(t *testing.T) {
	text := "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: do $ARGUMENTS\n"
	opt := Options{Files: memory{}, Root: "/p", Constants: []Constant{{"arguments", "the 'thing'"}}}
	r := Compile(source.NewFile("flow.yaml", []byte(text)), opt)
	if r.HasErrors() {
		t.Fatal(summary(r))
	}
	for _, in := range r.Workflow.Workflow.Inputs {
		if in.Name == "arguments" {
			t.Error("a constant is no input any more")
		}
	}
	prompt := r.Workflow.Workflow.Body.All()[0].Action.(*ir.Prompt)
	if got := fmt.Sprintf("%T", prompt.Text.Holes()[0].Expr); got != "*expr.Literal" {
		t.Errorf("the hole is a %s", got)
	}
	opt.Constants = []Constant{{"argument", "x"}}
	r = Compile(source.NewFile("flow.yaml", []byte(text)), opt)
	if got := summary(r); got != "1 error unknown-input" {
		t.Errorf("got %s", got)
	}
}

// A condition that a constant of the build decides is not reported: other builds decide
// otherwise.
func TestConditionsOfConstants(t *testing.T) {
	text := "name: w\ninput: {mode: word, deep: bool}\nsteps:\n  - name: a\n    if: \"{{ mode == 'slow' and deep }}\"\n    bash: ls\n" +
		"  - name: b\n    if: \"{{ not deep }}\"\n    bash: echo {% if mode != 'fast' %}x{% endif %}{{ 'x' if deep or mode == 'slow' }}\n"
	opt := Options{Files: memory{}, Root: "/p", Constants: []Constant{{"mode", "fast"}, {"deep", "true"}}}
	if r := Compile(source.NewFile("flow.yaml", []byte(text)), opt); len(r.Diagnostics) > 0 {
		t.Error(summary(r))
	}
}

func TestConstantContext(t *testing.T) {
	text := "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: do it\n  - id: b\n    prompt: see $CONTEXT\n"
	opt := Options{Files: memory{}, Root: "/p", Constants: []Constant{{"context", "issue 7"}}}
	r := Compile(source.NewFile("flow.yaml", []byte(text)), opt)
	if r.HasErrors() {
		t.Fatal(summary(r))
	}
	nodes := r.Workflow.Workflow.Body.All()
	if got, _ := nodes[0].Action.(*ir.Prompt).Text.Constant(); got != "do it\n\n---\n\nissue 7" {
		t.Errorf("a is asked %q", got)
	}
	if parts := nodes[1].Action.(*ir.Prompt).Text.Parts; len(parts) != 2 {
		t.Errorf("b mentions the context itself, but has %d parts", len(parts))
	}
}

// Inputs of graphs are asked for in texts, and are the first values of variables
// of the state: both are replaced.
func TestConstantsInGraphs(t *testing.T) {
	text := `workflow: w
state: {variables: {tries: 3}}
nodes:
  a: {type: task, agent: bash, command: "deploy (user provides via state.target)", outputs: [done]}
  b: {type: human, prompt: "To (user provides via state.target)?", outputs: [yes]}
  c: {type: join, wait_for: [x], agent: self, prompt: "See (user provides via state.target)", outputs: [ok]}
  d: {type: decision, condition: "state.tries > 1", outputs: [yes, no]}
  fan: {type: parallel, branches: [x], outputs: [met]}
  x: {type: checkpoint, outputs: [done]}
edges: [{from: START, to: a}, {from: a, to: b}, {from: b, to: fan}, {from: fan, to: c}, {from: c, to: d}, {from: d, to: END}]
interrupts: [{before: a, prompt: "(user provides via state.tries) times?"}]
completion: ["state.tries > 2"]
`
	opt := Options{Files: memory{}, Root: "/p", Constants: []Constant{{"target", "prod"}, {"tries", "5"}}}
	r := Compile(source.NewFile("flow.yaml", []byte(text)), opt)
	if r.HasErrors() {
		t.Fatal(summary(r))
	}
	w := r.Workflow.Workflow
	g := w.Body.(*ir.Graph)
	isConstant := func(what string, e expr.Expr, want string) {
		t.Helper()
		if lit, ok := e.(*expr.Literal); !ok || lit.Text != want {
			t.Errorf("%s is %#v, want the constant %s", what, e, want)
		}
	}
	if len(w.Inputs) != 0 {
		t.Errorf("%d inputs are left", len(w.Inputs))
	}
	isConstant("the binding", g.Nodes[0].Action.(*ir.Bash).Bindings[0].Value, "prod")
	isConstant("the question", g.Nodes[1].Action.(*ir.Human).Message.Holes()[0].Expr, "prod")
	isConstant("the prompt", g.Nodes[2].Action.(*ir.Join).Prompt.Text.Holes()[0].Expr, "prod")
	isConstant("the interrupt", g.Interrupts[0].Message.Holes()[0].Expr, "5")
	isConstant("the first value", g.State.Field("tries").Initial, "5")
	isConstant("the other first value", g.State.Field("target").Initial, "prod")
	opt.Constants = []Constant{{"tries", "many"}}
	if r := Compile(source.NewFile("flow.yaml", []byte(text)), opt); !r.HasErrors() {
		t.Error("a number can be `many`")
	}
}

func FuzzCompile(f *testing.F) {
	f.Add([]byte("name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo $b.output # wfc:ignore[WFC801]\n"))
	f.Add([]byte("# wfc: dialect=archon\n# wfc:ignore[WFC101,,x]\nnodes: [{id: a, when: \"$a.output == 'x'\"}]"))
	f.Fuzz(func(t *testing.T, content []byte) {
		r := Compile(source.NewFile("flow.yaml", content), Options{Files: memory{}, Root: "/p"})
		if r.Stack != "" {
			t.Error(r.Stack)
		}
	})
}
