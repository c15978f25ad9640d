package compiler

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// applyConstants makes literals of the inputs whose values are known and takes
// them from the workflow's inputs.
//
// A constant in a script stays a binding: it is a value there too, whatever
// characters it holds.
func applyConstants(p *ir.Program, constants []Constant, bag *diag.Bag) {
	values := map[string]Constant{}
	w := p.Workflow
	for _, c := range constants {
		i := slices.IndexFunc(w.Inputs, func(in *ir.Input) bool { return in.Name == c.Name })
		if i < 0 {
			var names []string
			for _, in := range w.Inputs {
				names = append(names, in.Name)
			}
			bag.Add(finding.UnknownConstant(nameSpan(p), c.Name, names))
			continue
		}
		if want := misfit(c.Value, w.Inputs[i].Type); want != "" {
			bag.Add(finding.ConstantValue(nameSpan(p), c.Name, c.Value, want))
			continue
		}
		values[c.Name] = c
	}
	if len(values) == 0 {
		return
	}
	if context, known := values[contextInput]; known {
		appendContext(w.Body, context.Value)
	}
	w.Inputs = slices.DeleteFunc(w.Inputs, func(in *ir.Input) bool { _, known := values[in.Name]; return known })
	rewriteWorkflow(w, func(e expr.Expr) expr.Expr {
		in, ok := e.(*expr.Input)
		if !ok {
			return e
		}
		c, known := values[in.Name]
		if !known {
			return e
		}
		return &expr.Literal{At: in.At, Text: c.Value, Typ: in.Typ}
	})
}

// contextInput is the input that is added to prompts which do not mention it.
const contextInput = "context"

// appendContext adds a context that is known to the prompts that it would be
// added to when they are sent.
func appendContext(body ir.Body, context string) {
	ir.Walk(body, func(n *ir.Node) {
		a, ok := n.Action.(*ir.Prompt)
		if !ok {
			return
		}
		if a.AppendContext && context != "" {
			a.Text.Parts = append(a.Text.Parts, &template.Text{Value: "\n\n---\n\n" + context, Start: len(a.Text.Source.Value)})
		}
		a.AppendContext = false
	})
}

func nameSpan(p *ir.Program) source.Span {
	if p.Workflow.NameSpan.IsValid() {
		return p.Workflow.NameSpan
	}
	return source.Span{File: p.File}
}

// misfit says in words what a constant of the type must be when the value is
// not, and "" when it fits.
func misfit(value string, t types.Type) string {
	var err error
	switch t := t.(type) {
	case types.Basic:
		switch t {
		case types.Int:
			_, err = strconv.ParseInt(value, 10, 64)
		case types.Float:
			_, err = strconv.ParseFloat(value, 64)
		case types.Bool:
			if value == "true" || value == "false" {
				return ""
			}
			return "true or false"
		}
	case *types.Enum:
		if !slices.Contains(t.Values, value) {
			return t.String()
		}
	}
	if err != nil {
		return t.String()
	}
	return ""
}

// rewriteWorkflow replaces every expression of a workflow by what f makes of
// it, innermost first.
func rewriteWorkflow(w *ir.Workflow, f func(expr.Expr) expr.Expr) {
	for i := range w.Env {
		w.Env[i].Value = expr.Rewrite(w.Env[i].Value, f)
	}
	for _, in := range w.Inputs {
		in.Default = expr.Rewrite(in.Default, f)
	}
	rewriteBody(w.Body, f)
}

func rewriteBody(body ir.Body, f func(expr.Expr) expr.Expr) {
	ir.Walk(body, func(n *ir.Node) {
		n.When = expr.Rewrite(n.When, f)
		for _, e := range n.Out {
			e.Guard = expr.Rewrite(e.Guard, f)
		}
		rewriteAction(n.Action, f)
	})
	if g, ok := body.(*ir.Graph); ok {
		rewriteGraph(g, f)
	}
}

// rewriteGraph replaces the expressions of a graph that belong to no node.
func rewriteGraph(g *ir.Graph, f func(expr.Expr) expr.Expr) {
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

// rewriteAction replaces the expressions of an action but for those of the nodes
// inside it.
func rewriteAction(a ir.Action, f func(expr.Expr) expr.Expr) {
	switch a := a.(type) {
	case *ir.Bash:
		rewriteBash(a, f)
	case *ir.Script:
		a.Original.Rewrite(f)
		a.Template.Rewrite(f)
		rewriteBindings(a.Bindings, f)
	case *ir.Prompt:
		a.Text.Rewrite(f)
	case *ir.Cancel:
		a.Reason.Rewrite(f)
	case *ir.Loop:
		rewriteBash(a.Until, f)
		if a.Gate != nil {
			a.Gate.Message.Rewrite(f)
		}
	case *ir.Approval:
		a.Gate.Message.Rewrite(f)
		if a.Rework != nil {
			a.Rework.Text.Rewrite(f)
		}
	case *ir.Decision:
		a.Cond = expr.Rewrite(a.Cond, f)
	case *ir.Join:
		if a.Prompt != nil {
			a.Prompt.Text.Rewrite(f)
		}
	case *ir.Human:
		a.Message.Rewrite(f)
	case *ir.ForEach:
		for i := range a.Vars {
			a.Vars[i].Items = expr.Rewrite(a.Vars[i].Items, f)
		}
	case *ir.Again:
		a.Cond = expr.Rewrite(a.Cond, f)
	case *ir.Fail, *ir.Parallel, *ir.Checkpoint, *ir.Fork:
	default:
		panic(fmt.Sprintf("constants in a node of kind %s are not replaced", a.Kind()))
	}
}

func rewriteBash(b *ir.Bash, f func(expr.Expr) expr.Expr) {
	if b == nil {
		return
	}
	b.Original.Rewrite(f)
	b.Template.Rewrite(f)
	rewriteBindings(b.Bindings, f)
}

func rewriteBindings(bindings []ir.Binding, f func(expr.Expr) expr.Expr) {
	for i := range bindings {
		bindings[i].Value = expr.Rewrite(bindings[i].Value, f)
	}
}
