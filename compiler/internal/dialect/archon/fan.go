package archon

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
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
	{Name: "items", Shape: decode.FilledString, Required: true,
		Doc: "List of the items, an array in JSON: `$node.output`, `$node.output.field` or `$INPUTS.name`.",
		Read: func(d *decoder, v value, f *fanDecl) {
			if v.Node.Kind == yamlsrc.Sequence {
				text := "'" + strings.ReplaceAll(v.Node.JSON(), "'", "''") + "'"
				d.Fault(v, finding.WrongKind(v.Place(), v.Path, "a string", "a list").
					WithHelp("write the list as JSON in quotes: `items: "+text+"`").
					WithSourceFix("write the list as JSON in quotes", v.Place(), text))
				return
			}
			f.items = decode.Keep(v, d.Filled)
		}},
	{Name: "as", Shape: decode.FilledString,
		Doc:  "Input that gets the item; required on an `include`. In a child run, `$ARGUMENTS` gets it, too.",
		Read: func(d *decoder, v value, f *fanDecl) { f.as = decode.Keep(v, d.Filled) }},
	{Name: "max_parallel", Shape: decode.Integer.AtLeast(1), Default: "5",
		Doc: "Most items at the same time.",
		Read: func(d *decoder, v value, f *fanDecl) {
			if most, ok := d.Whole(v); ok {
				f.most, f.max = most, &v
			}
		}},
	{Name: "join", Shape: decode.OneOf("all_done", "all_success"), Default: `"all_done"`,
		Doc:  "`all_done`: a failed item is an object in the output. `all_success`: it fails the node.",
		Read: readJoin},
}

func readJoin(d *decoder, v value, f *fanDecl) {
	if v.Node.Value == "first_success" {
		d.Bag.Add(finding.UnknownValue(v.Place(), v.Path, v.Node.Value, []string{"all_done", "all_success"}).
			WithHelp("use one of these: every item runs to its end, so none is the first"))
		return
	}
	join, ok := d.Choice(v)
	f.allSuccess = ok && join == "all_success"
}

// readFan decodes a fan_out; the result is nil if it is not a mapping.
func (d *decoder) readFan(v value) *fanDecl {
	f := &fanDecl{most: usualWidth, at: v}
	if !readLevel(d, v, fanLevel, fanFields, f) {
		return nil
	}
	return f
}

// newFan makes the list of a node, for the workflow with a name and a body.
func (r *reader) newFan(n *nodeDecl, workflow string, body ir.Body) *ir.Fan {
	decl := n.fan
	fan := &ir.Fan{
		Items: &expr.Bad{At: decl.at.Place()}, Item: &expr.Declared{Name: "item", Typ: types.Any},
		Max: decl.most, AllSuccess: decl.allSuccess, Span: decl.at.Key.Span,
	}
	if decl.max != nil {
		fan.MaxSpan = decl.max.Place()
	}
	if gate := gateIn(body); gate != nil {
		r.Bag.Add(codes.FanOut.New(decl.at.Key.Span, fmt.Sprintf("`fan_out` cannot run workflow `%s`: its node `%s` waits", workflow, gate.ID)).
			WithRelated(gate.IDSpan, "this node waits").
			WithHelp("ask before or after the `fan_out`, or use the workflow without `fan_out`"))
	}
	return fan
}

// setFan reads the list of a call for several items.
func (c *call) setFan() {
	if c.node.fan == nil {
		return
	}
	c.call.Fan = c.newFan(c.node, c.callee.Name, c.callee.Body)
	var crowding *ir.Call
	if c.call.SharesCheckout() {
		crowding = c.call
	}
	c.setItems(c.node, c.call.Fan, crowding, parameter{workflow: c.callee.Name, Input: c.declaredInput(c.node.fan.as), child: true})
}

// setItems reads the list itself: one reference, or a constant. crowding is a call
// whose runs for several items would change one checkout at the same time, or nil. The
// parameter gets the items; its input is nil if it is unknown.
func (d *decoder) setItems(n *nodeDecl, fan *ir.Fan, crowding *ir.Call, p parameter) {
	items := n.fan.items
	if items == nil {
		return
	}
	text := items.Node.Text().TrimFunc(isSpace)
	wrong := func() {
		d.Bag.Add(finding.CompositionKey(items.Place(), "`fan_out.items` is neither one reference nor a list", "write `$node.output`, `$node.output.field` or `$INPUTS.name`"))
		fan.Items = &expr.Bad{At: items.Place()}
	}
	s := d.addSurface(bindingSurface, n.node, text)
	s.done = func(r *resolver) {
		if p.Input != nil {
			d.Bag.Add(p.checkItems(fan.Items, r.valueType(fan.Items), items.Place()))
		}
	}
	s.setTemplate = func(t *template.Template) {
		fan.Items = joinTemplate(t, text.Whole())
		switch e := fan.Items.(type) {
		case *expr.Literal:
			count, ok := isArray(e.Text)
			switch {
			case !ok:
				wrong()
			case count > 1 && crowding != nil:
				d.Bag.Add(codes.FanOut.New(fan.Span, fmt.Sprintf("runs of workflow `%s` would change one checkout at the same time", crowding.Callee.Workflow.Name)).
					WithHelp("set `isolation: worktree` or `max_parallel: 1`, or `mutates_checkout: false` in the workflow that runs"))
			}
		case *expr.Joined, *expr.Var:
			wrong()
		}
	}
}

// setAs checks the name of the input that gets the items, and returns it, or "".
func (d *decoder) setAs(n *nodeDecl) string {
	as := n.fan.as
	if as == nil {
		return ""
	}
	name := as.Node.Value
	if n.with != nil && n.with.Node.Pair(name) != nil {
		d.Bag.Add(finding.CompositionKey(as.Place(), "`fan_out.as` and `with` both set the input `"+name+"`", "rename one of them"))
		return ""
	}
	return name
}

// arrayOf gives a node the type of an array of outputs, if every item has one of a known
// type: with the given schema, or of plain text if that is "".
func arrayOf(n *ir.Node, item types.Type, schema string) {
	schema = cmp.Or(schema, `{"type":"string"}`)
	n.Output, n.Schema = &types.List{Elem: item}, `{"type":"array","items":`+schema+`}`
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

// repeatInclude makes an include with a fan_out: it runs its block for each item of a list, in the
// same run. The nodes of the block are in the body of the include, so node `test` of include
// `each` is `each.test` in the program, and step each[2].test is that of the third item.
func (d *decoder) repeatInclude(n *nodeDecl, b *block) {
	body := &ir.DAG{}
	for _, inner := range b.nodes {
		body.Nodes = append(body.Nodes, inner.node)
	}
	a := &ir.Block{Workflow: b.name, Fan: d.newFan(n, b.name, body), Body: body, Last: b.last}
	if b.returns {
		a.Last = []*ir.Node{b.output}
	}
	a.Fan.Item = b.item
	p := parameter{workflow: b.name}
	if n.fan.as != nil {
		p.Input = b.findInput(n.fan.as.Node.Value)
	}
	d.setItems(n, a.Fan, a.Crowding(), p)
	for _, inner := range body.Nodes {
		inner.Rename(n.node.ID)
	}
	continueConversations(b.nodes)
	n.node.Action = a
	setOutputs(n.node, a)
}

// setOutputs gives a block the type of its array, if that is known.
func setOutputs(n *ir.Node, a *ir.Block) {
	one := len(a.Last) == 1
	switch {
	case slices.ContainsFunc(a.Last, func(last *ir.Node) bool { return last.Output == types.Invalid }):
		n.Output = types.Invalid
	case a.Fan.AllSuccess && !slices.ContainsFunc(a.Last, func(last *ir.Node) bool { return last.Schema != "" }):
		arrayOf(n, types.Text, "")
	case a.Fan.AllSuccess && one && !mayBeSkipped(a.Last[0], map[*ir.Node]bool{}):
		arrayOf(n, a.Last[0].Output, a.Last[0].Schema)
	default:
		n.Output = types.Any
	}
}

// addItemArgument adds the argument that gives the item to the input that `fan_out.as` names.
func (d *decoder) addItemArgument(n *nodeDecl, b *block) {
	if b.item == nil {
		return
	}
	as := *n.fan.as
	switch name := d.setAs(n); {
	case name == "":
	case !isInputName(name):
		d.Bag.Add(finding.InputName(as.Place(), name))
	case b.declared && b.findInput(name) == nil:
		d.Bag.Add(finding.UnknownArgument(as.Place(), b.name, name, b.inputNames()))
	default:
		b.arguments = append(b.arguments, &argument{name: name, at: as, value: &expr.Local{At: as.Place(), Of: b.item}})
	}
}
