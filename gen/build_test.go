package gen_test

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// A builder makes programs for tests without a front end: just enough syntax
// to say what a node holds, with positions in a text that the builder writes.
type builder struct {
	file *source.File
	flow *ir.Workflow
	dag  *ir.DAG
	text strings.Builder
	late []func()
}

func newBuilder(name string) *builder {
	b := &builder{dag: &ir.DAG{}}
	b.file = source.NewFile(name+".yaml", nil)
	b.flow = &ir.Workflow{Name: name, Description: "A workflow for tests.", Body: b.dag, Inputs: []*ir.Input{
		{Name: "arguments", Doc: "what the user asks for", Type: types.Text, Default: lit(""), Rest: true},
		{Name: "context", Doc: "what else is known", Type: types.Text, Default: lit("")},
	}}
	fmt.Fprintf(&b.text, "name: %s\nnodes:\n", name)
	return b
}

// program finishes the file and resolves what nodes say of each other.
func (b *builder) program() *ir.Program {
	b.file.Content = []byte(b.text.String())
	for _, f := range b.late {
		f()
	}
	b.late = nil
	return &ir.Program{File: b.file, Dialect: "test", Workflow: b.flow}
}

// write adds text to the file and returns where it stands.
func (b *builder) write(s string) source.Span {
	start := b.text.Len()
	b.text.WriteString(s)
	return source.Span{File: b.file, Start: start, End: b.text.Len()}
}

// block writes a block scalar and returns its text.
func (b *builder) block(key, s string) source.Text {
	b.write("    " + key + ": |\n")
	var runs []source.Run
	decoded := 0
	for line := range strings.Lines(s) {
		b.write("      ")
		runs = append(runs, source.Run{Decoded: decoded, Source: b.text.Len()})
		b.write(line)
		decoded += len(line)
	}
	end := b.text.Len()
	if !strings.HasSuffix(s, "\n") {
		b.write("\n")
	}
	return source.NewText(s, b.file, runs, end)
}

func (b *builder) node(id, action string, after ...string) *ir.Node {
	b.write("  - ")
	n := &ir.Node{ID: id, Output: types.Text}
	n.IDSpan = b.write("id: " + id)
	b.write("\n")
	for _, need := range after {
		name, order := strings.CutPrefix(need, "~")
		b.late = append(b.late, func() { n.Needs = append(n.Needs, &ir.Need{Node: b.find(name), Order: order}) })
	}
	b.dag.Nodes = append(b.dag.Nodes, n)
	return n
}

func (b *builder) bash(id, script string, after ...string) *ir.Node {
	n := b.node(id, "bash", after...)
	t := b.block("bash", script)
	a := &ir.Bash{}
	n.Action = a
	b.late = append(b.late, func() { b.script(a, t) })
	return n
}

// script makes a script of its text.
func (b *builder) script(a *ir.Bash, t source.Text) {
	a.Original = b.parse(t, bashPattern)
	for _, part := range a.Original.Parts {
		switch p := part.(type) {
		case *template.Text:
			a.Script += p.Value
		case *template.Hole:
			name := fmt.Sprintf("WFC_%d", len(a.Bindings)+1)
			a.Script += `"${` + name + `}"`
			a.Bindings = append(a.Bindings, ir.Binding{Name: name, Value: p.Expr, Span: a.Original.Span(p)})
		}
	}
}

func (b *builder) prompt(id, text string, after ...string) *ir.Node {
	n := b.node(id, "prompt", after...)
	t := b.block("prompt", text)
	a := &ir.Prompt{Agent: ir.Agent{Name: "claude"}}
	n.Action = a
	b.late = append(b.late, func() { a.Text = b.parse(t, refPattern) })
	return n
}

func (b *builder) cancel(id, reason string, after ...string) *ir.Node {
	n := b.node(id, "cancel", after...)
	t := b.block("cancel", reason)
	a := &ir.Cancel{}
	n.Action = a
	b.late = append(b.late, func() { a.Reason = b.parse(t, refPattern) })
	return n
}

// when sets a condition; refs are written as in templates.
func (b *builder) when(n *ir.Node, text string, make func(ref func(string) expr.Expr) expr.Expr) *ir.Node {
	n.WhenText = text
	at := b.write("    when: " + text)
	b.write("\n")
	b.late = append(b.late, func() {
		n.When = make(func(ref string) expr.Expr {
			start := strings.Index(at.Text(), ref)
			return b.ref(ref, source.Span{File: b.file, Start: at.Start + start, End: at.Start + start + len(ref)})
		})
		setSpans(n.When, at)
	})
	return n
}

// setSpans gives the connectives and comparisons of a condition their place.
func setSpans(e expr.Expr, at source.Span) {
	expr.Walk(e, func(e expr.Expr) bool {
		switch e := e.(type) {
		case *expr.Compare:
			e.At = at
		case *expr.Logic:
			e.At = at
		case *expr.Not:
			e.At = at
		}
		return true
	})
}

func (b *builder) find(id string) *ir.Node {
	for _, n := range b.dag.Nodes {
		if n.ID == id {
			return n
		}
	}
	panic("no node " + id)
}

// refPattern is a reference: $id.output, $id.output.a.b or $VARIABLE. A mark
// after the dollar says how sure its value is: ? skipped, ! failed.
const refPattern = `\$([?!]*)([a-z][a-zA-Z0-9_-]*)\.output((?:\.[a-z][a-z0-9_]*)*)|\$[A-Z_]+`

// bashPattern leaves the variables to bash that are in the environment.
const bashPattern = `\$([?!]*)([a-z][a-zA-Z0-9_-]*)\.output((?:\.[a-z][a-z0-9_]*)*)|\$(?:WORKFLOW_ID|BASE_BRANCH|DOCS_DIR)`

func (b *builder) parse(t source.Text, pattern string) *template.Template {
	out := &template.Template{Source: t}
	at := 0
	for _, m := range regexp.MustCompile(pattern).FindAllStringIndex(t.Value, -1) {
		if m[0] > at {
			out.Parts = append(out.Parts, &template.Text{Value: t.Value[at:m[0]], Start: at})
		}
		out.Parts = append(out.Parts, &template.Hole{Expr: b.ref(t.Value[m[0]:m[1]], t.Span(m[0], m[1])), Start: m[0], End: m[1]})
		at = m[1]
	}
	if at < len(t.Value) {
		out.Parts = append(out.Parts, &template.Text{Value: t.Value[at:], Start: at})
	}
	return out
}

var variables = map[string]expr.Variable{
	"$WORKFLOW_ID": expr.RunID, "$ARTIFACTS_DIR": expr.ArtifactsDir, "$BASE_BRANCH": expr.BaseBranch,
	"$DOCS_DIR": expr.DocsDir, "$LOG_DIR": expr.LogDir, "$LOOP_PREV_OUTPUT": expr.LoopPrevOutput,
	"$LOOP_USER_INPUT": expr.LoopUserInput, "$REJECTION_REASON": expr.RejectionReason,
}

func (b *builder) ref(text string, at source.Span) expr.Expr {
	m := regexp.MustCompile(refPattern).FindStringSubmatch(text)
	if m[2] == "" {
		if v, ok := variables[text]; ok {
			return &expr.Var{At: at, Var: v}
		}
		name := strings.ToLower(text[1:])
		for _, in := range b.flow.Inputs {
			if in.Name == name {
				return &expr.Input{At: at, Name: name, Typ: in.Type}
			}
		}
		panic("no variable " + text)
	}
	var p expr.Presence
	if strings.Contains(m[1], "?") {
		p |= expr.MaybeSkipped
	}
	if strings.Contains(m[1], "!") {
		p |= expr.MaybeFailed
	}
	if m[3] == "" {
		return &expr.Output{At: at, Node: m[2], Presence: p}
	}
	e := &expr.Field{At: at, Node: m[2], Path: strings.Split(m[3][1:], "."), Typ: types.Any, Presence: p}
	typ := b.find(m[2]).Output
	for _, name := range e.Path {
		s, ok := typ.(*types.Struct)
		if !ok {
			break
		}
		e.Declared = true
		if f := s.Field(name); f != nil {
			typ, e.Typ = f.Type, f.Type
			if !f.Required {
				e.Presence |= expr.MaybeAbsent
			}
		}
	}
	return e
}

// written is the text of a prompt or script as the workflow has it.
func written(n *ir.Node) string {
	switch a := n.Action.(type) {
	case *ir.Bash:
		return a.Original.Source.Value
	case *ir.Prompt:
		return a.Text.Source.Value
	}
	return ""
}

func lit(text string) *expr.Literal { return &expr.Literal{Text: text, Typ: types.Text} }

func eq(x expr.Expr, text string) expr.Expr {
	return &expr.Compare{Op: expr.TextEqual, X: x, Y: lit(text)}
}

func ne(x expr.Expr, text string) expr.Expr {
	return &expr.Compare{Op: expr.TextNotEqual, X: x, Y: lit(text)}
}

func compare(x expr.Expr, op expr.CompareOp, number string) expr.Expr {
	return &expr.Compare{Op: op, X: x, Y: &expr.Literal{Text: number, Typ: types.Float}}
}

func and(x, y expr.Expr) expr.Expr { return &expr.Logic{Op: expr.And, X: x, Y: y} }
func or(x, y expr.Expr) expr.Expr  { return &expr.Logic{Op: expr.Or, X: x, Y: y} }

func object(fields ...*types.Field) *types.Struct { return &types.Struct{Fields: fields} }

func required(name string, t types.Type) *types.Field {
	return &types.Field{Name: name, Type: t, Required: true}
}

func optional(name string, t types.Type) *types.Field { return &types.Field{Name: name, Type: t} }

func enum(values ...string) *types.Enum { return &types.Enum{Values: values} }
