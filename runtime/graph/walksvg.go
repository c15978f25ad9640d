package graph

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// The picture of a state graph is laid out as that of other workflows, from the
// edges that lead on. Those that lead back go up at its right side, each in a
// lane of its own, so that they cross no box; conditions stand beside the edges.

const (
	laneGap   = 22
	labelSize = 32
)

func (m *walk) svg(name string) string {
	p, box := m.layOut(m.layers())
	width, height := p.position()
	var back []arc
	for _, a := range m.arcs {
		if a.back {
			back = append(back, a)
		}
	}
	inner := width
	widest := 0
	for _, a := range back {
		widest = max(widest, utf8.RuneCountInString(shorten(a.label, labelSize)))
	}
	if len(back) > 0 {
		width += float64(len(back))*laneGap + float64(widest)*6.2 + margin
	}
	var b strings.Builder
	openPicture(&b, name, width, height)
	for _, e := range p.lines {
		drawLine(&b, e)
	}
	for i, a := range back {
		drawBack(&b, box[a.from], box[a.to], a.label, inner-margin+float64(i+1)*laneGap)
	}
	for i := range m.nodes {
		m.drawNode(&b, i, box[i])
	}
	drawConditions(&b, p.lines)
	b.WriteString("</svg>\n")
	return b.String()
}

// drawBack draws an edge that leads back: out of the right side of a box, up its
// lane, and into the right side of another.
func drawBack(b *strings.Builder, from, to *place, label string, lane float64) {
	y, end := from.y+8, to.y-8
	fmt.Fprintf(b, "<path d=\"M%.1f %.1f H%.1f V%.1f H%.1f\" fill=\"none\" stroke=\"#a55\" stroke-dasharray=\"5 3\" marker-end=\"url(#arrow)\"><title>%s</title></path>\n",
		from.x+from.width/2, y, lane, end, to.x+to.width/2, escape(label))
	if label != "" {
		fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"10\" fill=\"#a55\">%s</text>\n", lane+4, (y+end)/2, escape(shorten(label, labelSize)))
	}
}

// A label is the condition of an edge in the picture: its middle and its width.
type label struct{ x, y, width float64 }

func (l label) overlaps(other label) bool {
	const height = 12
	return math.Abs(l.x-other.x) < (l.width+other.width)/2 && math.Abs(l.y-other.y) < height
}

// spot returns the place of an edge's condition: before the edge's end, or farther
// up if another condition is there already.
func (e line) spot(taken []label) label {
	at := label{width: float64(utf8.RuneCountInString(shorten(e.label, labelSize))) * 6.2}
	for i := len(e.through) - 1; i > 0; i-- {
		at.x, at.y = (e.through[i].x+e.through[i-1].x)/2, (e.through[i].y+e.through[i-1].y)/2
		if !slices.ContainsFunc(taken, at.overlaps) {
			break
		}
	}
	return at
}

// drawConditions writes the conditions of edges.
func drawConditions(b *strings.Builder, edges []line) {
	var taken []label
	for _, e := range edges {
		if e.label == "" {
			continue
		}
		at := e.spot(taken)
		taken = append(taken, at)
		fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"10\" fill=\"#446\" stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\">%s</text>\n",
			at.x, at.y, escape(shorten(e.label, labelSize)))
	}
}

// fills are the colours of kinds of nodes.
var fills = map[string]string{
	"prompt": "#eef3ff", "human": "#fff5dd", "decision": "#f2ecff", "checkpoint": "#e9f7f4", "parallel": "#e8eef2", "join": "#e8eef2",
	startKind: "#dff0df", endKind: "#f0dfdf",
}

// drawNode draws a node in the shape of its kind.
func (m *walk) drawNode(b *strings.Builder, i int, at *place) {
	n := m.nodes[i]
	fill := fills[n.Kind]
	if fill == "" {
		fill = "#f4f6f4"
	}
	left, right, top, bottom := at.x-at.width/2, at.x+at.width/2, at.y-boxHeight/2, at.y+boxHeight/2
	corners := func(points ...float64) {
		b.WriteString("<polygon points=\"")
		for k := 0; k < len(points); k += 2 {
			fmt.Fprintf(b, "%.1f,%.1f ", points[k], points[k+1])
		}
		fmt.Fprintf(b, "\" fill=\"%s\" stroke=\"#667\"/>", fill)
	}
	if n.Kind == startKind || n.Kind == endKind {
		b.WriteString("<g>")
	} else {
		openBox(b, n)
	}
	switch n.Kind {
	case "decision":
		corners(left, at.y, at.x, top-4, right, at.y, at.x, bottom+4)
	case "human":
		corners(left, at.y, left+16, top, right-16, top, right, at.y, right-16, bottom, left+16, bottom)
	case "parallel":
		corners(left+12, top, right-12, top, right, bottom, left, bottom)
	case "join":
		corners(left, top, right, top, right-12, bottom, left+12, bottom)
	default:
		round, edge := 6.0, ""
		switch n.Kind {
		case startKind, endKind:
			round = boxHeight / 2
		case "checkpoint":
			edge = " stroke-width=\"3\""
		}
		fmt.Fprintf(b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"%.0f\" fill=\"%s\" stroke=\"#667\"%s/>", left, top, at.width, boxHeight, round, fill, edge)
	}
	if n.Kind == startKind || n.Kind == endKind {
		fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text></g>\n", at.x, at.y+5, n.Key)
		return
	}
	at.name(b, n)
}
