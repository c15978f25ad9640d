package gen

import (
	"encoding/json"
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// An input is one field of Inputs.
type input struct {
	*ir.Input
	field string
	code  *jen.Statement
	// value is the method that gives the value or its default, or "" when the
	// field itself does.
	value string
}

// declareInputs finds names for the inputs. One whose default is not its
// type's zero value becomes a pointer, so that leaving it out differs from
// giving the zero value.
func (g *generator) declareInputs(list []*ir.Input) {
	taken := map[string]bool{}
	for _, in := range list {
		name := exported(in.Name, "Input")
		for base, i := name, 2; taken[name]; i++ {
			name = base + itoa(i)
		}
		taken[name] = true
		i := &input{Input: in, field: name}
		i.code = g.types.goType(in.Type, "Input"+name, "Input"+name, "the input `"+in.Name+"`")
		if in.Default != nil && !zero(in.Default) {
			i.code = pointer(in.Type, i.code)
			i.value = unexported(name) + "OrDefault"
		}
		g.inputs[in.Name] = i
		g.inputSeq = append(g.inputSeq, i)
	}
}

// constantOf returns a default, which the front ends make constant.
func constantOf(e expr.Expr) *expr.Literal {
	lit, ok := e.(*expr.Literal)
	if !ok {
		panic(fmt.Sprintf("an input's default is a %T", e))
	}
	return lit
}

// zero reports whether a default is its type's zero value.
func zero(e expr.Expr) bool {
	lit := constantOf(e)
	switch {
	case types.IsText(lit.Typ):
		return lit.Text == ""
	case types.IsNumber(lit.Typ):
		return lit.Text == "0"
	case lit.Typ == types.Bool:
		return lit.Text == "false"
	}
	return true
}

// literal is a constant as Go writes it.
func literal(lit *expr.Literal) *jen.Statement {
	switch {
	case types.IsNumber(lit.Typ):
		return jen.Op(lit.Text)
	case lit.Typ == types.Bool:
		return jen.Id(lit.Text)
	}
	return jen.Lit(lit.Text)
}

// defaultJSON is a default as JSON writes it.
func defaultJSON(lit *expr.Literal) string {
	switch {
	case types.IsNumber(lit.Typ), lit.Typ == types.Bool:
		return lit.Text
	case lit.Typ == types.Null:
		return "null"
	}
	text, _ := json.Marshal(lit.Text)
	return string(text)
}

func (g *generator) inputsType(f *jen.File) {
	f.Comment("// Inputs are the values that a caller supplies.")
	f.Type().Id("Inputs").StructFunc(func(s *jen.Group) {
		for _, in := range g.inputSeq {
			doc := in.Doc
			if doc == "" {
				doc = "the input `" + in.Name + "`"
			}
			if in.value != "" {
				doc += " (default " + defaultJSON(constantOf(in.Default)) + ")"
			}
			s.Comment(comment(in.field + " is " + doc + "."))
			s.Id(in.field).Add(in.code).Op(tag(in.Name, in.value != ""))
		}
	})
	for _, in := range g.inputSeq {
		if in.value == "" {
			continue
		}
		f.Line().Func().Params(jen.Id("in").Id("Inputs")).Id(in.value).Params().Add(g.types.goType(in.Type, "", "", "")).Block(
			jen.If(jen.Id("in").Dot(in.field).Op("!=").Nil()).Block(jen.Return(jen.Op("*").Id("in").Dot(in.field))),
			jen.Return(literal(constantOf(in.Default))),
		)
	}
}

// read is the code that reads an input.
func (in *input) read() *jen.Statement {
	if in.value != "" {
		return jen.Id("in").Dot(in.value).Call()
	}
	return jen.Id("in").Dot(in.field)
}
