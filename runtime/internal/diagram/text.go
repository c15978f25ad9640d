package diagram

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// renderText draws the workflow as a table. Unlike a drawing of boxes it stays readable with any
// number of nodes and can be searched.
func (f *figure) renderText() string {
	t := table{figure: f}
	if f.Graph != nil {
		t.addStateNodes()
	} else {
		t.addLayers(f.Workflow.Nodes, -1, "")
	}
	return f.runHeadline() + alignColumns(t.rows)
}

// A table has a row for each node, and below each node of a state graph one for each edge.
type table struct {
	*figure
	rows [][]string
}

// addRow adds the row of a node, with its state in a run.
func (t *table) addRow(i int, cells ...string) {
	if t.Run != nil {
		text := ""
		if i >= 0 && t.nodes[i].state != nil {
			text = t.nodes[i].state.briefDescription()
		} else if i >= 0 && !t.nodes[i].isStartOrEnd() {
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

// addLayers adds the nodes with dependencies, layer by layer: a line a node, with its
// dependencies and condition. The nodes inside a node follow it if they have an order or
// conditions; others are in its description.
func (t *table) addLayers(nodes []flow.NodeInfo, block int, indent string) {
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
		words := describeWithChildren(n)
		if ordered {
			words = describeWithoutChildren(n)
		}
		if indent != "" {
			label = ""
		}
		t.addRow(at, label, indent+oneLine(n.Key), words, listDependencies(l, i), conditionCell(n.When, n.Rule))
		if ordered {
			t.addLayers(inner, at, indent+"  ")
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

// listDependencies lists the dependencies of a node; those that only order are in
// parentheses.
func listDependencies(l *links, i int) string {
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

// conditionCell is the last cell of a node.
func conditionCell(when, rule string) string {
	var parts []string
	if rule != "" {
		parts = append(parts, oneLine(rule))
	}
	if when != "" {
		parts = append(parts, "when "+shortenLine(when, 60))
	}
	return strings.Join(parts, ", ")
}

// addStateNodes adds the nodes of a state graph, and below each where it leads, on which condition.
func (t *table) addStateNodes() {
	for _, i := range t.byDepth() {
		n := t.nodes[i]
		if n.Kind == endKind {
			continue
		}
		kind := describeWithChildren(n.NodeInfo)
		if n.Kind == startKind {
			kind = ""
		}
		t.addRow(i, oneLine(n.Key), kind, t.describeStateNode(i))
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
			t.addRow(-1, fmt.Sprintf("  %s %s%s", arrow, oneLine(t.nodes[e.to].Key), takenMark(e.taken)), "", cond)
		}
		if to, ok := t.impliedJoin(i); ok {
			taken := 0
			for _, e := range t.edges {
				if e.branch && e.to == to {
					taken = max(taken, e.taken)
				}
			}
			t.addRow(-1, "  → "+oneLine(t.nodes[to].Key)+takenMark(taken), "", "when all branches have ended")
		}
	}
}

// takenMark is the mark of an edge that a run followed.
func takenMark(taken int) string {
	switch {
	case taken == 0:
		return ""
	case taken == 1:
		return " ✓"
	}
	return fmt.Sprintf(" ✓%d×", taken)
}

// alignColumns aligns rows of cells, two spaces apart.
func alignColumns(rows [][]string) string {
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
