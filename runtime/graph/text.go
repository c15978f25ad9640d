package graph

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/runtime/plain"
)

// text draws the graph as a table: a line a node, layer by layer, with what it
// waits for and on which condition. Unlike a drawing of boxes it stays
// readable with any number of nodes and can be searched.
func (d *dag) text() string {
	l := d.links
	layers := layersOf(l)
	rows := [][]string{}
	placed := map[int]bool{}
	add := func(label string, i int) {
		placed[i] = true
		n := l.nodes[i]
		rows = append(rows, []string{label, oneLine(n.Key), what(n), waits(l, i), condition(edgeLabel(n), n.Rule != "", n.When != "")})
	}
	for number, layer := range layers {
		label := fmt.Sprint(number + 1)
		for _, i := range layer {
			add(label, i)
			label = ""
		}
	}
	for i := range l.nodes {
		if !placed[i] {
			add("?", i)
		}
	}
	return columns(rows)
}

// waits lists the dependencies of a node; those that only order are in
// parentheses.
func waits(l *links, i int) string {
	var names []string
	for _, k := range l.in[i] {
		name := oneLine(l.nodes[k.node].Key)
		if k.order {
			name = "(" + name + ")"
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	return "← " + strings.Join(names, ", ")
}

func condition(label string, rule, when bool) string {
	switch {
	case when && !rule:
		return "when " + label
	case when:
		return strings.Replace(label, ": ", ", when ", 1)
	}
	return label
}

// oneLine puts a text on one line.
func oneLine(s string) string { return plain.Line(strings.Join(strings.Fields(s), " ")) }

// columns aligns rows of cells, two blanks apart.
func columns(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			cell = plain.Line(cell)
			row[i] = cell
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			line.WriteString(cell)
			line.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}
