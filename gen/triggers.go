package gen

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

// setTriggers sets the triggers of the workflow, and links the server of webhooks if there are
// some. Conditions become Go expressions over the payload.
func (g programWriter) setTriggers(f *jen.File, d *fields) {
	if len(g.program.Triggers) == 0 {
		return
	}
	f.ImportNames(map[string]string{triggerPath: "trigger", webhooksPath: "webhooks", settingsPath: "settings"})
	var list []jen.Code
	receives := false
	for _, t := range g.program.Triggers {
		receives = receives || t.On.Webhook != ""
		row := fields{}
		row.setField("Trigger", settingCode(reflect.ValueOf(t.Trigger)))
		if t.Filter != nil {
			when := jen.Func().Params(jen.Id("p").Op("*").Qual(triggerPath, "Payload")).Bool()
			row.setField("When", when.Block(jen.Return(g.filterCode(t.Filter).code)))
		}
		list = append(list, row.asLines())
	}
	d.setList("Triggers", jen.Qual(triggerPath, "Trigger"), list)
	if receives {
		d.setField("Webhooks", jen.Qual(webhooksPath, "Server").Call())
	}
}

// filterCode is the code of the condition of a trigger.
func (g programWriter) filterCode(e expr.Expr) boolean {
	switch e := e.(type) {
	case *expr.Logic:
		op, level := goConnective(e.Op)
		return boolean{code: g.filterCode(e.X).asOperandOf(level).Op(op).Add(g.filterCode(e.Y).asOperandOf(level)), level: level}
	case *expr.Not:
		return boolean{code: jen.Op("!").Add(g.filterCode(e.X).asOperandOf(unaryLevel)), level: unaryLevel}
	case *expr.Payload:
		return boolean{code: payloadCall("True", e.Path), level: unaryLevel}
	case *expr.Contains:
		return boolean{code: payloadCall("Contains", e.In.Path, filterValue(e.Item)), level: unaryLevel}
	case *expr.Literal:
		return boolean{code: jen.Lit(e.Text == "true"), level: unaryLevel}
	case *expr.Compare:
		return compareFilter(e)
	}
	panic(fmt.Sprintf("an expression of type %T reached the generator as the condition of a trigger", e))
}

// payloadCall is the call of a method of the payload, with arguments before the path.
func payloadCall(method string, path []string, before ...jen.Code) *jen.Statement {
	return jen.Id("p").Dot(method).Call(slices.Concat(before, stringLiterals(path))...)
}

func compareFilter(e *expr.Compare) boolean {
	switch {
	case e.Op.IsNumeric():
		return boolean{code: filterNumber(e.X).Op(e.Op.String()).Add(filterNumber(e.Y)), level: compareLevel}
	case !e.Op.IsValue():
		return boolean{code: filterText(e.X).Op(e.Op.String()).Add(filterText(e.Y)), level: compareLevel}
	}
	return compareAnyCode(e.Op, filterValue(e.X), filterValue(e.Y))
}

func filterText(e expr.Expr) *jen.Statement {
	if p, ok := e.(*expr.Payload); ok {
		return payloadCall("Text", p.Path)
	}
	return jen.Lit(e.(*expr.Literal).Text)
}

func filterNumber(e expr.Expr) *jen.Statement {
	if p, ok := e.(*expr.Payload); ok {
		return payloadCall("Number", p.Path)
	}
	f, _ := constantNumber(e.(*expr.Literal).Text) // the compiler refuses others
	return numberCode(f)
}

// filterValue is the code of a value of any type.
func filterValue(e expr.Expr) *jen.Statement {
	if p, ok := e.(*expr.Payload); ok {
		return payloadCall("Value", p.Path)
	}
	lit := e.(*expr.Literal)
	switch {
	case lit.Typ == types.Null:
		return jen.Nil()
	case lit.Typ == types.Bool:
		return jen.Lit(strings.EqualFold(lit.Text, "true"))
	case types.IsNumber(lit.Typ):
		return jen.Qual("encoding/json", "RawMessage").Call(jen.Lit(cmp.Or(strings.ReplaceAll(lit.Text, "_", ""), "0")))
	}
	return jen.Lit(lit.Text)
}
