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

func requiredParam(name string) Param { return Param{Name: name} }

func optionalParam(name, def string) Param { return Param{Name: name, Default: def} }

func keywordOnly(name, def string) Param { return Param{Name: name, Default: def, KeywordOnly: true} }

// operandParams is the parameter of the tests that are operators.
func operandParams() []Param { return []Param{{Name: "b", PositionalOnly: true}} }

// Filters are the filters in alphabetical order.
var Filters = Table{
	{Name: "abs"},
	{Name: "attr", Params: []Param{requiredParam("name")}},
	{Name: "batch", Params: []Param{requiredParam("linecount"), optionalParam("fill_with", "None")}},
	{Name: "capitalize"},
	{Name: "center", Params: []Param{optionalParam("width", "80")}},
	{Name: "count", Canonical: "length"},
	{Name: "d", Canonical: "default", Params: []Param{optionalParam("default_value", "''"), optionalParam("boolean", "False")}},
	{Name: "default", Params: []Param{optionalParam("default_value", "''"), optionalParam("boolean", "False")}},
	{Name: "dictsort", Params: []Param{optionalParam("case_sensitive", "False"), optionalParam("by", "'key'"), optionalParam("reverse", "False")}},
	{Name: "e", Canonical: "escape"},
	{Name: "escape"},
	{Name: "filesizeformat", Params: []Param{optionalParam("binary", "False")}},
	{Name: "first"},
	{Name: "float", Params: []Param{optionalParam("default", "0.0")}},
	{Name: "forceescape"},
	{Name: "format", Keywords: true, Rest: true},
	{Name: "groupby", Params: []Param{requiredParam("attribute"), optionalParam("default", "None"), optionalParam("case_sensitive", "False")}},
	{Name: "indent", Params: []Param{optionalParam("width", "4"), optionalParam("first", "False"), optionalParam("blank", "False")}},
	{Name: "int", Params: []Param{optionalParam("default", "0"), optionalParam("base", "10")}},
	{Name: "items"},
	{Name: "join", Params: []Param{optionalParam("d", "''"), optionalParam("attribute", "None")}},
	{Name: "last"},
	{Name: "length"},
	{Name: "list"},
	{Name: "lower"},
	{Name: "map", Rest: true, Keywords: true, NameKind: "filter", NameArgument: 0},
	{Name: "max", Params: []Param{optionalParam("case_sensitive", "False"), optionalParam("attribute", "None")}},
	{Name: "min", Params: []Param{optionalParam("case_sensitive", "False"), optionalParam("attribute", "None")}},
	{Name: "pprint"},
	{Name: "random", Refused: "a resumed run would choose differently"},
	{Name: "reject", Rest: true, Keywords: true, NameKind: "test", NameArgument: 0},
	{Name: "rejectattr", Rest: true, Keywords: true, NameKind: "test", NameArgument: 1},
	{Name: "replace", Params: []Param{requiredParam("old"), requiredParam("new"), optionalParam("count", "None")}},
	{Name: "reverse"},
	{Name: "round", Params: []Param{optionalParam("precision", "0"), optionalParam("method", "'common'")}},
	{Name: "safe"},
	{Name: "select", Rest: true, Keywords: true, NameKind: "test", NameArgument: 0},
	{Name: "selectattr", Rest: true, Keywords: true, NameKind: "test", NameArgument: 1},
	{Name: "slice", Params: []Param{requiredParam("slices"), optionalParam("fill_with", "None")}},
	{Name: "sort", Params: []Param{optionalParam("reverse", "False"), optionalParam("case_sensitive", "False"), optionalParam("attribute", "None")}},
	{Name: "string"},
	{Name: "striptags"},
	{Name: "sum", Params: []Param{optionalParam("attribute", "None"), optionalParam("start", "0")}},
	{Name: "title"},
	{Name: "tojson", Params: []Param{keywordOnly("indent", "None"), keywordOnly("separators", "None"), keywordOnly("sort_keys", "False"), keywordOnly("ensure_ascii", "True"), keywordOnly("allow_nan", "True"), keywordOnly("skipkeys", "False"), keywordOnly("check_circular", "True"), keywordOnly("cls", "None"), keywordOnly("default", "None")}},
	{Name: "trim", Params: []Param{optionalParam("chars", "None")}},
	{Name: "truncate", Params: []Param{optionalParam("length", "255"), optionalParam("killwords", "False"), optionalParam("end", "'...'"), optionalParam("leeway", "None")}},
	{Name: "unique", Params: []Param{optionalParam("case_sensitive", "False"), optionalParam("attribute", "None")}},
	{Name: "upper"},
	{Name: "urlencode"},
	{Name: "urlize", Params: []Param{optionalParam("trim_url_limit", "None"), optionalParam("nofollow", "False"), optionalParam("target", "None"), optionalParam("rel", "None"), optionalParam("extra_schemes", "None")}},
	{Name: "wordcount"},
	{Name: "wordwrap", Params: []Param{optionalParam("width", "79"), optionalParam("break_long_words", "True"), optionalParam("wrapstring", "None"), optionalParam("break_on_hyphens", "True")}},
	{Name: "xmlattr", Params: []Param{optionalParam("autospace", "True")}},
}

// Tests are the tests in alphabetical order, operators first.
var Tests = Table{
	{Name: "!=", Canonical: "ne", Params: operandParams()},
	{Name: "<", Canonical: "lt", Params: operandParams()},
	{Name: "<=", Canonical: "le", Params: operandParams()},
	{Name: "==", Canonical: "eq", Params: operandParams()},
	{Name: ">", Canonical: "gt", Params: operandParams()},
	{Name: ">=", Canonical: "ge", Params: operandParams()},
	{Name: "boolean"},
	{Name: "callable"},
	{Name: "defined"},
	{Name: "divisibleby", Params: []Param{requiredParam("num")}},
	{Name: "eq", Params: operandParams()},
	{Name: "equalto", Canonical: "eq", Params: operandParams()},
	{Name: "escaped"},
	{Name: "even"},
	{Name: "false"},
	{Name: "filter"},
	{Name: "float"},
	{Name: "ge", Params: operandParams()},
	{Name: "greaterthan", Canonical: "gt", Params: operandParams()},
	{Name: "gt", Params: operandParams()},
	{Name: "in", Params: []Param{requiredParam("seq")}},
	{Name: "integer"},
	{Name: "iterable"},
	{Name: "le", Params: operandParams()},
	{Name: "lessthan", Canonical: "lt", Params: operandParams()},
	{Name: "lower"},
	{Name: "lt", Params: operandParams()},
	{Name: "mapping"},
	{Name: "ne", Params: operandParams()},
	{Name: "none"},
	{Name: "number"},
	{Name: "odd"},
	{Name: "sameas", Params: []Param{requiredParam("other")}},
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
	{Name: "joiner", Params: []Param{optionalParam("sep", "', '")}},
	{Name: "lipsum", Refused: "a resumed run would choose differently"},
	{Name: "namespace", Keywords: true, Rest: true},
	{Name: "range", Params: []Param{{Name: "start", PositionalOnly: true}, {Name: "stop", Default: "None", PositionalOnly: true}, {Name: "step", Default: "1", PositionalOnly: true}}},
}
