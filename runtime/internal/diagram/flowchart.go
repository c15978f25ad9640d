package diagram

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// renderMermaid draws the workflow as a flowchart of Mermaid. A block follows the node that it
// belongs to.
func (f *figure) renderMermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	draw := func(i int, by string) {
		n := f.nodes[i]
		shape := shapeOf(n.Kind).mermaid
		text := mermaidText(n.Key)
		if !n.isStartOrEnd() {
			text += "<br/><small>" + mermaidText(n.descriptionBesideChildren()) + "</small>"
		}
		for _, line := range f.extraLines(i) {
			text += "<br/><small>" + mermaidText(line) + "</small>"
		}
		fmt.Fprintf(&b, "%sn%d%s\"%s\"%s%s\n", by, i, shape[0], text, shape[1], f.stateClass(i))
	}
	f.drawNodes(&b, draw, "subgraph b%d[\" \"]\n", "end\n")
	var taken []string
	for number, e := range f.edges {
		arrow := "-->"
		if e.back || e.order {
			arrow = "-.->"
		}
		if text := edgeLabel(e.condition, e.rule); text != "" {
			arrow += `|"` + mermaidText(text) + `"|`
		}
		fmt.Fprintf(&b, "    n%d %s n%d\n", e.from, arrow, e.to)
		if e.taken > 0 {
			taken = append(taken, fmt.Sprint(number))
		}
	}
	if len(taken) > 0 {
		fmt.Fprintf(&b, "    linkStyle %s stroke:%s,stroke-width:3px\n", strings.Join(taken, ","), takenColour)
	}
	for _, s := range f.statesUsed() {
		fmt.Fprintf(&b, "    classDef %s fill:%s,stroke:%s,color:#1d2430\n", s.class, s.fill, s.line)
	}
	return b.String()
}

// stateClass is the class of a node in Mermaid: its state in a run.
func (f *figure) stateClass(i int) string {
	if f.Run == nil || f.nodes[i].isStartOrEnd() {
		return ""
	}
	return ":::" + styleOf(f.nodes[i].state).class
}

// extraLines are more lines of a node: its state in a run, and the condition and the rule that
// no edge shows.
func (f *figure) extraLines(i int) []string {
	var lines []string
	if text := edgeLabel(f.incomingCondition(i)); text != "" {
		lines = append(lines, "when "+text)
	}
	if s := f.nodes[i].state; s != nil {
		lines = append(lines, s.briefDescription())
	}
	return lines
}

// drawNodes draws the nodes, with those inside each in a block whose first line has the
// number of that node.
func (f *figure) drawNodes(b *strings.Builder, draw func(i int, by string), first, last string) {
	blocks := map[int][]int{}
	for i, n := range f.nodes {
		blocks[n.block] = append(blocks[n.block], i)
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

// renderDOT draws the workflow in the language of Graphviz.
func (f *figure) renderDOT() string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n    rankdir=TB;\n    node [shape=box, style=rounded, fontname=\"sans-serif\"];\n", dotText(f.Name))
	draw := func(i int, by string) {
		n := f.nodes[i]
		text, form := oneLine(n.Key), ""
		if !n.isStartOrEnd() {
			text += "\n" + n.descriptionBesideChildren()
		}
		for _, line := range f.extraLines(i) {
			text += "\n" + line
		}
		style := "rounded"
		if shape := shapeOf(n.Kind).dot; shape != "" {
			form, style = ", shape="+shape+", style=solid", "solid"
		}
		if f.Run != nil && !n.isStartOrEnd() {
			s := styleOf(n.state)
			form = strings.TrimSuffix(form, ", style=solid") + fmt.Sprintf(", style=\"%s,filled\", fillcolor=\"%s\", color=\"%s\"", style, s.fill, s.line)
		}
		fmt.Fprintf(&b, "%sn%d [label=%s%s];\n", by, i, dotText(text), form)
	}
	f.drawNodes(&b, draw, "subgraph cluster_%d {\n        style=dashed;\n", "}\n")
	for _, e := range f.edges {
		var attrs []string
		if text := edgeLabel(e.condition, e.rule); text != "" {
			attrs = append(attrs, "label="+dotText(text))
		}
		switch {
		case e.back:
			attrs = append(attrs, "style=dashed, constraint=false")
		case e.order:
			attrs = append(attrs, "style=dashed")
		}
		if e.taken > 0 {
			attrs = append(attrs, fmt.Sprintf("color=\"%s\", penwidth=3", takenColour))
		}
		fmt.Fprintf(&b, "    n%d -> n%d", e.from, e.to)
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
