// Package names lists the filters, tests and global functions of templates, so
// that the compiler can check names and arguments and can name the functions of
// runtime/value/py without linking them. It is for the compiler and the generator: other
// programs have no use for it. Do not change the tables.
package names

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

func required(name string) Param         { return Param{Name: name} }
func optional(name, def string) Param    { return Param{Name: name, Default: def} }
func keywordOnly(name, def string) Param { return Param{Name: name, Default: def, KeywordOnly: true} }

// operand is the parameter of the tests that are operators.
func operand() []Param { return []Param{{Name: "b", PositionalOnly: true}} }
