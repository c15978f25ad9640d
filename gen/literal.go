package gen

import (
	"reflect"
	"time"

	"github.com/dave/jennifer/jen"
)

// fields are the fields of a composite literal, in order.
type fields struct {
	code []jen.Code
}

// set sets a field, unless the value is nil.
func (d *fields) set(name string, value jen.Code) {
	if s, ok := value.(*jen.Statement); ok && s == nil {
		return
	}
	d.code = append(d.code, jen.Id(name).Op(":").Add(value))
}

// lit sets a constant unless it is its type's zero value.
func (d *fields) lit(name string, value any) {
	if !reflect.ValueOf(value).IsZero() {
		d.set(name, jen.Lit(value))
	}
}

// duration sets a time span unless it is zero.
func (d *fields) duration(name string, value time.Duration) {
	if value > 0 {
		d.set(name, duration(value))
	}
}

// list sets a slice of composite literals, one a line, unless it is empty.
func (d *fields) list(name string, elem *jen.Statement, items []jen.Code) {
	if len(items) > 0 {
		d.set(name, jen.Index().Add(elem).Add(group("{", listMark, items)))
	}
}

// texts sets a slice of strings unless it is empty.
func (d *fields) texts(name string, items []string) {
	if len(items) == 0 {
		return
	}
	d.set(name, jen.Index().String().Add(group("{", fillMark, literals(items))))
}

// literals are the literals of strings.
func literals(items []string) []jen.Code {
	list := make([]jen.Code, len(items))
	for i, s := range items {
		list[i] = jen.Lit(s)
	}
	return list
}

// alone sets a function; a literal shares no line with other fields, unless all fields
// share one.
func (d *fields) alone(name string, value *jen.Statement) {
	if len(*value) == 1 { // a name
		d.set(name, value)
		return
	}
	d.code = append(d.code, jen.Op(funcMark).Id(name).Op(":").Add(value))
}

// own sets a field that shares no line with other fields.
func (d *fields) own(name string, value jen.Code) {
	d.code = append(d.code, jen.Op(aloneMark).Id(name).Op(":").Add(value))
}

// lines is the literal on one line if it fits, else with as many fields a line as
// fit.
func (d *fields) lines() *jen.Statement { return lines("{", d.code) }

// line is the literal as a row of a table: a long one begins and ends on the lines of
// its brackets.
func (d *fields) line() *jen.Statement { return group("{", rowMark, d.code) }

// lines is a composite literal's body that fills lines.
func lines(open string, items []jen.Code) *jen.Statement { return group(open, fillMark, items) }

// rows is a composite literal's body with an item a line.
func rows(open string, items []jen.Code) *jen.Statement { return group(open, brokenMark, items) }

// group is what stands between two brackets; open ends with the first of them.
func group(open, mark string, items []jen.Code) *jen.Statement {
	if len(items) == 0 {
		mark = ""
	}
	brackets := map[byte]string{'{': "}", '(': ")"}
	options := jen.Options{Open: open + mark, Close: brackets[open[len(open)-1]], Separator: nextMark}
	if mark != "" {
		options.Close = closeMark + options.Close
	}
	return jen.Custom(options, items...)
}

// args are the arguments of a call: on its line if they fit, else on several.
func args(list ...jen.Code) *jen.Statement { return group("(", callMark, list) }

// call calls a function of a package.
func call(path, name string, list ...jen.Code) *jen.Statement {
	return jen.Qual(path, name).Add(args(list...))
}

// signature is a function's parameters and results.
func signature(params []jen.Code, results ...jen.Code) *jen.Statement {
	s := group("(", fillMark, params)
	if len(results) == 1 {
		return s.Add(results[0])
	}
	return s.Params(results...)
}

// oneLine is a function's body on one line, if it fits.
func oneLine(stmt *jen.Statement) *jen.Statement {
	return jen.Custom(jen.Options{Open: "{" + listMark, Close: endMark + "}"}, stmt)
}
