package gen_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// A graphBuilder makes programs of state graphs for tests, each element with a
// line of its own in a text that the builder writes.
type graphBuilder struct {
	*builder
	graph *ir.Graph
}

func newGraphBuilder(name string) *graphBuilder {
	b := &graphBuilder{builder: newBuilder(name), graph: &ir.Graph{Version: "1.0", State: &ir.State{}}}
	b.flow.Inputs = nil
	b.flow.Body = b.graph
	return b
}

// line writes a line and returns where it stands.
func (b *graphBuilder) line(format string, args ...any) source.Span {
	at := b.write(fmt.Sprintf(format, args...))
	b.write("\n")
	return at
}

func (b *graphBuilder) field(name string, t types.Type, initial expr.Expr) *ir.StateField {
	f := &ir.StateField{Name: name, Type: t, Initial: initial, Declared: true, Span: b.line("  %s:", name)}
	b.graph.State.Fields = append(b.graph.State.Fields, f)
	return f
}

// node adds a node; labels that begin with - stand for failures.
func (b *graphBuilder) node(id, labels string, a ir.Action) *ir.Node {
	n := &ir.Node{ID: id, IDSpan: b.line("  %s:", id), Action: a, Output: types.Text}
	for _, name := range strings.Fields(labels) {
		name, failure := strings.CutPrefix(name, "-")
		n.Labels = append(n.Labels, &ir.Label{Name: name, Failure: failure})
	}
	b.graph.Nodes = append(b.graph.Nodes, n)
	return n
}

func (b *graphBuilder) agent(id, labels, agent, prompt string) *ir.Node {
	n := b.node(id, labels, nil)
	n.Action = &ir.Prompt{Text: b.text2(prompt), Agent: ir.Agent{Name: agent}}
	n.Timeout = 10 * time.Minute
	return n
}

func (b *graphBuilder) script(id, labels, script string) *ir.Node {
	n := b.node(id, labels, nil)
	t := b.text2(script)
	a := &ir.Bash{Original: t}
	for _, part := range t.Parts {
		switch p := part.(type) {
		case *template.Text:
			a.Script += p.Value
		case *template.Hole:
			name := fmt.Sprintf("WFC_%d", len(a.Bindings)+1)
			a.Script += `"${` + name + `}"`
			a.Bindings = append(a.Bindings, ir.Binding{Name: name, Value: p.Expr, Span: t.Span(p)})
		}
	}
	n.Action, n.Timeout = a, 10*time.Minute
	return n
}

// text2 is a text whose holes are written {state.x} and {input.x}.
func (b *graphBuilder) text2(s string) *template.Template {
	t := b.block("text", s)
	out := &template.Template{Source: t}
	at := 0
	for {
		open := strings.Index(t.Value[at:], "{")
		if open < 0 {
			break
		}
		end := at + open + strings.Index(t.Value[at+open:], "}")
		if open > 0 {
			out.Parts = append(out.Parts, &template.Text{Value: t.Value[at : at+open], Start: at})
		}
		out.Parts = append(out.Parts, &template.Hole{Expr: b.ref(t.Value[at+open+1 : end]), Start: at + open, End: end + 1})
		at = end + 1
	}
	if at < len(t.Value) {
		out.Parts = append(out.Parts, &template.Text{Value: t.Value[at:], Start: at})
	}
	return out
}

// ref is what state.x, outputs.x or input.x reads.
func (b *graphBuilder) ref(s string) expr.Expr {
	kind, name, _ := strings.Cut(s, ".")
	switch kind {
	case "input":
		for _, in := range b.flow.Inputs {
			if in.Name == name {
				return &expr.Input{Name: name, Typ: in.Type}
			}
		}
	case "outputs":
		return &expr.LastLabel{Node: name, Typ: &types.Optional{Elem: types.Text}}
	case "state":
		if f := b.graph.State.Field(name); f != nil {
			return &expr.State{Name: name, Typ: f.Type}
		}
		for m := expr.Iteration; m <= expr.CostUSD; m++ {
			if m.String() == name {
				return &expr.Progress{Measure: m}
			}
		}
	}
	panic("no " + s)
}

// is compares two references or constants: a text, a number, true, false or null.
func (b *graphBuilder) is(x string, op expr.CompareOp, y string) expr.Expr {
	operand := func(s string) expr.Expr {
		if strings.HasPrefix(s, "state.") || strings.HasPrefix(s, "outputs.") || strings.HasPrefix(s, "input.") {
			return b.ref(s)
		}
		switch {
		case s == "null":
			return &expr.Literal{Text: s, Typ: types.Null}
		case s == "true" || s == "false":
			return &expr.Literal{Text: s, Typ: types.Bool}
		case strings.HasPrefix(s, "{") || strings.HasPrefix(s, "["):
			return &expr.Literal{Text: s, Typ: types.Any}
		case strings.Trim(s, "-0123456789") == "":
			return &expr.Literal{Text: s, Typ: types.Int}
		case strings.Trim(s, "-0123456789.") == "":
			return &expr.Literal{Text: s, Typ: types.Float}
		}
		return lit(strings.Trim(s, "'"))
	}
	return &expr.Compare{At: b.line("    condition: %s %s %s", x, op, y), Op: op, X: operand(x), Y: operand(y)}
}

// edge adds an edge; labels are those of the node that it is for, "" for all.
func (b *graphBuilder) edge(from, to, labels string, guard ...expr.Expr) {
	e := &ir.Edge{Span: b.line("  - from: %s to: %s", from, to), GuardText: labels}
	var cond expr.Expr
	for _, l := range strings.Fields(labels) {
		is := expr.Expr(&expr.Compare{At: e.Span, Op: expr.ValueEqual, X: &expr.LastLabel{Node: from, Typ: types.Text}, Y: lit(l)})
		if cond != nil {
			is = &expr.Logic{At: e.Span, Op: expr.Or, X: cond, Y: is}
		}
		cond = is
	}
	if len(strings.Fields(labels)) > 1 {
		e.GuardText = "any(" + strings.Join(strings.Fields(labels), ", ") + ")"
	}
	for _, g := range guard {
		if cond != nil {
			g = &expr.Logic{At: e.Span, Op: expr.And, X: cond, Y: g}
		}
		cond = g
		e.GuardText = strings.TrimPrefix(e.GuardText+" && …", " && ")
	}
	e.Guard = cond
	if to != "END" {
		e.To = b.nodeOf(to)
	}
	if from == "START" {
		b.graph.Start = append(b.graph.Start, e)
		return
	}
	e.From = b.nodeOf(from)
	e.From.Out = append(e.From.Out, e)
}

func (b *graphBuilder) nodeOf(id string) *ir.Node {
	for _, n := range b.graph.Nodes {
		if n.ID == id {
			return n
		}
	}
	panic("no node " + id)
}

// on adds a handler that sets or appends; a nil value is the node's text.
func (b *graphBuilder) on(n *ir.Node, label string, appends bool, field string, v expr.Expr) {
	at := b.line("    %s: %s", label, field)
	if v == nil {
		v = &expr.Said{At: at}
	}
	n.Handlers = append(n.Handlers, &ir.Handler{Label: label, Assigns: []*ir.Assign{{Field: b.graph.State.Field(field), Append: appends, Value: v, Span: at}}})
}

func intLit(text string) *expr.Literal { return &expr.Literal{Text: text, Typ: types.Int} }

// everyValue is a graph with variables of every type, odd names, and conditions
// of every form.
func everyValue() *ir.Program {
	b := newGraphBuilder("graphvalues")
	b.flow.Inputs = []*ir.Input{
		{Name: "topic", Type: types.Text}, {Name: "depth", Type: types.Int, Default: intLit("2")},
	}
	b.field("topic", types.Text, &expr.Input{Name: "topic", Typ: types.Text})
	b.field("depth", types.Int, &expr.Input{Name: "depth", Typ: types.Int})
	b.field("tries", types.Int, intLit("0"))
	b.field("score", types.Float, &expr.Literal{Text: "0.5", Typ: types.Float})
	b.field("ready", types.Bool, &expr.Literal{Text: "false", Typ: types.Bool})
	b.field("feedback", &types.Optional{Elem: types.Text}, nil)
	b.field("current_score", &types.Optional{Elem: types.Float}, nil)
	b.field("sure", &types.Optional{Elem: types.Bool}, &expr.Literal{Text: "true", Typ: types.Bool})
	b.field("notes", &types.List{Elem: types.Text}, &expr.Literal{Text: `["first <note>"]`, Typ: &types.List{Elem: types.Text}})
	b.field("numbers", &types.List{Elem: types.Int}, &expr.Literal{Text: `[1,2]`, Typ: &types.List{Elem: types.Int}})
	b.field("extra", types.Any, &expr.Literal{Text: `{"b":1,"a":[]}`, Typ: types.Any})
	work := b.agent("work", "done -blocked timeout", "self", "Write about {state.topic}, {state.depth} levels deep.\nTry {state.iteration} after {state.feedback}: {state.notes} {state.extra} {state.numbers} {state.score} {state.ready} {state.current_score}\n")
	work.Action.(*ir.Prompt).Files = []string{"src/auth.ts"}
	b.on(work, "done", false, "tries", intLit("1"))
	b.on(work, "done", true, "notes", nil)
	b.on(work, "done", true, "numbers", intLit("3"))
	b.on(work, "blocked", false, "sure", &expr.Literal{Text: "null", Typ: types.Null})
	b.on(work, "done", false, "extra", nil)
	score := b.script("node", "pass -fail", "score {state.topic} {state.extra}")
	score.Action.(*ir.Bash).Dir = "sub"
	score.Retry = &ir.Retry{Max: 3, Delay: time.Second, All: true}
	b.on(score, "pass", false, "current_score", nil)
	b.on(score, "pass", false, "score", nil)
	b.on(score, "fail", false, "feedback", nil)
	b.on(score, "fail", false, "ready", &expr.Literal{Text: "true", Typ: types.Bool})
	b.on(score, "fail", false, "sure", nil)
	enough := b.node("enough?", "yes no", nil)
	enough.Action = &ir.Decision{CondText: "state.current_score >= state.score && 100%", Cond: and(
		b.is("state.current_score", expr.ValueGreaterEqual, "state.score"), or(b.ref("state.ready"), b.is("state.tries", expr.ValueLess, "10")))}
	state := b.node("State", "yes no -timeout", nil)
	state.Action, state.Timeout = &ir.Human{Message: b.text2("Is {state.current_score} enough?"), Default: "no"}, time.Hour
	b.edge("START", "work", "", b.is("state.topic", expr.ValueNotEqual, "''"))
	b.edge("work", "node", "done")
	b.edge("work", "State", "timeout", b.is("outputs.node", expr.ValueEqual, "null"))
	b.edge("work", "END", "", b.is("state.sure", expr.ValueEqual, "null"))
	b.edge("node", "enough?", "pass", b.is("state.current_score", expr.ValueNotEqual, "null"))
	b.edge("node", "work", "", b.is("state.feedback", expr.ValueNotEqual, "'none'"), b.is("state.tries", expr.ValueLess, "3"), &expr.Not{X: b.ref("state.ready")})
	b.edge("node", "State", "")
	b.edge("enough?", "END", "yes")
	b.edge("enough?", "State", "", b.is("state.iteration", expr.ValueGreaterEqual, "4"))
	b.edge("enough?", "work", "")
	b.edge("State", "END", "", b.is("state.extra", expr.ValueEqual, `{"a":[],"b":1}`))
	b.edge("State", "END", "", b.is("outputs.State", expr.ValueEqual, "state.feedback"))
	b.edge("State", "END", "", b.is("outputs.State", expr.ValueEqual, "outputs.enough?"))
	b.edge("State", "END", "", b.is("3.5", expr.ValueLess, "state.tries"))
	b.edge("State", "END", "", &expr.Not{X: b.is("state.score", expr.ValueEqual, "state.depth")})
	b.graph.Interrupts = []*ir.Interrupt{{
		Node: state, Message: b.text2("It cost {state.estimated_cost} since {state.started_at} at {state.current_node} of {state.nodes_executed}."),
		When: b.is("state.estimated_cost", expr.ValueGreater, "1.5"), WhenText: "state.estimated_cost > 1.5", Skip: &ir.Edge{From: state}, Span: b.line("  - before: State"),
	}, {Node: score, After: true, Message: b.text2("Go on?"), When: b.ref("state.sure"), WhenText: "state.sure", Span: b.line("  - after: node")}}
	b.graph.Goals = []*ir.Goal{
		{Cond: b.is("outputs.State", expr.ValueEqual, "yes"), Text: "State.yes"},
		{Cond: b.is("state.ready", expr.ValueEqual, "true"), Text: "state.ready == true"},
	}
	return b.program()
}
