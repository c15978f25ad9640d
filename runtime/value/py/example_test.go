package py_test

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/value/py"
)

// A template that is compiled is an Eval and expressions. The first error stops it.
func ExampleEval() {
	var e py.Eval
	names := py.ListOf([]string{"bea", "al"})
	e.Write("Hello ")
	e.WriteValue(e.Filter(py.Filters.Join, e.Filter(py.Filters.Sort, names), py.Str(" and ")), "{{ names | sort | join(' and ') }} (line 1)")
	fmt.Println(e.Take(), e.Err())

	e = py.Eval{}
	e.WriteValue(e.Add(py.Str("1"), py.Int(1)), "{{ '1' + 1 }} (line 2)")
	fmt.Println(e.Err())
	// Output:
	// Hello al and bea <nil>
	// can only concatenate str (not "int") to str in {{ '1' + 1 }} (line 2)
}

// Filters that apply another one by its name find it in an Env.
func ExampleEnv() {
	var e py.Eval
	env := &py.Env{Filters: map[string]py.Filter{"upper": py.Filters.Upper}}
	letters := e.FilterWith(py.Filters.Map, py.Str("abc"), py.Args{Pos: []py.Value{py.Str("upper")}, Env: env})
	fmt.Println(e.Str(e.Filter(py.Filters.List, letters)))
	// Output: ['A', 'B', 'C']
}

func ExampleLoads() {
	v, err := py.Loads(`{"n": 1.0, "who": "é"}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	python, _ := py.Repr(v)
	text, _ := py.Dumps(v, py.DumpsOptions{})
	fmt.Println(python)
	fmt.Println(text)
	// Output:
	// {'n': 1.0, 'who': 'é'}
	// {"n": 1.0, "who": "\u00e9"}
}
