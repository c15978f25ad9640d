package diagram

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/internal/layout"
)

// A legend explains the shapes, states and lines of one picture.
type legend struct {
	items         []legendItem
	width, height float64
}

// A legendItem is one explanation, at its place in the legend.
type legendItem struct {
	words string
	draw  func(d *drawer, r layout.Rect)
	x, y  float64
}

const (
	swatchWidth, swatchHeight = 30.0, 16.0
	legendRow                 = 24.0
	legendMin                 = 420.0
)

// newLegend returns the legend of a picture.
func (p *picture) newLegend() *legend {
	l := &legend{}
	if !slices.ContainsFunc(p.nodes, func(n node) bool { return n.Kind != "" }) {
		return l // a picture of something else than a workflow
	}
	l.addShapes(p)
	l.addLineStyles(p)
	x, y := 16.0, 14.0
	most := max(p.Width, legendMin)
	for i := range l.items {
		it := &l.items[i]
		w := swatchWidth + 6 + float64(displayWidth(it.words))*smallWidth
		if x+w > most-16 && x > 16 {
			x, y = 16, y+legendRow
		}
		it.x, it.y = x, y
		l.width = max(l.width, x+w+16)
		x += w + 18
	}
	l.height = y + legendRow
	return l
}

// addShapes adds the shapes, and the states of a run.
func (l *legend) addShapes(p *picture) {
	used := map[string]bool{}
	var others []string
	for _, n := range p.nodes {
		if n.group || n.isStartOrEnd() {
			continue
		}
		kind := n.Kind
		if !used[kind] && !slices.Contains(kinds, kind) {
			others = append(others, kind)
		}
		used[kind] = true
	}
	alike := map[shape]int{} // the item of each shape
	for _, kind := range append(slices.Clone(kinds), others...) {
		if !used[kind] || kind == "" {
			continue
		}
		look := shapeOf(kind)
		look.mermaid, look.dot = [2]string{}, ""
		if at, ok := alike[look]; ok {
			l.items[at].words += ", " + oneLine(kind)
			continue
		}
		alike[look] = len(l.items)
		class := "w-k-" + colourName(kind)
		if p.Run != nil {
			class = "" // the colours are those of states
		}
		l.addItem(oneLine(kind), func(d *drawer, r layout.Rect) {
			d.printf("<g class=\"%s\">", class)
			d.drawOutline(shapeOf(kind).outline, r)
			d.printf("</g>")
		})
	}
	if slices.ContainsFunc(p.nodes, func(n node) bool { return n.group }) {
		l.addBox("w-frame", "nodes of a loop, a parallel or an include")
	}
	if len(p.bundles) > 0 {
		l.addBox("w-bundle", "nodes that have the same edges")
	}
	for _, s := range p.statesUsed() {
		l.addItem(s.words, func(d *drawer, r layout.Rect) {
			d.printf("<g class=\"w-s-%s\">", s.class)
			d.drawOutline("box", r)
			d.printf("</g>")
		})
	}
}

// addLineStyles adds the styles of lines and the labels.
func (l *legend) addLineStyles(p *picture) {
	used := map[string]bool{}
	for i := range p.graph.Edges {
		if p.hasPath(i) {
			used[p.lineClass(i)] = true
		}
	}
	for i := range p.nodes {
		if loops, _ := p.selfLoops(i); len(loops) > 0 {
			used[p.lineStyle(loops, true)] = true
		}
	}
	follows := "runs after"
	if p.Graph != nil {
		follows = "leads to"
	}
	for _, s := range []struct{ class, words string }{
		{lineEdge, follows}, {lineOrder, "only orders"}, {lineBack, "leads back"}, {lineTaken, "the run took it"}, {lineIdle, "the run did not take it"}, {lineIdle + " w-dashed", "leads back, not taken"},
	} {
		if used[s.class] {
			l.addItem(s.words, func(d *drawer, r layout.Rect) {
				d.printf("<path class=\"w-edge w-%s\" d=\"M%s %sH%s\" marker-end=\"url(#w-%s)\"/>", s.class, formatCoordinate(r.X), formatCoordinate(r.Y+r.H/2), formatCoordinate(r.X+r.W), arrowheadName(s.class))
			})
		}
	}
	rule, condition := false, false
	for _, label := range p.labels {
		rule = rule || label.rule
		condition = condition || !label.rule || len(label.lines) > 1
	}
	var words []string
	if rule {
		words = append(words, "trigger rule")
	}
	if condition {
		words = append(words, "condition")
	}
	if len(words) > 0 {
		l.addItem(strings.Join(words, ", "), func(d *drawer, r layout.Rect) {
			d.printf("<g class=\"w-label\"><rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"5\"/></g>", formatCoordinate(r.X), formatCoordinate(r.Y), formatCoordinate(r.W), formatCoordinate(r.H))
		})
	}
}

func (l *legend) addBox(class, words string) {
	l.addItem(words, func(d *drawer, r layout.Rect) {
		d.printf("<rect class=\"%s\" fill=\"none\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"5\"/>", class, formatCoordinate(r.X), formatCoordinate(r.Y), formatCoordinate(r.W), formatCoordinate(r.H))
	})
}

func (l *legend) addItem(words string, draw func(*drawer, layout.Rect)) {
	l.items = append(l.items, legendItem{words: words, draw: draw})
}

// draw draws the legend below the picture.
func (l *legend) draw(d *drawer, top float64) {
	if len(l.items) == 0 {
		return
	}
	d.printf("<g class=\"w-key\">\n")
	for _, it := range l.items {
		it.draw(d, layout.Rect{X: it.x, Y: top + it.y - 2, W: swatchWidth, H: swatchHeight})
		d.printf("<text class=\"w-legend\" x=\"%s\" y=\"%s\">%s</text>\n", formatCoordinate(it.x+swatchWidth+6), formatCoordinate(top+it.y+10), escapeXML(it.words))
	}
	d.printf("</g>\n")
}
