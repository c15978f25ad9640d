package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// nodeSteps returns the steps that are nodes of the workflow, in its order; the
// others are parts of these.
func nodeSteps(def *flow.Definition, steps []flow.Record) []flow.Record {
	byKey := make(map[string]flow.Record, len(steps))
	for _, s := range steps {
		byKey[s.Key] = s
	}
	list := make([]flow.Record, 0, len(def.Nodes))
	for _, n := range def.Nodes {
		if s, ok := byKey[n.Key]; ok {
			list = append(list, s)
		}
	}
	return list
}

// spent is what a node has cost in all processes of the run. The record of a
// node that has parts says it when the node has ended; until then the parts do.
func spent(node flow.Record, steps []flow.Record) flow.Meta {
	sum := node.Meta
	if node.Status.Ended() {
		return sum
	}
	for _, s := range steps {
		if s.Key != node.Key && stepkey.PartOf(s.Key, node.Key) {
			sum = sum.Plus(s.Meta)
		}
	}
	return sum
}

// total is what a run has cost: the sum over its nodes.
func total(def *flow.Definition, steps []flow.Record) flow.Meta {
	var sum flow.Meta
	for _, n := range nodeSteps(def, steps) {
		sum = sum.Plus(spent(n, steps))
	}
	return sum
}

// usageText says what something cost, or "" when nobody reported anything.
func usageText(m flow.Meta) string {
	text := spentText(m.Spent())
	if m.Replayed == (flow.Usage{}) {
		return text
	}
	return text + after(map[bool]string{true: "; "}[text != ""], spentText(m.Replayed)) + " replayed, not spent"
}

func spentText(m flow.Usage) string {
	var parts []string
	if m.CostUSD > format.TinyCost {
		parts = append(parts, costText(m.CostUSD))
	}
	if m.InputTokens > 0 || m.OutputTokens > 0 {
		parts = append(parts, format.Thousands(m.InputTokens)+" tokens in, "+format.Thousands(m.OutputTokens)+" out")
	}
	switch {
	case m.Turns == 1:
		parts = append(parts, "1 turn")
	case m.Turns > 1:
		parts = append(parts, strconv.Itoa(m.Turns)+" turns")
	}
	return strings.Join(parts, ", ")
}

// costText is an amount of dollars, with more digits when it is small.
func costText(usd float64) string {
	if usd < 1 {
		return fmt.Sprintf("$%.4f", usd)
	}
	return fmt.Sprintf("$%.2f", usd)
}
