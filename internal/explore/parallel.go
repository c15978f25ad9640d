package explore

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/ir"
)

// A forked is the knowledge after some branches of a parallel have ended: the
// minimum number of them, and whether one has failed.
type forked struct {
	values []value
	ended  int
	failed bool
}

// mostForked bounds the ways for the branches of a parallel to end that are
// distinguished; beyond it they are merged into one.
const mostForked = 4096

// parallelOutcomes returns the ways for a parallel to end. Its branches end with any of
// their labels. One that fails leaves no trace, and then the parallel ends with the
// label that represents a failure, if it has one.
func (w *walk) parallelOutcomes(n *ir.Node, p *ir.Parallel, values []value) []finished {
	good, bad := n.PassLabel(), n.FailureLabel()
	list := []forked{{values: values}}
	for _, b := range p.Branches {
		list = w.applyBranch(b, list, bad != "")
	}
	var ends []finished
	for _, f := range list {
		label := good
		if f.failed {
			label = bad
		}
		if label != "" {
			ends = append(ends, finished{label, w.applyHandlers(n, label, f.values), true, 1 + f.ended})
		}
	}
	return ends
}

// applyBranch applies the possible ends of a branch to each possible end of those before
// it.
func (w *walk) applyBranch(b *ir.Node, list []forked, mayFail bool) []forked {
	type key struct {
		name   string
		failed bool
	}
	seen := map[key]int{}
	var out []forked
	add := func(f forked) {
		k := key{w.configName(0, f.values), f.failed}
		if at, known := seen[k]; known {
			out[at].ended = min(out[at].ended, f.ended)
			return
		}
		seen[k] = len(out)
		out = append(out, f)
	}
	for _, f := range list {
		for _, l := range b.Labels {
			add(forked{w.applyHandlers(b, l.Name, f.values), f.ended + 1, f.failed})
		}
		if mayFail {
			add(forked{f.values, f.ended, true})
		}
	}
	if len(out) > mostForked {
		return mergeForks(out)
	}
	return out
}

// mergeForks makes one of those that have failed, and one of the others.
func mergeForks(list []forked) []forked {
	var out []forked
	at := map[bool]int{}
	for _, f := range list {
		i, known := at[f.failed]
		if !known {
			at[f.failed] = len(out)
			f.values = append([]value(nil), f.values...)
			out = append(out, f)
			continue
		}
		out[i].ended = min(out[i].ended, f.ended)
		for slot := range f.values {
			out[i].values[slot] = mergeValues(out[i].values[slot], f.values[slot])
		}
	}
	return out
}

// parallelOf is the parallel of which a node is a branch.
func (m *model) parallelOf(branch *ir.Node) *ir.Node {
	for _, n := range m.nodes {
		if p, ok := n.Action.(*ir.Parallel); ok && slices.Contains(p.Branches, branch) {
			return n
		}
	}
	return nil
}
