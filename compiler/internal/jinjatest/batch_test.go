// Package jinjatest holds tests of compiled Jinja2 templates: that what the
// compiler parses, the generator writes and the runtime computes is what Jinja2
// makes of the same text.
package jinjatest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/types"
)

// A batch is templates that are compiled into one program: each is the prompt of a
// node, so that a run renders all of them. Conditions decide whether nodes run.
type batch struct {
	texts      []string
	conditions []string
	// faults are the errors of the templates that do not compile, by their place
	// in texts and behind them conditions.
	faults map[int]string
	once   sync.Once
	dir    string
	err    error
	// generated is the Go code.
	generated []byte
}

// The world of the templates: inputs and steps with outputs of all kinds.
var inputs = []*ir.Input{
	{Name: "name", Type: types.Text},
	{Name: "count", Type: types.Int},
	{Name: "flag", Type: types.Bool},
	{Name: "ratio", Type: types.Float},
	{Name: "nick", Type: &types.Optional{Elem: types.Text}},
}

const inputJSON = `{"name": "Ada <Löve>", "count": 7, "flag": false, "ratio": 2.5, "nick": null}`

// A step is a node that the templates read.
type step struct {
	name string
	typ  types.Type
	text string
	// skipped says that it does not run.
	skipped bool
}

var infoType = &types.Struct{Open: true, Fields: []*types.Field{
	{Name: "title", Type: types.Line, Required: true}, {Name: "size", Type: types.Int, Required: true}, {Name: "done", Type: types.Bool, Required: true},
	{Name: "note", Type: types.Text}, {Name: "lost", Type: types.Text}, {Name: "nil", Type: &types.Optional{Elem: types.Text}}, {Name: "tags", Type: &types.List{Elem: types.Text}, Required: true},
}}

var steps = []step{
	{name: "data", typ: types.Any, text: `{"users": [{"name": "bob", "age": 30, "tags": ["a", "b"]}, {"name": "Al", "age": 4.5, "tags": []}, {"name": "zoë", "age": null, "tags": ["b"]}], "total": 12, "rate": 0.1, "ok": true, "none": null, "text": "a,b c\nd", "empty": [], "deep": {"x": {"y": [1, 2, [3]]}}, "items": "hidden", "big": 123456789012345678901234567890}`},
	{name: "info", typ: infoType, text: `{"title": "It's", "size": 3, "done": true, "note": "n\"q\"", "nil": null, "tags": ["x", "Y", "z"], "more": 5}`},
	{name: "rows", typ: &types.List{Elem: &types.Struct{Open: true, Fields: []*types.Field{{Name: "id", Type: types.Int, Required: true}, {Name: "label", Type: types.Word, Required: true}}}},
		text: `[{"id": 2, "label": "two"}, {"id": 1, "label": "one"}, {"id": 10, "label": "Ten"}]`},
	{name: "said", typ: types.Text, text: "line one\nline two\n"},
	{name: "nothing", typ: types.Any, skipped: true},
}

// scope gives the names of the world a meaning.
type scope struct{}

func (scope) Lookup(name string, at source.Span) (expr.Expr, bool) {
	for _, in := range inputs {
		if in.Name == name {
			return &expr.Input{At: at, Name: name, Typ: in.Type}, true
		}
	}
	for _, s := range steps {
		if s.name != name {
			continue
		}
		var p expr.Presence
		if s.skipped {
			p = expr.MaybeSkipped
		}
		return &expr.StepValue{At: at, Node: name, Typ: s.typ, Presence: p}, true
	}
	return nil, false
}

func (scope) Names() []string { return []string{"name", "count", "data", "info"} }

// parse parses a template of the world; fault is why it cannot be compiled.
func parse(text string) (t *template.Template, fault string) {
	bag := &diag.Bag{}
	file := source.NewFile("jinja.yaml", []byte(text))
	t = jinja.Template(source.FileText(file, 0, len(text)), scope{}, jinja.Options{}, bag)
	return t, errorsOf(bag)
}

func errorsOf(bag *diag.Bag) string {
	var list []string
	for _, d := range bag.Sorted() {
		if d.Severity == diag.Error {
			list = append(list, d.Message)
		}
	}
	return strings.Join(list, "; ")
}

// parseCondition parses a condition as the front end does.
func parseCondition(text string) (expr.Expr, string) {
	bag := &diag.Bag{}
	file := source.NewFile("jinja.yaml", []byte(text))
	t := jinja.Template(source.FileText(file, 0, len(text)), scope{}, jinja.Options{Condition: true}, bag)
	var x expr.Expr = &expr.Rendered{At: t.Source.Whole(), Text: t}
	if len(t.Parts) == 1 {
		if hole, ok := t.Parts[0].(*template.Hole); ok {
			x = hole.Expr
		}
	}
	return &expr.Holds{At: t.Source.Whole(), X: x}, errorsOf(bag)
}

// program is the workflow of all templates that compile.
func (b *batch) program() *ir.Program {
	body := &ir.DAG{}
	var needs []*ir.Need
	for _, s := range steps {
		n := &ir.Node{ID: s.name, Action: &ir.Bash{Script: "true"}, Result: ir.Result{Output: s.typ}}
		if s.skipped {
			n.When = &expr.Relation{X: &expr.Input{Name: "name", Typ: types.Text}, Links: []expr.Link{{Op: expr.Equal, Y: &expr.Literal{Typ: types.Text}}}}
		}
		body.Nodes = append(body.Nodes, n)
		needs = append(needs, &ir.Need{Node: n})
	}
	b.faults = map[int]string{}
	node := func(i int, t *template.Template, when expr.Expr, fault string) {
		if fault != "" {
			b.faults[i] = fault
			return
		}
		body.Nodes = append(body.Nodes, &ir.Node{ID: key(i), Needs: needs, Rule: ir.AllDone, When: when, Action: &ir.Prompt{Text: t, Agent: ir.Agent{Name: "claude"}}, Result: ir.Result{Output: types.Text}})
	}
	for i, text := range b.texts {
		t, fault := parse(text)
		node(i, t, nil, fault)
	}
	for i, text := range b.conditions {
		when, fault := parseCondition(text)
		node(len(b.texts)+i, template.Literal(source.PlainText("yes")), when, fault)
	}
	w := &ir.Workflow{Name: "jinja", Inputs: inputs, Body: body}
	return &ir.Program{File: source.NewFile("jinja.yaml", nil), Dialect: "test", Workflow: w}
}

func key(i int) string { return fmt.Sprintf("t%d", i) }

// driverSource runs the workflow in the simulated world and prints what came of it.
const driverSource = `package main

import (
	"encoding/json"
	"os"

	wf "github.com/wfc-lang/wfc/internal/jinjatest/generated"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/sim"
)

func main() {
	var in struct {
		Inputs json.RawMessage
		Texts  map[string]string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		panic(err)
	}
	world := sim.World{Definition: &wf.Workflow, Inputs: in.Inputs, Perform: func(a sim.Attempt) sim.Performance {
		text := in.Texts[a.Key]
		if p, ok := a.Payload.(flow.Prompt); ok {
			text = p.Text
		}
		return sim.Performance{Result: flow.Result{Status: flow.Completed, Text: text}}
	}}
	out := map[string]any{}
	o := sim.Run(world, 1)
	for _, s := range o.Steps {
		entry := map[string]string{"Status": string(s.Status), "Text": s.Text}
		if s.Failure != nil {
			entry["Error"] = s.Failure.Message
		}
		out[s.Key] = entry
	}
	json.NewEncoder(os.Stdout).Encode(out)
}
`

// localStub stands in for the engine on this machine, of which generated code
// calls one function.
const localStub = `package local

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/flow"
)

type Engine struct{}

type Options struct{}

func RunTyped[In, Out any](ctx context.Context, e *Engine, d *flow.Definition, in In, opts ...func(*Options)) (Out, error) {
	panic("not in these tests")
}
`

// An end is what became of a template.
type end struct {
	Status, Text, Error string
}

// build compiles all templates in one build.
func (b *batch) build(t *testing.T) {
	t.Helper()
	b.once.Do(func() {
		b.dir, b.err = os.MkdirTemp("", "jinjatest")
		if b.err == nil {
			temporary = append(temporary, b.dir)
			b.err = b.compile()
		}
	})
	if b.err != nil {
		t.Fatal(b.err)
	}
}

func (b *batch) compile() error {
	root, err := filepath.Abs("../../..")
	if err != nil {
		return err
	}
	replace := map[string]string{}
	real, err := filepath.Glob(filepath.Join(root, "runtime/engine/local/*.go"))
	if err != nil {
		return err
	}
	for _, file := range real {
		replace[file] = ""
	}
	b.generated = gen.Generate(b.program(), gen.Options{Package: "generated"})[0].Content
	for path, content := range map[string]string{
		"runtime/engine/local/stub.go":              localStub,
		"internal/jinjatest/generated/generated.go": string(b.generated),
		"internal/jinjatest/driver/main.go":         driverSource,
	} {
		file := filepath.Join(b.dir, strings.ReplaceAll(path, "/", "_"))
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			return err
		}
		replace[filepath.Join(root, path)] = file
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(b.dir, "overlay.json"), overlay, 0o666); err != nil {
		return err
	}
	cmd := exec.Command("go", "build", "-gcflags=./internal/jinjatest/generated=-l -N", "-ldflags=-s -w", "-overlay", filepath.Join(b.dir, "overlay.json"), "-o", b.driver(), "./internal/jinjatest/driver")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// driver is the built driver.
func (b *batch) driver() string { return filepath.Join(b.dir, "driver") }

// run renders all templates and returns what became of those that compile.
func (b *batch) run(t *testing.T) map[int]end {
	t.Helper()
	b.build(t)
	texts := map[string]string{}
	for _, s := range steps {
		texts[s.name] = s.text
	}
	request, err := json.Marshal(map[string]any{"Inputs": json.RawMessage(inputJSON), "Texts": texts})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(b.driver())
	cmd.Stdin = bytes.NewReader(request)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	var byKey map[string]end
	if err := json.Unmarshal(out, &byKey); err != nil {
		t.Fatal(err)
	}
	ends := map[int]end{}
	for i := range len(b.texts) + len(b.conditions) {
		if e, ok := byKey[key(i)]; ok {
			ends[i] = e
		}
	}
	return ends
}

// temporary are the folders to remove.
var temporary []string

func TestMain(m *testing.M) {
	testkit.SetSeed()
	code := m.Run()
	for _, dir := range temporary {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}
