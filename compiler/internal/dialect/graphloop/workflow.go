package graphloop

import (
	"math"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// defaultVersion is the version of a file that names none.
const defaultVersion = "1.0"

var (
	workflowLevel = level{Where: "at the top of the file", Name: "the workflow"}
	limitsLevel   = level{Where: "under `limits:`", Name: "`limits`", Prefix: "limits."}
	stateLevel    = level{Where: "under `state:`", Name: "`state`", Prefix: "state."}
)

// workflowKeys are the keys of the file in the order in which they are read:
// what others refer to comes first.
var workflowKeys = []string{"workflow", "description", "version", "state", "nodes", "edges", "limits", "interrupts", "completion"}

var nodesIndex = slices.Index(workflowKeys, "nodes")

// readWorkflow decodes the file.
func (d *decoder) readWorkflow(root *yamlsrc.Node) {
	file := value{Node: root}
	for _, p := range root.Pairs {
		if !slices.Contains(workflowKeys, p.Key.Value) {
			d.UnknownKey(file, p.Key, workflowLevel, workflowKeys)
		}
	}
	d.workflow.Span = root.Span
	d.Missing(file, file.FirstKey(), workflowLevel, "workflow", "nodes", "edges")
	for i, key := range workflowKeys {
		if i > nodesIndex && len(d.nodes) == 0 {
			return // there is nothing that the rest could be about
		}
		if p := root.Pair(key); p != nil {
			d.readTop(workflowLevel.Value(file, p))
		}
	}
	d.graph.Broken = d.graph.Broken || root.Pair("edges") == nil
}

func (d *decoder) readTop(v value) {
	w := d.workflow
	switch v.Path {
	case "workflow":
		w.Name, _ = d.Filled(v)
		w.NameSpan = v.Place()
	case "description":
		w.Description, _ = d.Text(v)
	case "version":
		d.readVersion(v)
	case "state":
		d.readState(v)
	case "nodes":
		d.readNodes(v)
	case "edges":
		d.readEdges(v)
	case "limits":
		decode.Fields(d, limitsLevel, v, limitFields, d)
	case "interrupts":
		d.readInterrupts(v)
	case "completion":
		d.readCompletion(v)
	}
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
		d.Bag.Add(finding.UnknownVersion(v.Place(), s))
	}
}

var limitFields = []field[decoder]{
	{Name: "max_iterations", Read: func(d *decoder, v value, _ *decoder) {
		d.graph.Limits.Iterations, _ = d.Whole(v, 0, math.MaxInt32)
		d.graph.Limits.IterationsSpan = v.Place()
	}},
	{Name: "max_time_minutes", Read: func(d *decoder, v value, _ *decoder) {
		n, _ := d.Whole(v, 0, math.MaxInt32)
		d.graph.Limits.Time = minutes(n)
		d.graph.Limits.TimeSpan = v.Place()
	}},
	{Name: "max_cost_dollars", Read: func(d *decoder, v value, _ *decoder) {
		d.graph.Limits.CostUSD, _ = d.NumberIf(v, "an amount of 0 or more", func(f float64) bool {
			return f >= 0 && !math.IsInf(f, 1)
		})
		d.graph.Limits.CostSpan = v.Place()
	}},
	{Name: "max_parallel_branches", Read: func(d *decoder, v value, _ *decoder) {
		d.graph.Limits.Parallel, _ = d.Whole(v, 0, math.MaxInt32)
		d.graph.Limits.ParallelSpan = v.Place()
	}},
}

// minutes is a number of minutes, or the longest time that there is.
func minutes(n int) time.Duration {
	if n > int(math.MaxInt64/time.Minute) {
		return math.MaxInt64
	}
	return time.Duration(n) * time.Minute
}
