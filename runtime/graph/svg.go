package graph

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// The picture is drawn in layers from top to bottom. Edges that pass a layer
// get a place of their own in it, so that they run between the boxes and not
// through them; the order within layers is then improved by moving each place
// to the mean of its neighbours, down and up again, a few times. That is the
// usual way (Sugiyama's), without its last refinements: workflows are small,
// and a picture that any reader of this file can follow is worth more than a
// few crossings fewer.
//
// Nodes of a cycle, which the compiler refuses but a picture may have to show,
// stand in a layer of their own at the end.

const (
	boxHeight  = 44
	layerGap   = 56
	boxGap     = 24
	passWidth  = 12
	margin     = 16
	charWidth  = 7.6
	sweepCount = 8
)

// A place is a box, or the point where an edge passes a layer.
type place struct {
	node  int // index of the node, or -1 for a passing edge
	width float64
	x, y  float64 // centre
	up    []*place
	down  []*place
}

// A line is an edge as it is drawn: the places it goes through.
type line struct {
	through []*place
	order   bool
	label   string
}

// A picture is a graph with places for everything.
type picture struct {
	layers [][]*place
	lines  []line
}

func (d *dag) svg(name string) string {
	layers := layersOf(d.links)
	if placed := slices.Concat(layers...); len(placed) < len(d.nodes) {
		var rest []int
		for i := range d.nodes {
			if !slices.Contains(placed, i) {
				rest = append(rest, i)
			}
		}
		layers = append(layers, rest)
	}
	p, _ := d.layOut(layers)
	width, height := p.position()
	var b strings.Builder
	openPicture(&b, name, width, height)
	for _, e := range p.lines {
		drawLine(&b, e)
	}
	for _, layer := range p.layers {
		for _, at := range layer {
			if at.node >= 0 {
				drawBox(&b, d.nodes[at.node], at)
			}
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func openPicture(b *strings.Builder, name string, width, height float64) {
	fmt.Fprintf(b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" font-size=\"13\">\n", width, height, width, height)
	fmt.Fprintf(b, "<title>%s</title>\n", escape(name))
	b.WriteString("<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 10 5 0 10z\" fill=\"#667\"/></marker></defs>\n")
	fmt.Fprintf(b, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#fff\"/>\n", width, height)
}

// layOut gives the nodes of the layers, and the edges that lead on, their places.
func (m *chart) layOut(layers [][]int) (*picture, []*place) {
	p := &picture{layers: make([][]*place, len(layers))}
	box := make([]*place, len(m.nodes))
	depth := make([]int, len(m.nodes))
	for n, layer := range layers {
		for _, i := range layer {
			kind := m.nodes[i].Kind
			chars := max(utf8.RuneCountInString(m.nodes[i].Key), utf8.RuneCountInString(what(m.nodes[i])))
			width := max(72, float64(min(chars, maxLabel))*charWidth+24)
			if kind == "decision" || kind == "human" {
				width += 44 // what the corners take
			}
			box[i], depth[i] = &place{node: i, width: width}, n
			p.layers[n] = append(p.layers[n], box[i])
		}
	}
	for _, a := range m.arcs {
		if !a.back {
			p.connect(box[a.from], box[a.to], depth[a.from], depth[a.to], a.order, a.label)
		}
	}
	for range sweepCount {
		p.sweep()
	}
	return p, box
}

const maxLabel = 40

func (p *picture) connect(from, to *place, fromLayer, toLayer int, order bool, label string) {
	e := line{order: order, label: label, through: []*place{from}}
	for n := fromLayer + 1; n < toLayer; n++ {
		pass := &place{node: -1, width: passWidth}
		p.layers[n] = append(p.layers[n], pass)
		e.through = append(e.through, pass)
	}
	e.through = append(e.through, to)
	for i := 1; i < len(e.through); i++ {
		a, b := e.through[i-1], e.through[i]
		a.down, b.up = append(a.down, b), append(b.up, a)
	}
	p.lines = append(p.lines, e)
}

// sweep moves the places of each layer towards their neighbours in the layer
// above, then below.
func (p *picture) sweep() {
	for n := 1; n < len(p.layers); n++ {
		arrange(p.layers[n], p.layers[n-1], func(at *place) []*place { return at.up })
	}
	for n := len(p.layers) - 2; n >= 0; n-- {
		arrange(p.layers[n], p.layers[n+1], func(at *place) []*place { return at.down })
	}
}

func arrange(layer, beside []*place, neighbours func(*place) []*place) {
	rank := make(map[*place]int, len(beside))
	for i, at := range beside {
		rank[at] = i
	}
	mean := make(map[*place]float64, len(layer))
	for i, at := range layer {
		sum, count := 0, 0
		for _, other := range neighbours(at) {
			if r, ok := rank[other]; ok {
				sum, count = sum+r, count+1
			}
		}
		mean[at] = float64(i) * float64(max(1, len(beside))) / float64(max(1, len(layer)))
		if count > 0 {
			mean[at] = float64(sum) / float64(count)
		}
	}
	slices.SortStableFunc(layer, func(a, b *place) int { return cmp.Compare(mean[a], mean[b]) })
}

// position gives every place its coordinates, layers centred, and returns the
// size of the picture.
func (p *picture) position() (width, height float64) {
	widths := make([]float64, len(p.layers))
	for n, layer := range p.layers {
		for i, at := range layer {
			if i > 0 {
				widths[n] += boxGap
			}
			widths[n] += at.width
		}
		width = max(width, widths[n])
	}
	for n, layer := range p.layers {
		x := margin + (width-widths[n])/2
		for _, at := range layer {
			at.x = x + at.width/2
			at.y = margin + float64(n)*(boxHeight+layerGap) + boxHeight/2
			x += at.width + boxGap
		}
	}
	n := float64(len(p.layers))
	return width + 2*margin, 2*margin + n*boxHeight + max(0, n-1)*layerGap
}

func drawLine(b *strings.Builder, e line) {
	first, last := e.through[0], e.through[len(e.through)-1]
	x, y := first.x, first.y+boxHeight/2
	fmt.Fprintf(b, "<path d=\"M%.1f %.1f", x, y)
	for _, at := range e.through[1:] {
		end := at.y - boxHeight/2
		middle := (y + end) / 2
		fmt.Fprintf(b, " C%.1f %.1f %.1f %.1f %.1f %.1f", x, middle, at.x, middle, at.x, end)
		x, y = at.x, end
		if at != last {
			y = at.y + boxHeight/2
			fmt.Fprintf(b, " V%.1f", y)
		}
	}
	b.WriteString("\" fill=\"none\" stroke=\"#667\"")
	if e.order {
		b.WriteString(" stroke-dasharray=\"4 3\"")
	}
	b.WriteString(" marker-end=\"url(#arrow)\">")
	if e.label != "" {
		fmt.Fprintf(b, "<title>%s</title>", escape(e.label))
	}
	b.WriteString("</path>\n")
}

func drawBox(b *strings.Builder, n flow.NodeInfo, at *place) {
	fill := map[string]string{"prompt": "#eef3ff", "approval": "#fff5dd", "loop": "#f2ecff", "cancel": "#ffe9e9"}[n.Kind]
	if fill == "" {
		fill = "#f4f6f4"
	}
	openBox(b, n)
	fmt.Fprintf(b, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"6\" fill=\"%s\" stroke=\"#667\"/>", at.x-at.width/2, at.y-boxHeight/2, at.width, boxHeight, fill)
	if label := edgeLabel(n); label != "" {
		fmt.Fprintf(b, "<title>%s</title>", escape(label))
	}
	at.name(b, n)
}

// openBox opens the group of a node's shape and texts, with the key of the node.
func openBox(b *strings.Builder, n flow.NodeInfo) {
	fmt.Fprintf(b, "<g data-node=\"%s\">", escape(n.Key))
}

// name writes the key and the description of a node into its box.
func (at *place) name(b *strings.Builder, n flow.NodeInfo) {
	fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>", at.x, at.y-3, escape(shorten(n.Key, maxLabel)))
	fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"11\" fill=\"#556\">%s</text></g>\n", at.x, at.y+13, escape(shorten(what(n), maxLabel)))
}

// escape makes a text safe in SVG, without the characters that XML forbids.
func escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		return r
	}, oneLine(s))
	return html.EscapeString(s)
}
