package explore_test

import (
	"testing"

	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// Unknown values are tried wherever a guard can tell them apart.
func TestUnknownValues(t *testing.T) {
	type given struct {
		name string
		typ  types.Type
	}
	read := func(v given) expr.Expr { return &expr.State{Name: v.name, Typ: v.typ} }
	a, b, c, w := given{"a", types.Float}, given{"b", types.Float}, given{"c", types.Float}, given{"w", types.Int}
	s, z := given{"s", types.Text}, given{"z", types.Text}
	less := func(x, y expr.Expr) expr.Expr { return compareValues(expr.ValueLess, x, y) }
	differ := func(x, y expr.Expr) expr.Expr { return compareValues(expr.ValueNotEqual, x, y) }
	for name, test := range map[string]struct {
		guard expr.Expr
		can   bool
	}{
		"between two constants":           {and(less(number("3"), read(a)), less(read(a), number("4"))), true},
		"between two for whole ones":      {and(less(number("3"), read(w)), less(read(w), number("4"))), false},
		"whole between two":               {and(less(number("3"), read(w)), less(read(w), number("5"))), true},
		"three in a gap":                  {and(and(less(number("3"), read(a)), less(read(a), read(b))), and(less(read(b), read(c)), less(read(c), number("4")))), true},
		"around a whole one":              {and(and(less(number("2"), read(a)), less(read(a), read(w))), and(less(read(w), read(b)), less(read(b), number("4")))), true},
		"three in a row without constant": {and(less(read(a), read(b)), less(read(b), read(c))), true},
		"a cycle":                         {and(less(read(a), read(b)), less(read(b), read(a))), false},
		"less than itself":                {less(read(a), read(a)), false},
		"a text between two":              {and(less(word("a"), read(s)), less(read(s), word("ab"))), true},
		"a text before all":               {less(read(s), word("a")), true},
		"no text before the empty one":    {less(read(s), word("")), false},
		"other than two":                  {and(differ(read(s), word("a")), differ(read(s), word("b"))), true},
		"two others":                      {and(differ(read(s), read(z)), and(differ(read(s), word("a")), differ(read(z), word("a")))), true},
		"the label itself":                {compareValues(expr.ValueEqual, &expr.LastLabel{Node: "n", Typ: types.Text}, read(s)), true},
		"the node itself":                 {compareValues(expr.ValueEqual, &expr.Progress{Measure: expr.CurrentNode}, read(s)), true},
		"what a handler sets":             {less(&expr.State{Name: "set", Typ: types.Float}, read(a)), true},
		"never what a handler sets":       {less(&expr.State{Name: "set", Typ: types.Float}, number("41")), false},
	} {
		g, node := build("n: done")
		for _, v := range []given{a, b, c, w, s, z} {
			variable(g, v.name, v.typ, &expr.Input{Name: v.name, Typ: v.typ})
		}
		variable(g, "set", types.Float, number("0"))
		set(g, node("n"), "done", "set", number("41"))
		edge(node("n"), nil, test.guard)
		r := explore.Run(g, explore.Options{})
		if can := r.Edges(node("n")).Edges[0].Taken != nil; can != test.can {
			t.Errorf("%s: it can hold: %v", name, can)
		}
	}
}

// A guard of which nothing is known counts as true and as false.
func TestAGuardThatIsNotKnown(t *testing.T) {
	g, node := build("a: ok", "b: ok")
	edge(node("a"), node("b"), &expr.Bad{})
	edge(node("a"), nil, nil)
	edge(node("b"), nil, nil)
	r := explore.Run(g, explore.Options{})
	for i, e := range r.Edges(node("a")).Edges {
		if e.Taken == nil || e.Taken.Certain {
			t.Errorf("edge %d: %+v", i, e.Taken)
		}
	}
	if n, _ := r.Shortest(false); n != 1 || !r.Reached(node("b")) {
		t.Error(n)
	}
}

// A variable whose value a handler removes may be null anywhere; a constant of any
// type has the value of its JSON.
func TestNullAndAnything(t *testing.T) {
	g, node := build("a: ok gone")
	v := variable(g, "v", &types.Optional{Elem: types.Any}, &expr.Literal{Text: "true", Typ: types.Any})
	set(g, node("a"), "gone", "v", &expr.Literal{Text: "null", Typ: types.Null})
	null := edge(node("a"), nil, compareValues(expr.ValueEqual, v, &expr.Literal{Text: "null", Typ: types.Null}))
	yes := edge(node("a"), nil, compareValues(expr.ValueEqual, v, boolean("true")))
	r := explore.Run(g, explore.Options{})
	for _, c := range []*explore.Choice{r.Edges(node("a")), r.Anywhere(node("a"))} {
		for _, e := range c.Edges {
			if e.Taken == nil {
				t.Errorf("null %v, yes %v: never", e.Edge == null, e.Edge == yes)
			}
		}
		if c == r.Edges(node("a")) && len(c.Gaps) > 0 {
			t.Errorf("%+v", c.Gaps)
		}
	}
}

// Variables that no handler sets may have any value when settings are free.
func TestSettings(t *testing.T) {
	g, node := build("a: ok", "d: yes no")
	mode := variable(g, "mode", types.Text, word("quick"))
	node("d").Action = &ir.Decision{Cond: compareValues(expr.ValueEqual, mode, word("deep"))}
	edge(node("a"), node("d"), nil)
	edge(node("d"), nil, nil)
	for _, free := range []bool{false, true} {
		if _, ok := explore.Run(g, explore.Options{Settings: free}).WayOut(node("d"), "yes"); ok != free {
			t.Errorf("settings are free: %v, and the decision says yes: %v", free, ok)
		}
	}
}
