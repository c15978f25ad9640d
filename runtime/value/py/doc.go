// Package py has Python's values and the expressions of Jinja2, for Go programs of any kind: it
// needs no template engine, and knows nothing of workflows. Values behave like those of Python
// 3.11, with the operators, methods, filters and tests of Jinja2 3.1. An [Eval] evaluates one
// template, expression by expression. The template
//
//	Hello {{ name | upper }}, {{ visits + 1 }}
//
// is, with name and visits of any type,
//
//	var e py.Eval
//	e.Write("Hello ")
//	e.WriteValue(e.Filter(py.Filters.Upper, name), "{{ name | upper }} (line 1)")
//	e.Write(", ")
//	e.WriteValue(e.Add(visits, py.Int(1)), "{{ visits + 1 }} (line 1)")
//	text, err := e.Take(), e.Err()
//
// An Eval keeps the first error and does nothing after it, so the code reads as the template
// does and has one check. Nothing here is safe for concurrent use.
//
// [Loads] and [Dumps] read and write JSON as Python does; [ListOf], [NewList] and [NewDict] make
// values of Go's. An expression reads a field by what is known about it:
//
//	customer.Name                   a field that is always there
//	py.Required(&e, field, "name")  one that may be missing, which is an error: its Go value
//	py.Member(field, "name")        one that may be missing, as a Value
//	e.Attr(v, "name")               one of a value whose type is not known
//
// A program that executes symbolically puts unknown values in place of inputs; see
// [Eval.Symbol]. Package runtime/value/jinja adds what templates of workflows have besides: the
// outputs of nodes, and actions that get a template's values.
//
// # Same as Python
//
//   - Ints have any size, and floats are printed in their shortest digits.
//   - True, None, lists, dicts, tuples and strings have Python's repr.
//   - Slices, chained and mixed comparisons, and the sign of // and % are Python's;
//     rounding is half to even.
//   - Dicts keep their order, and hold 1, 1.0 and True as one key.
//   - Lists and dicts are shared and changed in place. Iterators can be read once.
//   - Attributes and items are looked up in the order of Jinja2. Undefined values are
//     strict.
//   - An operation fails where it fails in Python. Common errors have Python's words.
//
// # Different from Python
//
//   - Strings are UTF-8 without lone surrogates, which become U+FFFD. Case and
//     printability follow Go's Unicode tables, which may be newer.
//   - The escaping filters return plain strings. Without autoescape, Jinja2 marks them,
//     so that a second `escape`, or an addition, escapes differently.
//   - A list that holds an undefined value cannot be printed; Python prints Undefined.
//   - Functions and iterators cannot be printed: Python prints their address in
//     memory, which the next run would not repeat. `random` and `lipsum` are refused
//     for the same reason.
//   - Names that begin with two underscores, and methods that no template needs, are
//     errors, not undefined.
//
// # Limits
//
// A string holds at most 64 MiB, a list or dict a million items, an int 2^20 bits, and
// values nest 1,000 deep. An operation with a larger result fails before it allocates the
// memory, and a comparison fails after some million steps. Eval.Err returns such an error
// like any other.
//
// # Cost of a filter
//
// [Filters], [Tests] and [Globals] have a method for each function, and a program links
// those that it names. A filter that a program does not use costs it nothing. A program
// that uses it grows by 4 KB (`first`, `length`, `default`: 16 KB with what they call) to
// 120 KB (`urlize`, for regular expressions; `round`, for exact powers), 300 KB with
// those that look up attributes and so need the methods of all types (`map`, `sort`,
// `sum`), and 720 KB with all of them, where a template computes a filter's name.
//
// Package names, below this one, lists the functions with their parameters for the
// compiler.
package py
