package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/input"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// taskOf is what the folder of a run keeps of it, with the run's description;
// nil when the run has none.
func (v *shown) taskOf(r *local.RunStatus) (*graphstate.Task, string) {
	keeper := v.taskKeeper()
	if keeper == nil {
		return nil, ""
	}
	info := r.RunInfo
	return keeper.Look(&info, v.def), keeper.Folder(&info, v.def)
}

func (v *shown) taskDocument(r *local.RunStatus) *document.Task {
	task, folder := v.taskOf(r)
	if folder == "" {
		return nil
	}
	d := &document.Task{Folder: folder, Limits: limitsOf(v.def.Graph.Limits)}
	if task == nil {
		return d
	}
	s := task.State
	d.Status, d.Reason, d.CurrentNode, d.Limits = s.Status, s.Reason, s.Next, limitsOf(s.Limits)
	d.CurrentNode = cmp.Or(d.CurrentNode, "END")
	d.Usage = &document.Usage{Iterations: s.Iteration, Minutes: s.Usage.Elapsed.Minutes(), CostUSD: s.Usage.CostUSD}
	return d
}

// taskLines describes a task to a person.
func taskLines(d *document.Task) string {
	var b strings.Builder
	if d.Usage != nil {
		used := func(amount, limit float64, text func(float64) string) string {
			if limit == 0 {
				return text(amount)
			}
			return text(amount) + " of " + text(limit)
		}
		l, u := d.Limits, d.Usage
		nodes := func(n float64) string { return fmt.Sprint(int(n)) }
		minutes := func(m float64) string { return format.Minutes(time.Duration(m * float64(time.Minute))) }
		fmt.Fprintf(&b, "at %s: %s nodes, %s minutes", plain.Line(d.CurrentNode),
			used(float64(u.Iterations), float64(l.Iterations), nodes), used(u.Minutes, l.Minutes, minutes))
		if u.CostUSD > 0 || l.CostUSD > 0 {
			fmt.Fprintf(&b, ", %s", used(u.CostUSD, l.CostUSD, plain.Dollars))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "task: %s\n", d.Folder)
	return b.String()
}

// limitsText describes limits to a person, or is "".
func limitsText(l *document.Limits) string {
	var list []string
	if l.Iterations > 0 {
		list = append(list, fmt.Sprintf("%d nodes", l.Iterations))
	}
	if l.Minutes > 0 {
		list = append(list, format.Minutes(time.Duration(l.Minutes*float64(time.Minute)))+" minutes")
	}
	if l.CostUSD > 0 {
		list = append(list, plain.Dollars(l.CostUSD))
	}
	if l.Parallel > 0 {
		list = append(list, fmt.Sprintf("%d branches at once", l.Parallel))
	}
	return strings.Join(list, ", ")
}

// taskFolder is the folder of a run that is begun here without saying which.
func (c *call) taskFolder() string {
	keeper := c.showOwn().taskKeeper()
	dir, err := os.Getwd()
	if keeper == nil || err != nil {
		return ""
	}
	return keeper.Folder(&flow.RunInfo{Workflow: c.program.Definition.Name, WorkDir: dir}, c.program.Definition)
}

// lastNodes are the nodes that lead to the end of a state graph.
func lastNodes(g *flow.GraphInfo) []string {
	var list []string
	for _, e := range g.Edges {
		if e.To == "" && e.From != "" && !slices.Contains(list, e.From) {
			list = append(list, e.From)
		}
	}
	return list
}

// taskFlags are the flags of run that only state graphs have. A run goes on from
// a folder by `run --from`, not by `resume`: that names runs that the store knows
// and goes on with those, and from a folder a new run begins, which may be of
// another machine or program and have other inputs.
type taskFlags struct {
	task, from, promise, memory string
	force                       bool
}

// memorySelf is the rule for the notes of agents unless a flag gives another.
const memorySelf = "self"

func (f *taskFlags) addToFlagSet(flags *pflag.FlagSet) {
	flags.StringVar(&f.task, "task", "", "`NAME` of the task's folder below .graph-loop (default: workflow file's)")
	flags.StringVar(&f.from, "from", "", "start from the saved state in a task's `FOLDER`")
	flags.StringVar(&f.promise, "promise", "", "end the run when an agent writes <promise>`TEXT`</promise>")
	flags.StringVar(&f.memory, "memory", memorySelf, "agents that see their earlier notes: self, all or none")
	flags.BoolVar(&f.force, "force", false, "move another workflow's files aside; with --from: drop unfit state")
}

// graphOptions is what is said of a new run of a state graph, or nil. Inputs that the
// run has from the folder from which it goes on need not be given.
func (c *call) graphOptions(f *taskFlags, s runSettings, in *inputs) (*flow.GraphOptions, error) {
	def, keeper := c.program.Definition, c.showOwn().taskKeeper()
	if def.Graph == nil {
		return nil, nil
	}
	o := &flow.GraphOptions{Folder: f.task, Promise: f.promise, Force: f.force, Limits: s.graphLimits(def.Graph.Limits)}
	switch rule := flow.MemoryRule(f.memory); rule {
	case memorySelf:
	case flow.MemoryAll, flow.MemoryNone:
		o.Memory = rule
	default:
		return nil, usageError("%s", plain.UnknownValue("memory", f.memory, []string{memorySelf, string(flow.MemoryAll), string(flow.MemoryNone)}))
	}
	if f.task != "" && keeper != nil {
		if err := keeper.Name(f.task); err != nil {
			return nil, usageError("`--task`: %v", err)
		}
	}
	if f.from == "" {
		return o, nil
	}
	if keeper == nil {
		return nil, usageError("`--from` is not available: this program keeps no task folders")
	}
	return o, c.continueFrom(o, f, in, keeper)
}

// continueFrom has a new run go on from a folder.
func (c *call) continueFrom(o *flow.GraphOptions, f *taskFlags, in *inputs, keeper graphstate.Keeper) error {
	task, err := keeper.Load(f.from, c.program.Definition, f.force)
	if err != nil {
		return failedError(err)
	}
	for _, note := range task.Notes {
		fmt.Fprintf(c.streams.Err, "%s: %s\n", f.from, note)
	}
	limits := c.program.Definition.Graph.Limits
	if o.Limits != nil {
		limits = *o.Limits
	}
	if err := limitStillReached(task, limits, f.from); err != nil {
		return failedError(err)
	}
	if o.FromDir, err = filepath.Abs(task.Dir); err != nil {
		return failedError(err)
	}
	if name := filepath.Base(o.FromDir); o.Folder == "" && keeper.Name(name) == nil {
		o.Folder = name
	}
	o.Promise = cmp.Or(o.Promise, task.Promise)
	if err := in.exchangeState(&task.State); err != nil {
		return err
	}
	o.From, err = json.Marshal(task.State)
	return failedError(err)
}

// limitStillReached says which limit a run that ended at one would be at still.
func limitStillReached(t *graphstate.Task, l flow.GraphLimits, from string) error {
	s := t.State
	if s.Status != kernel.StateLimit {
		return nil
	}
	var name, used, most string
	switch {
	case l.Iterations > 0 && s.Iteration >= l.Iterations:
		name, used, most = "max_iterations", fmt.Sprint(s.Iteration), fmt.Sprint(l.Iterations)
	case l.Time > 0 && s.Usage.Elapsed >= l.Time:
		name, used, most = "max_time_minutes", format.Minutes(s.Usage.Elapsed), format.Minutes(l.Time)
	case l.CostUSD > 0 && s.Usage.CostUSD >= l.CostUSD:
		name, used, most = "max_cost_dollars", plain.Dollars(s.Usage.CostUSD), plain.Dollars(l.CostUSD)
	default:
		return nil
	}
	return fmt.Errorf("the run in %s ended at a limit, and `%s` is reached: %s of %s; set a higher one:%s", from, name, used, most, limitFlags[name])
}

// exchangeState gives inputs the values that variables of a saved state have, and
// variables those of inputs that were given on the command line.
func (in *inputs) exchangeState(s *graphstate.State) error {
	var saved map[string]json.RawMessage
	if err := json.Unmarshal(s.Variables, &saved); err != nil {
		return failedError(fmt.Errorf("the variables of the saved state: %w", plain.JSONError(err, "")))
	}
	changed := false
	for _, spec := range in.def.Inputs {
		given, ok := in.values[spec.Name]
		value, kept := saved[spec.Name]
		switch {
		case ok && kept:
			saved[spec.Name], changed = given, true
		case ok || !kept || bytes.Equal(value, []byte("null")):
		default:
			fitting, err := input.Value(spec, value, "")
			if err != nil {
				return usageError("input `%s` of the saved state: %v; give another", spec.Name, err)
			}
			in.saved[spec.Name] = fitting
		}
	}
	if !changed {
		return nil
	}
	var err error
	s.Variables, err = kernel.Encode(saved)
	return failedError(err)
}

// graphOf is what is said of the run of a state graph that is resumed, or nil.
// Limits that are not given now are those of the process before, which the
// task's folder tells, or else those that the run began with: who raised one to
// have the run go on need not say so again with the next answer.
func (s *session) graphOf(ctx context.Context, id string, given, merged runSettings) *flow.GraphOptions {
	def := s.program.Definition
	if def.Graph == nil {
		return nil
	}
	if run, err := s.engine.Status(ctx, id); err == nil {
		if task, _ := s.showOwn().taskOf(run); task != nil {
			l := given.graphLimits(task.State.Limits)
			if l == nil {
				l = &task.State.Limits
			}
			return &flow.GraphOptions{Limits: l}
		}
	}
	if l := merged.graphLimits(def.Graph.Limits); l != nil {
		return &flow.GraphOptions{Limits: l}
	}
	return nil
}
