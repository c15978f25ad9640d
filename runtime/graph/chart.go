package graph

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// A chart is a workflow as flowchart languages draw it.
type chart struct {
	nodes []flow.NodeInfo
	arcs  []arc
	// block is the parallel of each branch, or the include of each node of a block; -1 for
	// other nodes.
	block []int
	// shapes and forms are the shapes of kinds of nodes in Mermaid and Graphviz.
	shapes map[string][2]string
	forms  map[string]string
	// back are the attributes of dashed arcs in Graphviz.
	back string
}

func (m *chart) mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	draw := func(i int, by string) {
		n := m.nodes[i]
		shape, ok := m.shapes[n.Kind]
		if !ok {
			shape = [2]string{"[", "]"}
		}
		label := mermaidText(n.Key)
		if n.Kind != startKind && n.Kind != endKind {
			label += "<br/><small>" + mermaidText(what(n)) + "</small>"
		}
		fmt.Fprintf(&b, "%sn%d%s\"%s\"%s\n", by, i, shape[0], label, shape[1])
	}
	m.drawNodes(&b, draw, "subgraph b%d[\" \"]\n", "end\n")
	for _, a := range m.arcs {
		arrow := "-->"
		if a.back || a.order {
			arrow = "-.->"
		}
		if a.short != "" {
			arrow += `|"` + mermaidText(a.short) + `"|`
		}
		fmt.Fprintf(&b, "    n%d %s n%d\n", a.from, arrow, a.to)
	}
	return b.String()
}

// drawNodes draws the nodes, with the branches of each parallel and the nodes of each include
// in a block whose first line has the number of that node.
func (m *chart) drawNodes(b *strings.Builder, draw func(i int, by string), first, last string) {
	blocks := map[int][]int{}
	for i, of := range m.block {
		blocks[of] = append(blocks[of], i)
	}
	var all func(list []int, by string)
	all = func(list []int, by string) {
		for _, i := range list {
			draw(i, by)
			if inner := blocks[i]; len(inner) > 0 {
				fmt.Fprintf(b, by+first, i)
				all(inner, by+"    ")
				b.WriteString(by + last)
			}
		}
	}
	all(blocks[-1], "    ")
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
		if shape := m.forms[n.Kind]; shape != "" {
			form = ", shape=" + shape + ", style=solid"
		}
		fmt.Fprintf(&b, "%sn%d [label=%s%s];\n", by, i, dotText(label), form)
	}
	m.drawNodes(&b, draw, "subgraph cluster_%d {\n        style=dashed;\n", "}\n")
	for _, a := range m.arcs {
		var attrs []string
		if a.short != "" {
			attrs = append(attrs, "label="+dotText(a.short))
		}
		if a.back || a.order {
			attrs = append(attrs, m.back)
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

// mermaidText escapes what Mermaid would read as markup.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range plain.Line(s) {
		if strings.ContainsRune("\"<>&#`|\\%", r) {
			fmt.Fprintf(&b, "#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(plain.Text(s)) + `"`
}
