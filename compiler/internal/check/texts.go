package check

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
)

// texts maps references to their possible values, sorted by key; any value is
// possible for other references.
type texts []demand

// A demand is the set of possible values of one reference.
type demand struct {
	key string
	choice
}

// findDemand returns the index of the demand with a key, or the index at which to insert
// it.
func (t texts) findDemand(key string) (int, bool) {
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
		i, known := both.findDemand(d.key)
		switch {
		case !known && len(both) < maxTexts:
			both = slices.Insert(both, i, d)
		case known:
			c := both[i].choice
			if both[i].choice = c.and(d.choice); both[i].isEmpty() {
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
		if i, known := other.findDemand(c.key); known {
			if e := c.or(other[i].choice); !e.except || len(e.values) > 0 {
				either = append(either, demand{c.key, e})
			}
		}
	}
	return either
}

func (c choice) isEmpty() bool { return !c.except && len(c.values) == 0 }

func (c choice) and(d choice) choice {
	switch {
	case !c.except && !d.except:
		return choice{values: filterValues(c.values, d.values, true), at: c.at}
	case c.except && d.except && len(c.values)+len(d.values) > maxValues:
		return c
	case c.except && d.except:
		return choice{values: union(c.values, d.values), except: true, at: c.at}
	case c.except:
		return choice{values: filterValues(d.values, c.values, false), at: d.at}
	}
	return choice{values: filterValues(c.values, d.values, false), at: c.at}
}

// or is the complement of the values that neither allows.
func (c choice) or(d choice) choice {
	if len(c.values)+len(d.values) > maxValues {
		return choice{except: true}
	}
	c.except, d.except = !c.except, !d.except
	e := c.and(d)
	e.except = !e.except
	return e
}

// filterValues returns the values that are, or are not, in other.
func filterValues(values, other []string, in bool) []string {
	var kept []string
	for _, v := range values {
		if slices.Contains(other, v) == in {
			kept = append(kept, v)
		}
	}
	return kept
}

func union(a, b []string) []string { return append(slices.Clone(a), filterValues(b, a, false)...) }

// maxTexts and maxValues bound how many references, and how many values of one, are
// followed from node to node and through a condition; workflows that branch on more are
// analysed on fewer.
const (
	maxTexts  = 64
	maxValues = 128
)

func andTexts(x, y *texts) *texts {
	if x == nil || y == nil {
		return nil
	}
	t, clash := x.and(*y)
	if clash != nil {
		return nil
	}
	return &t
}

func orTexts(x, y *texts) *texts {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	t := x.or(*y)
	return &t
}
