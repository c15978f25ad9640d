package explore_test

import (
	"testing"

	"github.com/wfc-lang/wfc/internal/explore"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// A term has the results that a run can have: none behind an operand that always decides, behind
// an edge that is always taken, or behind a goal that is always met.
func TestTerms(t *testing.T) {
	g, node := build("work: done", "review: bad good")
	never := compareValues(expr.ValueLess, variable(g, "n", types.Float, number("0")), number("3"))
	free := compareValues(expr.ValueLess, variable(g, "m", types.Float, number("0")), number("3"))
	set(g, node("work"), "done", "m", &expr.Said{})
	bad, first, again, good := label("review", "bad"), label("review", "bad"), label("review", "bad"), label("review", "good")
	behind, late := label("work", "done"), label("review", "good")
	edge(node("work"), node("review"), nil)
	edge(node("review"), node("work"), &expr.Logic{Op: expr.And, X: bad, Y: free})
	edge(node("review"), node("work"), &expr.Logic{Op: expr.And, X: first, Y: never})
	edge(node("review"), nil, &expr.Logic{Op: expr.Or, X: &expr.Not{X: again}, Y: good})
	edge(node("review"), nil, behind)
	goal := label("review", "good")
	g.Goals = []*ir.Goal{{Cond: goal}, {Cond: late}}

	terms := explore.Run(g, explore.Options{}).Terms()
	for _, tt := range []struct {
		what string
		term expr.Expr
		want explore.Results
	}{
		{"a label", bad, explore.Results{True: true, False: true}},
		{"a variable that a reply sets", free, explore.Results{True: true, False: true}},
		{"a label of two edges", first, explore.Results{True: true, False: true}},
		{"a variable that nothing sets", never, explore.Results{True: true}},
		{"a label of which the edges before leave one", again, explore.Results{False: true}},
		{"an operand behind one that decides", good, explore.Results{}},
		{"an edge behind one that is always taken", behind, explore.Results{}},
		{"a goal that every end meets", goal, explore.Results{True: true}},
		{"a goal behind one that is always met", late, explore.Results{}},
	} {
		if got, known := terms[tt.term]; !known || got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.what, got, tt.want)
		}
	}
	if len(terms) != 9 {
		t.Errorf("%d terms", len(terms))
	}
}
