package graphloop

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
)

// interruptDecl is an interrupt as it is written.
type interruptDecl struct {
	interrupt         *ir.Interrupt
	node              *nodeDecl
	before, after     *value
	prompt, condition *value
	required          *value
	optional          bool
}

var interruptLevel = level{Where: "in an interrupt", Name: "the interrupt", OneOf: [][]string{{"before", "after"}}}

var interruptFields = []field[interruptDecl]{
	{Name: "before", Shape: decode.FilledString,
		Doc:  "Node before which the run asks a person.",
		Read: func(d *decoder, v value, i *interruptDecl) { i.before = decode.Keep(v, d.Filled) }},
	{Name: "after", Shape: decode.FilledString,
		Doc:  "Node after which the run asks a person.",
		Read: func(d *decoder, v value, i *interruptDecl) { i.after = decode.Keep(v, d.Filled) }},
	{Name: "condition", Shape: decode.String,
		Doc:  "Condition for asking; the run always asks if absent.",
		Read: func(_ *decoder, v value, i *interruptDecl) { i.condition = &v }},
	{Name: "prompt", Shape: decode.FilledString, Required: true,
		Doc:  "Question to a person.",
		Read: func(d *decoder, v value, i *interruptDecl) { i.prompt = decode.Keep(v, d.Filled) }},
	{Name: "required", Shape: decode.Bool, Default: "true",
		Doc: "Whether the run waits for an answer. If false, a run without a terminal continues as after `yes`.",
		Read: func(d *decoder, v value, i *interruptDecl) {
			set, ok := d.Flag(v)
			i.required, i.optional = &v, ok && !set
		}},
}

// readInterrupts decodes the list of interrupts.
func (d *decoder) readInterrupts(v value) {
	if !d.IsList(v) {
		return
	}
	for _, item := range v.Node.Items {
		i := &interruptDecl{interrupt: &ir.Interrupt{Span: item.Place()}}
		at := v.Item(item)
		if decode.Fields(d, interruptLevel, at, interruptFields, i) {
			d.readInterrupt(at, i)
		}
	}
}

func (d *decoder) readInterrupt(at value, i *interruptDecl) {
	where := i.before
	i.interrupt.After, i.interrupt.Required = i.after != nil, !i.optional
	hasBefore, hasAfter := at.Node.Pair("before") != nil, at.Node.Pair("after") != nil
	complete := false
	switch {
	case hasBefore && hasAfter:
		d.Bag.Add(codes.InterruptShape.New(at.Place(), "the interrupt has both `before` and `after`").
			WithHelp("split it into two interrupts"))
	case !hasBefore && !hasAfter:
		d.Bag.Add(codes.InterruptShape.New(at.Place(), "the interrupt has neither `before` nor `after`"))
	default:
		if i.after != nil {
			where = i.after
		}
		complete = where != nil
	}
	if complete {
		if i.node = d.byID[where.Node.Value]; i.node == nil {
			d.Bag.Add(finding.UnknownNodeIn(where.Place(), where.Node.Value, " in an interrupt", d.nodeIDs()))
		}
	}
	if at.Node.Pair("prompt") == nil {
		d.Bag.Add(codes.InterruptShape.New(at.Place(), "missing key `prompt` in the interrupt"))
	}
	d.interruptTexts(i)
	if complete && i.node != nil && i.prompt != nil {
		i.interrupt.Node = i.node.node
		d.graph.Interrupts = append(d.graph.Interrupts, i.interrupt)
		d.interrupts = append(d.interrupts, i)
	}
}

// interruptTexts notes the templates of an interrupt, even if the interrupt has faults.
func (d *decoder) interruptTexts(i *interruptDecl) {
	in := i.interrupt
	if i.condition != nil {
		in.WhenText = i.condition.Node.Value
		in.When = d.addCondition(*i.condition, &condition{place: "an interrupt", set: func(e expr.Expr) { in.When = e }})
	}
	if i.prompt != nil {
		msg := i.prompt.Node.Text()
		in.Message = template.Literal(msg)
		d.texts.addText(&text{kind: messageText, reader: "an interrupt", text: msg, setTemplate: func(t *template.Template) { in.Message = t }})
	}
}

// connectInterrupt finds where an interrupt leads when its node is skipped.
func (d *decoder) connectInterrupt(i *interruptDecl) {
	in := i.interrupt
	if i.node.parallel != nil {
		d.Bag.Add(codes.InterruptShape.New(in.Span, "`"+in.Node.ID+"` is a branch of `"+i.node.parallel.node.ID+"`: a run cannot ask while branches run").
			WithHelp("move the interrupt to `" + i.node.parallel.node.ID + "`"))
		return
	}
	if in.Required || in.After {
		return
	}
	known := true
	in.Skip, known = skipRoute(in.Node)
	if in.Skip == nil && known && !in.Node.Broken {
		at := in.Span
		if i.required != nil {
			at = i.required.Place()
		}
		d.Bag.Add(codes.NoSkipRoute.New(at, fmt.Sprintf("a person cannot skip `%s`: every edge depends on its output", in.Node.ID)).
			WithHelp("add an edge without a condition, or write `required: true`"))
	}
}

// skipRoute returns the edge to take when a node is skipped: one without a
// condition, or any when all lead to the same node, or the one that an output
// named skip would take. known is false when the conditions are not.
func skipRoute(n *ir.Node) (route *ir.Edge, known bool) {
	known, same := true, len(n.Out) > 0
	for _, e := range n.Out {
		if _, bad := e.Guard.(*expr.Bad); bad {
			known = false
		}
		if e.Guard == nil {
			return e, true
		}
		same = same && e.To == n.Out[0].To
	}
	if same {
		return n.Out[0], true
	}
	for _, name := range []string{"skip", "skipped"} {
		if n.Label(name) == nil {
			continue
		}
		for _, e := range n.Out {
			if holds, sure := holdsFor(e.Guard, n.ID, name); sure && holds {
				return e, true
			} else if !sure {
				break
			}
		}
	}
	return nil, known
}

// holdsFor decides a guard when a node has ended with a label and nothing else
// is known; sure is false when that is not enough.
func holdsFor(e expr.Expr, node, label string) (holds, sure bool) {
	switch e := e.(type) {
	case *expr.Literal:
		return e.Text == "true", true
	case *expr.Not:
		holds, sure = holdsFor(e.X, node, label)
		return !holds, sure
	case *expr.Logic:
		x, sureX := holdsFor(e.X, node, label)
		y, sureY := holdsFor(e.Y, node, label)
		decides := e.Op == expr.Or
		switch {
		case sureX && x == decides || sureY && y == decides:
			return decides, true
		}
		return !decides, sureX && sureY
	case *expr.Compare:
		last, isLast := e.X.(*expr.LastLabel)
		lit, isLit := e.Y.(*expr.Literal)
		if !isLast || !isLit || last.Node != node {
			return false, false
		}
		switch e.Op {
		case expr.ValueEqual:
			return lit.Text == label, true
		case expr.ValueNotEqual:
			return lit.Text != label, true
		}
	}
	return false, false
}
