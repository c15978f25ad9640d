//go:build unix

package main

import (
	"fmt"
	"strings"
)

// A shape is a graph of nodes that all run `bash -c true`. The nodes stand in
// an order in which dependencies come first.
type shape struct {
	name  string
	needs [][]int // the dependencies of each node, by number
}

func single() shape { return shape{"one", [][]int{nil}} }

func chain(n int) shape {
	s := shape{name: fmt.Sprintf("chain%d", n), needs: make([][]int, n)}
	for i := 1; i < n; i++ {
		s.needs[i] = []int{i - 1}
	}
	return s
}

// sideBySide is n nodes between a start and an end.
func sideBySide(n int) shape {
	s := shape{name: fmt.Sprintf("wide%d", n), needs: make([][]int, n+2)}
	for i := 1; i <= n; i++ {
		s.needs[i] = []int{0}
		s.needs[n+1] = append(s.needs[n+1], i)
	}
	return s
}

// layers is n nodes in layers of a width; each needs three of the layer before.
func layers(n, width int) shape {
	s := shape{name: fmt.Sprintf("layers%d", n), needs: make([][]int, n)}
	for i := width; i < n; i++ {
		before := i/width*width - width
		for k := range 3 {
			s.needs[i] = append(s.needs[i], before+(i+k)%width)
		}
	}
	return s
}

// workflow writes the shape as a workflow.
func (s shape) workflow() string {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %s\ndescription: %d nodes that do nothing.\nnodes:\n", s.name, len(s.needs))
	for i, needs := range s.needs {
		fmt.Fprintf(&b, "  - id: n%d\n", i)
		if needs != nil {
			fmt.Fprintf(&b, "    depends_on: [%s]\n", join(needs, ", "))
		}
		b.WriteString("    bash: \"true\"\n")
	}
	return b.String()
}

// makefile writes the shape for make.
func (s shape) makefile() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".PHONY: all %s\nall: %s\n", join(s.all(), " "), join(s.all(), " "))
	for i, needs := range s.needs {
		fmt.Fprintf(&b, "n%d: %s\n\t@bash -c true\n", i, join(needs, " "))
	}
	return b.String()
}

// script writes the shape as a script that runs one node after the other.
func (s shape) script() string { return strings.Repeat("bash -c true\n", len(s.needs)) }

func (s shape) all() []int {
	list := make([]int, len(s.needs))
	for i := range list {
		list[i] = i
	}
	return list
}

func join(nodes []int, separator string) string {
	var list []string
	for _, n := range nodes {
		list = append(list, fmt.Sprintf("n%d", n))
	}
	return strings.Join(list, separator)
}
