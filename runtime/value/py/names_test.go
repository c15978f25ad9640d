package py

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/pynames"
)

func TestNamesAreThoseOfTheFunctions(t *testing.T) {
	filters, tests := Filters.All(), Tests.All()
	if len(filters) != len(pynames.Filters) || len(tests) != len(pynames.Tests) {
		t.Errorf("%d filters and %d tests, but %d and %d names", len(filters), len(tests), len(pynames.Filters), len(pynames.Tests))
	}
	for _, s := range pynames.Filters {
		f := filters[s.Name]
		if f == nil {
			t.Errorf("no filter %s", s.Name)
			continue
		}
		checkBinding(t, s, func(a Args) { f(Str("x"), a) })
	}
	for _, s := range pynames.Tests {
		f := tests[s.Name]
		if f == nil {
			t.Errorf("no test %s", s.Name)
			continue
		}
		checkBinding(t, s, func(a Args) { f(Str("x"), a) })
	}
	if _, ok := pynames.Filters.Find("nope"); ok {
		t.Error("there is a filter nope")
	}
	if g, ok := pynames.Globals.Find("range"); !ok || g.Method() != "Range" {
		t.Errorf("the global range is %+v, %v", g, ok)
	}
}

// checkBinding calls a function with one argument too many, and with a keyword
// that it does not have.
func checkBinding(t *testing.T, s pynames.Signature, call func(Args)) {
	t.Helper()
	if s.Refused != "" {
		if err := tryCatch(func() { call(Args{}) }); err == nil || err.Kind != "Unsupported" {
			t.Errorf("%s: %v", s.Name, err)
		}
		return
	}
	if !s.Rest {
		var pos []Value
		for range len(s.Params) + 1 {
			pos = append(pos, Int(1))
		}
		if err := tryCatch(func() { call(Args{Pos: pos}) }); err == nil || err.Kind != "TypeError" {
			t.Errorf("%s with %d arguments: %v", s.Name, len(pos), err)
		}
	}
	if !s.Keywords {
		if err := tryCatch(func() { call(Args{Kw: []Kw{{Name: "nope", Value: Int(1)}}}) }); err == nil || err.Kind != "TypeError" {
			t.Errorf("%s with the keyword nope: %v", s.Name, err)
		}
	}
	for _, p := range s.Params {
		if p.PositionalOnly {
			continue
		}
		if err := tryCatch(func() { call(Args{Kw: []Kw{{Name: p.Name, Value: Int(1)}}}) }); err != nil && strings.Contains(err.Error(), "unexpected keyword") {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}

// TestSignaturesAreThoseOfJinja compares parameters and defaults with what Python's
// module inspect says.
func TestSignaturesAreThoseOfJinja(t *testing.T) {
	interpreter := python(t)
	const form = `' '.join(('**' if p.kind == 4 else '*' if p.kind == 2 else p.name + ('' if p.default is p.empty else '=' + repr(p.default)))
		for p in list(inspect.signature(F).parameters.values())[1 + (list(inspect.signature(F).parameters)[0] in ('context', 'environment', 'env', 'eval_ctx')):])`
	var list []pynames.Signature
	var sources []string
	for _, s := range pynames.Filters {
		// json.dumps and ours take keywords; theirs takes some that nobody needs.
		if s.Name == "tojson" || s.Refused != "" {
			continue
		}
		list = append(list, s)
		sources = append(sources, strings.ReplaceAll(form, "F", "env.filters['"+s.Name+"']"))
	}
	for _, s := range pynames.Tests {
		list = append(list, s)
		sources = append(sources, strings.ReplaceAll(form, "F", "env.tests['"+s.Name+"']"))
	}
	n := len(sources)
	sources = append(sources, "sorted(env.filters)", "sorted(env.tests)", "sorted(env.globals)")
	answers := ask(t, interpreter, sources)
	for i, s := range list {
		var parts []string
		for _, p := range s.Params {
			part := p.Name
			if p.Default != "" {
				part += "=" + p.Default
			}
			parts = append(parts, part)
		}
		if s.Rest {
			parts = append(parts, "*")
		}
		if s.Keywords {
			parts = append(parts, "**")
		}
		if strings.Contains(answers[i][1], "no signature found for builtin") {
			continue // a MarkupSafe that was compiled from C
		}
		got, err := Repr(Str(strings.Join(parts, " ")))
		if want := answers[i]; err != nil || want[0] != "" || got != want[1] {
			t.Errorf("%s: %s here, %s in Python", s.Name, got, want)
		}
	}
	for i, table := range []pynames.Table{pynames.Filters, pynames.Tests, pynames.Globals} {
		var all []string
		for _, s := range table {
			all = append(all, s.Name)
		}
		got, err := Repr(ListOf(all))
		if err != nil || got != answers[n+i][1] {
			t.Errorf("names: %s here, %s in Python", got, answers[n+i][1])
		}
	}
}
