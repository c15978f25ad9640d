package program_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/jinja"
	"github.com/wfc-lang/wfc/compiler/internal/program"
	"github.com/wfc-lang/wfc/compiler/internal/script"
	"github.com/wfc-lang/wfc/compiler/internal/shell"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/oracle"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// inputs are the names that templates of the tests know: v and w are texts, n is
// an int, yes and no are bools, list is a list of texts.
type inputs struct{}

func (inputs) Lookup(name string, at source.Span) (expr.Expr, bool) {
	t := map[string]types.Type{
		"v": types.Text, "w": types.Text, "n": types.Int, "yes": types.Bool, "no": types.Bool, "list": &types.List{Elem: types.Text},
	}[name]
	return &expr.Input{At: at, Name: name, Typ: t}, t != nil
}

func (inputs) Names() []string { return []string{"v", "w", "n", "yes", "no", "list"} }

// parse parses a template in a file in which it is not at the beginning.
func parse(t testing.TB, text string) *template.Template {
	t.Helper()
	file := source.NewFile("flow.yml", []byte("bash: "+text))
	var bag diag.Bag
	parsed := jinja.Template(source.FileText(file, len("bash: "), len(file.Content)), inputs{}, jinja.Options{}, &bag)
	if list := bag.Sorted(); len(list) > 0 {
		t.Fatalf("%s\n%s: %s", text, list[0].Code.ID, list[0].Message)
	}
	return parsed
}

func holeName(hole string) string {
	return strings.Join(strings.FieldsFunc(hole, func(r rune) bool { return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz_", r) }), "_")
}

func bash(t testing.TB, text string) (*ir.Bash, []*diag.Diagnostic) {
	t.Helper()
	var bag diag.Bag
	p := program.Bash(shell.NewRewriter(shell.Options{Echo: true}), parse(t, text), holeName, &bag)
	return p, bag.Sorted()
}

func python(t testing.TB, text string) (*ir.Script, []*diag.Diagnostic) {
	t.Helper()
	var bag diag.Bag
	r := script.NewRewriter(script.Python)
	r.Ask = script.PythonChecker(oracle.OnPath())
	p := program.Python(r, parse(t, text), holeName, &bag)
	r.Check(&bag)
	return p, bag.Sorted()
}

// value is a value of a test: a string, a bool or a list of strings.
type value any

// made is a program as it runs.
type made struct {
	text     string
	bindings []ir.Binding
	values   map[string]string
}

// renderer makes programs as generated code does.
type renderer struct {
	values map[string]value
	locals map[*expr.Declared]value
	made   made
	counts map[string]int
	loops  int
}

func render(t *template.Template, values map[string]value) made {
	r := &renderer{values: values, locals: map[*expr.Declared]value{}, counts: map[string]int{}}
	r.made.values = map[string]string{}
	r.parts(t.Parts)
	return r.made
}

// fixed is a program without statements.
func fixed(text string, bindings []ir.Binding, values map[string]value) made {
	r := &renderer{values: values}
	m := made{text: text, bindings: bindings, values: map[string]string{}}
	for _, b := range bindings {
		m.values[b.Name] = printed(r.value(b.Value))
	}
	return m
}

func (r *renderer) parts(parts []template.Part) {
	for _, p := range parts {
		switch p := p.(type) {
		case *template.Text:
			r.made.text += p.Value
		case *template.Hole: // of a text that is not a program
			r.made.text += printed(r.value(p.Expr))
		case *template.Bound:
			r.bound(p)
		case *template.If:
			r.branch(p)
		case *template.For:
			items := r.value(p.Items).([]string)
			for _, item := range items {
				r.locals[p.Target.Var] = item
				r.loops++
				r.parts(p.Body)
				r.loops--
			}
			if len(items) == 0 {
				r.parts(p.Else)
			}
		case *template.Scope:
			r.parts(p.Body)
		case *template.Set:
			r.locals[p.Target.Var] = r.value(p.Value)
		}
	}
}

func (r *renderer) branch(p *template.If) {
	for _, b := range p.Branches {
		if r.value(b.Cond) == true {
			r.parts(b.Body)
			return
		}
	}
	r.parts(p.Else)
}

func (r *renderer) bound(p *template.Bound) {
	name := p.Name
	if r.loops > 0 {
		r.counts[name]++
		name += "_" + strconv.Itoa(r.counts[name])
	}
	r.made.text += p.Before + name + p.After
	if _, twice := r.made.values[name]; twice {
		panic("two values are called " + name)
	}
	r.made.values[name] = printed(r.value(p.Expr))
	r.made.bindings = append(r.made.bindings, ir.Binding{Name: name, Integer: p.Integer, Literal: p.Literal, Words: p.Words, Echoed: p.Echoed})
}

func (r *renderer) value(e expr.Expr) value {
	switch e := e.(type) {
	case *expr.Str:
		return printed(r.value(e.X))
	case *expr.Input:
		return r.values[e.Name]
	case *expr.Local:
		return r.locals[e.Of]
	case *expr.Literal:
		return e.Text
	case *expr.Rendered:
		inner := &renderer{values: r.values, locals: r.locals, counts: map[string]int{}}
		inner.parts(e.Text.(*template.Template).Parts)
		return inner.made.text
	}
	panic("the tests do not evaluate this")
}

// printed is a value as Python prints it.
func printed(v value) string {
	switch v := v.(type) {
	case bool:
		if v {
			return "True"
		}
		return "False"
	case []string:
		quoted := slices.Clone(v)
		for i := range quoted {
			quoted[i] = strconv.Quote(quoted[i])
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	return v.(string)
}
