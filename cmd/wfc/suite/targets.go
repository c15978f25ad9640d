package suite

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/cover"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/testjob"
	"github.com/wfc-lang/wfc/internal/types"
)

// placeNamed returns the node with a name of coverage, in which dots join the parts.
func (m *model) placeNamed(id string) *place {
	for _, pl := range m.places {
		if pl.scope == m.top && strings.ReplaceAll(pl.key, "/", ".") == id {
			return pl
		}
	}
	return nil
}

// solveItem returns flips that may cover an item.
func (m *model) solveItem(it cover.Item) [][]flip {
	words := strings.SplitN(it.Name, " ", 4)
	if len(words) < 2 {
		return nil
	}
	if words[0] == "term" {
		return m.termSolutions(words[1], words[2] == "true")
	}
	pl := m.placeNamed(words[1])
	if pl == nil {
		return nil
	}
	if words[0] == "way" && len(words) > 2 {
		return m.waySolutions(pl, words[2])
	}
	here := m.solveReach(pl)
	last := words[len(words)-1]
	switch words[0] {
	case "node":
		return here
	case "edge":
		if to := m.placeNamed(words[2]); to != nil {
			return mergeSolutions(combineSolutions(here, m.solveReach(to)), m.solveReach(to))
		}
	case "when":
		n, needs := pl.node, m.solveReach(pl.outer)
		for _, need := range n.Needs {
			needs = combineSolutions(needs, m.solveReach(pl.scope.places[need.Node.ID]))
		}
		return combineSolutions(needs, m.solveCondition(pl.scope, n.When, last == "true"))
	case "rule":
		var list [][]flip
		for _, need := range pl.node.Needs {
			if dep := pl.scope.places[need.Node.ID]; last == "skipped" {
				list = append(list, m.solveSkip(dep, 0)...)
			} else {
				list = append(list, m.solveFailure(dep, 0)...)
			}
		}
		return list
	case "loop":
		return combineSolutions(here, m.solveLoopEnd(pl, last))
	case "retry":
		var list [][]flip
		for _, at := range m.slotsOf(pl) {
			list = append(list, []flip{onceFailing(m.producers[at])})
		}
		return combineSolutions(here, list)
	case "alt":
		return combineSolutions(here, m.solveValue(pl, words[2], words[3]))
	}
	return here
}

// onceFailing lets the first use of a producer fail.
func onceFailing(p *producer) flip {
	f := failFlip(p)
	f.at, f.to.class, f.text = 0, "transient", displayKey(p.slot.key)+" fails once"
	if p.slot.kind != "agents" {
		f.to.class = ""
	}
	return f
}

// solveLoopEnd returns solutions with which a loop ends in a way.
func (m *model) solveLoopEnd(pl *place, how string) (list [][]flip) {
	switch how {
	case "error":
		return m.solveFailure(pl, 0)
	case "done":
		if a, ok := pl.node.Action.(*ir.Repeat); ok {
			return m.solveCondition(pl.scope, a.Cond, a.Until)
		}
		return trivialSolution()
	}
	for _, src := range m.outputSources(pl, nil, 0) {
		if p := m.producers[src.slot]; p != nil && (p.signal != "" || p.field != "") {
			list = append(list, []flip{missingWordFlip(p)})
		}
	}
	// All producers of the loop together must not end it.
	all := slices.Concat(list...)
	for _, at := range m.slotsOf(pl) {
		if p := m.producers[at]; p.test {
			all = append(all, flip{slot: at, at: every, to: give{exit: 1}, text: displayKey(pl.key) + " never ends"})
		}
	}
	list = append([][]flip{all}, list...)
	if a, ok := pl.node.Action.(*ir.Repeat); ok {
		list = append(list, m.solveCondition(pl.scope, a.Cond, !a.Until)...)
	}
	return list
}

// solveValue returns solutions in which a part of an output has a value.
func (m *model) solveValue(pl *place, path, value string) (list [][]flip) {
	var v any
	if json.Unmarshal([]byte(value), &v) != nil {
		return nil
	}
	var parts []string
	for _, part := range strings.Split(strings.TrimPrefix(path, "."), ".") {
		for strings.HasSuffix(part, element) && part != element {
			part = strings.TrimSuffix(part, element)
			parts = append(parts, part)
			part = element
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	for _, src := range m.outputSources(pl, parts, 0) {
		if m.producers[src.slot] == nil {
			continue
		}
		list = append(list, []flip{partFlip(src.slot, src.path, v)})
	}
	return list
}

// partFlip gives the part of a structured give at a path a value.
func partFlip(at slot, path []string, v any) flip {
	text := strings.Join(append([]string{displayKey(at.key)}, visibleParts(path)...), " ") + " is " + quoteForName(valueText(v))
	return flip{slot: at, at: every, path: path, to: give{data: v, structured: true}, text: text}
}

// termSolutions returns solutions for a result of the term at a place of the file.
func (m *model) termSolutions(at string, want bool) (list [][]flip) {
	for _, c := range m.listConditions() {
		if c.scope != m.top {
			continue
		}
		for _, leaf := range conditionTerms(c.expr) {
			if span := leaf.Span(); fmt.Sprintf("%d-%d", span.Start, span.End) == at {
				way := trivialSolution()
				if c.place != nil && c.place.node.When == c.expr {
					for _, need := range c.place.node.Needs {
						way = combineSolutions(way, m.solveReach(c.scope.places[need.Node.ID]))
					}
				} else {
					way = m.solveReach(c.place)
				}
				list = append(list, combineSolutions(way, m.solveTerm(c.scope, c.expr, leaf, want))...)
			}
		}
	}
	return list
}

// allFlips returns every change of a single slot that may matter.
func (m *model) allFlips(p *producer) (list []flip) {
	name := displayKey(p.slot.key)
	add := func(f flip) { list = append(list, f) }
	for _, c := range p.candidates {
		text := name + " is absent"
		if !c.to.absent {
			text = partFlip(p.slot, c.path, c.to.data).text
		} else if len(c.path) > 0 {
			text = strings.Join(append([]string{"no", name}, visibleParts(c.path)...), " ")
		}
		add(flip{slot: p.slot, at: every, path: c.path, to: c.to, text: text})
	}
	if p.slot.kind == "inputs" {
		in := m.inputs[p.slot.key]
		if in.Default != nil || in.Replaces != "" || isOptional(in.Type) {
			add(m.givenFlip(in))
			add(flip{slot: p.slot, at: every, to: give{absent: true}, text: "no " + name})
		}
		m.shapeFlips(p, shape{"type": "object", "properties": map[string]any{"": p.shape}}, nil, func(f flip) {
			f.path, f.to.structured, f.text = nil, false, name+" is "+quoteForName(valueText(f.to.data))
			add(f)
		})
		return list
	}
	for _, l := range p.labels {
		add(flip{slot: p.slot, at: every, to: labelGive(p, l, ""), text: name + " ends with " + l})
	}
	m.shapeFlips(p, p.shape, nil, add)
	if p.signal != "" || p.field != "" {
		add(missingWordFlip(p))
	}
	if p.test {
		add(flip{slot: p.slot, at: every, to: give{exit: 1}, text: name + " never ends"})
		return list
	}
	add(failFlip(p))
	if p.place != nil && (p.place.node.Retry != nil || p.repeats) {
		add(onceFailing(p))
		always := onceFailing(p)
		always.at, always.text = every, name+" fails at every attempt"
		add(always)
	}
	if p.place != nil && (p.place.node.Timeout > 0 || p.place.node.SkipOnTimeout) {
		add(timeoutFlip(p))
	}
	return list
}

// shapeFlips adds a change to each alternative of a schema.
func (m *model) shapeFlips(p *producer, s shape, path []string, add func(flip)) {
	if len(path) > deepest/2 {
		return
	}
	s = resolveUnion(s)
	values, _ := s["enum"].([]any)
	switch types.SchemaKind(s) {
	case "boolean":
		values = []any{true, false}
	case "object":
		properties, _ := s["properties"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			of, _ := properties[name].(map[string]any)
			m.shapeFlips(p, of, append(slices.Clone(path), name), add)
		}
	case "array":
		of, _ := s["items"].(map[string]any)
		m.shapeFlips(p, of, append(slices.Clone(path), element), add)
	}
	if isNullable(s) {
		values = append(slices.Clone(values), nil)
	}
	if len(path) == 0 || len(values) > 40 {
		return
	}
	for _, v := range values {
		add(partFlip(p.slot, path, v))
	}
}

// dependencyFacts names how the dependencies of each node ended that has several.
func (m *model) dependencyFacts(p *testjob.Run) (facts []string) {
	for _, pl := range m.places {
		if len(pl.node.Needs) < 2 || pl.scope != m.top {
			continue
		}
		var ends []string
		for _, need := range pl.node.Needs {
			if n, ok := p.Find(m.placeKey(pl, need)); ok && !need.Order {
				ends = append(ends, n.Status)
			}
		}
		slices.Sort(ends)
		if own, ok := p.Find(pl.key); ok {
			facts = append(facts, fmt.Sprintf("after %s: %s is %s", strings.Join(ends, " "), pl.key, own.Status))
		}
	}
	return facts
}

// placeKey returns the address of a dependency of a node.
func (m *model) placeKey(pl *place, need *ir.Need) string {
	if dep := pl.scope.places[need.Node.ID]; dep != nil {
		return dep.key
	}
	return ""
}

// leafVectors names the results of the terms of each condition in a run.
func (m *model) leafVectors(p *testjob.Run) (facts []string) {
	for i, c := range m.listConditions() {
		if c.scope != m.top || c.expr == nil {
			continue
		}
		list := conditionTerms(c.expr)
		if len(list) < 2 {
			continue
		}
		vector := ""
		for _, leaf := range list {
			vector += termResult(p, leaf)
		}
		if strings.Trim(vector, "-") != "" {
			facts = append(facts, fmt.Sprintf("terms of condition %d: %s", i, vector))
		}
	}
	return facts
}

func termResult(p *testjob.Run, e expr.Expr) string {
	n := p.Terms[fmt.Sprintf("%d-%d", e.Span().Start, e.Span().End)]
	switch {
	case n[0] > 0 && n[1] > 0:
		return "b"
	case n[0] > 0:
		return "f"
	case n[1] > 0:
		return "t"
	}
	return "-"
}
