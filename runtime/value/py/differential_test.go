package py

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/internal/shared/pynames"
)

// draws draws n comparisons in each of rapid's rounds.
func draws(t *testing.T, n int, draw func(*rapid.T) comparison) []comparison {
	var cases []comparison
	rapid.Check(t, func(t *rapid.T) {
		for range n {
			cases = append(cases, draw(t).done())
		}
	})
	return cases
}

// top draws a value that may be undefined itself but holds nothing undefined.
func top(depth int) *rapid.Generator[Value] {
	return rapid.OneOf(defined(depth), defined(depth), defined(depth), defined(depth), defined(depth), undefineds())
}

// TestPythonAndJinjaAgree computes drawn expressions here and in one Python
// process.
func TestPythonAndJinjaAgree(t *testing.T) {
	interpreter := python(t)
	sections := []section{
		{"operators", true, operators(t)},
		{"slices", true, sliceCalls(t)},
		{"attributes", true, attributes(t)},
		{"renderings", true, renderings(t)},
		{"filters", false, filterCalls(t)},
		{"tests", false, testCalls(t)},
		{"methods", false, methodCalls(t)},
		{"formats", false, formats(t)},
	}
	var sources []string
	for i := range sections {
		sources = append(sources, sections[i].sources()...)
	}
	answers := ask(t, interpreter, sources)
	for _, s := range sections {
		n := len(s.sources())
		t.Run(s.name, func(t *testing.T) { s.compare(t, answers[:n]) })
		answers = answers[n:]
	}
}

func sortedKeys[T any](m map[string]T) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}

func operators(t *testing.T) []comparison {
	forms := map[string]string{"[]": "env.getitem(%s, %s)", "~": "cat(%s, %s)"}
	ops := sortedKeys(binaryOps)
	return draws(t, 12, func(t *rapid.T) comparison {
		op := rapid.SampledFrom(ops).Draw(t, "operator")
		a := top(2).Draw(t, "a")
		b := top(2).Draw(t, "b")
		if rapid.Bool().Draw(t, "alike") {
			a, b = defined(0).Draw(t, "a"), defined(0).Draw(t, "b")
		}
		form := forms[op]
		if form == "" {
			form = "%s " + strings.ReplaceAll(op, "%", "%%") + " %s"
		}
		v, err := caught(func() Value { return binaryOps[op](a, b) })
		return comparison{fmt.Sprintf(form, source(a), source(b)), v, err}
	})
}

func sliceCalls(t *testing.T) []comparison {
	bound := rapid.OneOf(rapid.Map(rapid.Int64Range(-7, 7), valueOf), rapid.Just[Value](None{}), rapid.Map(rapid.Int64(), valueOf))
	return draws(t, 6, func(t *rapid.T) comparison {
		v := defined(2).Draw(t, "value")
		start, stop, step := bound.Draw(t, "start"), bound.Draw(t, "stop"), bound.Draw(t, "step")
		got, err := caught(func() Value { return getSlice(v, start, stop, step) })
		return comparison{fmt.Sprintf("%s[%s:%s:%s]", source(v), source(start), source(stop), source(step)), got, err}
	})
}

func attributes(t *testing.T) []comparison {
	return draws(t, 3, func(t *rapid.T) comparison {
		v, name := top(2).Draw(t, "value"), rapid.SampledFrom([]string{"a", "b", "key", "start", "nope", "real"}).Draw(t, "name")
		got, err := caught(func() Value { return getAttr(v, name) })
		return comparison{fmt.Sprintf("env.getattr(%s, %q)", source(v), name), got, err}
	})
}

func renderings(t *testing.T) []comparison {
	options := []string{"", "indent=2", "indent=0", "sort_keys=True", "ensure_ascii=False", "indent='--', separators=(',', '=')", "allow_nan=False", "skipkeys=True"}
	keywords := [][]Kw{nil, {{Name: "indent", Value: Int(2)}}, {{Name: "indent", Value: Int(0)}}, {{Name: "sort_keys", Value: Bool(true)}}, {{Name: "ensure_ascii", Value: Bool(false)}},
		{{Name: "indent", Value: Str("--")}, {Name: "separators", Value: newTuple(Str(","), Str("="))}}, {{Name: "allow_nan", Value: Bool(false)}}, {{Name: "skipkeys", Value: Bool(true)}}}
	return draws(t, 6, func(t *rapid.T) comparison {
		v := defined(3).Draw(t, "value")
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			s, err := Repr(v)
			return comparison{"repr(" + source(v) + ")", Str(s), err}
		case 1:
			s, err := Text(v)
			return comparison{"str(" + source(v) + ")", Str(s), err}
		case 2:
			got, err := caught(func() Value { return Filters.Pprint(v, Args{}) })
			return comparison{"flt('pprint', " + source(v) + ")", got, err}
		}
		i := rapid.IntRange(0, len(options)-1).Draw(t, "options")
		got, err := caught(func() Value { return Filters.Tojson(v, Args{Kw: keywords[i]}) })
		return comparison{"flt('tojson', " + strings.TrimSuffix(source(v)+", "+options[i], ", ") + ")", got, err}
	})
}

// arguments draws arguments for a signature, most of them of a kind that makes
// sense somewhere.
func arguments(t *rapid.T, params []pynames.Param, rest bool) (Args, string) {
	value := rapid.OneOf(
		rapid.Map(rapid.Int64Range(-2, 12), valueOf),
		rapid.Map(rapid.SampledFrom(samples), valueOf),
		rapid.Map(texts(), valueOf),
		rapid.Map(rapid.Bool(), valueOf),
		defined(1),
	)
	var a Args
	var b strings.Builder
	most := len(params)
	if rest {
		most = 3
	}
	n := rapid.IntRange(0, most).Draw(t, "arguments")
	for i := range n {
		v := value.Draw(t, "argument")
		keyword := i < len(params) && !params[i].PositionalOnly && (params[i].KeywordOnly || len(a.Kw) > 0 || rapid.IntRange(0, 4).Draw(t, "keyword") == 0)
		if keyword {
			a.Kw = append(a.Kw, Kw{Name: params[i].Name, Value: v})
			b.WriteString(", " + params[i].Name + "=" + source(v))
			continue
		}
		if len(a.Kw) > 0 {
			break
		}
		a.Pos = append(a.Pos, v)
		b.WriteString(", " + source(v))
	}
	return a, b.String()
}

func filterCalls(t *testing.T) []comparison {
	env := &Env{Filters: Filters.All(), Tests: Tests.All()}
	return draws(t, 20, func(t *rapid.T) comparison {
		f := rapid.SampledFrom(pynames.Filters).Draw(t, "filter")
		if f.Refused != "" {
			f, _ = pynames.Filters.Find("default")
		}
		a, text := arguments(t, f.Params, f.Rest)
		a.Env = env
		if f.NameKind != "" {
			a, text = applied(t, env, f)
		}
		v := top(2).Draw(t, "value")
		got, err := caught(func() Value { return env.Filters[f.Name](v, a) })
		return comparison{fmt.Sprintf("flt(%q, %s%s)", f.Name, source(v), text), got, err}
	})
}

// applied draws the arguments of a filter that applies another one.
func applied(t *rapid.T, env *Env, f pynames.Signature) (Args, string) {
	var pos []Value
	if f.NameArgument == 1 {
		pos = append(pos, Str(rapid.SampledFrom([]string{"a", "b", "0", "a.b"}).Draw(t, "attribute")))
	}
	name := rapid.SampledFrom([]string{"upper", "int", "length", "float", "string"}).Draw(t, "applied filter")
	if f.NameKind == "test" {
		name = rapid.SampledFrom([]string{"odd", "string", "defined", "none", "gt", "in", "number"}).Draw(t, "applied test")
	}
	if rapid.IntRange(0, 3).Draw(t, "by name") > 0 {
		pos = append(pos, Str(name))
	}
	if name == "gt" || name == "in" {
		pos = append(pos, defined(1).Draw(t, "operand"))
	}
	var b strings.Builder
	for _, v := range pos {
		b.WriteString(", " + source(v))
	}
	return Args{Pos: pos, Env: env}, b.String()
}

func testCalls(t *testing.T) []comparison {
	env := &Env{Filters: Filters.All(), Tests: Tests.All()}
	return draws(t, 10, func(t *rapid.T) comparison {
		f := rapid.SampledFrom(pynames.Tests).Draw(t, "test")
		a, text := arguments(t, f.Params, false)
		v := top(2).Draw(t, "value")
		got, err := caught(func() bool { return env.Tests[f.Name](v, a) })
		return comparison{fmt.Sprintf("tst(%q, %s%s)", f.Name, source(v), text), Bool(got), err}
	})
}

var methods = map[string][]string{
	"str": {"upper", "lower", "title", "capitalize", "strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "join", "replace", "startswith", "endswith", "find", "rfind", "index", "rindex", "count",
		"format", "zfill", "center", "ljust", "rjust", "isdigit", "isalpha", "isalnum", "isupper", "islower", "isspace", "istitle", "isdecimal", "isnumeric", "isascii", "isprintable", "partition", "rpartition", "removeprefix", "removesuffix", "swapcase", "casefold", "expandtabs"},
	"list":  {"append", "extend", "insert", "pop", "remove", "index", "count", "sort", "reverse", "copy", "clear"},
	"dict":  {"get", "items", "keys", "values", "pop", "update", "setdefault", "copy", "clear", "popitem", "fromkeys"},
	"tuple": {"index", "count"},
	"int":   {"bit_length", "conjugate"},
	"float": {"is_integer"},
}

func methodCalls(t *testing.T) []comparison {
	return draws(t, 20, func(t *rapid.T) comparison {
		v := rapid.OneOf(rapid.Map(texts(), valueOf), defined(2), containers(defined(1))).Draw(t, "value")
		list := methods[TypeName(v)]
		if list == nil {
			v, list = Str("x"), methods["str"]
		}
		name := rapid.SampledFrom(list).Draw(t, "method")
		a, text := arguments(t, nil, true)
		receiver := source(v)
		got, err := caught(func() Value { return callMethod(v, name, a.Pos, nil) })
		switch v.(type) {
		case *List, *Dict:
			if err == nil {
				got = newTuple(got, v)
			}
		}
		return comparison{fmt.Sprintf("meth(%s, %q%s)", receiver, name, text), got, err}
	})
}

func formats(t *testing.T) []comparison {
	part := func(t *rapid.T, label string, choices ...string) string {
		return rapid.SampledFrom(choices).Draw(t, label)
	}
	return draws(t, 12, func(t *rapid.T) comparison {
		v := defined(0).Draw(t, "value")
		width, precision := part(t, "width", "", "", "1", "8", "12"), part(t, "precision", "", "", ".0", ".1", ".3", ".17")
		if rapid.Bool().Draw(t, "percent") {
			f := "<%" + part(t, "flags", "", "", "0", "-", "+", " ", "#", "-0", "+ ") + width + precision + part(t, "kind", "s", "r", "d", "i", "x", "X", "o", "e", "E", "f", "F", "g", "G", "c", "a", "%", "q") + ">"
			got, err := caught(func() Value { return mod(Str(f), newTuple(v)) })
			return comparison{source(Str(f)) + " % (" + source(v) + ",)", got, err}
		}
		f := "<{:" + part(t, "align", "", "", "<", ">", "^", "=", "*^", "0=") + part(t, "sign", "", "", "+", "-", " ") + part(t, "form", "", "", "#") + part(t, "zero", "", "", "0") + width +
			part(t, "grouping", "", "", ",", "_") + precision + part(t, "kind", "", "", "d", "s", "x", "X", "b", "o", "c", "e", "f", "F", "g", "G", "%", "n", "q") + "}>"
		got, err := caught(func() Value { return callMethod(Str(f), "format", []Value{v}, nil) })
		return comparison{source(Str(f)) + ".format(" + source(v) + ")", got, err}
	})
}
