package gen

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/types"
)

// The variables of a graph are the fields of State. An optional variable is a pointer; a
// value without a better Go type stays JSON, with its keys in order.

// stateType writes the struct of the variables.
func (g graphWriter) stateType(f *jen.File) {
	doc := "State has the variables of the workflow."
	for _, v := range g.graph.State.Fields {
		if in, ok := v.Initial.(*expr.Input); ok && in.Name == v.Name && !v.Declared {
			doc += " " + g.graph.fields[v.Name] + " is the input of this name."
		}
	}
	if slices.ContainsFunc(g.graph.State.Fields, func(v *ir.StateField) bool { return types.IsNumber(v.Type) }) {
		doc += " A number is an int64 if only whole numbers set it and are compared with it."
	}
	g.writeDoc(f, doc)
	f.Type().Id("State").StructFunc(func(s *jen.Group) {
		for _, v := range g.graph.State.Fields {
			s.Id(g.graph.fields[v.Name]).Add(stateGo(v.Type)).Op(jsonTag(v.Name, false))
		}
	})
}

// initialState is the state in which a run starts.
func (g graphWriter) initialState() *jen.Statement {
	body := g.newFunction(jen.Nil())
	var rows []jen.Code
	for _, v := range g.graph.State.Fields {
		value := jen.Nil()
		switch e := v.Initial.(type) {
		case *expr.Literal:
			if isZeroState(e, v.Type) {
				continue
			}
			value = g.stateValue(e, v.Type)
		case *expr.Input:
			value, _ = body.asOperandWriter().stateInput(e, v.Type)
		}
		rows = append(rows, g.rowAt(jen.Id(g.graph.fields[v.Name]).Op(":").Add(value), v.Span))
	}
	return jen.Id("State").Add(itemLines(rows))
}

// isZeroState reports whether a constant is the zero value of a variable's Go type.
func isZeroState(lit *expr.Literal, t types.Type) bool {
	elem, optional := unwrapOptional(t)
	if optional || !isScalar(elem) {
		return lit.Typ == types.Null
	}
	return isZeroDefault(lit)
}

// stateValue is a constant as a value of a variable.
func (g *style) stateValue(lit *expr.Literal, t types.Type) *jen.Statement {
	elem, optional := unwrapOptional(t)
	if lit.Typ == types.Null && (optional || !isScalar(elem)) {
		return jen.Nil()
	}
	code := g.jsonValue(literalJSON(lit), elem)
	if optional && types.IsNumber(elem) { // for which Go would choose another type
		code = stateGo(elem).Call(code)
	}
	if optional && isScalar(elem) {
		return jen.New(code)
	}
	return code
}

// literalJSON is a constant as JSON.
func literalJSON(lit *expr.Literal) string {
	if types.IsText(lit.Typ) {
		return string(plain.MustEncodeJSON(lit.Text))
	}
	if lit.Typ == types.Null {
		return "null"
	}
	return lit.Text
}

// jsonValue is a JSON value as a Go value of a variable's type.
func (g *style) jsonValue(text string, t types.Type) *jen.Statement {
	if list, ok := t.(*types.List); ok {
		var items []json.RawMessage
		if err := json.Unmarshal([]byte(text), &items); err != nil {
			panic(fmt.Sprintf("a list of the state is %s: %v", text, err))
		}
		return stateGo(t).ValuesFunc(func(values *jen.Group) {
			for _, item := range items {
				values.Add(g.jsonValue(string(item), list.Elem))
			}
		})
	}
	switch {
	case types.IsText(t):
		var s string
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			s = text // a number or a bool, as it is written
		}
		return g.quoteString(s)
	case types.IsNumber(t), t == types.Bool:
		return jen.Op(text)
	}
	return jen.Qual("encoding/json", "RawMessage").Call(g.quoteString(text))
}

// assignmentCode is the code of an assignment of a handler.
func (f operandWriter) assignmentCode(a *ir.Assign) *jen.Statement {
	g := f.g
	field := g.stateField(a.Field.Name)
	elem, optional := unwrapOptional(a.Field.Type)
	_, said := a.Value.(*expr.Said)
	set := jen.Add(field).Op("=")
	switch {
	case a.Append:
		item := types.Type(types.Any)
		if list, ok := elem.(*types.List); ok {
			item = list.Elem
		}
		value := f.textOfNode(item)
		if !said {
			value = g.stateValue(constantOf(a.Value), item)
		}
		return set.Append(field.Clone(), value)
	case !said:
		return set.Add(g.stateValue(constantOf(a.Value), a.Field.Type))
	case types.IsNumber(elem) || elem == types.Bool:
		return jen.Qual(replyPath, "ReadInto").Call(jen.Op("&").Add(field), jen.Lit(a.Field.Name), jen.Id(resultID).Dot("Text"), runReceiver().Dot("Warn"))
	case optional && types.IsText(elem):
		return set.New(f.textOfNode(elem))
	}
	return set.Add(f.textOfNode(elem))
}

// textOfNode is the node's text as a value of a type.
func (f operandWriter) textOfNode(t types.Type) *jen.Statement {
	text := jen.Id(resultID).Dot("Text")
	if types.IsText(t) {
		return jen.Qual("strings", "TrimSpace").Call(text)
	}
	return jen.Qual(replyPath, "ReadAny").Call(text)
}
