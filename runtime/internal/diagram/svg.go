package diagram

import (
	"fmt"
	"html"
	"math"
	"strings"

	"github.com/wfc-lang/wfc/runtime/internal/layout"
)

// renderSVG draws the picture. Its colours follow the mode of the page, light or dark.
func (f *figure) renderSVG() string {
	p := f.layOut()
	legend := p.newLegend()
	w := max(p.Width, legend.width)
	h := p.Height + legend.height
	d := &drawer{picture: p}
	d.printf("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"wfc\" role=\"img\" width=\"%s\" height=\"%s\" viewBox=\"0 0 %s %s\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n", formatCoordinate(w), formatCoordinate(h), formatCoordinate(w), formatCoordinate(h))
	d.printf("<title>%s</title>\n", escapeXML(f.headTitle()))
	d.b.WriteString(p.styleSheet())
	d.printf("<rect class=\"w-page\" width=\"%s\" height=\"%s\"/>\n", formatCoordinate(w), formatCoordinate(h))
	for i, n := range p.nodes {
		if n.group {
			d.drawFrame(i)
		}
	}
	for i := len(p.nodes); i < len(p.graph.Nodes); i++ {
		if p.bundles[i] {
			r := p.Boxes[i]
			d.printf("<rect class=\"w-bundle\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"10\"/>\n", formatCoordinate(r.X), formatCoordinate(r.Y), formatCoordinate(r.W), formatCoordinate(r.H))
		}
	}
	for i := range p.graph.Edges {
		d.drawPath(i)
	}
	for i := range p.nodes {
		d.drawSelfLoops(i)
	}
	for at := len(p.nodes); at < len(p.graph.Nodes); at++ {
		if l := p.labels[at]; l != nil {
			d.drawLabel(l, p.Boxes[at])
		}
	}
	for i, n := range p.nodes {
		if !n.group {
			d.drawNode(i)
		}
	}
	legend.draw(d, p.Height)
	d.b.WriteString("</svg>\n")
	return d.b.String()
}

// headTitle is the title of the picture.
func (f *figure) headTitle() string {
	if f.Run != nil {
		return fmt.Sprintf("%s, run %s: %s", f.Name, f.Run.ID, f.Run.Status)
	}
	return f.Name
}

// A drawer writes the elements of a picture.
type drawer struct {
	*picture
	b strings.Builder
}

func (d *drawer) printf(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

// formatCoordinate writes a coordinate with one digit after the point at most.
func formatCoordinate(x float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", math.Round(x*10)/10), ".0")
}

// drawFrame draws a node that contains others.
func (d *drawer) drawFrame(i int) {
	n, r, t := d.nodes[i], d.Boxes[i], d.Titles[i]
	if t.W == 0 { // its nodes had to leave it
		d.drawNode(i)
		return
	}
	d.printf("<g data-node=\"%s\" class=\"w-group %s\"><rect class=\"w-frame\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"10\"/>", escapeXML(n.path), d.nodeClasses(i), formatCoordinate(r.X), formatCoordinate(r.Y), formatCoordinate(r.W), formatCoordinate(r.H))
	y := t.Y + 13
	d.printf("<text class=\"w-name\" x=\"%s\" y=\"%s\">%s</text>", formatCoordinate(t.X), formatCoordinate(y), escapeXML(shortenLine(n.Key, maxName)))
	for _, line := range d.nodeLines(i) {
		y += lineHeight
		d.printf("<text class=\"w-words\" x=\"%s\" y=\"%s\">%s</text>", formatCoordinate(t.X), formatCoordinate(y), escapeXML(line))
	}
	d.printf("<title>%s</title></g>\n", escapeXML(n.Key+": "+n.descriptionBesideChildren()))
}

// nodeClasses are the classes of a node: its colours, and those of its state.
func (d *drawer) nodeClasses(i int) string {
	n := d.nodes[i]
	if d.Run != nil && !n.isStartOrEnd() {
		return "w-s-" + styleOf(n.state).class
	}
	return "w-k-" + colourName(n.Kind)
}

// nodeLines are the lines of a node below its key.
func (d *drawer) nodeLines(i int) []string {
	n := d.nodes[i]
	var lines []string
	if words := n.descriptionBesideChildren(); words != "" {
		lines = append(lines, shortenLine(words, maxWords))
	}
	if n.state != nil {
		lines = append(lines, shortenLine(n.state.briefDescription(), maxWords))
	}
	return lines
}

// drawNode draws a node in the shape of its kind.
func (d *drawer) drawNode(i int) {
	n, r := d.nodes[i], d.Boxes[i]
	if n.isStartOrEnd() {
		d.printf("<g class=\"w-node %s\">", d.nodeClasses(i))
	} else {
		d.printf("<g data-node=\"%s\" class=\"w-node %s\">", escapeXML(n.path), d.nodeClasses(i))
	}
	d.drawOutline(shapeOf(n.Kind).outline, r)
	middle := r.X + r.W/2
	if n.isStartOrEnd() {
		d.printf("<text class=\"w-name\" x=\"%s\" y=\"%s\" text-anchor=\"middle\">%s</text></g>\n", formatCoordinate(middle), formatCoordinate(r.Y+r.H/2+4.5), n.Key)
		return
	}
	lines := d.nodeLines(i)
	y := r.Y + (r.H-float64(len(lines))*lineHeight)/2 + 4.5
	d.printf("<text class=\"w-name\" x=\"%s\" y=\"%s\" text-anchor=\"middle\">%s</text>", formatCoordinate(middle), formatCoordinate(y), escapeXML(shortenLine(n.Key, maxName)))
	for _, line := range lines {
		y += lineHeight
		d.printf("<text class=\"w-words\" x=\"%s\" y=\"%s\" text-anchor=\"middle\">%s</text>", formatCoordinate(middle), formatCoordinate(y), escapeXML(line))
	}
	title := n.Key + ": " + n.descriptionBesideChildren()
	if n.state != nil {
		title += "; " + n.state.briefDescription()
	}
	d.printf("<title>%s</title></g>\n", escapeXML(title))
}

// drawOutline draws the outline of a shape.
func (d *drawer) drawOutline(name string, r layout.Rect) {
	polygon := func(points ...float64) {
		var list []string
		for i := 0; i < len(points); i += 2 {
			list = append(list, formatCoordinate(points[i])+","+formatCoordinate(points[i+1]))
		}
		d.printf("<polygon class=\"w-box\" points=\"%s\"/>", strings.Join(list, " "))
	}
	left, right, top, bottom := r.X, r.X+r.W, r.Y, r.Y+r.H
	corner := min(14, r.H/3)
	switch name {
	case "hexagon":
		polygon(left, r.Y+r.H/2, left+corner, top, right-corner, top, right, r.Y+r.H/2, right-corner, bottom, left+corner, bottom)
	case "diamond":
		polygon(left, r.Y+r.H/2, left+1.6*corner, top, right-1.6*corner, top, right, r.Y+r.H/2, right-1.6*corner, bottom, left+1.6*corner, bottom)
		in := corner * 0.45
		d.printf("<path class=\"w-bar\" d=\"M%s %sL%s %sL%s %sM%s %sL%s %sL%s %s\"/>",
			formatCoordinate(left+1.6*corner+in), formatCoordinate(top), formatCoordinate(left+in), formatCoordinate(r.Y+r.H/2), formatCoordinate(left+1.6*corner+in), formatCoordinate(bottom),
			formatCoordinate(right-1.6*corner-in), formatCoordinate(top), formatCoordinate(right-in), formatCoordinate(r.Y+r.H/2), formatCoordinate(right-1.6*corner-in), formatCoordinate(bottom))
	case "octagon":
		c := corner * 0.7
		polygon(left, top+c, left+c, top, right-c, top, right, top+c, right, bottom-c, right-c, bottom, left+c, bottom, left, bottom-c)
	case "trapezium":
		polygon(left+corner, top, right-corner, top, right, bottom, left, bottom)
	case "funnel":
		polygon(left, top, right, top, right-corner, bottom, left+corner, bottom)
	default:
		class, round := "w-box", 4.0
		switch name {
		case "round", "pill":
			round = min(r.H/2, 20)
		case "thick":
			class = "w-box w-thick"
		}
		d.printf("<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"%s\"/>", class, formatCoordinate(r.X), formatCoordinate(r.Y), formatCoordinate(r.W), formatCoordinate(r.H), formatCoordinate(round))
		switch name {
		case "double":
			d.printf("<rect class=\"w-bar\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"2\"/>", formatCoordinate(r.X+3.5), formatCoordinate(r.Y+3.5), formatCoordinate(r.W-7), formatCoordinate(r.H-7))
		case "barred":
			d.printf("<path class=\"w-bar\" d=\"M%s %sV%sM%s %sV%s\"/>", formatCoordinate(left+6), formatCoordinate(top), formatCoordinate(bottom), formatCoordinate(right-6), formatCoordinate(top), formatCoordinate(bottom))
		}
	}
}

// drawPath draws an edge of the layout.
func (d *drawer) drawPath(i int) {
	e, pieces := d.graph.Edges[i], d.Paths[i]
	if !d.hasPath(i) {
		return
	}
	var path strings.Builder
	fmt.Fprintf(&path, "M%s %s", formatCoordinate(pieces[0].X0), formatCoordinate(pieces[0].Y0))
	for _, q := range pieces {
		if q.X0 == q.X1 {
			fmt.Fprintf(&path, "V%s", formatCoordinate(q.Y1))
			continue
		}
		middle := (q.Y0 + q.Y1) / 2
		fmt.Fprintf(&path, "C%s %s %s %s %s %s", formatCoordinate(q.X0), formatCoordinate(middle), formatCoordinate(q.X1), formatCoordinate(middle), formatCoordinate(q.X1), formatCoordinate(q.Y1))
	}
	class := d.lineClass(i)
	d.printf("<path class=\"w-edge w-%s\" d=\"%s\"", class, path.String())
	if d.labels[e.To] == nil {
		d.printf(" marker-end=\"url(#w-%s)\"", arrowheadName(class))
	}
	d.printf("><title>%s</title></path>\n", escapeXML(strings.Join(d.edgeNames(d.shown[i]), "; ")))
}

// edgeNames says which edges of the workflow are shown.
func (d *drawer) edgeNames(shown []int) []string {
	var list []string
	for _, k := range shown {
		list = append(list, d.edgeName(d.figure.edges[k]))
	}
	return list
}

func (d *drawer) edgeName(e edge) string {
	name := d.nodes[e.from].Key + " → " + d.nodes[e.to].Key
	if e.rule != "" {
		name += ", " + e.rule
	}
	if e.condition != "" {
		name += ", when " + e.condition
	}
	if e.taken > 1 {
		name += fmt.Sprintf(", taken %d times", e.taken)
	}
	return name
}

// The styles of lines.
const (
	lineEdge  = "edge"
	lineOrder = "order"
	lineBack  = "back"
	lineTaken = "taken"
	lineIdle  = "idle"
)

// lineClass is the style of an edge of the layout.
func (p *picture) lineClass(i int) string {
	return p.lineStyle(p.shown[i], p.graph.Edges[i].Back)
}

func (p *picture) lineStyle(shown []int, back bool) string {
	order := len(shown) > 0
	for _, k := range shown {
		if p.figure.edges[k].taken > 0 {
			return lineTaken
		}
		order = order && p.figure.edges[k].order
	}
	switch {
	case p.Run != nil && back:
		return lineIdle + " w-dashed"
	case p.Run != nil:
		return lineIdle
	case back:
		return lineBack
	case order:
		return lineOrder
	}
	return lineEdge
}

// arrowheadName is the arrowhead of a style of lines.
func arrowheadName(class string) string {
	switch class, _, _ = strings.Cut(class, " "); class {
	case lineBack, lineTaken, lineIdle:
		return class
	}
	return lineEdge
}

// drawSelfLoops draws the edges from a node to itself as one, with their conditions at the right.
func (d *drawer) drawSelfLoops(i int) {
	edges, lines := d.selfLoops(i)
	if len(edges) == 0 {
		return
	}
	r := d.Boxes[i]
	x, y := r.X+r.W, r.Y+r.H/2
	class := d.lineStyle(edges, true)
	d.printf("<path class=\"w-edge w-%s\" d=\"M%s %sC%s %s %s %s %s %s\" marker-end=\"url(#w-%s)\"><title>%s</title></path>\n", class,
		formatCoordinate(x), formatCoordinate(y+9), formatCoordinate(x+26), formatCoordinate(y+14), formatCoordinate(x+26), formatCoordinate(y-14), formatCoordinate(x), formatCoordinate(y-9), arrowheadName(class), escapeXML(strings.Join(d.edgeNames(edges), "; ")))
	y -= float64(len(lines)-1)*codeHeight/2 - 4
	for _, line := range lines {
		d.printf("<text class=\"w-code\" x=\"%s\" y=\"%s\">%s</text>\n", formatCoordinate(x+loopWidth-4), formatCoordinate(y), escapeXML(line))
		y += codeHeight
	}
}

// drawLabel draws a condition and a rule.
func (d *drawer) drawLabel(l *labelBox, r layout.Rect) {
	d.printf("<g class=\"w-label\"><rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"5\"/>", formatCoordinate(r.X), formatCoordinate(r.Y), formatCoordinate(r.W), formatCoordinate(r.H))
	for i, line := range l.lines {
		class := "w-code"
		if i == 0 && l.rule {
			class = "w-code w-rule"
		}
		d.printf("<text class=\"%s\" x=\"%s\" y=\"%s\" text-anchor=\"middle\">%s</text>", class, formatCoordinate(r.X+r.W/2), formatCoordinate(r.Y+float64(i)*codeHeight+12), escapeXML(line))
	}
	d.printf("<title>%s</title></g>\n", escapeXML(l.whole))
}

// escapeXML makes a string safe in SVG, without the characters that XML forbids.
func escapeXML(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == 0xFFFE || r == 0xFFFF {
			return ' '
		}
		return r
	}, oneLine(s))
	return html.EscapeString(s)
}
