package diagram

import (
	"fmt"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A sample is a workflow of about 60 nodes, or one with features that are hard to draw.
type sample struct {
	name string
	Workflow
}

// samples are the workflows whose pictures are checked and looked at.
func samples() []sample {
	list := []sample{
		{"layers", Workflow{Nodes: layered(10, 6)}},
		{"fan", Workflow{Nodes: fan(58)}},
		{"fan-conditions", Workflow{Nodes: fanConditions(20)}},
		{"chain", Workflow{Nodes: chain(60)}},
		{"loops", Workflow{Nodes: loops()}},
		{"alone", Workflow{Nodes: alone(30)}},
		{"includes", Workflow{Nodes: includes()}},
		{"include-in-loop", Workflow{Nodes: []flow.NodeInfo{{Key: "fix", Kind: "loop", Inside: includes()}}}},
		{"circle", Workflow{Nodes: []flow.NodeInfo{{Key: "a", Kind: "bash"}, {Key: "b", Kind: "bash", After: []string{"c", "b"}}, {Key: "c", Kind: "bash", After: []string{"b", "gone"}}}}},
		{"nothing", Workflow{}},
	}
	states, edges := states(40)
	list = append(list, sample{"states", Workflow{Nodes: states, Graph: edges}})
	nodes, g := feature()
	list = append(list, sample{"feature", Workflow{Nodes: nodes, Graph: g}})
	nodes, g = strayBranches()
	list = append(list, sample{"branches", Workflow{Nodes: nodes, Graph: g}})
	for i := range list {
		list[i].Name = list[i].name
	}
	return list
}

var sampleKinds = []string{"bash", "prompt", "script", "approval", "loop", "workflow", "wait", "cancel"}

// layered are layers of nodes, each of which depends on a few of the layer before, some with
// conditions and rules.
func layered(layers, size int) []flow.NodeInfo {
	var nodes []flow.NodeInfo
	for l := range layers {
		for i := range size {
			n := flow.NodeInfo{Key: fmt.Sprintf("step_%d_%d", l, i), Kind: sampleKinds[(l*3+i)%len(sampleKinds)]}
			if l > 0 {
				n.After = []string{fmt.Sprintf("step_%d_%d", l-1, i), fmt.Sprintf("step_%d_%d", l-1, (i*2+l)%size)}
			}
			if l > 2 && i == 3 {
				n.After = append(n.After, fmt.Sprintf("step_%d_%d", l-3, 1))
				n.Order = []string{fmt.Sprintf("step_%d_%d", l-2, 2)}
			}
			if (l+i)%7 == 3 {
				n.When = fmt.Sprintf("$step_%d_%d.output.kind == 'report' && $step_0_0.output.size > %d", max(0, l-1), i, l)
			}
			if (l+i)%5 == 4 {
				n.Rule = "none_failed_min_one_success"
			}
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// fan is one node, many that depend on it, and one that depends on these.
func fan(n int) []flow.NodeInfo {
	nodes := []flow.NodeInfo{{Key: "list", Kind: "bash"}}
	last := flow.NodeInfo{Key: "collect", Kind: "prompt", Agent: "claude", Rule: "all_done"}
	for i := range n {
		key := fmt.Sprintf("review_part_%d", i)
		nodes = append(nodes, flow.NodeInfo{Key: key, Kind: sampleKinds[i%3], After: []string{"list"}})
		last.After = append(last.After, key)
	}
	return append(nodes, last)
}

// fanConditions is a fan with a condition at each node.
func fanConditions(n int) []flow.NodeInfo {
	nodes := fan(n)
	for i := range n {
		nodes[i+1].When = fmt.Sprintf("$list.output contains 'part%d'", i)
	}
	return nodes
}

// chain is a long chain whose nodes also depend on earlier ones.
func chain(n int) []flow.NodeInfo {
	var nodes []flow.NodeInfo
	for i := range n {
		c := flow.NodeInfo{Key: fmt.Sprintf("link%d", i), Kind: sampleKinds[i%3]}
		if i > 0 {
			c.After = append(c.After, fmt.Sprintf("link%d", i-1))
		}
		if i >= 5 && i%4 == 0 {
			c.After = append(c.After, fmt.Sprintf("link%d", i-5))
		}
		if i >= 20 && i%15 == 0 {
			c.After, c.When = append(c.After, fmt.Sprintf("link%d", i-20)), "$link0.output == 'go on'"
		}
		nodes = append(nodes, c)
	}
	return nodes
}

// loops are groups of nodes inside groups.
func loops() []flow.NodeInfo {
	body := func(n int, inner ...flow.NodeInfo) []flow.NodeInfo {
		list := layered(n, 3)
		return append(list, inner...)
	}
	polish := flow.NodeInfo{Key: "polish", Kind: "loop", Loop: "polish.output.score < 8", After: []string{"step_1_1"}, When: "$step_1_1.output == 'rough'", Inside: body(2)}
	return []flow.NodeInfo{
		{Key: "plan", Kind: "prompt", Agent: "claude"},
		{Key: "fix", Kind: "loop", After: []string{"plan"}, Inside: body(3, polish)},
		{Key: "each", Kind: "for", Loop: "name, id", After: []string{"plan"}, Inside: []flow.NodeInfo{{Key: "each", Kind: "parallel", Inside: []flow.NodeInfo{{Key: "look", Kind: "bash"}, {Key: "think", Kind: "prompt", Agent: "claude"}, {Key: "tell", Kind: "bash"}}}}},
		{Key: "retry", Kind: "repeat", Loop: "{{ retry.ok }}", Reviewed: true, After: []string{"each"}, Inside: []flow.NodeInfo{{Key: "retry", Kind: "bash"}}},
		{Key: "again", Kind: "while", Loop: "{{ more }}", After: []string{"fix", "retry"}, Rule: "all_done", Inside: body(3)},
		{Key: "report", Kind: "prompt", After: []string{"again", "plan"}, When: "$again.output != ''"},
	}
}

// alone are nodes without edges.
func alone(n int) []flow.NodeInfo {
	var nodes []flow.NodeInfo
	for i := range n {
		nodes = append(nodes, flow.NodeInfo{Key: fmt.Sprintf("task%d", i), Kind: sampleKinds[i%len(sampleKinds)]})
	}
	return nodes
}

// includes are blocks inside blocks whose nodes others outside depend on.
func includes() []flow.NodeInfo {
	return []flow.NodeInfo{
		{Key: "a", Kind: "bash"}, {Key: "b", Kind: "prompt"},
		{Key: "i", Kind: "include", Workflow: "review", After: []string{"a"}, When: "$a.output == 'yes'"},
		{Key: "i__one", Kind: "prompt", After: []string{"i"}, Include: "i"},
		{Key: "i__two", Kind: "prompt", After: []string{"i"}, Include: "i", When: "$i.output.deep == true"},
		{Key: "i__j", Kind: "include", Workflow: "lint", After: []string{"i__one", "i__two"}, Include: "i"},
		{Key: "i__j__k", Kind: "bash", After: []string{"i__j"}, Include: "i__j"},
		{Key: "i__j__l", Kind: "bash", After: []string{"i__j"}, Include: "i__j"},
		{Key: "y", Kind: "bash", After: []string{"i__j__k", "b"}, Rule: "one_success"},
		{Key: "z", Kind: "bash", After: []string{"i__j__k", "i__j__l"}},
		{Key: "w", Kind: "bash", After: []string{"i__two", "z"}, When: "$z.output =~ /a very long condition that goes on and on/ || $y.output == 'nothing at all'"},
	}
}

// states is a state graph with edges that lead back, far ahead and to the same node.
func states(n int) ([]flow.NodeInfo, *flow.GraphInfo) {
	kinds := []string{"prompt", "bash", "decision", "human", "checkpoint"}
	key := func(i int) string { return fmt.Sprintf("state_%d", i) }
	var nodes []flow.NodeInfo
	g := &flow.GraphInfo{Edges: []flow.EdgeInfo{{To: key(0)}}}
	for i := range n {
		nodes = append(nodes, flow.NodeInfo{Key: key(i), Kind: kinds[i%len(kinds)], Agent: map[bool]string{true: "claude"}[i%5 == 0], Labels: []string{"done", "failed"}})
		if i+1 < n {
			g.Edges = append(g.Edges, flow.EdgeInfo{From: key(i), To: key(i + 1), When: "done"})
		}
		if i%4 == 3 {
			g.Edges = append(g.Edges, flow.EdgeInfo{From: key(i), To: key(i - 3), When: "failed && state.attempts < 3"})
		}
		if i%10 == 9 {
			g.Edges = append(g.Edges, flow.EdgeInfo{From: key(i), To: key(i - 8), When: "P0"})
		}
		if i%6 == 2 && i+4 < n {
			g.Edges = append(g.Edges, flow.EdgeInfo{From: key(i), To: key(i + 4), When: "skip"})
		}
		if i%11 == 5 {
			g.Edges = append(g.Edges, flow.EdgeInfo{From: key(i), To: key(i), When: "again"})
		}
	}
	g.Edges = append(g.Edges, flow.EdgeInfo{From: key(n / 2), When: "give_up"}, flow.EdgeInfo{From: key(n - 1)})
	return nodes, g
}

// strayBranches are parallels whose branches have edges of their own.
func strayBranches() ([]flow.NodeInfo, *flow.GraphInfo) {
	return []flow.NodeInfo{
			{Key: "split", Kind: "parallel", Branches: []string{"a", "b", "c"}, Labels: []string{"all_done"}},
			{Key: "a", Kind: "prompt"}, {Key: "b", Kind: "bash"}, {Key: "c", Kind: "bash"},
			{Key: "meet", Kind: "join", WaitsFor: []string{"a", "b"}},
			{Key: "other", Kind: "parallel", Branches: []string{"d", "c"}},
			{Key: "d", Kind: "prompt"}, {Key: "late", Kind: "bash"},
		}, &flow.GraphInfo{Edges: []flow.EdgeInfo{
			{To: "split"}, {From: "split", To: "meet"}, {From: "c", To: "split", When: "again"}, {From: "meet", To: "other", When: "ok"},
			{From: "a", To: "late", When: "odd"}, {From: "late", To: "b"}, {From: "other"}, {From: "d", To: "a", When: "back to the start"},
		}}
}
