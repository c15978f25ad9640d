package graphloop

import (
	"math"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/compiler/yamlsrc"
)

// defaultVersion is the version of a file that names none.
const defaultVersion = "1.0"

var (
	workflowLevel = level{where: "at the top of the file", name: "the workflow"}
	limitsLevel   = level{where: "under `limits:`", name: "`limits`", prefix: "limits."}
	stateLevel    = level{where: "under `state:`", name: "`state`", prefix: "state."}
)

// workflowKeys are the keys of the file in the order in which they are read:
// what others refer to comes first.
var workflowKeys = []string{"workflow", "description", "version", "state", "nodes", "edges", "limits", "interrupts", "completion"}

var nodesIndex = slices.Index(workflowKeys, "nodes")

// readWorkflow decodes the file.
func (d *decoder) readWorkflow(root *yamlsrc.Node) {
	for _, p := range root.Pairs {
		if !slices.Contains(workflowKeys, p.Key.Value) {
			d.unknownKey(p.Key, workflowLevel, workflowKeys)
		}
	}
	d.workflow.Span = root.Span
	d.missing(value{node: root}, d.top(root), workflowLevel, "workflow", "nodes", "edges")
	for i, key := range workflowKeys {
		if i > nodesIndex && len(d.nodes) == 0 {
			return // there is nothing that the rest could be about
		}
		if p := root.Pair(key); p != nil {
			d.readTop(value{node: p.Value, key: p.Key, path: key})
		}
	}
	d.graph.Broken = d.graph.Broken || root.Pair("edges") == nil
}

// top is where faults of the whole file are shown.
func (d *decoder) top(root *yamlsrc.Node) source.Span {
	if len(root.Pairs) > 0 {
		return root.Pairs[0].Key.Span
	}
	return root.Place()
}

func (d *decoder) readTop(v value) {
	w := d.workflow
	switch v.path {
	case "workflow":
		w.Name, _ = d.filled(v)
		w.NameSpan = v.place()
	case "description":
		w.Description, _ = d.text(v)
	case "version":
		d.readVersion(v)
	case "state":
		d.readState(v)
	case "nodes":
		d.readNodes(v)
	case "edges":
		d.readEdges(v)
	case "limits":
		decodeFields(d, limitsLevel, v, limitFields, d)
	case "interrupts":
		d.readInterrupts(v)
	case "completion":
		d.readCompletion(v)
	}
}

func (d *decoder) readVersion(v value) {
	s, ok := d.filled(v)
	if !ok {
		return
	}
	if d.graph.Version = s; s == "1" {
		d.graph.Version = defaultVersion
	}
	if d.graph.Version != defaultVersion {
		d.bag.Add(diag.UnknownVersion(v.place(), s))
	}
}

var limitKeys = fieldNames(limitFields)

var limitFields = []field[decoder]{
	{"max_iterations", func(d *decoder, v value, _ *decoder) {
		d.graph.Limits.Iterations, _ = d.whole(v, 0)
		d.graph.Limits.IterationsSpan = v.place()
	}},
	{"max_time_minutes", func(d *decoder, v value, _ *decoder) {
		n, _ := d.whole(v, 0)
		d.graph.Limits.Time = minutes(n)
		d.graph.Limits.TimeSpan = v.place()
	}},
	{"max_cost_dollars", func(d *decoder, v value, _ *decoder) {
		d.graph.Limits.CostUSD, _ = d.amount(v, "an amount of 0 or more", func(f float64) bool {
			return f >= 0 && !math.IsInf(f, 1)
		})
		d.graph.Limits.CostSpan = v.place()
	}},
	{"max_parallel_branches", func(d *decoder, v value, _ *decoder) {
		d.graph.Limits.Parallel, _ = d.whole(v, 0)
		d.graph.Limits.ParallelSpan = v.place()
	}},
}

// minutes is a number of minutes, or the longest time that there is.
func minutes(n int) time.Duration {
	if n > int(math.MaxInt64/time.Minute) {
		return math.MaxInt64
	}
	return time.Duration(n) * time.Minute
}
