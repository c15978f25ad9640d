package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/internal/types"
)

// carriers returns the pieces of a node's text that hold hostile text.
func (t *tracker) carriers(n syntax.Node) []carrier {
	switch n := n.(type) {
	case nil:
		return nil
	case *syntax.Word:
		if n == nil {
			return nil
		}
		var found []carrier
		for _, p := range n.Parts {
			found = append(found, t.carriers(p)...)
		}
		return known(found)
	case *syntax.DblQuoted:
		var found []carrier
		for _, p := range n.Parts {
			found = append(found, t.carriers(p)...)
		}
		return found
	case *syntax.ArrayExpr:
		var found []carrier
		for _, e := range n.Elems {
			found = append(found, t.carriers(e.Value)...)
		}
		return found
	case *syntax.ParamExp:
		through := ""
		if n.Param != nil {
			through = n.Param.Value
			if start, end := offsets(n); n.Short {
				if holes := t.s.holesIn(start, end); len(holes) > 0 {
					through = t.s.masked[start+1 : holes[0].Start]
				}
			}
		}
		return t.carriersOf(n, t.part(n), through)
	case *syntax.ProcSubst:
		return t.carriersOf(n, t.outputs(n.Stmts, t.lost("the input", int(n.Pos().Offset()))), "")
	case *fileNode:
		return t.carriersOf(n.Word, t.node(n), "")
	}
	return t.carriersOf(n, t.node(n), "")
}

// carriersOf returns the hostile pieces of a node with a value: the holes in it,
// and the node itself for text from elsewhere.
func (t *tracker) carriersOf(n syntax.Node, v value, through string) []carrier {
	start, end := offsets(n)
	if p, ok := n.(*syntax.ParamExp); ok && p.Short {
		if holes := t.s.holesIn(start, end); len(holes) > 0 {
			end = holes[0].Start
		}
	}
	_, whole := offsets(n)
	var found []carrier
	for _, o := range v.origins {
		p := o.seed.spot
		switch {
		case p != nil && start <= p.Start && p.End <= whole && o.at == p.Start,
			p != nil && strings.HasPrefix(through, suppliedName) && slices.Contains(t.s.spots, p):
			found = append(found, carrier{o, p.Start, p.End, ""})
		default:
			found = append(found, t.inside(n, carrier{o, start, end, through}))
		}
	}
	return known(found)
}

// inside moves a carrier that is a list of commands to the expansion in it that
// brings the value in.
func (t *tracker) inside(n syntax.Node, k carrier) carrier {
	switch n.(type) {
	case *syntax.Stmt, *syntax.CmdSubst, *syntax.ProcSubst:
	default:
		return k
	}
	if k.seed.lost != "" {
		return k
	}
	done := false
	syntax.Walk(n, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && !done && p.Param != nil {
			for _, o := range t.expansion(p).origins {
				if o.seed.same(k.seed) && !done {
					done = true
					k.start, k.end = offsets(p)
					k.through, k.at = p.Param.Value, o.at
				}
			}
		}
		return !done
	})
	return k
}

// known leaves out the lost pieces where a value is known to be.
func known(found []carrier) []carrier {
	if !slices.ContainsFunc(found, func(k carrier) bool { return k.seed.lost == "" }) {
		return found
	}
	return slices.DeleteFunc(found, func(k carrier) bool { return k.seed.lost != "" })
}

// hole is the value of a hole.
func hole(p *spot) value {
	if p.Type == types.Invalid {
		return anyText() // its fault is reported, and has no followers
	}
	v := from(seed{spot: p}, p.Start)
	v.text = !p.place.arith && !alwaysInteger(p.Type)
	return v
}
