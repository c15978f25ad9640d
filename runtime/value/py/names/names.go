// Package names lists the filters, tests and global functions of templates, so
// that the compiler can check names and arguments and can name the functions of
// runtime/value/py without carrying them.
package names

// A Signature describes a filter, test or global function.
type Signature struct {
	// Name is the name in a template.
	Name string
	// Func is the name of the function in runtime/value/py.
	Func string
	// Params are the parameters after the value, in order.
	Params []Param
	// Rest tells that more positional arguments than parameters are taken.
	Rest bool
	// Keywords tells that keyword arguments of any name are taken.
	Keywords bool
	// ByName tells that the function applies a filter ("filter") or a test ("test") whose name is
	// its positional argument number At, so that py.Args.Env must have it.
	ByName string
	At     int
	// Refused says why the function always fails.
	Refused string
}

// A Param is a parameter.
type Param struct {
	Name string
	// Default is the default in Python's words; empty when the parameter is
	// required.
	Default string
	// KeywordOnly tells that it cannot be given by its place.
	KeywordOnly bool
	// PositionalOnly tells that it cannot be given by its name.
	PositionalOnly bool
}

// Filters returns the filters in alphabetical order.
func Filters() []Signature { return filters }

// Tests returns the tests in alphabetical order, operators first.
func Tests() []Signature { return tests }

// Globals returns the global functions in alphabetical order.
func Globals() []Signature { return globals }

// Filter returns the filter of a name.
func Filter(name string) (Signature, bool) { return find(filters, name) }

// Test returns the test of a name.
func Test(name string) (Signature, bool) { return find(tests, name) }

// Global returns the global function of a name.
func Global(name string) (Signature, bool) { return find(globals, name) }

func find(list []Signature, name string) (Signature, bool) {
	for _, s := range list {
		if s.Name == name {
			return s, true
		}
	}
	return Signature{}, false
}

func required(name string) Param         { return Param{Name: name} }
func optional(name, def string) Param    { return Param{Name: name, Default: def} }
func keywordOnly(name, def string) Param { return Param{Name: name, Default: def, KeywordOnly: true} }

// operand is the parameter of the tests that are operators.
func operand() []Param { return []Param{{Name: "b", PositionalOnly: true}} }
