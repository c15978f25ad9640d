package check

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/types"
)

// orders says how numbers that a comparison holds for may be ordered.
var orders = map[expr.CompareOp][]string{
	expr.NumberLess: {"<"}, expr.NumberLessEqual: {"<", "="}, expr.NumberGreater: {">"}, expr.NumberGreaterEqual: {">", "="},
}

// comparisonVerdict is the verdict about a comparison with a constant. Comparisons of a number with
// different constants are independent for this analysis.
func (r reading) comparisonVerdict(c *expr.Compare) verdict {
	lit, ok := c.Y.(*expr.Literal)
	name := r.exprName(c.X)
	if _, both := c.X.(*expr.Literal); both {
		return anyVerdict() // a constant of the build
	}
	if !ok || name == "" || lit.Typ == types.Invalid {
		return anyVerdict()
	}
	if c.Op.IsNumeric() {
		return r.oneOf(name+" to "+lit.Text, choice{values: []string{"<", "=", ">"}}, orders[c.Op])
	}
	if c.Op != expr.TextEqual && c.Op != expr.TextNotEqual {
		return anyVerdict()
	}
	v := r.oneOf(name, possibleTexts(c.X), []string{lit.Text})
	if c.Op == expr.TextNotEqual {
		return v.not()
	}
	return v
}

// oneOf is the verdict about a reference having one of some values, within those that
// it can have.
func (r reading) oneOf(name string, possible choice, values []string) verdict {
	in := possible.and(choice{values: values, at: r.at})
	out := possible.and(choice{values: values, except: true, at: r.at})
	in.at, out.at = r.at, r.at
	var v verdict
	if !in.isEmpty() {
		v.yes = &texts{{name, in}}
	}
	if !out.isEmpty() {
		v.no = &texts{{name, out}}
	}
	return v
}

// relationVerdict is the verdict about a chain of comparisons of values.
func (r reading) relationVerdict(e *expr.Relation) verdict {
	v, x := constantVerdict(true), e.X
	for _, link := range e.Links {
		v = v.and(r.linkVerdict(x, link.Op, link.Y))
		x = link.Y
	}
	return v
}

func (r reading) linkVerdict(x expr.Expr, op expr.RelationOp, y expr.Expr) verdict {
	switch op {
	case expr.NotEqual:
		return r.linkVerdict(x, expr.Equal, y).not()
	case expr.NotIn:
		return r.linkVerdict(x, expr.In, y).not()
	case expr.Equal:
		if class, known := r.constantClass(y); known {
			return r.equalityVerdict(x, []string{class})
		}
		if class, known := r.constantClass(x); known {
			return r.equalityVerdict(y, []string{class})
		}
	case expr.In:
		if list, ok := y.(*expr.ListOf); ok {
			if classes, known := r.constantClasses(list.Items); known {
				return r.equalityVerdict(x, classes)
			}
		}
	}
	var b strings.Builder
	if !r.writeName(&b, x, false) {
		return anyVerdict()
	}
	b.WriteString(" " + op.String() + " ")
	if !r.writeName(&b, y, op == expr.In) {
		return anyVerdict()
	}
	return r.flagVerdict(b.String())
}

// equalityVerdict is the verdict about a value being equal to a constant of one of some classes.
// If all of these are true, or all false, so is the value. A comparison of a text with a
// number is reported where it is written, so nothing follows from it.
func (r reading) equalityVerdict(x expr.Expr, classes []string) verdict {
	possible := classDomain(x)
	if class, known := r.constantClass(x); known {
		possible = choice{values: []string{class}}
	}
	if !possible.except && hasMixedClasses(append(slices.Clone(possible.values), classes...)) {
		return anyVerdict()
	}
	if class, known := r.constantClass(x); known {
		return constantVerdict(slices.Contains(classes, class))
	}
	name := r.exprName(x)
	if name == "" || len(classes) > maxValues {
		return anyVerdict()
	}
	v := r.oneOf(name, possible, classes)
	truth := r.flagVerdict("true " + name)
	for _, t := range []**texts{&v.yes, &v.no} {
		if *t == nil || (**t)[0].except {
			continue
		}
		values := (**t)[0].values
		if !slices.ContainsFunc(values, func(c string) bool { return !isTrue(c) }) {
			*t = andTexts(*t, truth.yes)
		} else if !slices.ContainsFunc(values, isTrue) {
			*t = andTexts(*t, truth.no)
		}
	}
	return v
}

// testVerdict is the verdict about a test of a template language.
func (r reading) testVerdict(e *expr.Test) verdict {
	v := anyVerdict()
	var b strings.Builder
	switch ok := r.writeName(&b, e.X, false); {
	case !ok:
	case e.Name == "none":
		v = r.equalityVerdict(e.X, []string{noneClass})
	case e.Name == "undefined":
		v = r.flagVerdict(b.String() + " is defined").not()
	default:
		b.WriteString(" is " + e.Name)
		if r.writeArguments(&b, e.Args) {
			v = r.flagVerdict(b.String())
		}
	}
	if e.Not {
		return v.not()
	}
	return v
}

// Equal values of a template language are of one class, whatever their types: True, 1
// and 1.0 are equal, "1" is not. A class is written as a text behind a quote, as a
// number, or as noneClass.
const noneClass = "none"

// constantClass returns the class of a constant that the condition itself writes.
func (r reading) constantClass(e expr.Expr) (class string, known bool) {
	lit, ok := e.(*expr.Literal)
	if !ok || !lit.WrittenIn(r.at) {
		return "", false
	}
	switch lit.Typ {
	case types.Bool:
		return map[string]string{"true": "1", "false": "0"}[lit.Text], true
	case types.Null:
		return noneClass, true
	case types.Int, types.Float:
		f, err := strconv.ParseFloat(lit.Text, 64)
		if err != nil || math.Abs(f) > 1<<53 {
			return "", false // a float may equal several of such integers
		}
		return strconv.FormatFloat(f+0, 'f', -1, 64), true
	}
	return "'" + lit.Text, types.IsText(lit.Typ)
}

func (r reading) constantClasses(list []expr.Expr) (classes []string, known bool) {
	for _, e := range list {
		class, known := r.constantClass(e)
		if !known {
			return nil, false
		}
		classes = append(classes, class)
	}
	return classes, true
}

// hasMixedClasses reports whether there are texts and numbers among classes.
func hasMixedClasses(classes []string) bool {
	texts, others := 0, 0
	for _, c := range classes {
		switch {
		case strings.HasPrefix(c, "'"):
			texts++
		case c != noneClass:
			others++
		}
	}
	return texts > 0 && others > 0
}

// isTrue reports whether the values of a class are true.
func isTrue(class string) bool { return class != "0" && class != "'" && class != noneClass }

// possibleTexts is the set of texts that a reference of a condition can have.
func possibleTexts(e expr.Expr) choice {
	switch e := e.(type) {
	case *expr.Input:
		return textsOf(e.Typ, false)
	case *expr.Field:
		if e.Declared {
			return textsOf(e.Typ, e.Presence&expr.MaybeAbsent != 0)
		}
	}
	return choice{except: true}
}

// textsOf is the set of texts that a declared value can have.
func textsOf(t types.Type, empty bool) choice {
	if o, ok := t.(*types.Optional); ok {
		t, empty = o.Elem, true
	}
	var values []string
	switch t := t.(type) {
	case *types.Enum:
		values = slices.Clone(t.Values)
	case types.Basic:
		if t == types.Bool {
			values = []string{"true", "false"}
		}
	}
	if values == nil {
		return choice{except: true}
	}
	if empty && !slices.Contains(values, "") {
		values = append(values, "")
	}
	return choice{values: values}
}

// classDomain is the set of classes that a value of a template language can have, if it
// surely has one of its type.
func classDomain(e expr.Expr) choice {
	switch x := e.(type) {
	case *expr.Input:
	case *expr.Attr:
		step, ok := x.X.(*expr.StepValue)
		if !ok || !step.Presence.Always() || !x.Presence.Always() {
			return choice{except: true}
		}
	default:
		return choice{except: true}
	}
	switch t := e.Type().(type) {
	case *types.Enum:
		if len(t.Values) > maxValues {
			break
		}
		return choice{values: plain.Texts(t.Values, func(v string) string { return "'" + v })}
	case types.Basic:
		if t == types.Bool {
			return choice{values: []string{"1", "0"}}
		}
	}
	return choice{except: true}
}
