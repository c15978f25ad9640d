package archon

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
)

// An include with a fan_out runs its block for each item of a list, in the same run. The
// nodes of the block are in the body of the include, so node `test` of include `each` is
// `each.test` in the program, and step each[2].test is that of the third item.

// repeat makes an include whose nodes run for each item of a list.
func (d *decoder) repeat(n *nodeDecl, b *block) {
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
		p.Input = b.input(n.fan.as.Node.Value)
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

// passItem gives the input that `fan_out.as` names the item.
func (d *decoder) passItem(n *nodeDecl, b *block) {
	if b.item == nil {
		return
	}
	as := *n.fan.as
	switch name := d.setAs(n); {
	case name == "":
	case !isInputName(name):
		d.Bag.Add(finding.InputName(as.Place(), name))
	case b.declared && b.input(name) == nil:
		d.Bag.Add(finding.UnknownArgument(as.Place(), b.name, name, b.names()))
	default:
		b.arguments = append(b.arguments, &argument{name: name, at: as, value: &expr.Local{At: as.Place(), Of: b.item}})
	}
}
