package py

import (
	"github.com/wfc-lang/wfc/internal/shared/pynames"
)

// Filters has the filters of Jinja2, such as Filters.Upper for upper.
var Filters filterSet

// Tests has the tests of Jinja2, such as Tests.Defined for defined.
var Tests testSet

// Globals has the global functions of Jinja2, such as Globals.Range for range.
var Globals globalSet

// A filterSet has a method for every filter. A program links only those that it
// names.
type filterSet struct{}

// A testSet has a method for every test.
type testSet struct{}

// A globalSet has a method for every global function.
type globalSet struct{}

// A Filter is a method of Filters. It gets the value and the arguments in
// parentheses.
type Filter func(v Value, a Args) Value

// A Test is a method of Tests.
type Test func(v Value, a Args) bool

// An Env has the filters and tests that a filter such as `map` or `select` can
// apply by name. Programs list those that they use, or all of them if a name is
// only known at run time.
type Env struct {
	Filters map[string]Filter
	Tests   map[string]Test
}

// findFilter finds the filter that an argument names.
func (e *Env) findFilter(name Value) Filter {
	if e == nil {
		e = &Env{}
	}
	return findByName(e.Filters, "filter", name)
}

// findTest finds the test that an argument names.
func (e *Env) findTest(name Value) Test {
	if e == nil {
		e = &Env{}
	}
	return findByName(e.Tests, "test", name)
}

func findByName[F Filter | Test](all map[string]F, what string, name Value) F {
	s, ok := name.(Str)
	if !ok {
		hashOf(name, 0)
		panic(newException("TemplateRuntimeError", "No filter or test named %s.", reprOf(name)))
	}
	f, ok := all[string(s)]
	if !ok {
		panic(newException("TemplateRuntimeError", "No %s named %s.", what, quoteRepr(string(s))))
	}
	return f
}

// All returns every filter by its names, for templates that compute the name of
// one. A program that calls it links them all.
func (filterSet) All() map[string]Filter {
	return withAliases(pynames.Filters, map[string]Filter{
		"abs":            Filters.Abs,
		"attr":           Filters.Attr,
		"batch":          Filters.Batch,
		"capitalize":     Filters.Capitalize,
		"center":         Filters.Center,
		"default":        Filters.Default,
		"dictsort":       Filters.Dictsort,
		"escape":         Filters.Escape,
		"filesizeformat": Filters.Filesizeformat,
		"first":          Filters.First,
		"float":          Filters.Float,
		"forceescape":    Filters.Forceescape,
		"format":         Filters.Format,
		"groupby":        Filters.Groupby,
		"indent":         Filters.Indent,
		"int":            Filters.Int,
		"items":          Filters.Items,
		"join":           Filters.Join,
		"last":           Filters.Last,
		"length":         Filters.Length,
		"list":           Filters.List,
		"lower":          Filters.Lower,
		"map":            Filters.Map,
		"max":            Filters.Max,
		"min":            Filters.Min,
		"pprint":         Filters.Pprint,
		"random":         Filters.Random,
		"reject":         Filters.Reject,
		"rejectattr":     Filters.Rejectattr,
		"replace":        Filters.Replace,
		"reverse":        Filters.Reverse,
		"round":          Filters.Round,
		"safe":           Filters.Safe,
		"select":         Filters.Select,
		"selectattr":     Filters.Selectattr,
		"slice":          Filters.Slice,
		"sort":           Filters.Sort,
		"string":         Filters.String,
		"striptags":      Filters.Striptags,
		"sum":            Filters.Sum,
		"title":          Filters.Title,
		"tojson":         Filters.Tojson,
		"trim":           Filters.Trim,
		"truncate":       Filters.Truncate,
		"unique":         Filters.Unique,
		"upper":          Filters.Upper,
		"urlencode":      Filters.Urlencode,
		"urlize":         Filters.Urlize,
		"wordcount":      Filters.Wordcount,
		"wordwrap":       Filters.Wordwrap,
		"xmlattr":        Filters.Xmlattr,
	})
}

// All returns every test by its names, like Filters.All.
func (testSet) All() map[string]Test {
	return withAliases(pynames.Tests, map[string]Test{
		"boolean":     Tests.Boolean,
		"callable":    Tests.Callable,
		"defined":     Tests.Defined,
		"divisibleby": Tests.Divisibleby,
		"eq":          Tests.Eq,
		"escaped":     Tests.Escaped,
		"even":        Tests.Even,
		"false":       Tests.False,
		"filter":      Tests.Filter,
		"float":       Tests.Float,
		"ge":          Tests.Ge,
		"gt":          Tests.Gt,
		"in":          Tests.In,
		"integer":     Tests.Integer,
		"iterable":    Tests.Iterable,
		"le":          Tests.Le,
		"lower":       Tests.Lower,
		"lt":          Tests.Lt,
		"mapping":     Tests.Mapping,
		"ne":          Tests.Ne,
		"none":        Tests.None,
		"number":      Tests.Number,
		"odd":         Tests.Odd,
		"sameas":      Tests.Sameas,
		"sequence":    Tests.Sequence,
		"string":      Tests.String,
		"test":        Tests.Test,
		"true":        Tests.True,
		"undefined":   Tests.Undefined,
		"upper":       Tests.Upper,
	})
}

func withAliases[F any](table pynames.Table, all map[string]F) map[string]F {
	for _, s := range table {
		if s.Canonical != "" {
			all[s.Name] = all[s.Canonical]
		}
	}
	return all
}

// withoutArgs binds no arguments and returns the answer.
func withoutArgs(a Args, name string, answer bool) bool {
	a.bind(name, 0)
	return answer
}

// isType reports whether a value is of a type.
func isType[T Value](v Value) bool {
	_, ok := v.(T)
	return ok
}

// Defined is the test defined.
func (testSet) Defined(v Value, a Args) bool {
	return withoutArgs(a, "defined", !isType[*undefined](v))
}

// Undefined is the test undefined.
func (testSet) Undefined(v Value, a Args) bool {
	return withoutArgs(a, "undefined", isType[*undefined](v))
}

// None is the test none.
func (testSet) None(v Value, a Args) bool { return withoutArgs(a, "none", isType[None](v)) }

// Boolean is the test boolean.
func (testSet) Boolean(v Value, a Args) bool { return withoutArgs(a, "boolean", isType[Bool](v)) }

// True is the test true: the value True and no other.
func (testSet) True(v Value, a Args) bool { return withoutArgs(a, "true", v == Bool(true)) }

// False is the test false: the value False and no other.
func (testSet) False(v Value, a Args) bool { return withoutArgs(a, "false", v == Bool(false)) }

// Integer is the test integer; True and False are not integers.
func (testSet) Integer(v Value, a Args) bool {
	return withoutArgs(a, "integer", isType[Int](v) || isType[*bigInt](v))
}

// Float is the test float.
func (testSet) Float(v Value, a Args) bool { return withoutArgs(a, "float", isType[Float](v)) }

// Number is the test number; True and False are numbers.
func (testSet) Number(v Value, a Args) bool { return withoutArgs(a, "number", toNumber(v) != nil) }

// String is the test string.
func (testSet) String(v Value, a Args) bool { return withoutArgs(a, "string", isType[Str](v)) }

// Mapping is the test mapping.
func (testSet) Mapping(v Value, a Args) bool { return withoutArgs(a, "mapping", isType[*Dict](v)) }

// Sequence is the test sequence: a value with a length and items; a dict too.
func (testSet) Sequence(v Value, a Args) bool {
	switch v := v.(type) {
	case *undefined:
		return withoutArgs(a, "sequence", v.lenient)
	case Str, *List, *tuple, *Dict, *rangeValue:
		return withoutArgs(a, "sequence", true)
	}
	return withoutArgs(a, "sequence", false)
}

// Iterable is the test iterable.
func (testSet) Iterable(v Value, a Args) bool {
	a.bind("iterable", 0)
	return tryCatch(func() { newIterator(v) }, "TypeError") == nil
}

// Callable is the test callable.
func (testSet) Callable(v Value, a Args) bool {
	return withoutArgs(a, "callable", isType[*function](v) || isType[*undefined](v) || isType[*Loop](v))
}

// Escaped is the test escaped: nothing is, without autoescape.
func (testSet) Escaped(_ Value, a Args) bool { return withoutArgs(a, "escaped", false) }

// Sameas is the test sameas.
func (testSet) Sameas(v Value, a Args) bool { return isIdentical(v, a.bind("sameas", 1, "other")[0]) }

// Lower is the test lower.
func (testSet) Lower(v Value, a Args) bool { return caseTest(v, a, "lower", isLowerText) }

// Upper is the test upper.
func (testSet) Upper(v Value, a Args) bool { return caseTest(v, a, "upper", isUpperText) }

func caseTest(v Value, a Args, name string, test func(string) bool) bool {
	s, _ := textFilter(v, a, name, 0)
	return test(s)
}

// Odd is the test odd.
func (testSet) Odd(v Value, a Args) bool { return modTest(v, a, "odd", 1) }

// Even is the test even.
func (testSet) Even(v Value, a Args) bool { return modTest(v, a, "even", 0) }

func modTest(v Value, a Args, name string, rest Int) bool {
	a.bind(name, 0)
	return equals(mod(v, Int(2)), rest)
}

// Divisibleby is the test divisibleby.
func (testSet) Divisibleby(v Value, a Args) bool {
	return equals(mod(v, a.bind("divisibleby", 1, "num")[0]), Int(0))
}

// In is the test in.
func (testSet) In(v Value, a Args) bool { return contains(v, a.bind("in", 1, "seq")[0]) }

func operatorTest(v Value, a Args, name string, f func(a, b Value) bool) bool {
	return f(v, a.bindPositional(name, 1, 1)[0])
}

// Eq is the test eq, also called equalto and ==.
func (testSet) Eq(v Value, a Args) bool { return operatorTest(v, a, "eq", equals) }

// Ne is the test ne, also called !=.
func (testSet) Ne(v Value, a Args) bool { return operatorTest(v, a, "ne", notEquals) }

// Lt is the test lt, also called lessthan and <.
func (testSet) Lt(v Value, a Args) bool { return operatorTest(v, a, "lt", less) }

// Le is the test le, also called <=.
func (testSet) Le(v Value, a Args) bool { return operatorTest(v, a, "le", atMost) }

// Gt is the test gt, also called greaterthan and >.
func (testSet) Gt(v Value, a Args) bool { return operatorTest(v, a, "gt", greater) }

// Ge is the test ge, also called >=.
func (testSet) Ge(v Value, a Args) bool { return operatorTest(v, a, "ge", atLeast) }

// Filter is the test filter: whether a filter of that name exists.
func (testSet) Filter(v Value, a Args) bool { return nameTest(v, a, "filter", pynames.Filters) }

// Test is the test test: whether a test of that name exists.
func (testSet) Test(v Value, a Args) bool { return nameTest(v, a, "test", pynames.Tests) }

func nameTest(v Value, a Args, name string, table pynames.Table) bool {
	hashOf(v, 0)
	s, _ := v.(Str)
	_, ok := table.Find(string(s))
	return withoutArgs(a, name, ok)
}
