package check

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// maxTexts bounds how many compared values are followed from node to node;
// workflows that branch on more are analysed on fewer.
const maxTexts = 64

// branches reports conditions with one possible result, and nodes whose
// trigger rule needs branches that exclude each other. constant are the nodes
// whose conditions were reported already.
func (a *analysis) branches(constant map[*ir.Node]bool, bag *diag.Bag) map[*ir.Node]texts {
	b := &branchPass{analysis: a, given: map[*ir.Node]texts{}, dead: map[*ir.Node]bool{}, constant: constant, bag: bag}
	for _, n := range a.nodes {
		b.visit(n)
	}
	return b.given
}

type branchPass struct {
	*analysis
	// given are the required texts of outputs when a node runs.
	given map[*ir.Node]texts
	// dead are the nodes that never run; nodes that wait for them are not reported.
	dead     map[*ir.Node]bool
	constant map[*ir.Node]bool
	bag      *diag.Bag
}

// visit computes the texts that are given when a node runs.
func (b *branchPass) visit(n *ir.Node) texts {
	if t, done := b.given[n]; done {
		return t
	}
	b.given[n] = nil // a node that waits for itself has been reported
	given := b.needed(n)
	if n.Within != nil && !b.dead[n] {
		around := b.visit(n.Within)
		b.dead[n] = b.dead[n.Within]
		if both, clash := given.and(around); clash == nil {
			given = both
		}
	}
	own, never := b.condition(n)
	b.dead[n] = b.dead[n] || never
	if !b.dead[n] {
		var clash *conflict
		if given == nil {
			given = b.analysis.given // when the node around it runs
		}
		if given, clash = given.and(own); clash != nil {
			b.clash(n, clash)
		}
	}
	b.given[n] = given
	return given
}

// needed returns the texts that are given because of the required ends of
// dependencies.
func (b *branchPass) needed(n *ir.Node) texts {
	var given texts
	for d := range declared(n) {
		b.visit(d)
	}
	if n.Trigger != ir.AllSuccess && countDeclared(n) != 1 || n.Trigger == ir.AllDone {
		return nil
	}
	for d := range declared(n) {
		if b.dead[d] {
			b.dead[n] = true
			return nil
		}
		var clash *conflict
		if given, clash = given.and(b.given[d]); clash != nil {
			b.clash(n, clash)
			return nil
		}
	}
	return given
}

func (b *branchPass) clash(n *ir.Node, c *conflict) {
	b.dead[n] = true
	b.bag.Add(finding.NeverTogether(n.IDSpan, n.ID, c.key, c.first, c.second))
}

// condition returns the demands of a node's condition, and whether it never holds.
func (b *branchPass) condition(n *ir.Node) (texts, bool) {
	if n.When == nil {
		return nil, false
	}
	yes, no := demands(n.When, n.When.Span())
	switch {
	case yes == nil:
		if !b.constant[n] {
			b.bag.Add(finding.ConstantCondition(n.When.Span(), n.ID, false))
		}
		return nil, true
	case no == nil && !b.constant[n]:
		b.bag.Add(finding.ConstantCondition(n.When.Span(), n.ID, true))
	}
	return *yes, false
}

// texts maps references to their possible values, sorted by key; any value is
// possible for other references.
type texts []demand

// A demand is the set of possible values of one reference.
type demand struct {
	key string
	choice
}

// find returns the index of the demand with a key, or the index at which to insert
// it.
func (t texts) find(key string) (int, bool) {
	return slices.BinarySearchFunc(t, key, func(d demand, key string) int { return strings.Compare(d.key, key) })
}

// A choice is a set of texts, or with except all texts but these.
type choice struct {
	values []string
	except bool
	// at is the condition that demands it.
	at source.Span
}

// A conflict is a reference that would need to have two values at once.
type conflict struct {
	key           string
	first, second source.Span
}

// and returns the demands if both hold; if that is impossible, it returns the
// reason.
func (t texts) and(other texts) (texts, *conflict) {
	if len(other) == 0 {
		return t, nil
	}
	if len(t) == 0 {
		return other, nil
	}
	both := append(make(texts, 0, len(t)+len(other)), t...)
	for _, d := range other {
		i, known := both.find(d.key)
		switch {
		case !known && len(both) < maxTexts:
			both = slices.Insert(both, i, d)
		case known:
			c := both[i].choice
			if both[i].choice = c.and(d.choice); both[i].empty() {
				return nil, &conflict{d.key, c.at, d.at}
			}
		}
	}
	return both, nil
}

// or returns the demands if at least one of the two holds.
func (t texts) or(other texts) texts {
	var either texts
	for _, c := range t {
		if i, known := other.find(c.key); known {
			if e := c.or(other[i].choice); !e.except || len(e.values) > 0 {
				either = append(either, demand{c.key, e})
			}
		}
	}
	return either
}

func (c choice) empty() bool { return !c.except && len(c.values) == 0 }

func (c choice) and(d choice) choice {
	switch {
	case !c.except && !d.except:
		return choice{values: keep(c.values, d.values, true), at: c.at}
	case c.except && d.except:
		return choice{values: union(c.values, d.values), except: true, at: c.at}
	case c.except:
		return choice{values: keep(d.values, c.values, false), at: d.at}
	}
	return choice{values: keep(c.values, d.values, false), at: c.at}
}

// or is the complement of the values that neither allows.
func (c choice) or(d choice) choice {
	c.except, d.except = !c.except, !d.except
	e := c.and(d)
	e.except = !e.except
	return e
}

// keep returns the values that are, or are not, in other.
func keep(values, other []string, in bool) []string {
	var kept []string
	for _, v := range values {
		if slices.Contains(other, v) == in {
			kept = append(kept, v)
		}
	}
	return kept
}

func union(a, b []string) []string { return append(slices.Clone(a), keep(b, a, false)...) }

// demands returns the demands of a condition that holds and of one that does not;
// nil means that it never does. at is the whole condition.
func demands(e expr.Expr, at source.Span) (yes, no *texts) {
	switch e := e.(type) {
	case *expr.Compare:
		return compareDemands(e, at)
	case *expr.Logic:
		xYes, xNo := demands(e.X, at)
		yYes, yNo := demands(e.Y, at)
		if e.Op == expr.And {
			return both(xYes, yYes), either(xNo, yNo)
		}
		return either(xYes, yYes), both(xNo, yNo)
	case *expr.Not:
		yes, no = demands(e.X, at)
		return no, yes
	case *expr.Literal:
		if value, ok := expr.Constant(e); ok && value {
			return &texts{}, nil
		} else if ok {
			return nil, &texts{}
		}
	}
	return &texts{}, &texts{}
}

func both(x, y *texts) *texts {
	if x == nil || y == nil {
		return nil
	}
	t, clash := x.and(*y)
	if clash != nil {
		return nil
	}
	return &t
}

func either(x, y *texts) *texts {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	t := x.or(*y)
	return &t
}

// compareDemands returns the demands of a single comparison. Comparisons of numbers
// have no demands that this analysis follows.
func compareDemands(c *expr.Compare, at source.Span) (yes, no *texts) {
	lit, ok := c.Y.(*expr.Literal)
	key, domain := readKey(c.X)
	if !ok || key == "" || c.Op.IsNumeric() || lit.Typ == types.Invalid {
		return &texts{}, &texts{}
	}
	equal := texts{{key, domain.and(choice{values: []string{lit.Text}, at: at})}}
	other := texts{{key, domain.and(choice{values: []string{lit.Text}, except: true, at: at})}}
	if c.Op == expr.TextEqual {
		return possible(equal), possible(other)
	}
	return possible(other), possible(equal)
}

func possible(t texts) *texts {
	for _, c := range t {
		if c.empty() {
			return nil
		}
	}
	return &t
}

// readKey names a value as conditions write it, with the texts it can have.
func readKey(e expr.Expr) (string, choice) {
	all := choice{except: true}
	switch e := e.(type) {
	case *expr.Output:
		if e.Previous {
			return "$LOOP_PREV." + e.Node + ".output", all
		}
		return "$" + e.Node + ".output", all
	case *expr.Input:
		return "$INPUTS." + e.Name, domain(e.Typ, false)
	case *expr.Field:
		key := "$" + e.Node + ".output"
		if e.Previous {
			key = "$LOOP_PREV." + e.Node + ".output"
		}
		for _, name := range e.Path {
			key += "." + name
		}
		if e.Declared {
			all = domain(e.Typ, e.Presence&expr.MaybeAbsent != 0)
		}
		return key, all
	}
	return "", all
}

// domain is the set of texts that a declared value can have.
func domain(t types.Type, empty bool) choice {
	if o, ok := t.(*types.Optional); ok {
		t, empty = o.Elem, true
	}
	var values []string
	switch t := t.(type) {
	case *types.Enum:
		values = slices.Clone(t.Values)
	case types.Basic:
		if t == types.Bool {
			values = []string{"true", "false"}
		}
	}
	if values == nil {
		return choice{except: true}
	}
	if empty && !slices.Contains(values, "") {
		values = append(values, "")
	}
	return choice{values: values}
}
