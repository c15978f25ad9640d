package diagram

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// text draws the workflow as a table. Unlike a drawing of boxes it stays readable with any
// number of nodes and can be searched.
func (f *figure) text() string {
	t := table{figure: f}
	if f.Graph != nil {
		t.walk()
	} else {
		t.list(f.Workflow.Nodes, -1, "")
	}
	return f.headline() + columns(t.rows)
}

// A table has a row for each node, and below each node of a state graph one for each edge.
type table struct {
	*figure
	rows [][]string
}

// row adds the row of a node, with its state in a run.
func (t *table) row(i int, cells ...string) {
	if t.Run != nil {
		text := ""
		if i >= 0 && t.nodes[i].state != nil {
			text = t.nodes[i].state.text()
		} else if i >= 0 && !t.nodes[i].place() {
			text = "not reached"
		}
		column := 2
		if t.Graph == nil {
			column = 3 // behind the number of the layer
		}
		cells = slices.Insert(cells, column, text)
	}
	t.rows = append(t.rows, cells)
}

// list adds the nodes with dependencies, layer by layer: a line a node, with its
// dependencies and condition. The nodes inside a node follow it if they have an order or
// conditions; others are in its description.
func (t *table) list(nodes []flow.NodeInfo, block int, indent string) {
	l := newLinks(nodes)
	index := map[string]int{}
	for i, n := range t.nodes {
		if n.block == block || block < 0 && !t.insideLoop(i) {
			if _, ok := index[n.Key]; !ok {
				index[n.Key] = i
			}
		}
	}
	placed := map[int]bool{}
	add := func(label string, i int) {
		placed[i] = true
		n, at := nodes[i], index[nodes[i].Key]
		inner := innerOf(n)
		ordered := t.Run != nil && len(inner) > 0 || slices.ContainsFunc(inner, func(n flow.NodeInfo) bool {
			return len(n.After)+len(n.Order) > 0 || n.When != "" || n.Rule != "" || len(n.Inside) > 0
		})
		words := what(n)
		if ordered {
			words = title(n)
		}
		if indent != "" {
			label = ""
		}
		t.row(at, label, indent+oneLine(n.Key), words, waits(l, i), condition(n.When, n.Rule))
		if ordered {
			t.list(inner, at, indent+"  ")
		}
	}
	for number, layer := range layersOf(l) {
		label := fmt.Sprint(number + 1)
		for _, i := range layer {
			add(label, i)
			label = ""
		}
	}
	for i := range nodes {
		if !placed[i] {
			add("?", i)
		}
	}
}

// insideLoop reports whether a node is inside another one that is not an include.
func (t *table) insideLoop(i int) bool {
	return t.nodes[i].path != t.nodes[i].Key
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

// condition is the last cell of a node.
func condition(when, rule string) string {
	var parts []string
	if rule != "" {
		parts = append(parts, oneLine(rule))
	}
	if when != "" {
		parts = append(parts, "when "+shorten(when, 60))
	}
	return strings.Join(parts, ", ")
}

// walk adds the nodes of a state graph, and below each where it leads, on which condition.
func (t *table) walk() {
	for _, i := range t.byDepth() {
		n := t.nodes[i]
		if n.Kind == endKind {
			continue
		}
		kind := what(n.NodeInfo)
		if n.Kind == startKind {
			kind = ""
		}
		t.row(i, oneLine(n.Key), kind, t.about(i))
		for _, e := range t.edges {
			if e.from != i || e.branch {
				continue
			}
			arrow, cond := "→", ""
			if e.back {
				arrow = "↩"
			}
			if e.condition != "" {
				cond = "when " + oneLine(e.condition)
			}
			t.row(-1, fmt.Sprintf("  %s %s%s", arrow, oneLine(t.nodes[e.to].Key), times(e.taken)), "", cond)
		}
		if to, ok := t.meets(i); ok {
			taken := 0
			for _, e := range t.edges {
				if e.branch && e.to == to {
					taken = max(taken, e.taken)
				}
			}
			t.row(-1, "  → "+oneLine(t.nodes[to].Key)+times(taken), "", "when all branches have ended")
		}
	}
}

// times is the mark of an edge that a run followed.
func times(taken int) string {
	switch {
	case taken == 0:
		return ""
	case taken == 1:
		return " ✓"
	}
	return fmt.Sprintf(" ✓%d×", taken)
}

// columns aligns rows of cells, two spaces apart.
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
