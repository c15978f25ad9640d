package graph_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/internal/graph"
	"pgregory.net/rapid"
)

func components(edges [][]int) [][]int {
	groups := graph.Components(len(edges), func(i int) []int { return edges[i] })
	for _, g := range groups {
		slices.Sort(g)
	}
	return groups
}

func TestComponents(t *testing.T) {
	tests := []struct {
		name  string
		edges [][]int
		want  string
	}{
		{"none", nil, "[]"},
		{"chain", [][]int{{1}, {2}, {}}, "[[2] [1] [0]]"},
		{"self", [][]int{{0}}, "[[0]]"},
		{"cycle with a tail", [][]int{{1}, {2}, {0, 3}, {}}, "[[3] [0 1 2]]"},
		{"two cycles", [][]int{{1}, {0, 2}, {3}, {2}}, "[[2 3] [0 1]]"},
		{"diamond", [][]int{{1, 2}, {3}, {3}, {}}, "[[3] [1] [2] [0]]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := fmt.Sprint(components(test.edges)); got != test.want {
				t.Errorf("components = %s, want %s", got, test.want)
			}
		})
	}
}

// Two nodes share a component if and only if each reaches the other.
func TestComponentsAgreeWithReachability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "n")
		edges := make([][]int, n)
		reach := make([][]bool, n)
		for i := range edges {
			edges[i] = rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 3).Draw(t, "edges")
			reach[i] = make([]bool, n)
			reach[i][i] = true
			for _, to := range edges[i] {
				reach[i][to] = true
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		of := make([]int, n)
		for i := range of {
			of[i] = -1
		}
		for id, group := range components(edges) {
			for _, node := range group {
				if of[node] >= 0 {
					t.Fatalf("node %d is in two groups", node)
				}
				of[node] = id
			}
		}
		for i := range n {
			for j := range n {
				if together := reach[i][j] && reach[j][i]; (of[i] == of[j]) != together {
					t.Fatalf("nodes %d and %d: same group %v, want %v", i, j, of[i] == of[j], together)
				}
			}
		}
	})
}

func TestComponentsOfALongChain(t *testing.T) {
	const n = 200_000
	groups := graph.Components(n, func(i int) []int {
		if i+1 < n {
			return []int{i + 1}
		}
		return nil
	})
	if len(groups) != n {
		t.Errorf("%d groups, want %d", len(groups), n)
	}
}
