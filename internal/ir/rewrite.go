package ir

import (
	"fmt"

	"github.com/wfc-lang/wfc/internal/expr"
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
		rewriteEnv(env, f)
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
		rewriteAction(n.Action, f)
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

// rewriteAction replaces the expressions of an action, without those of the nodes
// inside it.
func rewriteAction(a Action, f func(expr.Expr) expr.Expr) {
	switch a := a.(type) {
	case *Bash:
		rewriteBash(a, f)
	case *Script:
		a.Original.Rewrite(f)
		a.Template.Rewrite(f)
		rewriteBindings(a.Bindings, f)
		rewriteEnv(a.Env, f)
	case *Prompt:
		a.Text.Rewrite(f)
		for i := range a.Agent.Options {
			for _, text := range a.Agent.Options[i].Templates() {
				text.Rewrite(f)
			}
		}
	case *Cancel:
		a.Reason.Rewrite(f)
	case *Wait:
		a.Until.Rewrite(f)
		a.Attention.Rewrite(f)
	case *Loop:
		rewriteBash(a.Until, f)
		if a.Gate != nil {
			a.Gate.Message.Rewrite(f)
		}
	case *Approval:
		a.Gate.Message.Rewrite(f)
		if a.Rework != nil {
			a.Rework.Text.Rewrite(f)
		}
	case *Decision:
		a.Cond = expr.Rewrite(a.Cond, f)
	case *Join:
		if a.Prompt != nil {
			a.Prompt.Text.Rewrite(f)
		}
	case *Human:
		a.Message.Rewrite(f)
	case *ForEach:
		for i := range a.Vars {
			a.Vars[i].Items = expr.Rewrite(a.Vars[i].Items, f)
		}
	case *Repeat:
		a.Cond = expr.Rewrite(a.Cond, f)
	case *Call:
		for i := range a.Args {
			a.Args[i].Value = expr.Rewrite(a.Args[i].Value, f)
		}
		a.Fan.rewriteExprs(f)
	case *Block:
		a.Fan.rewriteExprs(f)
	case *Fail, *Parallel, *Checkpoint, *Fork, *Include:
	default:
		panic(fmt.Sprintf("the expressions of a node of kind %s are unknown", a.Kind()))
	}
}

func rewriteBash(b *Bash, f func(expr.Expr) expr.Expr) {
	if b == nil {
		return
	}
	b.Original.Rewrite(f)
	b.Template.Rewrite(f)
	rewriteBindings(b.Bindings, f)
	rewriteEnv(b.Env, f)
}

func rewriteEnv(env []EnvVar, f func(expr.Expr) expr.Expr) {
	for i := range env {
		env[i].Value = expr.Rewrite(env[i].Value, f)
	}
}

func rewriteBindings(bindings []Binding, f func(expr.Expr) expr.Expr) {
	for i := range bindings {
		bindings[i].Value = expr.Rewrite(bindings[i].Value, f)
	}
}

func (fan *Fan) rewriteExprs(f func(expr.Expr) expr.Expr) {
	if fan != nil {
		fan.Items = expr.Rewrite(fan.Items, f)
	}
}
