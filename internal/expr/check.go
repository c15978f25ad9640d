package expr

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/jsonvalue"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/internal/types"
)

// A Producer describes a node that an expression reads.
type Producer struct {
	// Output is the type of the node's output value.
	Output types.Type
	// Prose says that the output is an agent's answer in its own words.
	Prose bool
}

// Check reports comparisons that are probably mistakes: those with the same result
// in every run, and those of incomparable values. find describes the node of an id;
// Check skips nodes that find does not know.
//
// Check reports a comparison only if the declared types are certain. Outputs
// without a schema can have any value, so there are no findings about them.
func Check(e Expr, find func(id string) (Producer, bool), bag *diag.Bag) {
	Walk(e, func(e Expr) bool {
		if r, ok := e.(*Relation); ok {
			checkRelation(r, bag)
		}
		c, ok := e.(*Compare)
		if !ok {
			return true
		}
		if lit, ok := c.Y.(*Literal); ok && lit.Typ != types.Invalid {
			checkCompare(c, lit, find, bag)
		}
		return false
	})
}

// checkRelation checks comparisons of values with constants that the author wrote.
func checkRelation(r *Relation, bag *diag.Bag) {
	x := r.X
	for _, link := range r.Links {
		if lit, ok := link.Y.(*Literal); ok && (link.Op == Equal || link.Op == NotEqual) {
			bag.Add(reportNeverEqual(r, link.Op, x, lit))
		} else if lit, ok := x.(*Literal); ok && (link.Op == Equal || link.Op == NotEqual) {
			bag.Add(reportNeverEqual(r, link.Op, link.Y, lit))
		}
		x = link.Y
	}
}

// reportNeverEqual reports a value that never equals a constant, because of its type; it returns
// nil if it may. A value that is not there equals no constant of these types either.
func reportNeverEqual(r *Relation, op RelationOp, x Expr, lit *Literal) *diag.Diagnostic {
	name := ""
	switch x := x.(type) {
	case *Attr:
		name = x.Name
	case *Input:
		name = x.Name
	case *Local:
		name = x.Of.Name
	}
	typ := types.WithoutNull(x.Type())
	enum, ok := typ.(*types.Enum)
	number := typ == types.Int || typ == types.Bool
	if name == "" || !lit.WrittenIn(r.At) || ok != types.IsText(lit.Typ) || number != types.IsNumber(lit.Typ) {
		return nil
	}
	if ok && !slices.Contains(enum.Values, lit.Text) {
		return newNeverEqual(r.At, op == NotEqual, name, enum, lit)
	}
	f, err := strconv.ParseFloat(lit.Text, 64)
	if number && err == nil && (f != math.Trunc(f) || typ == types.Bool && f != 0 && f != 1) {
		return newNeverEqual(r.At, op == NotEqual, name, typ, lit)
	}
	return nil
}

func checkCompare(c *Compare, lit *Literal, find func(string) (Producer, bool), bag *diag.Bag) {
	if _, isNumber := numberPrefix(lit.Text); c.Op.IsNumeric() && !isNumber {
		what := "`" + lit.Text + "` is not a number"
		if lit.Text == "" {
			what = "an empty string is not a number"
		}
		bag.Add(finding.NotANumber(lit.At, c.Op.String(), what))
		return
	}
	switch x := c.X.(type) {
	case *Output:
		if p, known := find(x.Node); known {
			checkWhole(c, x, p, lit, bag)
		}
	case *Field:
		checkField(c, x, lit, bag)
	case *Input:
		checkInput(c, x, lit, bag)
	}
}

// checkInput checks a comparison of an input.
func checkInput(c *Compare, x *Input, lit *Literal, bag *diag.Bag) {
	if c.Op.IsNumeric() {
		if why := notNumeric(x.Typ); why != "" {
			bag.Add(finding.NotANumber(x.At, c.Op.String(), "`"+x.Name+"` is "+why))
		}
	} else if d := reportConstantComparison(c, x.Name, x.Typ, false, lit); d != nil {
		bag.Add(d)
	}
}

// checkWhole checks a comparison of a whole output.
func checkWhole(c *Compare, x *Output, p Producer, lit *Literal, bag *diag.Bag) {
	ref := "$" + x.Node + ".output"
	kind, fields := Composite(p.Output)
	switch {
	case kind != "" && c.Op.IsNumeric():
		bag.Add(finding.NotANumber(x.At, c.Op.String(), "`"+ref+"` is "+kind))
	case kind != "" && lit.Text != "" && !strings.ContainsAny(lit.Text[:1], "{["):
		for i := range fields {
			fields[i] = ref + "." + fields[i]
		}
		bag.Add(finding.ObjectComparison(x.At, ref, kind, fields))
	case p.Prose && lit.Text != "" && !c.Op.IsNumeric():
		bag.Add(finding.ProseComparison(lit.At, x.Node))
	}
}

// Composite describes an object or a list in words, with an object's fields;
// it gives nothing for other types.
func Composite(t types.Type) (kind string, fields []string) {
	switch t := types.WithoutNull(t).(type) {
	case *types.Struct:
		return "an object", t.FieldNames()
	case *types.List:
		return "a list", nil
	}
	return "", nil
}

// checkField checks a comparison of a field.
func checkField(c *Compare, x *Field, lit *Literal, bag *diag.Bag) {
	name := x.Path[len(x.Path)-1]
	if !x.Declared || x.Typ == types.Any || x.Typ == types.Invalid {
		return
	}
	typ, empty := x.Typ, x.Presence&MaybeAbsent != 0
	if o, ok := typ.(*types.Optional); ok {
		// A null field reads as an empty text.
		typ, empty = o.Elem, true
	}
	if c.Op.IsNumeric() {
		if why := notNumeric(typ); why != "" {
			bag.Add(finding.NotANumber(x.At, c.Op.String(), "`"+name+"` is "+why))
			return
		}
	} else if kind, _ := Composite(typ); kind != "" {
		if lit.Text != "" && !strings.ContainsAny(lit.Text[:1], "{[") {
			bag.Add(finding.ObjectComparison(x.At, name, kind, nil))
		}
		return
	} else if d := reportConstantComparison(c, name, typ, empty, lit); d != nil {
		bag.Add(d)
		return
	}
	if x.Presence&MaybeAbsent != 0 && lit.Text != "" && !x.Previous {
		bag.Add(codes.OptionalComparison.New(x.At, fmt.Sprintf("optional field `%s`: if it is missing, this compares an empty string", name)).
			WithHelp(fmt.Sprintf("add `%s` to `required` in the schema", name)))
	}
}

// notNumeric describes a value that can never be read as a number, or returns "".
func notNumeric(t types.Type) string {
	kind, _ := Composite(t)
	switch t := t.(type) {
	case types.Basic:
		if t == types.Bool || t == types.Null {
			return t.String()
		}
	case *types.Enum:
		isNumber := func(s string) bool { _, ok := numberPrefix(s); return ok }
		if !slices.ContainsFunc(t.Values, isNumber) {
			return t.String()
		}
	}
	return kind
}

// reportConstantComparison reports a comparison that has the same result in every run. empty
// says that the value may also read as an empty text.
func reportConstantComparison(c *Compare, name string, typ types.Type, empty bool, lit *Literal) *diag.Diagnostic {
	equal := c.Op == TextEqual
	if !mayEqual(typ, lit.Text) && !(empty && lit.Text == "") {
		return newNeverEqual(c.At, !equal, name, typ, lit)
	}
	if values := valuesOf(typ); !empty && len(values) == 1 && values[0] == lit.Text {
		return finding.ConstantComparison(c.At, equal, "`"+name+"` is always "+values[0])
	}
	return nil
}

// newNeverEqual reports a comparison with a constant that no value of the type equals.
func newNeverEqual(at source.Span, result bool, name string, typ types.Type, lit *Literal) *diag.Diagnostic {
	d := finding.ConstantComparison(at, result, "`"+name+"` is "+describeValue(typ, lit.Text))
	if near := plain.Nearest(lit.Text, valuesOf(typ)); near != "" {
		place, _ := findTextInSpan(lit.At, lit.Text)
		finding.Meant(d, place, near, near)
	}
	return d
}

// mayEqual reports whether a value of the type can have the given text.
func mayEqual(t types.Type, text string) bool {
	switch t := t.(type) {
	case *types.Enum:
		return slices.Contains(t.Values, text)
	case types.Basic:
		f, isNumber := numberPrefix(text)
		switch t {
		case types.Bool:
			return text == "true" || text == "false"
		case types.Int:
			return isNumber && jsonvalue.FloatText(f) == text && f == math.Trunc(f)
		case types.Float:
			return isNumber && jsonvalue.FloatText(f) == text
		case types.Word, types.Path:
			return !strings.ContainsAny(text, " \t\r\n")
		case types.Line:
			return !strings.Contains(text, "\n")
		case types.Null:
			return text == ""
		}
	}
	return true
}

// describeValue describes a value, to explain why it does not have the text.
func describeValue(t types.Type, text string) string {
	f, isNumber := numberPrefix(text)
	switch {
	case t == types.Int:
		if isNumber && jsonvalue.FloatText(f) != text {
			return "an integer, written `" + jsonvalue.FloatText(f) + "`"
		}
		return "an integer"
	case t == types.Float:
		if isNumber && scalar.NumberPrefix(text) == text {
			return "a number, written `" + jsonvalue.FloatText(f) + "`"
		}
		return "a number"
	case t == types.Bool:
		return "a boolean"
	}
	return t.String()
}

func valuesOf(t types.Type) []string {
	switch t := t.(type) {
	case *types.Enum:
		return t.Values
	case types.Basic:
		if t == types.Bool {
			return []string{"true", "false"}
		}
	}
	return nil
}

// findTextInSpan finds a text that occurs unescaped inside a span, once.
func findTextInSpan(at source.Span, text string) (source.Span, bool) {
	i := strings.Index(at.Text(), text)
	if i < 0 || text == "" || strings.Count(at.Text(), text) > 1 {
		return source.Span{}, false
	}
	return source.Span{File: at.File, Start: at.Start + i, End: at.Start + i + len(text)}, true
}
