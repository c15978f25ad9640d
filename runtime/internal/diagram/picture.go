package diagram

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/internal/layout"
)

// Sizes in a picture. The widths of characters are those of wide fonts, so that text fits.
const (
	boxHeight   = 44.0
	lineHeight  = 15.0
	minWidth    = 76.0
	cornerWidth = 34.0 // of outlines with corners at their sides
	titleHeight = 34.0
	loopWidth   = 30.0 // of an edge from a node to itself
	charWidth   = 8.5
	smallWidth  = 6.6
	codeWidth   = 6.4 // of conditions, in a font of one width
	codeHeight  = 13.0
	maxName     = 40 // characters
	maxWords    = 44
	codeLine    = 36
	codeLines   = 2
	bundleSize  = 7
)

// A picture is a figure with places for everything: the nodes of the layout are those of the
// figure, then the labels and the bundles.
type picture struct {
	*figure
	graph layout.Graph
	*layout.Layout
	// labels are the labels, by their nodes in the layout.
	labels map[int]*labelBox
	// bundles are the nodes of the layout around nodes with the same edges.
	bundles map[int]bool
	// edges are the edges of the figure that each edge of the layout shows.
	shown [][]int
}

// A labelBox is the text on edges: a rule, if it has one, then a condition.
type labelBox struct {
	lines []string
	rule  bool
	whole string
}

// layOut lays the figure out.
func (f *figure) layOut() *picture {
	p := &picture{figure: f, labels: map[int]*labelBox{}, bundles: map[int]bool{}}
	for i := range f.nodes {
		p.graph.Nodes = append(p.graph.Nodes, p.layoutNode(i))
	}
	if f.Graph != nil {
		p.addWalk()
	} else {
		p.addDependencies()
	}
	p.bundleNodes()
	p.Layout = layout.Place(&p.graph)
	return p
}

// layoutNode is the node of the layout for one of the figure.
func (p *picture) layoutNode(i int) layout.Node {
	n := p.nodes[i]
	chars := min(displayWidth(oneLine(n.Key)), maxName)
	small := min(displayWidth(n.descriptionBesideChildren()), maxWords)
	b := layout.Node{Parent: n.block}
	b.Width = max(minWidth, float64(chars)*charWidth+26, float64(small)*smallWidth+26)
	b.Height = boxHeight
	if n.isStartOrEnd() {
		b.Width, b.Height = minWidth, 30
	}
	if n.state != nil {
		b.Width = max(b.Width, float64(min(displayWidth(n.state.briefDescription()), maxWords))*smallWidth+26)
		b.Height += lineHeight
	}
	switch shapeOf(n.Kind).outline {
	case "hexagon", "diamond", "trapezium", "funnel":
		b.Width += cornerWidth
	case "double", "barred":
		b.Width += 12
	}
	if n.group {
		b.TitleWidth, b.TitleHeight = b.Width-cornerWidth+16, titleHeight
		if n.state != nil {
			b.TitleHeight += lineHeight
		}
	}
	if loops, lines := p.selfLoops(i); len(loops) > 0 {
		b.Right = loopWidth
		for _, line := range lines {
			b.Right = max(b.Right, loopWidth+12+float64(displayWidth(line))*codeWidth)
		}
		b.Height = max(b.Height, float64(len(lines))*codeHeight+4)
	}
	return b
}

// selfLoops returns the edges from a node to itself, and their conditions.
func (f *figure) selfLoops(i int) (edges []int, lines []string) {
	for k, e := range f.edges {
		if e.from == i && e.to == i {
			edges = append(edges, k)
			if e.condition != "" {
				lines = append(lines, shortenLine(e.condition, codeLine))
			}
		}
	}
	return edges, lines
}

// addDependencies adds the edges of a workflow with dependencies. The condition and the rule
// of a node are on the common end of its edges.
func (p *picture) addDependencies() {
	for to := range p.nodes {
		var in []int
		var condition, rule string
		for i, e := range p.figure.edges {
			if e.to == to && !e.branch && e.from != to {
				condition, rule = e.condition, e.rule
				if !p.isNodeInside(to, e.from) {
					in = append(in, i)
				}
			}
		}
		if c, r := p.incomingCondition(to); c != "" || r != "" {
			condition, rule = c, r
		}
		at := to
		if condition != "" || rule != "" {
			at = p.addLabel(condition, rule, p.nodes[to].block, true)
			p.addLayoutEdge(at, to, false, in...)
		}
		for _, i := range in {
			p.addLayoutEdge(p.figure.edges[i].from, at, false, i)
		}
	}
	for i, e := range p.figure.edges {
		if e.branch {
			p.addLayoutEdge(e.from, e.to, false, i)
		}
	}
}

// addWalk adds the edges of a state graph.
func (p *picture) addWalk() {
	for i, e := range p.figure.edges {
		switch {
		case e.from == e.to:
			continue
		case e.branch && p.nodes[e.from].block >= 0 && p.isImpliedEdge(p.nodes[e.from].block, e.to):
			continue // see below
		case e.condition == "":
			p.addLayoutEdge(e.from, e.to, e.back, i)
			continue
		}
		at := p.addLabel(e.condition, "", p.commonAncestor(e.from, e.to), e.back)
		p.addLayoutEdge(e.from, at, e.back, i)
		p.addLayoutEdge(at, e.to, e.back, i)
	}
	for i := range p.nodes {
		if join, ok := p.impliedJoin(i); ok {
			var shown []int
			for k, e := range p.figure.edges {
				if e.branch && e.to == join {
					shown = append(shown, k)
				}
			}
			p.addLayoutEdge(i, join, p.depth[join] < p.depth[i], shown...)
		}
	}
}

// commonAncestor is the innermost node around both nodes, or -1.
func (p *picture) commonAncestor(a, b int) int {
	for n := p.nodes[a].block; n >= 0; n = p.nodes[n].block {
		if p.isNodeInside(b, n) {
			return n
		}
	}
	return -1
}

// addLabel adds the node of a label to the layout.
func (p *picture) addLabel(condition, rule string, parent int, late bool) int {
	at := len(p.graph.Nodes)
	l := &labelBox{}
	if rule != "" {
		l.lines, l.rule = append(l.lines, rule), true
	}
	l.lines = append(l.lines, wrapCondition(condition)...)
	l.whole = strings.TrimSuffix(strings.Join([]string{rule, oneLine(condition)}, "\n"), "\n")
	chars := 0
	for _, line := range l.lines {
		chars = max(chars, displayWidth(line))
	}
	p.labels[at] = l
	p.graph.Nodes = append(p.graph.Nodes, layout.Node{
		Width: float64(chars)*codeWidth + 12, Height: float64(len(l.lines))*codeHeight + 5, Parent: parent, Label: true, Late: late,
	})
	return at
}

func (p *picture) addLayoutEdge(from, to int, back bool, shown ...int) {
	p.graph.Edges = append(p.graph.Edges, layout.Edge{From: from, To: to, Back: back})
	p.shown = append(p.shown, shown)
}

// bundleNodes puts many nodes with the same edges into one node of the layout, which has these
// edges.
func (p *picture) bundleNodes() {
	type end struct {
		node  int
		in    bool
		style string
	}
	ends := make([][]end, len(p.nodes))
	for i, e := range p.graph.Edges {
		if p.isBoxInside(e.From, e.To) || p.isBoxInside(e.To, e.From) {
			continue
		}
		style := p.lineClass(i)
		if e.Back {
			style = "back"
		}
		if e.From < len(ends) {
			ends[e.From] = append(ends[e.From], end{e.To, false, style})
		}
		if e.To < len(ends) {
			ends[e.To] = append(ends[e.To], end{e.From, true, style})
		}
	}
	taken := make([]bool, len(ends))
	for i := range ends {
		if taken[i] || p.nodes[i].group || p.nodes[i].isStartOrEnd() {
			continue
		}
		var same []int
		for j := i; j < len(ends); j++ {
			if !taken[j] && !p.nodes[j].group && !p.nodes[j].isStartOrEnd() && p.nodes[j].block == p.nodes[i].block && slices.Equal(ends[i], ends[j]) && p.graph.Nodes[j].Right == 0 {
				same = append(same, j)
			}
		}
		if len(same) < bundleSize || len(ends[i]) == 0 && p.areAllSiblings(i, len(same)) {
			continue
		}
		at := len(p.graph.Nodes)
		p.graph.Nodes = append(p.graph.Nodes, layout.Node{Parent: p.nodes[i].block})
		p.bundles[at] = true
		for _, j := range same {
			taken[j] = true
			p.graph.Nodes[j].Parent = at
		}
		p.mergeEdges(same, at)
	}
}

// isBoxInside reports whether a node of the layout is inside another one.
func (p *picture) isBoxInside(i, other int) bool {
	for n := p.graph.Nodes[i].Parent; n >= 0; n = p.graph.Nodes[n].Parent {
		if n == other {
			return true
		}
	}
	return false
}

// hasPath reports whether an edge of the layout has a path. One from a node to another one
// inside it has none.
func (p *picture) hasPath(i int) bool { return len(p.Paths[i]) > 0 }

// areAllSiblings reports whether a number of nodes are all that a node around them contains.
func (p *picture) areAllSiblings(i, n int) bool {
	block := p.nodes[i].block
	for j := range p.graph.Nodes {
		if p.graph.Nodes[j].Parent == block {
			n--
		}
	}
	return n == 0
}

// mergeEdges replaces the edges of nodes by those of the node around them.
func (p *picture) mergeEdges(nodes []int, around int) {
	var edges []layout.Edge
	var shown [][]int
	at := map[layout.Edge]int{}
	for i, e := range p.graph.Edges {
		moved := false
		if slices.Contains(nodes, e.From) {
			e.From, moved = around, true
		}
		if slices.Contains(nodes, e.To) {
			e.To, moved = around, true
		}
		if k, ok := at[e]; ok && moved {
			shown[k] = append(shown[k], p.shown[i]...)
			continue
		}
		if moved {
			at[e] = len(edges)
		}
		edges, shown = append(edges, e), append(shown, slices.Clone(p.shown[i]))
	}
	p.graph.Edges, p.shown = edges, shown
}

// displayWidth is the number of columns of a string: those of wide characters count twice.
func displayWidth(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x1100 {
			n++
		}
	}
	return n
}

// wrapCondition breaks a condition into lines at spaces, and shortens it to few of them.
func wrapCondition(condition string) []string {
	var lines []string
	for words := strings.Fields(oneLine(condition)); len(words) > 0; {
		line := words[0]
		words = words[1:]
		for len(words) > 0 && displayWidth(line)+1+displayWidth(words[0]) <= codeLine {
			line, words = line+" "+words[0], words[1:]
		}
		if len(lines) == codeLines-1 && len(words) > 0 {
			return append(lines, shortenLine(line+" "+strings.Join(words, " "), codeLine))
		}
		lines = append(lines, shortenLine(line, codeLine+4))
	}
	return lines
}
