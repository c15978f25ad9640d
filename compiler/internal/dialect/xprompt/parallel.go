package xprompt

import (
	"fmt"

	"github.com/wfc-lang/wfc/internal/finding"
)

// readChildren decodes the steps of a parallel.
func (d *decoder) readChildren(s *stepDecl) {
	v := *s.parallel
	if s.hitl != nil && s.review {
		d.Bag.Add(finding.ParallelShape(s.hitl.Head(), fmt.Sprintf("`hitl` cannot be on the parallel step `%s`", s.name)).
			WithHelp("ask for the review in a step after it"))
		s.review = false
	}
	if s.output != nil {
		d.Bag.Add(finding.NoEffect(s.output.Head(), "output", "a parallel combines the outputs of its steps").
			WithHelp("declare the outputs of its steps"))
		s.output, s.spec = nil, nil
	}
	if s.parent != nil {
		return // reported as a parallel in a parallel
	}
	if !d.IsList(v) {
		return
	}
	if n := len(v.Node.Items); n < 2 {
		d.Bag.Add(finding.ParallelShape(v.Head(), fmt.Sprintf("parallel `%s` needs at least two steps, got %d", s.name, n)))
	}
	for i, item := range v.Node.Items {
		c := d.readStep(v.Item(item), i, s)
		if c == nil {
			continue
		}
		c.id = c.name
		if other := s.child(c.name); other != nil {
			d.Bag.Add(finding.DuplicateStep(c.nameAt, c.name, other.nameAt, true))
			continue
		}
		s.children = append(s.children, c)
	}
}

// child returns the step of a parallel that has a name, or nil.
func (s *stepDecl) child(name string) *stepDecl {
	for _, c := range s.children {
		if c.name == name {
			return c
		}
	}
	return nil
}

// checkChild reports keys that a step of a parallel cannot have.
func (d *decoder) checkChild(s *stepDecl) {
	for _, key := range []string{"for", "while", "repeat", "parallel"} {
		if p := s.at.Node.Pair(key); p != nil {
			d.Bag.Add(finding.ParallelShape(p.Key.Span, fmt.Sprintf("`%s` cannot be on a step of a parallel", key)).
				WithHelp("repeat the parallel as a whole, with `for`"))
		}
	}
	if s.hitl != nil && s.review {
		d.Bag.Add(finding.ParallelShape(s.hitl.Head(), "`hitl` cannot be on a step of a parallel").
			WithHelp("ask for the review in a step after the parallel"))
	}
	s.forVars, s.again, s.review = nil, nil, false
}
