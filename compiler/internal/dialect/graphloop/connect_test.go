package graphloop_test

import (
	"slices"
	"strings"
	"testing"
)

const fanNodes = `  fan: {type: parallel, branches: [a, b], outputs: [all_done]}
  a: {type: task, agent: self, prompt: p, outputs: [done]}
  b: {type: task, agent: self, prompt: p, outputs: [done]}
  meet: {type: join, wait_for: [a, b], outputs: [met]}
  n: {type: task, agent: self, prompt: p, outputs: [x, y]}
`

const fanEdges = "edges:\n  - {from: START, to: n}\n  - {from: n, to: fan}\n  - {from: fan, to: meet}\n  - {from: meet, to: END}\n"

func TestFaultsOfBranches(t *testing.T) {
	for _, test := range []struct {
		name        string
		from, to    string // an edit of the nodes
		edges, more string
		want        []string
	}{
		{name: "edges between a branch and its join", edges: "  - {from: a, to: meet}\n  - {from: b, to: meet, condition: \"done\"}\n"},
		{name: "an edge out of a branch", edges: "  - {from: a, to: END}\n", want: []string{"error misplaced-edge {from: a, to: END}"}},
		{name: "an edge between branches", edges: "  - {from: a, to: b}\n", want: []string{"error misplaced-edge {from: a, to: b}"}},
		{name: "an edge to a branch", edges: "  - {from: n, to: a}\n", want: []string{"error misplaced-edge {from: n, to: a}"}},
		{name: "an edge from START to a branch", edges: "  - {from: START, to: a}\n", want: []string{"error misplaced-edge {from: START, to: a}"}},
		{name: "a branch without a join", from: "wait_for: [a, b]", to: "wait_for: [n]", edges: "  - {from: a, to: n}\n"},
		{name: "a branch named twice", from: "[a, b], outputs: [all", to: "[a, b, a], outputs: [all", want: []string{"error bad-branch a"}},
		{name: "a join as branch", from: "[a, b], outputs: [all", to: "[a, b, meet], outputs: [all", want: []string{"error bad-branch meet"}},
		{name: "an unknown branch", from: "[a, b], outputs: [all", to: "[a, B], outputs: [all", want: []string{"error unknown-node B"}},
		{name: "an unknown node to wait for", from: "wait_for: [a, b]", to: "wait_for: [a, b, c]", want: []string{"error unknown-node c"}},
		{name: "a condition of a branch's edge", edges: "  - {from: a, to: meet, condition: \"doen\"}\n", want: []string{"error unknown-output doen"}},
		{name: "an interrupt at a branch", more: "interrupts: [{before: a, prompt: p}]\n", want: []string{"error interrupt-shape {before: a, prompt: p}"}},
	} {
		yaml := nodes(strings.Replace(fanNodes, test.from, test.to, 1)) + fanEdges + test.edges + test.more
		p, list := compile(t, project(nil), yaml)
		if got := findings(list); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		for _, n := range graphOf(p).Nodes {
			if (n.ID == "a" || n.ID == "b") && len(n.Out) > 0 {
				t.Errorf("%s: the branch %s has edges", test.name, n.ID)
			}
		}
	}
}

// Where a run continues when a node is skipped.
func TestSkipping(t *testing.T) {
	for _, test := range []struct{ outputs, edges, want string }{
		{"[x, y]", "  - {from: n, to: m, condition: \"x\"}\n  - {from: n, to: END}\n", "always"},
		{"[x, y]", "  - {from: n, to: m, condition: \"x\"}\n  - {from: n, to: m, condition: \"y\"}\n", "(n=='x')"},
		{"[x, skip]", "  - {from: n, to: m, condition: \"x\"}\n  - {from: n, to: END, condition: \"any(y, skip)\"}\n", "none"}, // y is not an output
		{"[x, skip]", "  - {from: n, to: m, condition: \"x\"}\n  - {from: n, to: END, condition: \"skip\"}\n", "(n=='skip')"},
		{"[x, y, skipped]", "  - {from: n, to: m, condition: \"x\"}\n  - {from: n, to: END, condition: \"!any(x, y)\"}\n", "!((n=='x') || (n=='y'))"},
		{"[x, skip]", "  - {from: n, to: m, condition: \"state.i > 1\"}\n  - {from: n, to: END, condition: \"skip\"}\n", "none"},
		{"[x, skip]", "  - {from: n, to: m, condition: \"x && state.i > 1\"}\n  - {from: n, to: END, condition: \"skip || state.i > 1\"}\n", "((n=='skip') || (state.i>1))"},
		{"[x, y]", "  - {from: n, to: m, condition: \"x\"}\n  - {from: n, to: END, condition: \"y\"}\n", "none"},
	} {
		yaml := "state: {variables: {i: 0}}\n" + nodes("  n: {type: task, agent: self, prompt: p, outputs: "+test.outputs+"}\n  m: {type: checkpoint, outputs: [done]}\n") +
			"edges:\n  - {from: START, to: n}\n  - {from: m, to: END}\n" + test.edges + "interrupts: [{before: n, prompt: p, required: false}]\n"
		p, list := compile(t, project(nil), yaml)
		got := "none"
		if skip := graphOf(p).Interrupts[0].Skip; skip != nil {
			got = show(skip.Guard)
		}
		if got != test.want {
			t.Errorf("%s\n%sskips to %s, want %s", test.outputs, test.edges, got, test.want)
		}
		if warned := slices.Contains(findings(list), "warning no-skip-route false"); warned != (got == "none") && len(list) == 0 {
			t.Errorf("%s\n%s%q", test.outputs, test.edges, findings(list))
		}
	}
}
