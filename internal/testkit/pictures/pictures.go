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
	p, err := parse(svg)
	if err != nil {
		return []string{err.Error()}
	}
	p.outside()
	p.overlaps()
	for _, e := range p.edges {
		p.check(e)
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

func (r rect) has(at point) bool {
	return at.x > r.left && at.x < r.right && at.y > r.top && at.y < r.bottom
}

// meets reports whether a point is on the border of a box.
func (r rect) meets(at point) bool {
	const near = 0.3
	out := rect{r.left - near, r.top - near, r.right + near, r.bottom + near}
	in := rect{r.left + near, r.top + near, r.right - near, r.bottom - near}
	return out.has(at) && !in.has(at)
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

func (p *picture) fault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

func (p *picture) outside() {
	for _, b := range append(append([]box{}, p.boxes...), p.words...) {
		if !p.view.contains(b.rect) {
			p.fault("%s is outside the picture", b.name)
		}
	}
	for _, e := range p.edges {
		for _, at := range e.points {
			if !p.view.has(at) {
				p.fault("%s leaves the picture", e.name)
				break
			}
		}
	}
}

func (p *picture) overlaps() {
	for i, b := range p.boxes {
		for _, o := range p.boxes[i+1:] {
			if !b.overlaps(o.rect) || b.frame && b.contains(o.rect) || o.frame && o.contains(b.rect) {
				continue
			}
			p.fault("%s overlaps %s", b.name, o.name)
		}
	}
}

// check checks the path of an edge.
func (p *picture) check(e edge) {
	first, last := e.points[0], e.points[len(e.points)-1]
	starts, ends := false, false
	for _, b := range p.boxes {
		from, to := b.meets(first), b.meets(last)
		starts, ends = starts || from, ends || to
		if from || to || b.frame && (b.has(first) || b.has(last)) {
			continue
		}
		for _, at := range e.points {
			if b.has(at) {
				p.fault("%s runs through %s", e.name, b.name)
				break
			}
		}
	}
	if !starts || !ends {
		p.fault("%s does not meet its nodes", e.name)
	}
}

// parse reads the elements of a picture by their classes.
func parse(svg string) (*picture, error) {
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
			if err := p.element(open); err != nil {
				return nil, err
			}
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			p.text(open, string(t))
		}
	}
	if p.view == (rect{}) {
		return nil, errors.New("the picture has no viewBox")
	}
	return p, nil
}

// element adds the element that is open innermost.
func (p *picture) element(open []xml.StartElement) error {
	e := open[len(open)-1]
	group := ""
	for _, o := range open[:len(open)-1] {
		if c := attr(o, "class"); c != "" && o.Name.Local == "g" {
			group = c
		}
		if attr(o, "class") == "w-key" {
			return nil // the legend
		}
	}
	switch class := first(attr(e, "class")); {
	case e.Name.Local == "svg":
		list, err := numbers(attr(e, "viewBox"))
		if err != nil || len(list) != 4 {
			return fmt.Errorf("viewBox %q: %v", attr(e, "viewBox"), err)
		}
		p.view = rect{list[0], list[1], list[0] + list[2], list[1] + list[3]}
	case class == "w-box", class == "w-frame", class == "w-bundle", group == "w-label" && e.Name.Local == "rect":
		r, err := bounds(e)
		if err != nil {
			return err
		}
		name := "a label"
		if len(open) > 1 && attr(open[len(open)-2], "data-node") != "" {
			name = attr(open[len(open)-2], "data-node")
		}
		p.boxes = append(p.boxes, box{r, name, class == "w-frame" || class == "w-bundle"})
	case class == "w-edge":
		points, err := follow(attr(e, "d"))
		if err != nil {
			return err
		}
		p.edges = append(p.edges, edge{"an edge", points})
	}
	return nil
}

// text adds the title of a frame, the text beside an edge from a node to itself, or names an
// edge.
func (p *picture) text(open []xml.StartElement, s string) {
	if len(open) < 2 {
		return
	}
	e, around := open[len(open)-1], open[len(open)-2]
	switch {
	case e.Name.Local == "title" && first(attr(around, "class")) == "w-edge" && len(p.edges) > 0:
		p.edges[len(p.edges)-1].name = s
	case e.Name.Local == "text":
		x, _ := strconv.ParseFloat(attr(e, "x"), 64)
		y, _ := strconv.ParseFloat(attr(e, "y"), 64)
		// A narrow estimate: fonts differ.
		w := float64(utf8.RuneCountInString(s)) * 5
		b := box{rect{x, y - 8, x + w, y + 2}, "the text " + s, false}
		if attr(e, "text-anchor") == "middle" {
			b.left, b.right = x-w/2, x+w/2
		}
		p.words = append(p.words, b)
		if around.Name.Local == "svg" || first(attr(around, "class")) == "w-group" {
			p.boxes = append(p.boxes, b)
		}
	}
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// first is the first class of an element.
func first(class string) string {
	class, _, _ = strings.Cut(class, " ")
	return class
}

func numbers(s string) ([]float64, error) {
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

// bounds is the box around a rectangle or a polygon.
func bounds(e xml.StartElement) (rect, error) {
	if e.Name.Local == "polygon" {
		list, err := numbers(attr(e, "points"))
		if err != nil || len(list) < 6 {
			return rect{}, fmt.Errorf("polygon %q: %v", attr(e, "points"), err)
		}
		r := rect{list[0], list[1], list[0], list[1]}
		for i := 0; i+1 < len(list); i += 2 {
			r = rect{min(r.left, list[i]), min(r.top, list[i+1]), max(r.right, list[i]), max(r.bottom, list[i+1])}
		}
		return r, nil
	}
	list, err := numbers(attr(e, "x") + " " + attr(e, "y") + " " + attr(e, "width") + " " + attr(e, "height"))
	if err != nil || len(list) != 4 {
		return rect{}, fmt.Errorf("rectangle: %v", err)
	}
	return rect{list[0], list[1], list[0] + list[2], list[1] + list[3]}, nil
}

// follow returns points of a path of the commands M, V and C.
func follow(d string) ([]point, error) {
	var points []point
	var at point
	for len(d) > 0 {
		command := d[0]
		end := strings.IndexAny(d[1:], "MVC") + 1
		if end == 0 {
			end = len(d)
		}
		list, err := numbers(d[1:end])
		if err != nil {
			return nil, err
		}
		d = d[end:]
		switch {
		case command == 'M' && len(list) == 2:
			at = point{list[0], list[1]}
			points = append(points, at)
		case command == 'V' && len(list) == 1:
			points = append(points, sample(at, at, point{at.x, list[0]}, point{at.x, list[0]})...)
			at.y = list[0]
		case command == 'C' && len(list) == 6:
			to := point{list[4], list[5]}
			points = append(points, sample(at, point{list[0], list[1]}, point{list[2], list[3]}, to)...)
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

// sample returns points of a curve, at most about two units apart.
func sample(a, b, c, d point) []point {
	length := abs(d.x-a.x) + abs(d.y-a.y) + abs(b.x-a.x) + abs(c.x-d.x)
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

func abs(x float64) float64 { return max(x, -x) }
