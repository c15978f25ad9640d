package gen

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// A node that runs another workflow hands its inputs over as the Inputs of that package:
//
//	return flow.TextOf(c.Do(review.Workflow.Child(review.Inputs{Topic: plan.MustOutput().Text})))

// childRun writes a node that runs a workflow, once or for each item of a list.
func (f actionWriter) childRun(n *node, a *ir.Call) {
	if a.Fan == nil {
		f.returnOutput(n, f.childPayload(a))
		return
	}
	part := f.newPart(n.iterate, fmt.Sprintf("runs workflow `%s` for one item of %s", cleanLine(a.Callee.Workflow.Name), n.doc), n.IDSpan, jen.String(), jen.Lit(""))
	part.own, part.ownType = f.g.fanVariable(n, a), jen.Qual(jsonPath, "RawMessage")
	texts := f.textItems(a.Fan.Items)
	if texts != nil {
		part.ownType, f.g.fannedTexts[a.Fan.Item] = jen.String(), true
	}
	part.block.takeName(part.own)
	part.g.addMarked(part.block, n.IDSpan, jen.Return(jen.Qual(flowPath, "TextOf").Call(part.asActionWriter().childPayload(a))))
	d := fanFields(a.Fan, a.Structured, a.SharesCheckout())
	if texts != nil {
		f.fansOut(n, d, "Each", jen.Id("c"), texts, f.handPart(part))
		return
	}
	f.fansOut(n, d, "EachJSON", jen.Id("c"), f.listText(a.Fan.Items), jen.Lit(a.Fan.Items.Span().Text()), f.handPart(part))
}

// fanFields are the fields of a steps.FanOut.
func fanFields(fan *ir.Fan, hasJSON, sharesCheckout bool) (d fields) {
	d.setField("Max", parallelCode(fan))
	d.setLit("AllSuccess", fan.AllSuccess)
	d.setLit("JSONOutputs", hasJSON)
	d.setLit("SharesCheckout", sharesCheckout)
	return d
}

// fansOut returns the result of a method of a steps.FanOut.
func (f actionWriter) fansOut(n *node, d fields, method string, args ...jen.Code) {
	literal := jen.Qual(stepsPath, "FanOut").Add(d.asLines())
	f.g.addMarked(f.block, n.IDSpan, jen.Return(literal.Dot(method).Call(args...)))
}

// listText is the code of the text of a list. A node that runs again when the run is
// resumed can make another list, so the first one is kept.
func (f actionWriter) listText(e expr.Expr) *jen.Statement {
	if lit, ok := e.(*expr.Literal); ok {
		return f.g.quoteString(lit.Text)
	}
	list := textOf(f.asOperandWriter().operandCode(e))
	if n := f.g.producerOf(e); n != nil && n.AlwaysRun {
		f.addNote("A resumed run keeps the items by PinList, although `" + n.ID + "` runs again.")
		return jen.Id("c").Dot("PinList").Call(list)
	}
	return list
}

// textItems is the code of a list of texts that Go code can select, or nil. A list that must be
// pinned has to be JSON.
func (f actionWriter) textItems(e expr.Expr) *jen.Statement {
	var n *node
	m := &member{}
	var presence expr.Presence
	switch e := e.(type) {
	case *expr.Output:
		if n = f.g.byID[e.Node]; !n.typed || e.Previous {
			return nil
		}
		m.typ, presence = n.Output, e.Presence
	case *expr.Field:
		if n = f.g.byID[e.Node]; e.Previous {
			return nil
		}
		if m = f.g.selectedMember(e); m == nil {
			return nil
		}
		presence = e.Presence
	default:
		return nil
	}
	if list, ok := m.typ.(*types.List); !ok || m.opt || list.Elem != types.Text || n.AlwaysRun || mayLackOutput(presence) {
		return nil
	}
	return m.selectFrom(f.taskVariable(n))
}

// constantTexts are the items of a list that is written in the workflow; see
// steps.FanOut.EachText.
func constantTexts(e expr.Expr) (items []string, ok bool) {
	lit, constant := e.(*expr.Literal)
	var list []json.RawMessage
	if !constant || json.Unmarshal([]byte(lit.Text), &list) != nil || list == nil {
		return nil, false
	}
	for _, raw := range list {
		var text string
		if json.Unmarshal(raw, &text) != nil || string(raw) == "null" {
			var compact bytes.Buffer
			if json.Compact(&compact, raw) != nil {
				return nil, false
			}
			text = compact.String()
		}
		items = append(items, text)
	}
	return items, true
}

// childPayload is the call that runs a workflow.
func (f actionWriter) childPayload(a *ir.Call) *jen.Statement {
	path := f.g.family.importPath(a.Callee)
	callee := f.g.family.members[a.Callee]
	in := fields{}
	for _, of := range callee.inputSeq {
		for _, arg := range a.Args {
			if arg.Name == of.Name {
				in.setField(of.field, f.childArgument(of, arg))
			}
		}
	}
	child := jen.Qual(path, definitionID).Dot("Child").Call(jen.Qual(path, "Inputs").Add(itemLines(in.code)))
	if a.Worktree {
		child.Dot("InWorktree").Call()
	}
	return f.performPayload(child)
}

// childArgument is the code of a value for an input of another package.
func (f actionWriter) childArgument(in *input, arg ir.Argument) *jen.Statement {
	of, optional := in.Type, false
	if o, ok := of.(*types.Optional); ok {
		of, optional = o.Elem, !hasNil(o.Elem)
	}
	if e, ok := arg.Value.(*expr.Input); ok && (in.fallback || optional) && f.g.inputs[e.Name].fallback && types.Identical(f.g.inputs[e.Name].Type, of) && !in.isRaw() {
		f.uses.inputs = true
		return jen.Id("in").Dot(f.g.inputs[e.Name].field) // the run has replaced nil by the default
	}
	code := f.convertArgument(in, of, arg)
	if !in.fallback && !optional {
		return code
	}
	return jen.New(code)
}

// convertArgument is the code of a value in the type of an input.
func (f actionWriter) convertArgument(in *input, of types.Type, arg ir.Argument) *jen.Statement {
	isText := types.IsText(of)
	if e, ok := arg.Value.(*expr.Local); ok && f.g.locals[e.Of] == nil { // the item of the node's fan-out
		item := jen.Id(f.g.fanned[e.Of])
		switch isItemText := f.g.fannedTexts[e.Of]; {
		case isItemText && in.isRaw():
			return jen.Qual(jsonPath, "RawMessage").Call(callFunc(valuePath, "Encode", item))
		case isItemText && isText:
			return item
		case isItemText:
			return f.readArgument(of, in, item, arg)
		case in.isRaw():
			return item
		case isText:
			return callFunc(valuePath, "RawText", item)
		}
		return f.readArgument(of, in, callFunc(valuePath, "RawText", item), arg)
	}
	if e, ok := arg.Value.(*expr.Literal); ok {
		switch {
		case in.isRaw():
			return jen.Qual(jsonPath, "RawMessage").Call(f.g.quoteString(defaultJSON(e)))
		case isText && e.Typ == types.Null:
			f.addNote("As in archon, a null becomes the text `" + cleanLine(e.Text) + "`.")
			return jen.Lit(e.Text)
		case isText:
			return jen.Lit(e.Text)
		}
		if types.IsNumber(of) && in.fallback { // else new would make a pointer to another type
			if code := goLiteral(e); of == types.Int || !strings.ContainsAny(e.Text, ".eE") {
				return goType(of).Call(code)
			}
		}
		return goLiteral(e)
	}
	o := f.asOperandWriter().operandCode(arg.Value)
	whole, isWhole := arg.Value.(*expr.Output)
	structured := isWhole && (f.g.byID[whole.Node].typed || f.g.byID[whole.Node].json)
	switch {
	case isText:
		return textOf(o)
	case in.isRaw() && structured:
		return f.readArgument(of, in, textOf(o), arg)
	case in.isRaw() && !types.IsText(o.typ):
		return jen.Qual(jsonPath, "RawMessage").Call(callFunc(valuePath, "Encode", o.code))
	case in.isRaw():
		return jen.Qual(jsonPath, "RawMessage").Call(callFunc(valuePath, "Encode", textOf(o)))
	case o.typ == of && !o.opt:
		return o.code
	case of == types.Float && o.typ == types.Int && !o.opt:
		return jen.Float64().Call(o.code)
	}
	return f.readArgument(of, in, textOf(o), arg)
}

// readArgument is the code of a value that is read from a text.
func (f actionWriter) readArgument(of types.Type, in *input, code *jen.Statement, arg ir.Argument) *jen.Statement {
	t := goType(of)
	if in.isRaw() {
		t = jen.Qual(jsonPath, "RawMessage")
	}
	return f.tryCall("", unexportedName(in.field), jen.Qual(valuePath, "Argument").Types(t).Call(code, jen.Lit(in.Name)), arg.Span)
}

// goType is the Go type of an input of a basic type.
func goType(t types.Type) *jen.Statement {
	if b, ok := t.(types.Basic); ok {
		return basicType(b)
	}
	return jen.String()
}
