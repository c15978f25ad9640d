package graphloop

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/types"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// defaultVersion is the version of a file that names none.
const defaultVersion = "1.0"

var (
	workflowLevel = level{Where: "at the top of the file", Name: "the workflow", Foreign: decode.ForeignTo(Name, decode.AtTop)}
	limitsLevel   = level{Where: "under `limits:`", Name: "`limits`", Prefix: "limits."}
)

// workflowFields are the keys of the file in the order in which they are read: keys
// that others refer to come first.
var workflowFields = []field[decoder]{
	{Name: "workflow", Shape: decode.FilledString, Required: true,
		Doc: "Name of the workflow.",
		Read: func(d *decoder, v value, _ *decoder) {
			d.workflow.Name, _ = d.Filled(v)
			d.workflow.NameSpan = v.Place()
		}},
	{Name: "description", Shape: decode.String,
		Doc:  "What the workflow does.",
		Read: func(d *decoder, v value, _ *decoder) { d.workflow.Description, _ = d.Text(v) }},
	{Name: "version", Shape: decode.FilledString, Default: `"` + defaultVersion + `"`,
		Doc:  "Version of the format.",
		Read: func(d *decoder, v value, _ *decoder) { d.readVersion(v) }},
	{Name: "state", Shape: decode.Object(&stateLevel).OrNull(),
		Doc:  "The variables of the run.",
		Read: func(d *decoder, v value, _ *decoder) { d.readState(v) }},
	{Name: "nodes", Shape: decode.MapOf(nodeShape()).AtLeast(1), Required: true,
		Doc:  "The nodes by id; their keys depend on their `type`.",
		Read: func(d *decoder, v value, _ *decoder) { d.readNodes(v) }},
	{Name: "edges", Shape: decode.ListOf(decode.Object(&edgeLevel)), Required: true,
		Doc:  "The edges between the nodes.",
		Read: func(d *decoder, v value, _ *decoder) { d.readEdges(v) }},
	{Name: "limits", Shape: decode.Object(&limitsLevel),
		Doc:  "Limits that end a run; `resume` continues it.",
		Read: func(d *decoder, v value, _ *decoder) { decode.Fields(d, limitsLevel, v, limitFields, d) }},
	{Name: "interrupts", Shape: decode.ListOf(decode.Object(&interruptLevel)).OrNull(),
		Doc:  "Points at which a person decides whether the run continues.",
		Read: func(d *decoder, v value, _ *decoder) { d.readInterrupts(v) }},
	{Name: "completion", Shape: decode.ListOf(decode.String).OrNull(), Examples: []string{`["review.clean"]`},
		Doc:  "Outputs such as `review.clean` and conditions; a run is a success if one of them holds at its end.",
		Read: func(d *decoder, v value, _ *decoder) { d.readCompletion(v) }},
}

// readWorkflow decodes the file.
func (d *decoder) readWorkflow(root *yamlsrc.Node) {
	file := value{Node: root}
	for _, p := range root.Pairs {
		if decode.Find(workflowFields, p.Key.Value) == nil {
			d.UnknownKey(file, p.Key, workflowLevel, decode.Names(workflowFields))
		}
	}
	d.workflow.Span = root.Span
	d.Missing(file, file.FirstKey(), workflowLevel, decode.Required(workflowFields)...)
	named := false
	for _, f := range workflowFields {
		if named && len(d.nodes) == 0 {
			return // the rest would have no subject
		}
		if p := root.Pair(f.Name); p != nil {
			f.Decode(d, workflowLevel, file, p, d)
		}
		named = named || f.Name == "nodes"
	}
	d.graph.Broken = d.graph.Broken || root.Pair("edges") == nil
}

func (d *decoder) readVersion(v value) {
	s, ok := d.Filled(v)
	if !ok {
		return
	}
	if d.graph.Version = s; s == "1" {
		d.graph.Version = defaultVersion
	}
	if d.graph.Version != defaultVersion {
		d.Bag.Add(codes.UnknownVersion.New(v.Place(), fmt.Sprintf("unknown format version `%s`: the file is read as version 1.0", s)))
	}
}

var limitFields = []field[decoder]{
	{Name: "max_iterations", Shape: decode.Integer.AtLeast(0),
		Doc: "Maximum number of nodes that end; 0 means none.",
		Read: func(d *decoder, v value, _ *decoder) {
			d.graph.Limits.Iterations, _ = d.Whole(v)
			d.graph.Limits.IterationsSpan = v.Place()
		}},
	{Name: "max_time_minutes", Shape: decode.Integer.AtLeast(0),
		Doc: "Maximum duration of a run in minutes, also while it waits for a person; 0 means none.",
		Read: func(d *decoder, v value, _ *decoder) {
			n, _ := d.Whole(v)
			d.graph.Limits.Time = minuteDuration(n)
		}},
	{Name: "max_cost_dollars", Shape: decode.Number.AtLeast(0),
		Doc: "Maximum cost in US dollars; 0 means none.",
		Read: func(d *decoder, v value, _ *decoder) {
			d.graph.Limits.CostUSD, _ = d.NumberIn(v, "an amount of 0 or more")
			d.graph.Limits.CostSpan = v.Place()
		}},
	{Name: "max_parallel_branches", Shape: decode.Integer.AtLeast(0),
		Doc: "Maximum number of branches at the same time; 0 means none.",
		Read: func(d *decoder, v value, _ *decoder) {
			d.graph.Limits.Parallel, _ = d.Whole(v)
			d.graph.Limits.ParallelSpan = v.Place()
		}},
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
		if inner, ok := unquoteText(whole); ok {
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
		d.Bag.Add(finding.UnknownOutput(at, "unknown node `"+id+"`", id, d.nodeIDs()))
	case n.node.Label(output) != nil:
		return &expr.Compare{
			At: v.Place(), Op: expr.ValueEqual,
			X: d.lastLabel(n, whole.Span(0, len(id)), false),
			Y: &expr.Literal{At: whole.Span(len(id)+1, len(whole.Value)), Text: output, Typ: types.Text},
		}
	case n.labelsKnown:
		d.Bag.Add(finding.UnknownOutput(whole.Span(len(id)+1, len(whole.Value)), "`"+id+"` has no output `"+output+"`", output, n.outputNames()))
	}
	return &expr.Bad{At: v.Place()}
}
