package archon

import (
	"math"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// A fan_out repeats a node for the items of a list, side by side.

// fanDecl holds the keys under `fan_out:`.
type fanDecl struct {
	items, as, max *value
	most           int
	allSuccess     bool
	at             value
}

// usualWidth is how many items a fan-out works on at the same time if the file does not
// say it.
const usualWidth = 5

var fanLevel = level{Where: "under `fan_out:`", Name: "`fan_out`", Prefix: "fan_out."}

var fanFields = []field[fanDecl]{
	{Name: "items", Shape: decode.String, Required: true, Since: sinceEight,
		Doc:  "List of the items, an array in JSON: `$node.output`, `$node.output.field` or `$INPUTS.name`.",
		Read: func(d *decoder, v value, f *fanDecl) { f.items = decode.Keep(v, d.Filled) }},
	{Name: "as", Shape: decode.String, Since: sinceEight,
		Doc:  "Input that gets the item. `$ARGUMENTS` gets it, too.",
		Read: func(d *decoder, v value, f *fanDecl) { f.as = decode.Keep(v, d.Filled) }},
	{Name: "max_parallel", Shape: decode.Integer.With("of at least 1"), Since: sinceEight,
		Doc: "Most items at the same time; 5 if absent.",
		Read: func(d *decoder, v value, f *fanDecl) {
			if most, ok := d.Whole(v, 1, math.MaxInt32); ok {
				f.most, f.max = most, &v
			}
		}},
	{Name: "join", Shape: decode.OneOf("all_done", "all_success"), Since: sinceEight,
		Doc:  "`all_done`, the default: an item that failed is an object in the output. `all_success`: it fails the node, once all have ended.",
		Read: readJoin},
}

func readJoin(d *decoder, v value, f *fanDecl) {
	if v.Node.Value == "first_success" {
		d.Bag.Add(finding.UnknownValue(v.Place(), v.Path, v.Node.Value, []string{"all_done", "all_success"}).
			WithHelp("use one of these: every item runs to its end, so none is the first"))
		return
	}
	join, ok := d.Choice(v, "all_done", "all_success")
	f.allSuccess = ok && join == "all_success"
}

// readFan decodes a fan_out; the result is nil if it is not a mapping.
func (d *decoder) readFan(v value) *fanDecl {
	f := &fanDecl{most: usualWidth, at: v}
	if !decode.Fields(d, fanLevel, v, fanFields, f) {
		return nil
	}
	d.missing(v, fanLevel, decode.Required(fanFields)...)
	return f
}

// setFan reads the list of a call for several items.
func (c *call) setFan() {
	decl := c.node.fan
	if decl == nil {
		return
	}
	fan := &ir.Fan{
		Items: &expr.Bad{At: decl.at.Place()}, Item: &expr.Declared{Name: "item", Typ: types.Any},
		Max: decl.most, AllSuccess: decl.allSuccess, Span: decl.at.Key.Span,
	}
	c.call.Fan = fan
	if decl.items != nil {
		c.setItems(fan, decl.items)
	}
	if gate := gateIn(c.callee.Body); gate != nil {
		c.Bag.Add(finding.FanOutGate(decl.at.Key.Span, c.callee.Name, gate.ID, gate.IDSpan))
	}
}

// setItems reads the list itself: one reference, or a constant.
func (c *call) setItems(fan *ir.Fan, items *value) {
	text := items.Node.Text().TrimFunc(isSpace)
	wrong := func() {
		c.Bag.Add(finding.CallKey(items.Place(), "`fan_out.items` is neither one reference nor a list", "write `$node.output`, `$node.output.field` or `$INPUTS.name`"))
		fan.Items = &expr.Bad{At: items.Place()}
	}
	c.addSurface(bindingSurface, c.node.node, text).setTemplate = func(t *template.Template) {
		fan.Items = joined(t, text.Whole())
		switch e := fan.Items.(type) {
		case *expr.Literal:
			count, ok := isArray(e.Text)
			switch {
			case !ok:
				wrong()
			case count > 1 && c.call.SharesCheckout():
				c.Bag.Add(finding.SharedCheckout(fan.Span, c.callee.Name))
			}
		case *expr.Joined, *expr.Var:
			wrong()
		}
	}
}

// gateIn returns a node at which a run of a body waits for a person, an event or a time,
// or nil.
func gateIn(body ir.Body) (gate *ir.Node) {
	ir.Walk(body, func(n *ir.Node) {
		switch a := n.Action.(type) {
		case *ir.Approval, *ir.Wait:
			gate = n
		case *ir.Loop:
			if a.Gate != nil {
				gate = n
			}
		case *ir.Call:
			if gateIn(a.Callee.Workflow.Body) != nil {
				gate = n
			}
		}
	})
	return gate
}
