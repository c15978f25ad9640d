package ir

import (
	"fmt"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
)

// Rewrite replaces every expression of the workflow by f's result for it,
// operands first.
func (w *Workflow) Rewrite(f func(expr.Expr) expr.Expr) {
	w.rewriteWithNodes(func(*Node) {}, f)
}

// EachExpr calls visit for every expression of the workflow, operands first, with the node
// that it belongs to, or nil. It must not run beside a reader of the workflow.
func (w *Workflow) EachExpr(visit func(in *Node, e expr.Expr)) {
	var in *Node
	w.rewriteWithNodes(func(n *Node) { in = n }, func(e expr.Expr) expr.Expr {
		visit(in, e)
		return e
	})
}

// rewriteWithNodes is Rewrite; it calls enter before the expressions of a node, and with nil before
// those that belong to none.
func (w *Workflow) rewriteWithNodes(enter func(*Node), f func(expr.Expr) expr.Expr) {
	for _, env := range [][]EnvVar{w.Env, w.MoreEnv, w.Environment} {
		for i := range env {
			env[i].Value = expr.Rewrite(env[i].Value, f)
		}
	}
	for _, in := range w.Inputs {
		in.Default = expr.Rewrite(in.Default, f)
	}
	rewriteBody(w.Body, enter, f)
}

func rewriteBody(body Body, enter func(*Node), f func(expr.Expr) expr.Expr) {
	Walk(body, func(n *Node) {
		enter(n)
		n.When = expr.Rewrite(n.When, f)
		for i := range n.Unread {
			n.Unread[i] = expr.Rewrite(n.Unread[i], f)
		}
		for _, e := range n.Out {
			e.Guard = expr.Rewrite(e.Guard, f)
		}
		EachPart(n.Action, func(e *expr.Expr) { *e = expr.Rewrite(*e, f) }, func(t *template.Template, _ bool) { t.Rewrite(f) })
	})
	enter(nil)
	if g, ok := body.(*Graph); ok {
		rewriteGraph(g, f)
	}
}

// rewriteGraph replaces the expressions of a graph that belong to no node.
func rewriteGraph(g *Graph, f func(expr.Expr) expr.Expr) {
	for _, e := range g.Start {
		e.Guard = expr.Rewrite(e.Guard, f)
	}
	if g.State != nil {
		for _, field := range g.State.Fields {
			field.Initial = expr.Rewrite(field.Initial, f)
		}
	}
	for _, i := range g.Interrupts {
		i.When = expr.Rewrite(i.When, f)
		i.Message.Rewrite(f)
	}
	for _, goal := range g.Goals {
		goal.Cond = expr.Rewrite(goal.Cond, f)
	}
}

// EachPart calls value for the place of each expression of an action and text for each of its
// templates, without those of the nodes inside it. original says that the template is the text
// of a program as written, which does not run.
func EachPart(a Action, value func(*expr.Expr), text func(t *template.Template, original bool)) {
	texts := func(list ...*template.Template) {
		for _, t := range list {
			if t != nil {
				text(t, false)
			}
		}
	}
	program := func(original, t *template.Template, bindings []Binding) {
		if original != nil {
			text(original, true)
		}
		texts(t)
		for i := range bindings {
			value(&bindings[i].Value)
		}
	}
	variables := func(env []EnvVar) {
		for i := range env {
			value(&env[i].Value)
		}
	}
	fan := func(f *Fan) {
		if f != nil {
			value(&f.Items)
		}
	}
	switch a := a.(type) {
	case *Bash:
		variables(a.Env)
		program(a.Original, a.Template, a.Bindings)
	case *Script:
		program(a.Original, a.Template, a.Bindings)
		variables(a.Env)
	case *Prompt:
		texts(a.Text)
		for i := range a.Agent.Options {
			texts(a.Agent.Options[i].Templates()...)
		}
	case *Cancel:
		texts(a.Reason)
	case *Wait:
		texts(a.Until, a.Attention)
	case *Loop:
		if a.Until != nil {
			EachPart(a.Until, value, text)
		}
		if a.Gate != nil {
			texts(a.Gate.Message)
		}
	case *Approval:
		texts(a.Gate.Message)
		if a.Rework != nil {
			EachPart(a.Rework, value, text)
		}
	case *Decision:
		value(&a.Cond)
	case *Join:
		if a.Prompt != nil {
			EachPart(a.Prompt, value, text)
		}
	case *Human:
		texts(a.Message)
	case *ForEach:
		for i := range a.Vars {
			value(&a.Vars[i].Items)
		}
	case *Repeat:
		value(&a.Cond)
	case *Call:
		fan(a.Fan)
		for i := range a.Args {
			value(&a.Args[i].Value)
		}
	case *Block:
		fan(a.Fan)
	case nil, *Fail, *Parallel, *Checkpoint, *Fork, *Include:
	default:
		panic(fmt.Sprintf("the expressions of a node of kind %s are unknown", a.Kind()))
	}
}
