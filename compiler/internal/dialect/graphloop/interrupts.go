package graphloop

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
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
		Doc:  "Node before which the run asks a person. An interrupt has either `before` or `after`.",
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
		d.Bag.Add(finding.InterruptShape(at.Place(), "the interrupt has both `before` and `after`").
			WithHelp("split it into two interrupts"))
	case !hasBefore && !hasAfter:
		d.Bag.Add(finding.InterruptShape(at.Place(), "the interrupt has neither `before` nor `after`"))
	default:
		if i.after != nil {
			where = i.after
		}
		complete = where != nil
	}
	if complete {
		if i.node = d.byID[where.Node.Value]; i.node == nil {
			d.Bag.Add(finding.UnknownInterruptNode(where.Place(), where.Node.Value, d.ids()))
		}
	}
	if at.Node.Pair("prompt") == nil {
		d.Bag.Add(finding.InterruptShape(at.Place(), "missing key `prompt` in the interrupt"))
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
		in.WhenText = i.condition.Node.Value
		in.When = d.addCondition(*i.condition, &condition{place: "an interrupt", set: func(e expr.Expr) { in.When = e }})
	}
	if i.prompt != nil {
		msg := i.prompt.Node.Text()
		in.Message = template.Literal(msg)
		d.addText(&text{kind: messageText, reader: "an interrupt", text: msg, setTemplate: func(t *template.Template) { in.Message = t }})
	}
}

// readCompletion decodes the conditions of success: outputs of nodes, written
// node.output, and conditions.
func (d *decoder) readCompletion(v value) {
	if !d.IsList(v) {
		return
	}
	for _, item := range v.Node.Items {
		at := v.Item(item)
		if item.Kind != yamlsrc.Scalar || item.IsNull() {
			d.WrongKind(at, "a string such as `review.clean`")
			continue
		}
		g := &ir.Goal{Text: item.Value, Span: at.Place()}
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
		d.Bag.Add(finding.UnknownGoal(at, "unknown node `"+id+"`", id, d.ids()))
	case n.node.Label(output) != nil:
		return &expr.Compare{
			At: v.Place(), Op: expr.ValueEqual,
			X: d.lastLabel(n, whole.Span(0, len(id)), false),
			Y: &expr.Literal{At: whole.Span(len(id)+1, len(whole.Value)), Text: output, Typ: types.Text},
		}
	case n.labelsKnown:
		d.Bag.Add(finding.UnknownGoal(whole.Span(len(id)+1, len(whole.Value)), "`"+id+"` has no output `"+output+"`", output, n.labels()))
	}
	return &expr.Bad{At: v.Place()}
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
