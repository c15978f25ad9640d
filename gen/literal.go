package gen

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/dave/jennifer/jen"
)

// Code breaks its lines where it is emitted: a composite literal has one field a line, unless
// it has a single field or two short ones, or is a row of a table. Gofmt does the rest.

// fields are the fields of a composite literal, in order.
type fields struct {
	code []jen.Code
}

// A notedItem is an item of a composite literal with a comment at the end of its line.
type notedItem struct {
	*jen.Statement
	note string
}

// withNote returns an item with a comment, or without one if that is "".
func withNote(item *jen.Statement, note string) jen.Code {
	if note == "" {
		return item
	}
	return notedItem{item, note}
}

// setField sets a field, unless the value is nil.
func (d *fields) setField(name string, value jen.Code) { d.setNoted(name, value, "") }

// setNoted is set with a comment at the end of the line.
func (d *fields) setNoted(name string, value jen.Code, note string) {
	if s, ok := value.(*jen.Statement); ok && s == nil {
		return
	}
	d.code = append(d.code, withNote(jen.Id(name).Op(":").Add(value), note))
}

// setLit sets a constant unless it is its type's zero value.
func (d *fields) setLit(name string, value any) {
	if !reflect.ValueOf(value).IsZero() {
		d.setField(name, jen.Lit(value))
	}
}

// setDuration sets a time span unless it is zero.
func (d *fields) setDuration(name string, value time.Duration) {
	if value > 0 {
		d.setField(name, durationCode(value))
	}
}

// setList sets a slice of composite literals unless it is empty.
func (d *fields) setList(name string, elem *jen.Statement, items []jen.Code) {
	if len(items) > 0 {
		d.setField(name, jen.Index().Add(elem).Add(itemLines(items)))
	}
}

// setRows is setList with each item on a line of its own.
func (d *fields) setRows(name string, elem *jen.Statement, items []jen.Code) {
	if len(items) > 0 {
		d.setField(name, jen.Index().Add(elem).Add(itemRows("{", items)))
	}
}

// setTexts sets a slice of strings unless it is empty.
func (d *fields) setTexts(name string, items []string) {
	if len(items) > 0 {
		d.setField(name, jen.Index().String().Values(stringLiterals(items)...))
	}
}

// codesOf is the code of each item of a list.
func codesOf[T any](items []T, code func(T) *jen.Statement) []jen.Code {
	list := make([]jen.Code, len(items))
	for i, item := range items {
		list[i] = code(item)
	}
	return list
}

// stringLiterals are the literals of strings.
func stringLiterals(items []string) []jen.Code {
	return codesOf(items, func(s string) *jen.Statement { return jen.Lit(s) })
}

// asLines is the literal with one field a line, or with its single field on its own line.
func (d *fields) asLines() *jen.Statement { return itemLines(d.code) }

// asRow is the literal on one line, as a row of a table.
func (d *fields) asRow() *jen.Statement { return jen.Values(d.code...) }

// itemLines is a composite literal's body with one item a line; a single item and two short ones
// stay between their braces.
func itemLines(items []jen.Code) *jen.Statement {
	noted := slices.ContainsFunc(items, func(item jen.Code) bool { _, noted := item.(notedItem); return noted })
	if row := jen.Values(items...); !noted && (len(items) == 1 || len(items) == 2 && plainWidth(jen.Id("t").Add(row)) <= longLiteral) {
		return row
	}
	return itemRows("{", items)
}

// longLiteral is the width from which on each field of a literal has a line.
const longLiteral = 76

// itemRows is a composite literal's body with one item a line. open ends with the brace, or with
// a comment behind it.
func itemRows(open string, items []jen.Code) *jen.Statement {
	list := make([]jen.Code, len(items))
	for i, item := range items {
		line := jen.Add(item).Op(",")
		if n, ok := item.(notedItem); ok {
			line.Comment("// " + n.note)
		}
		list[i] = line
	}
	return jen.Custom(jen.Options{Open: open, Close: "}", Multi: true}, list...)
}

// callFunc calls a function of a package.
func callFunc(path, name string, list ...jen.Code) *jen.Statement {
	return jen.Qual(path, name).Call(list...)
}

// brokenArguments are the arguments of a call, of which some are composite literals: one a line if
// there are several.
func brokenArguments(list []jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: len(list) > 2}, list...)
}

// longSignature is the width from which on parameters have lines of their own.
const longSignature = 96

// signatureCode is a function's parameters and results. Parameters that make its line too wide have
// one line, or one each.
func signatureCode(params []jen.Code, results ...jen.Code) *jen.Statement {
	list := jen.Params(params...)
	width := 0
	if len(params) > 3 {
		width = plainWidth(jen.Func().Id("f").Add(list))
	}
	if width > longSignature {
		if width < longSignature+20 {
			params = []jen.Code{jen.List(params...)}
		}
		list = jen.Custom(jen.Options{Open: "(", Close: ")", Separator: ",", Multi: true}, params...)
	}
	if len(results) == 1 {
		return list.Add(results[0])
	}
	return list.Params(results...)
}

// oneLine is a function's body on one line, unless gofmt breaks it.
func oneLine(stmt *jen.Statement) *jen.Statement {
	return jen.Custom(jen.Options{Open: "{", Close: "}"}, stmt)
}

// durationCode is a time span in the largest unit that divides it.
func durationCode(d time.Duration) *jen.Statement {
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}} {
		if d%unit.size != 0 {
			continue
		}
		if d == unit.size {
			return jen.Qual(timePath, unit.name)
		}
		return jen.Lit(int(d/unit.size)).Op("*").Qual(timePath, unit.name)
	}
	return jen.Lit(int(d))
}

// numberCode is an untyped constant.
func numberCode(v any) *jen.Statement { return jen.Op(fmt.Sprint(v)) }

// setMarks sets how a binding's value is to be handed over.
func (d *fields) setMarks(integer, literal, words, echoed bool) {
	d.setLit("Integer", integer)
	d.setLit("Literal", literal)
	d.setLit("Words", words)
	d.setLit("Echoed", echoed)
}
