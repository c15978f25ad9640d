package suite

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// Solutions and proofs for the ways through a sequence of steps; testrun.Hits has their names.

// waySolutions returns solutions with which a run goes a way of a step.
func (m *model) waySolutions(pl *place, way string) (list [][]flip) {
	n, here := pl.node, m.solveReach(pl)
	switch way {
	case "skip":
		return combineSolutions(m.solveReach(pl.outer), m.solveCondition(pl.scope, n.When, false))
	case "given":
		if in := n.Given; in != nil {
			list = append(list, []flip{m.givenFlip(in)})
		}
		return list
	case "failed":
		for _, before := range m.places {
			if before.scope == pl.scope && before.outer == pl.outer && !before.node.Finally {
				list = append(list, m.solveFailure(before, 0)...)
			}
		}
		return list
	case "item", "next", "empty":
		return combineSolutions(here, m.solveListLength(pl, map[string]int{"item": 1, "next": 2}[way]))
	case "repeat":
		if a, ok := n.Action.(*ir.Repeat); ok {
			for _, flips := range m.solveCondition(pl.scope, a.Cond, !a.Until) {
				first := slices.Clone(flips)
				for i := range first {
					if first[i].slot.kind != "inputs" {
						first[i].at = 0
					}
				}
				list = append(list, first, flips)
			}
		}
		return combineSolutions(here, list)
	case "done", "limit":
		return combineSolutions(here, m.solveLoopEnd(pl, way))
	case "accept", "edit", "reject", "feedback", "rerun":
		at := slot{"answers", pl.key + "/review"}
		return combineSolutions(here, [][]flip{{{slot: at, at: 0, to: give{choice: way, text: map[string]string{"feedback": "Please change it."}[way]}, text: displayKey(at.key) + " gets " + way}}})
	}
	return here
}

// givenFlip gives the input that replaces a step.
func (m *model) givenFlip(in *ir.Input) flip {
	return flip{slot: slot{"inputs", in.Name}, at: every, to: give{data: m.inputValue(in)}, text: in.Name + " is given"}
}

// solveListLength returns solutions with which the lists of a loop have n items.
func (m *model) solveListLength(pl *place, n int) [][]flip {
	a, ok := pl.node.Action.(*ir.ForEach)
	if !ok {
		return nil
	}
	all := trivialSolution()
	for _, v := range a.Vars {
		var list [][]flip
		for _, src := range m.exprSources(pl.scope, v.Items, 0) {
			for _, f := range m.listFlips(src, n) {
				list = append(list, []flip{f})
			}
		}
		if len(list) > 0 {
			all = combineSolutions(all, list)
		}
	}
	return all
}

// listFlips returns the changes with which a list has n items.
func (m *model) listFlips(src source, n int) []flip {
	p := m.producers[src.slot]
	if p == nil || src.slot.kind != "inputs" || len(src.path) > 0 || types.SchemaKind(p.shape) != "string" {
		src.size = true
		return m.valueFlips(src, probeValue{value: float64(n)})
	}
	// A string is read as JSON.
	text := encodeJSON(p.form.sampleElements("element", n))
	return []flip{{slot: src.slot, at: every, to: give{data: text}, text: displayKey(src.slot.key) + " is " + quoteForName(text)}}
}

// wayProof proves that no run goes a way of a step.
func (ps *proofs) wayProof(pl *place, way string) proof {
	if way == "END" {
		return ps.neverEnds(true)
	}
	if pl == nil {
		return ""
	}
	n := pl.node
	if way == "given" {
		return "" // the input may always be given
	}
	if way == "skip" {
		if p := ps.neverDecides(pl); p != "" {
			return p
		}
		return ps.proveNever(pl, n.When, false)
	}
	if p := ps.neverRuns(pl); p != "" {
		return p
	}
	switch a := n.Action.(type) {
	case *ir.ForEach:
		return itemProof(a, way)
	case *ir.Repeat:
		value, constant := expr.Constant(expr.Fold(expr.Copy(a.Cond)))
		ends := constant && value == a.Until
		switch {
		case way == "repeat" && a.Max == 1:
			return "the limit is one iteration"
		case ends && (way == "repeat" || way == "limit"):
			return "the condition always ends the loop"
		case constant && !ends && way == "done":
			return "the condition never ends the loop"
		}
	}
	switch way {
	case "done", "accept", "edit", "reject", "feedback", "rerun":
		return ps.neverCompletes(pl)
	case "completed":
		return ps.neverEnds(false)
	}
	return ""
}

// neverEnds proves that no run of a sequence completes all steps; finally says whether those of
// finally count.
func (ps *proofs) neverEnds(finally bool) proof {
	for _, pl := range ps.model.places {
		if pl.scope == ps.model.top && pl.outer == nil && (finally || !pl.node.Finally) {
			if p := ps.proveBlocked(pl); p != "" {
				return p
			}
		}
	}
	return ""
}

// proveBlocked proves that no run goes past a step of a sequence.
func (ps *proofs) proveBlocked(pl *place) proof {
	if pl.node.When != nil || pl.node.Given != nil || pl.node.SkipOnTimeout {
		return ""
	}
	return ps.neverCompletes(pl)
}

// itemProof proves that a loop never has no item, one, or several, or that it never ends by an
// error of an item.
func itemProof(a *ir.ForEach, way string) proof {
	least := map[string]int{"item": 1, "next": 2}[way]
	for _, v := range a.Vars {
		n, known := knownLength(v.Items)
		switch {
		case known && way == "empty" && n > 0:
			return proof(fmt.Sprintf("`%s` always has items", v.Var.Name))
		case known && way == "error" && n == 0 && len(a.Vars) == 1, known && way != "error" && way != "empty" && n < least:
			return proof(fmt.Sprintf("`%s` always has %s", v.Var.Name, map[int]string{0: "no item", 1: "one item"}[n]))
		}
	}
	return ""
}

// knownLength returns the number of items of a list in every run, as far as it is known.
func knownLength(items expr.Expr) (n int, known bool) {
	switch e := expr.Fold(expr.Copy(items)).(type) {
	case *expr.ListOf:
		return len(e.Items), true
	case *expr.DictOf:
		return 1, true
	case *expr.Literal:
		var list []any
		if json.Unmarshal([]byte(e.Text), &list) == nil && list != nil {
			return len(list), true
		}
		return 1, true
	}
	switch t := items.Type().(type) {
	case *types.Struct:
		return 1, true
	case types.Basic:
		return 1, t == types.Int || t == types.Float || t == types.Bool
	}
	return 0, false
}
