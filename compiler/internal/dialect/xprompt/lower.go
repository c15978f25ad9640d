package xprompt

import (
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// lower makes the nodes of all steps, in the order in which they run.
func (d *decoder) lower() {
	d.environment()
	for _, s := range d.steps {
		s.node = d.node(s)
		d.body.Nodes = append(d.body.Nodes, s.node)
		d.names.add(s)
		d.byID[s.node.ID] = s
	}
	d.addStepInputs()
	d.reportUnused()
	d.python.Check(d.Bag)
}

// node makes the node of a step: that of its action, within that of its loop.
func (d *decoder) node(s *stepDecl) *ir.Node {
	d.takeOutput(s)
	var when expr.Expr
	if s.cond != nil {
		when = d.test(*s.cond, &scope{d: d, reader: s, before: true})
	}
	var n *ir.Node
	switch {
	case s.forVars != nil:
		n = d.forEach(s)
	case s.again != nil && s.again.cond != nil:
		n = d.doAgain(s)
	default:
		n = d.action(s, &scope{d: d, reader: s})
	}
	if s.cond != nil {
		n.When, n.WhenText = when, s.cond.Node.Value
	}
	if s.review {
		n.Review = &ir.Review{Span: s.hitl.Head()}
		n.Output = withApproved(n.Output)
	}
	n.Finally = s.finally != nil
	return n
}

// newNode is a node of a step without its action.
func (s *stepDecl) newNode() *ir.Node {
	return &ir.Node{ID: s.id, IDSpan: s.nameAt, Span: s.span(), Output: types.Any}
}

// action makes the node for the work of a step; sc is the scope of its templates.
func (d *decoder) action(s *stepDecl, sc *scope) *ir.Node {
	n := s.newNode()
	switch {
	case s.bash != nil:
		n.Parsing, n.Action = ir.Printed, d.bash(*s.bash, sc)
	case s.python != nil:
		n.Parsing, n.Action = ir.Printed, d.pythonScript(*s.python, sc)
	case s.prompt != nil:
		n.Parsing, n.Action = ir.Replied, d.promptAction(s, sc)
		n.Schema = formSchema(s.form)
	case s.parallel != nil:
		d.fork(n, s, sc)
		return n
	default:
		n.Action = &ir.Bash{}
	}
	n.Spec = s.spec
	n.Output = outputType(s.spec, false)
	if s.artifact != nil {
		n.Captures, n.Output = true, withArtifact(n.Output)
	}
	return n
}

// fork makes the action of a parallel.
func (d *decoder) fork(n *ir.Node, s *stepDecl, sc *scope) {
	f := &ir.Fork{FailFast: s.cancels, Join: s.mode}
	if s.forVars != nil {
		f.Join = ir.JoinObject // the join is that of the loop
	}
	for _, c := range s.children {
		d.takeOutput(c)
		inner := *sc
		inner.reader = c
		var when expr.Expr
		if c.cond != nil {
			when = d.test(*c.cond, &inner)
		}
		child := d.action(c, &inner)
		if c.cond != nil {
			child.When, child.WhenText = when, c.cond.Node.Value
		}
		c.node = child
		f.Nodes = append(f.Nodes, child)
	}
	n.Action = f
	n.Output = joinedChildren(f.Nodes, f.Join)
}

// doAgain makes the node of a while or a repeat.
func (d *decoder) doAgain(s *stepDecl) *ir.Node {
	a := s.again
	typ := outputType(s.spec, false)
	if s.artifact != nil {
		typ = withArtifact(typ)
	}
	previous := &expr.Declared{Name: s.name, Typ: typ, Maybe: true, At: s.nameAt}
	body := d.action(s, &scope{d: d, reader: s, previous: previous})
	n := s.newNode()
	n.Output = body.Output
	n.Action = &ir.Again{
		Cond:     d.loopTest(s, &scope{d: d, reader: s, previous: previous, tested: true}),
		CondText: a.cond.Node.Value, Until: a.until, Max: a.max, MaxSpan: a.maxAt,
		Previous: previous, Body: body, Span: a.key.Head(),
	}
	return n
}

// forEach makes the node of a loop over lists.
func (d *decoder) forEach(s *stepDecl) *ir.Node {
	loop := &ir.ForEach{Join: s.mode, Vars: d.loopLists(s)}
	inner := &scope{d: d, reader: s}
	for i := range loop.Vars {
		inner.vars = append(inner.vars, loop.Vars[i].Var)
	}
	loop.Body = d.action(s, inner)
	n := s.newNode()
	n.Action = loop
	n.Output = joinedItems(loop.Body.Output, loop.Join)
	return n
}
