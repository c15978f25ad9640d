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
	// fallback says that the field is a pointer, nil for the default.
	fallback bool
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
			i.fallback = true
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
		given := false
		for _, in := range g.inputSeq {
			switch doc := in.Doc; {
			case replacement(in):
				if !given {
					s.Comment(comment("The rest are outputs of steps: a step whose output is given does not run."))
				}
				given = true
			case in.fallback:
				if doc == "" {
					doc = "the input `" + in.Name + "`"
				}
				s.Comment(comment(in.field + " is " + doc + " (default " + defaultJSON(constantOf(in.Default)) + ")."))
			case doc != "":
				s.Comment(comment(in.field + " is " + doc + "."))
			}
			s.Id(in.field).Add(in.code).Op(tag(in.Name, in.fallback))
		}
	})
}

// read is the code that reads an input; one that has a default is set.
func (in *input) read() *jen.Statement {
	if in.fallback {
		return jen.Op("*").Id("in").Dot(in.field)
	}
	return jen.Id("in").Dot(in.field)
}
