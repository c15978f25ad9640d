// Package pynames lists the filters, tests and global functions of templates, so
// that the compiler can check names and arguments and can name the functions of
// runtime/value/py without linking them. It is for the compiler and the generator: other
// programs have no use for it. Do not change the tables.
//
// The tables also have the other names of a filter, test or function:
//
//	filter, ok := names.Filters.Find("count")
//	if !ok {
//		return errors.New("unknown filter count")
//	}
//	fmt.Println(filter.Canonical, filter.Method()) // length Length
package pynames

import (
	"slices"
	"strings"
)

// A Signature describes a filter, test or global function.
type Signature struct {
	// Name is the name in a template.
	Name string
	// Canonical is the entry's main name when Name is another name for it: length for count.
	Canonical string
	// Params are the parameters after the value, in order.
	Params []Param
	// Rest means that calls may have more positional arguments than Params.
	Rest bool
	// Keywords means that calls may have keyword arguments of any name.
	Keywords bool
	// NameKind is "filter" or "test" if the function applies the filter or test that its
	// positional argument number NameArgument names; py.Args.Env must have it. Otherwise it
	// is "".
	NameKind     string
	NameArgument int
	// Refused says why the function always fails.
	Refused string
}

// A Param is a parameter.
type Param struct {
	Name string
	// Default is the default value as a Python expression, or "" for a required
	// parameter.
	Default string
	// KeywordOnly means that the argument must be passed by name.
	KeywordOnly bool
	// PositionalOnly means that the argument cannot be passed by name.
	PositionalOnly bool
}

// A Table lists the filters, the tests or the global functions.
type Table []Signature

// Find returns the entry of a name.
func (t Table) Find(name string) (Signature, bool) {
	i := slices.IndexFunc(t, func(s Signature) bool { return s.Name == name })
	if i < 0 {
		return Signature{}, false
	}
	return t[i], true
}

// Method returns the name of the method of py.Filters, py.Tests or py.Globals, such
// as "Upper".
func (s Signature) Method() string {
	name := s.Name
	if s.Canonical != "" {
		name = s.Canonical
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

func required(name string) Param { return Param{Name: name} }

func optional(name, def string) Param { return Param{Name: name, Default: def} }

func keywordOnly(name, def string) Param { return Param{Name: name, Default: def, KeywordOnly: true} }

// operand is the parameter of the tests that are operators.
func operand() []Param { return []Param{{Name: "b", PositionalOnly: true}} }

// Filters are the filters in alphabetical order.
var Filters = Table{
	{Name: "abs"},
	{Name: "attr", Params: []Param{required("name")}},
	{Name: "batch", Params: []Param{required("linecount"), optional("fill_with", "None")}},
	{Name: "capitalize"},
	{Name: "center", Params: []Param{optional("width", "80")}},
	{Name: "count", Canonical: "length"},
	{Name: "d", Canonical: "default", Params: []Param{optional("default_value", "''"), optional("boolean", "False")}},
	{Name: "default", Params: []Param{optional("default_value", "''"), optional("boolean", "False")}},
	{Name: "dictsort", Params: []Param{optional("case_sensitive", "False"), optional("by", "'key'"), optional("reverse", "False")}},
	{Name: "e", Canonical: "escape"},
	{Name: "escape"},
	{Name: "filesizeformat", Params: []Param{optional("binary", "False")}},
	{Name: "first"},
	{Name: "float", Params: []Param{optional("default", "0.0")}},
	{Name: "forceescape"},
	{Name: "format", Keywords: true, Rest: true},
	{Name: "groupby", Params: []Param{required("attribute"), optional("default", "None"), optional("case_sensitive", "False")}},
	{Name: "indent", Params: []Param{optional("width", "4"), optional("first", "False"), optional("blank", "False")}},
	{Name: "int", Params: []Param{optional("default", "0"), optional("base", "10")}},
	{Name: "items"},
	{Name: "join", Params: []Param{optional("d", "''"), optional("attribute", "None")}},
	{Name: "last"},
	{Name: "length"},
	{Name: "list"},
	{Name: "lower"},
	{Name: "map", Rest: true, Keywords: true, NameKind: "filter", NameArgument: 0},
	{Name: "max", Params: []Param{optional("case_sensitive", "False"), optional("attribute", "None")}},
	{Name: "min", Params: []Param{optional("case_sensitive", "False"), optional("attribute", "None")}},
	{Name: "pprint"},
	{Name: "random", Refused: "a resumed run would choose differently"},
	{Name: "reject", Rest: true, Keywords: true, NameKind: "test", NameArgument: 0},
	{Name: "rejectattr", Rest: true, Keywords: true, NameKind: "test", NameArgument: 1},
	{Name: "replace", Params: []Param{required("old"), required("new"), optional("count", "None")}},
	{Name: "reverse"},
	{Name: "round", Params: []Param{optional("precision", "0"), optional("method", "'common'")}},
	{Name: "safe"},
	{Name: "select", Rest: true, Keywords: true, NameKind: "test", NameArgument: 0},
	{Name: "selectattr", Rest: true, Keywords: true, NameKind: "test", NameArgument: 1},
	{Name: "slice", Params: []Param{required("slices"), optional("fill_with", "None")}},
	{Name: "sort", Params: []Param{optional("reverse", "False"), optional("case_sensitive", "False"), optional("attribute", "None")}},
	{Name: "string"},
	{Name: "striptags"},
	{Name: "sum", Params: []Param{optional("attribute", "None"), optional("start", "0")}},
	{Name: "title"},
	{Name: "tojson", Params: []Param{keywordOnly("indent", "None"), keywordOnly("separators", "None"), keywordOnly("sort_keys", "False"), keywordOnly("ensure_ascii", "True"), keywordOnly("allow_nan", "True"), keywordOnly("skipkeys", "False"), keywordOnly("check_circular", "True"), keywordOnly("cls", "None"), keywordOnly("default", "None")}},
	{Name: "trim", Params: []Param{optional("chars", "None")}},
	{Name: "truncate", Params: []Param{optional("length", "255"), optional("killwords", "False"), optional("end", "'...'"), optional("leeway", "None")}},
	{Name: "unique", Params: []Param{optional("case_sensitive", "False"), optional("attribute", "None")}},
	{Name: "upper"},
	{Name: "urlencode"},
	{Name: "urlize", Params: []Param{optional("trim_url_limit", "None"), optional("nofollow", "False"), optional("target", "None"), optional("rel", "None"), optional("extra_schemes", "None")}},
	{Name: "wordcount"},
	{Name: "wordwrap", Params: []Param{optional("width", "79"), optional("break_long_words", "True"), optional("wrapstring", "None"), optional("break_on_hyphens", "True")}},
	{Name: "xmlattr", Params: []Param{optional("autospace", "True")}},
}

// Tests are the tests in alphabetical order, operators first.
var Tests = Table{
	{Name: "!=", Canonical: "ne", Params: operand()},
	{Name: "<", Canonical: "lt", Params: operand()},
	{Name: "<=", Canonical: "le", Params: operand()},
	{Name: "==", Canonical: "eq", Params: operand()},
	{Name: ">", Canonical: "gt", Params: operand()},
	{Name: ">=", Canonical: "ge", Params: operand()},
	{Name: "boolean"},
	{Name: "callable"},
	{Name: "defined"},
	{Name: "divisibleby", Params: []Param{required("num")}},
	{Name: "eq", Params: operand()},
	{Name: "equalto", Canonical: "eq", Params: operand()},
	{Name: "escaped"},
	{Name: "even"},
	{Name: "false"},
	{Name: "filter"},
	{Name: "float"},
	{Name: "ge", Params: operand()},
	{Name: "greaterthan", Canonical: "gt", Params: operand()},
	{Name: "gt", Params: operand()},
	{Name: "in", Params: []Param{required("seq")}},
	{Name: "integer"},
	{Name: "iterable"},
	{Name: "le", Params: operand()},
	{Name: "lessthan", Canonical: "lt", Params: operand()},
	{Name: "lower"},
	{Name: "lt", Params: operand()},
	{Name: "mapping"},
	{Name: "ne", Params: operand()},
	{Name: "none"},
	{Name: "number"},
	{Name: "odd"},
	{Name: "sameas", Params: []Param{required("other")}},
	{Name: "sequence"},
	{Name: "string"},
	{Name: "test"},
	{Name: "true"},
	{Name: "undefined"},
	{Name: "upper"},
}

// Globals are the global functions in alphabetical order.
var Globals = Table{
	{Name: "cycler", Rest: true},
	{Name: "dict", Keywords: true, Rest: true},
	{Name: "joiner", Params: []Param{optional("sep", "', '")}},
	{Name: "lipsum", Refused: "a resumed run would choose differently"},
	{Name: "namespace", Keywords: true, Rest: true},
	{Name: "range", Params: []Param{{Name: "start", PositionalOnly: true}, {Name: "stop", Default: "None", PositionalOnly: true}, {Name: "step", Default: "1", PositionalOnly: true}}},
}
