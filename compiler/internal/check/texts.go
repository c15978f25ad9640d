package check

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/types"
)

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

// maxTexts bounds how many compared values are followed from node to node;
// workflows that branch on more are analysed on fewer.
const maxTexts = 64

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
