package compiler

import (
	"slices"
	"strconv"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// applyConstants makes literals of the inputs whose values are known and takes
// them from the workflow's inputs.
//
// A constant in a script stays a binding: it is a value there too, with any characters.
func applyConstants(p *ir.Program, constants []Constant, bag *diag.Bag) {
	values := map[string]Constant{}
	w := p.Workflow
	for _, c := range constants {
		i := slices.IndexFunc(w.Inputs, func(in *ir.Input) bool { return in.Name == c.Name })
		if i < 0 {
			names := plain.Texts(w.Inputs, func(in *ir.Input) string { return in.Name })
			bag.Add(finding.UnknownConstant(nameSpan(p), c.Name, names))
			continue
		}
		typ := w.Inputs[i].Type
		if choices := w.Inputs[i].Choices; len(choices) > 0 && typ == types.Word {
			typ = &types.Enum{Values: choices}
		}
		if want := describeMisfit(c.Value, typ); want != "" {
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
	w.Inputs = slices.DeleteFunc(w.Inputs, func(in *ir.Input) bool {
		_, known := values[in.Name]
		if known {
			w.Constants = append(w.Constants, in.Name)
		}
		return known
	})
	w.Rewrite(func(e expr.Expr) expr.Expr {
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

// describeMisfit describes the values that a constant of the type accepts, or returns "" if
// the value is one.
func describeMisfit(value string, t types.Type) string {
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
	case *types.List:
		return "given at the run: it is a list"
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
