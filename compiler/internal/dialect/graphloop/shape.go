package graphloop

import (
	"cmp"
	"math"
	"strings"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// Types are found by unification. Each variable has a shape. Its values and
// comparisons determine the shape, and shapes that are compared with each other
// become one. First values come first, then assignments of handlers, then
// comparisons: a contradiction is reported where it occurs, with the place that
// determined the shape before.

// form is the known part of a shape.
type form int

const (
	unknownForm form = iota
	numberForm
	textForm
	boolForm
	listForm
	mapForm
	// anyForm is that of values with different forms.
	anyForm
)

var formNames = [...]string{"of no known type", "a number", "a string", "a boolean", "a list", "an object", "any value"}

func (f form) String() string { return formNames[f] }

// A shape is the known part of a variable's type. A shape that was unified with
// another represents that one.
type shape struct {
	same *shape
	form form
	// from is where the form is known from.
	from source.Span
	// fraction says that a number may have a fraction.
	fraction bool
	// elem is the shape of a list's members.
	elem *shape
}

// findRoot returns the shape that s represents.
func (s *shape) findRoot() *shape {
	for s.same != nil {
		s = s.same
	}
	return s
}

// elementShape returns the shape of the members of a list.
func (s *shape) elementShape() *shape {
	s = s.findRoot()
	if s.elem == nil {
		s.elem = &shape{}
	}
	return s.elem
}

// unifyForm says that a shape has a form; it reports whether that can be.
func (s *shape) unifyForm(f form, at source.Span) bool {
	s = s.findRoot()
	if s.form == unknownForm {
		s.form, s.from = f, at
	}
	return s.form == f || s.form == anyForm || f == anyForm
}

// unifyShapes makes one shape of two, if they can be.
func unifyShapes(a, b *shape) bool {
	a, b = a.findRoot(), b.findRoot()
	if a == b {
		return true
	}
	if a.form == unknownForm {
		a, b = b, a
	}
	switch {
	case b.form != unknownForm && a.form != b.form:
		return false
	case a.elem != nil && b.elem != nil && !unifyShapes(a.elem, b.elem):
		return false
	}
	a.elem = cmp.Or(a.elem, b.elem)
	a.fraction = a.fraction || b.fraction
	b.same = a
	return true
}

// resolvedType is the type of a shape.
func (s *shape) resolvedType() types.Type {
	switch s = s.findRoot(); s.form {
	case numberForm:
		if s.fraction {
			return types.Float
		}
		return types.Int
	case textForm:
		return types.Text
	case boolForm:
		return types.Bool
	case listForm:
		return &types.List{Elem: s.elementShape().resolvedType()}
	}
	return types.Any
}

// formOf returns the form of a value of the file; null has none.
func formOf(n *yamlsrc.Node) form {
	switch {
	case n.IsNull():
		return unknownForm
	case n.Kind == yamlsrc.Mapping:
		return mapForm
	case n.Kind == yamlsrc.Sequence:
		return listForm
	}
	switch n.Tag {
	case yamlsrc.TagInt, yamlsrc.TagFloat:
		return numberForm
	case yamlsrc.TagBool:
		return boolForm
	}
	return textForm
}

// unifyValue says that a value of the file is of a shape; it reports whether that can
// be.
func (s *shape) unifyValue(n *yamlsrc.Node) bool {
	f := formOf(n)
	if f == unknownForm {
		return true
	}
	s = s.findRoot()
	if !s.unifyForm(f, n.Place()) {
		return false
	}
	if number, ok := n.Number(); ok && !isWhole(number) {
		s.fraction = true
	}
	if f == listForm && s.form == listForm {
		s.holdAll(n.Items)
	}
	return true
}

// holdAll says that values are members of a list. A list may hold values that
// are not alike; then nothing is known of any of them.
func (s *shape) holdAll(items []*yamlsrc.Node) {
	elem := s.elementShape()
	for _, item := range items {
		if item.IsNull() || !elem.unifyValue(item) {
			elem.findRoot().form = anyForm
		}
	}
}

// isWholeText reports whether a number is written without a fraction and small
// enough to be exact.
func isWholeText(s string) bool {
	return !strings.Contains(s, ".") && len(strings.TrimPrefix(s, "-")) <= 15
}

// isWhole reports whether a number is whole and small enough for that to be
// certain of its neighbours.
func isWhole(f float64) bool { return f == math.Trunc(f) && math.Abs(f) < 1<<53 }
