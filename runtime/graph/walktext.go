package graph

import (
	"fmt"
	"strings"
)

// text draws the graph as a list: each node, and below it where it leads, on
// which condition.
func (m *chart) text() string {
	var rows [][]string
	for _, i := range m.order() {
		n := m.nodes[i]
		if n.Kind == endKind {
			continue
		}
		about := ""
		switch {
		case n.Kind == startKind:
		case m.block[i] >= 0:
			about = "branch of " + oneLine(m.nodes[m.block[i]].Key)
		case len(n.Branches) > 0:
			about = "runs " + strings.Join(n.Branches, ", ")
		case len(n.Waits) > 0:
			about = "waits for " + strings.Join(n.Waits, ", ")
		case len(n.Labels) > 1:
			about = strings.Join(n.Labels, " | ")
		}
		kind := what(n)
		if n.Kind == startKind {
			kind = ""
		}
		rows = append(rows, []string{oneLine(n.Key), kind, about})
		for _, a := range m.arcs {
			if a.from != i || a.branch {
				continue
			}
			arrow, cond := "→", ""
			if a.back {
				arrow = "↩"
			}
			if a.label != "" {
				cond = "when " + oneLine(a.label)
			}
			rows = append(rows, []string{fmt.Sprintf("  %s %s", arrow, oneLine(m.nodes[a.to].Key)), "", cond})
		}
		if to, ok := m.meets(i); ok {
			rows = append(rows, []string{"  → " + oneLine(m.nodes[to].Key), "", "when all branches have ended"})
		}
	}
	return columns(rows)
}

// meets returns the join of a parallel that no edge but an implied one leads to.
func (m *chart) meets(parallel int) (join int, ok bool) {
	for i, n := range m.nodes {
		if len(n.Waits) > 0 && len(m.nodes[parallel].Branches) > 0 && m.implied(parallel, i) {
			return i, true
		}
	}
	return 0, false
}

// shapes are the forms of Mermaid for kinds of nodes.
var shapes = map[string][2]string{
	"prompt": {"([", "])"}, "decision": {"{", "}"}, "human": {"{{", "}}"}, "checkpoint": {"[(", ")]"},
	"parallel": {"[/", `\]`}, "join": {`[\`, "/]"}, startKind: {"((", "))"}, endKind: {"(((", ")))"},
}

func (m *chart) mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	draw := func(i int, by string) {
		n := m.nodes[i]
		shape, ok := shapes[n.Kind]
		if !ok {
			shape = [2]string{"[", "]"}
		}
		label := mermaidText(n.Key)
		if n.Kind != startKind && n.Kind != endKind {
			label += "<br/><small>" + mermaidText(what(n)) + "</small>"
		}
		fmt.Fprintf(&b, "%sn%d%s\"%s\"%s\n", by, i, shape[0], label, shape[1])
	}
	for i := range m.nodes {
		if m.block[i] >= 0 {
			continue
		}
		draw(i, "    ")
		if branches := m.branches(i); len(branches) > 0 {
			fmt.Fprintf(&b, "    subgraph b%d[\" \"]\n", i)
			for _, k := range branches {
				draw(k, "        ")
			}
			b.WriteString("    end\n")
		}
	}
	for _, a := range m.arcs {
		arrow := "-->"
		if a.back {
			arrow = "-.->"
		}
		if a.label != "" {
			arrow += `|"` + mermaidText(shorten(a.label, 60)) + `"|`
		}
		fmt.Fprintf(&b, "    n%d %s n%d\n", a.from, arrow, a.to)
	}
	return b.String()
}

// branches are the branches of a parallel.
func (m *chart) branches(parallel int) (list []int) {
	for i, p := range m.block {
		if p == parallel {
			list = append(list, i)
		}
	}
	return list
}

// dotShapes are the forms of Graphviz.
var dotShapes = map[string]string{
	"decision": "diamond", "human": "hexagon", "checkpoint": "cylinder", "parallel": "trapezium", "join": "invtrapezium",
	startKind: "circle", endKind: "doublecircle",
}

func (m *chart) dot(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n    rankdir=TB;\n    node [shape=box, style=rounded, fontname=\"sans-serif\"];\n", dotText(name))
	draw := func(i int, by string) {
		n := m.nodes[i]
		label, form := oneLine(n.Key), ""
		if n.Kind != startKind && n.Kind != endKind {
			label += "\n" + what(n)
		}
		if shape := dotShapes[n.Kind]; shape != "" {
			form = ", shape=" + shape + ", style=solid"
		}
		fmt.Fprintf(&b, "%sn%d [label=%s%s];\n", by, i, dotText(label), form)
	}
	for i := range m.nodes {
		if m.block[i] >= 0 {
			continue
		}
		draw(i, "    ")
		if branches := m.branches(i); len(branches) > 0 {
			fmt.Fprintf(&b, "    subgraph cluster_%d {\n        style=dashed;\n", i)
			for _, k := range branches {
				draw(k, "        ")
			}
			b.WriteString("    }\n")
		}
	}
	for _, a := range m.arcs {
		var attrs []string
		if a.label != "" {
			attrs = append(attrs, "label="+dotText(shorten(a.label, 60)))
		}
		if a.back {
			attrs = append(attrs, "style=dashed", "constraint=false")
		}
		fmt.Fprintf(&b, "    n%d -> n%d", a.from, a.to)
		if len(attrs) > 0 {
			fmt.Fprintf(&b, " [%s]", strings.Join(attrs, ", "))
		}
		b.WriteString(";\n")
	}
	b.WriteString("}\n")
	return b.String()
}
