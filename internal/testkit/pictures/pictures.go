// Package pictures checks the geometry of the SVG pictures that package runtime/draw draws.
package pictures

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Faults returns the faults of a picture: nodes, labels or titles that overlap, edges through
// nodes, labels or titles that are not theirs, edges that end nowhere, and parts outside the
// viewBox. A picture that is not well-formed is one fault.
func Faults(svg string) []string {
	p, err := parsePicture(svg)
	if err != nil {
		return []string{err.Error()}
	}
	p.checkOutside()
	p.checkOverlaps()
	for _, e := range p.edges {
		p.checkEdge(e)
	}
	return p.faults
}

// A rect is a box, by two corners.
type rect struct{ left, top, right, bottom float64 }

func (r rect) overlaps(o rect) bool {
	return r.left < o.right && o.left < r.right && r.top < o.bottom && o.top < r.bottom
}

func (r rect) contains(o rect) bool {
	return r.left <= o.left && r.top <= o.top && o.right <= r.right && o.bottom <= r.bottom
}

func (r rect) containsPoint(at point) bool {
	return at.x > r.left && at.x < r.right && at.y > r.top && at.y < r.bottom
}

// touchesBorder reports whether a point is on the border of a box.
func (r rect) touchesBorder(at point) bool {
	const near = 0.3
	out := rect{r.left - near, r.top - near, r.right + near, r.bottom + near}
	in := rect{r.left + near, r.top + near, r.right - near, r.bottom - near}
	return out.containsPoint(at) && !in.containsPoint(at)
}

type point struct{ x, y float64 }

// A box is a node, a label, a title, or a frame around nodes.
type box struct {
	rect
	name  string
	frame bool
}

// An edge is a path, by points close to each other.
type edge struct {
	name   string
	points []point
}

// A picture is a drawing without its legend.
type picture struct {
	view   rect
	boxes  []box
	edges  []edge
	words  []box // single lines of text
	faults []string
}

func (p *picture) addFault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

func (p *picture) checkOutside() {
	for _, b := range append(append([]box{}, p.boxes...), p.words...) {
		if !p.view.contains(b.rect) {
			p.addFault("%s is outside the picture", b.name)
		}
	}
	for _, e := range p.edges {
		for _, at := range e.points {
			if !p.view.containsPoint(at) {
				p.addFault("%s leaves the picture", e.name)
				break
			}
		}
	}
}

func (p *picture) checkOverlaps() {
	for i, b := range p.boxes {
		for _, o := range p.boxes[i+1:] {
			if !b.overlaps(o.rect) || b.frame && b.contains(o.rect) || o.frame && o.contains(b.rect) {
				continue
			}
			p.addFault("%s overlaps %s", b.name, o.name)
		}
	}
}

// checkEdge checks the path of an edge.
func (p *picture) checkEdge(e edge) {
	first, last := e.points[0], e.points[len(e.points)-1]
	starts, ends := false, false
	for _, b := range p.boxes {
		from, to := b.touchesBorder(first), b.touchesBorder(last)
		starts, ends = starts || from, ends || to
		if from || to || b.frame && (b.containsPoint(first) || b.containsPoint(last)) {
			continue
		}
		for _, at := range e.points {
			if b.containsPoint(at) {
				p.addFault("%s runs through %s", e.name, b.name)
				break
			}
		}
	}
	if !starts || !ends {
		p.addFault("%s does not meet its nodes", e.name)
	}
}

// parsePicture reads the elements of a picture by their classes.
func parsePicture(svg string) (*picture, error) {
	p := &picture{}
	var open []xml.StartElement
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			open = append(open, t.Copy())
			if err := p.addElement(open); err != nil {
				return nil, err
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			p.addText(open, string(t))
		}
	}
	if p.view == (rect{}) {
		return nil, errors.New("the picture has no viewBox")
	}
	return p, nil
}

// addElement adds the element that is open innermost.
func (p *picture) addElement(open []xml.StartElement) error {
	e := open[len(open)-1]
	group := ""
	for _, o := range open[:len(open)-1] {
		if c := attrValue(o, "class"); c != "" && o.Name.Local == "g" {
			group = c
		}
		if attrValue(o, "class") == "w-key" {
			return nil // the legend
		}
	}
	switch class := firstClass(attrValue(e, "class")); {
	case e.Name.Local == "svg":
		list, err := parseNumbers(attrValue(e, "viewBox"))
		if err != nil || len(list) != 4 {
			return fmt.Errorf("viewBox %q: %v", attrValue(e, "viewBox"), err)
		}
		p.view = rect{list[0], list[1], list[0] + list[2], list[1] + list[3]}
	case class == "w-box", class == "w-frame", class == "w-bundle", group == "w-label" && e.Name.Local == "rect":
		r, err := boundingBox(e)
		if err != nil {
			return err
		}
		name := "a label"
		if len(open) > 1 && attrValue(open[len(open)-2], "data-node") != "" {
			name = attrValue(open[len(open)-2], "data-node")
		}
		p.boxes = append(p.boxes, box{r, name, class == "w-frame" || class == "w-bundle"})
	case class == "w-edge":
		points, err := pathPoints(attrValue(e, "d"))
		if err != nil {
			return err
		}
		p.edges = append(p.edges, edge{"an edge", points})
	}
	return nil
}

// addText adds the title of a frame, the text beside an edge from a node to itself, or names an
// edge.
func (p *picture) addText(open []xml.StartElement, s string) {
	if len(open) < 2 {
		return
	}
	e, around := open[len(open)-1], open[len(open)-2]
	switch {
	case e.Name.Local == "title" && firstClass(attrValue(around, "class")) == "w-edge" && len(p.edges) > 0:
		p.edges[len(p.edges)-1].name = s
	case e.Name.Local == "text":
		x, _ := strconv.ParseFloat(attrValue(e, "x"), 64)
		y, _ := strconv.ParseFloat(attrValue(e, "y"), 64)
		// A narrow estimate: fonts differ.
		w := float64(utf8.RuneCountInString(s)) * 5
		b := box{rect{x, y - 8, x + w, y + 2}, "the text " + s, false}
		if attrValue(e, "text-anchor") == "middle" {
			b.left, b.right = x-w/2, x+w/2
		}
		p.words = append(p.words, b)
		if around.Name.Local == "svg" || firstClass(attrValue(around, "class")) == "w-group" {
			p.boxes = append(p.boxes, b)
		}
	}
}

func attrValue(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// firstClass is the first class of an element.
func firstClass(class string) string {
	class, _, _ = strings.Cut(class, " ")
	return class
}

func parseNumbers(s string) ([]float64, error) {
	var list []float64
	for _, word := range strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' }) {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

// boundingBox is the box around a rectangle or a polygon.
func boundingBox(e xml.StartElement) (rect, error) {
	if e.Name.Local == "polygon" {
		list, err := parseNumbers(attrValue(e, "points"))
		if err != nil || len(list) < 6 {
			return rect{}, fmt.Errorf("polygon %q: %v", attrValue(e, "points"), err)
		}
		r := rect{list[0], list[1], list[0], list[1]}
		for i := 0; i+1 < len(list); i += 2 {
			r = rect{min(r.left, list[i]), min(r.top, list[i+1]), max(r.right, list[i]), max(r.bottom, list[i+1])}
		}
		return r, nil
	}
	list, err := parseNumbers(attrValue(e, "x") + " " + attrValue(e, "y") + " " + attrValue(e, "width") + " " + attrValue(e, "height"))
	if err != nil || len(list) != 4 {
		return rect{}, fmt.Errorf("rectangle: %v", err)
	}
	return rect{list[0], list[1], list[0] + list[2], list[1] + list[3]}, nil
}

// pathPoints returns points of a path of the commands M, V and C.
func pathPoints(d string) ([]point, error) {
	var points []point
	var at point
	for len(d) > 0 {
		command := d[0]
		end := strings.IndexAny(d[1:], "MVC") + 1
		if end == 0 {
			end = len(d)
		}
		list, err := parseNumbers(d[1:end])
		if err != nil {
			return nil, err
		}
		d = d[end:]
		switch {
		case command == 'M' && len(list) == 2:
			at = point{list[0], list[1]}
			points = append(points, at)
		case command == 'V' && len(list) == 1:
			points = append(points, curvePoints(at, at, point{at.x, list[0]}, point{at.x, list[0]})...)
			at.y = list[0]
		case command == 'C' && len(list) == 6:
			to := point{list[4], list[5]}
			points = append(points, curvePoints(at, point{list[0], list[1]}, point{list[2], list[3]}, to)...)
			at = to
		default:
			return nil, fmt.Errorf("path command %c%v", command, list)
		}
	}
	if len(points) < 2 {
		return nil, errors.New("a path without points")
	}
	return points, nil
}

// curvePoints returns points of a curve, at most about two units apart.
func curvePoints(a, b, c, d point) []point {
	length := absValue(d.x-a.x) + absValue(d.y-a.y) + absValue(b.x-a.x) + absValue(c.x-d.x)
	steps := int(length/2) + 2
	var list []point
	for n := 1; n <= steps; n++ {
		s := float64(n) / float64(steps)
		r := 1 - s
		at := func(a, b, c, d float64) float64 { return r*r*r*a + 3*r*r*s*b + 3*r*s*s*c + s*s*s*d }
		list = append(list, point{at(a.x, b.x, c.x, d.x), at(a.y, b.y, c.y, d.y)})
	}
	return list
}

func absValue(x float64) float64 { return max(x, -x) }
