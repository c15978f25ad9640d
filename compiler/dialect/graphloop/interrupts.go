package graphloop

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/expr"
	"github.com/wfc-lang/wfc/compiler/ir"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/compiler/template"
	"github.com/wfc-lang/wfc/compiler/types"
	"github.com/wfc-lang/wfc/compiler/yamlsrc"
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

var interruptLevel = level{where: "in an interrupt", name: "the interrupt"}

var interruptKeys = fieldNames(interruptFields)

var interruptFields = []field[interruptDecl]{
	{"before", func(d *decoder, v value, i *interruptDecl) { i.before = d.filledValue(v) }},
	{"after", func(d *decoder, v value, i *interruptDecl) { i.after = d.filledValue(v) }},
	{"condition", func(_ *decoder, v value, i *interruptDecl) { i.condition = &v }},
	{"prompt", func(d *decoder, v value, i *interruptDecl) { i.prompt = d.filledValue(v) }},
	{"required", func(d *decoder, v value, i *interruptDecl) {
		set, ok := d.flag(v)
		i.required, i.optional = &v, ok && !set
	}},
}

// readInterrupts decodes the list of interrupts.
func (d *decoder) readInterrupts(v value) {
	if v.node.IsNull() || !d.isList(v) {
		return
	}
	for _, item := range v.node.Items {
		i := &interruptDecl{interrupt: &ir.Interrupt{Span: item.Place()}}
		at := v.item(item)
		if decodeFields(d, interruptLevel, at, interruptFields, i) {
			d.readInterrupt(at, i)
		}
	}
}

func (d *decoder) readInterrupt(at value, i *interruptDecl) {
	where := i.before
	i.interrupt.After, i.interrupt.Required = i.after != nil, !i.optional
	hasBefore, hasAfter := at.node.Pair("before") != nil, at.node.Pair("after") != nil
	complete := false
	switch {
	case hasBefore && hasAfter:
		d.bag.Add(diag.InterruptShape(at.place(), "an interrupt stands before a node or after it, not both").
			WithHelp("make two interrupts of it"))
	case !hasBefore && !hasAfter:
		d.bag.Add(diag.InterruptShape(at.place(), "the interrupt does not say where it stands: it has neither `before` nor `after`"))
	default:
		if i.after != nil {
			where = i.after
		}
		complete = where != nil
	}
	if complete {
		if i.node = d.byID[where.node.Value]; i.node == nil {
			d.bag.Add(diag.UnknownInterruptNode(where.place(), where.node.Value, d.ids()))
		}
	}
	if at.node.Pair("prompt") == nil {
		d.bag.Add(diag.InterruptShape(at.place(), "the interrupt has no `prompt`, so nobody could know what it asks"))
	}
	d.interruptTexts(i)
	if complete && i.node != nil && i.prompt != nil {
		i.interrupt.Node = i.node.node
		d.graph.Interrupts = append(d.graph.Interrupts, i.interrupt)
		d.interrupts = append(d.interrupts, i)
	}
}

// interruptTexts notes the texts of an interrupt, whatever else is wrong with it.
func (d *decoder) interruptTexts(i *interruptDecl) {
	in := i.interrupt
	if i.condition != nil {
		in.WhenText = i.condition.node.Value
		in.When = d.addCondition(*i.condition, &condition{place: "an interrupt", set: func(e expr.Expr) { in.When = e }})
	}
	if i.prompt != nil {
		msg := i.prompt.node.Text()
		in.Message = template.Literal(msg)
		d.addText(&text{kind: messageText, reader: "an interrupt", text: msg, setTemplate: func(t *template.Template) { in.Message = t }})
	}
}

// readCompletion decodes what makes a run a success: outputs of nodes, written
// node.output, and conditions.
func (d *decoder) readCompletion(v value) {
	if v.node.IsNull() || !d.isList(v) {
		return
	}
	for _, item := range v.node.Items {
		at := v.item(item)
		if item.Kind != yamlsrc.Scalar || item.IsNull() {
			d.wrongKind(at, "a text such as `review.clean`")
			continue
		}
		g := &ir.Goal{Text: item.Value, Span: at.place()}
		d.graph.Goals = append(d.graph.Goals, g)
		whole := trimText(item.Text())
		if inner, ok := unquote(whole); ok {
			whole = trimText(inner)
		}
		if node, output, ok := strings.Cut(whole.Value, "."); ok && isName(node, true) && isName(output, true) && node != "state" && node != "outputs" {
			g.Cond = d.outputGoal(at, whole, node, output)
			continue
		}
		c := &condition{place: "completion", text: item.Text(), set: func(e expr.Expr) { g.Cond = e }}
		d.conditions = append(d.conditions, c)
		g.Cond = &expr.Bad{At: g.Span}
	}
}

// outputGoal is the goal that a node's last output is a certain one.
func (d *decoder) outputGoal(v value, whole source.Text, id, output string) expr.Expr {
	n := d.byID[id]
	switch {
	case n == nil:
		at := whole.Span(0, len(id))
		d.bag.Add(diag.UnknownGoal(at, "there is no node `"+id+"`", id, d.ids()))
	case n.node.Label(output) != nil:
		return &expr.Compare{
			At: v.place(), Op: expr.ValueEqual,
			X: d.lastLabel(n, whole.Span(0, len(id)), false),
			Y: &expr.Literal{At: whole.Span(len(id)+1, len(whole.Value)), Text: output, Typ: types.Text},
		}
	case n.labelsKnown:
		d.bag.Add(diag.UnknownGoal(whole.Span(len(id)+1, len(whole.Value)), "`"+id+"` has no output `"+output+"`", output, n.labels()))
	}
	return &expr.Bad{At: v.place()}
}

// lastLabel reads the output that a node last had; ended says that it has had
// one for certain.
func (d *decoder) lastLabel(n *nodeDecl, at source.Span, ended bool) *expr.LastLabel {
	var typ types.Type = &types.Enum{Values: n.labels()}
	if !ended {
		typ = &types.Optional{Elem: typ}
	}
	return &expr.LastLabel{At: at, Node: n.node.ID, Typ: typ}
}
