package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/dev/conformance/runner"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/draw"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// langoOps are the operations of lango's groups.
var langoOps = map[string]string{"parse": "definition", "layers": "stages", "render": "render", "run": "session"}

// readLango adds the cases of a folder of lango.
func (all *collection) readLango(dir string) error {
	from := len(all.cases)
	if err := all.read("lango", dir); err != nil {
		return err
	}
	for _, c := range all.cases[from:] {
		if c.Op = langoOps[c.Group]; c.Op == "" {
			return fmt.Errorf("there is no group %q of lango", c.Group)
		}
	}
	return nil
}

// compileLango compiles a file of lango.
func compileLango(yaml string) *compiler.Result {
	return compiler.Compile(source.NewFile("w.flow.yaml", []byte(yaml)), compiler.Options{
		Path: "/project/w.flow.yaml", Dialect: "lango", Root: "/project", Home: "/home", Files: testkit.Memory{},
	})
}

// langoWorkflow is a workflow as the engine has parsed it.
type langoWorkflow struct {
	Name, Description, Schedule string
	DeliverTo                   []string `json:"deliver_to"`
	Steps                       []langoStep
}

type langoStep struct {
	ID, Agent, Prompt string
	DependsOn         []string      `json:"depends_on"`
	DeliverTo         []string      `json:"deliver_to"`
	Timeout           time.Duration `json:"timeout_ns"`
}

// planDefinition compares what was parsed.
func planDefinition(_ *bench, c *recorded) (plan, error) {
	var in struct{ YAML string }
	var want struct {
		Workflow *langoWorkflow
		Error    string
	}
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	r := compileLango(in.YAML)
	switch {
	case want.Workflow == nil && r.HasErrors():
		return judged(nil), nil
	case want.Workflow == nil:
		return judged([]difference{{what: "file", want: want.Error, got: "accepted"}}), nil
	case r.HasErrors():
		return judged([]difference{{what: "file", want: "accepted", got: refusal(r)}}), nil
	}
	w := r.Workflow.Workflow
	got := langoWorkflow{Name: w.Name, Description: w.Description, DeliverTo: names(w.DeliverTo)}
	if w.Schedule != nil {
		got.Schedule = w.Schedule.Cron
	}
	for _, n := range w.Body.All() {
		p := n.Action.(*ir.Prompt)
		s := langoStep{ID: n.ID, Agent: p.Agent.Name, Prompt: p.Text.Source.Value, DeliverTo: names(n.DeliverTo)}
		for _, need := range n.Needs {
			s.DependsOn = append(s.DependsOn, need.Node.ID)
		}
		if n.TimeoutSpan.IsValid() {
			s.Timeout = n.Timeout
		}
		got.Steps = append(got.Steps, s)
	}
	for i := range want.Workflow.Steps {
		want.Workflow.Steps[i].alike()
	}
	diffs := same("targets", jsonText(want.Workflow.targets()), jsonText(got.targets()))
	return judged(append(diffs, same("workflow", jsonText(want.Workflow), jsonText(got))...)), nil
}

// targets takes the targets out of a workflow, those of its result first.
func (w *langoWorkflow) targets() [][]string {
	list := [][]string{append([]string{}, w.DeliverTo...)}
	w.DeliverTo = nil
	for i := range w.Steps {
		list = append(list, append([]string{}, w.Steps[i].DeliverTo...))
		w.Steps[i].DeliverTo = nil
	}
	return list
}

// alike writes a recorded step as wfc has it: with the name of the agent that
// answers when none is named, each dependency once, and no limit that is none.
func (s *langoStep) alike() {
	if s.Agent == "" {
		s.Agent = "executor"
	}
	if s.Timeout <= 0 {
		s.Timeout = 0
	}
	var once []string
	for _, id := range s.DependsOn {
		if !slices.Contains(once, id) {
			once = append(once, id)
		}
	}
	s.DependsOn = once
}

func names(targets []ir.Target) (list []string) {
	for _, t := range targets {
		list = append(list, t.Name)
	}
	return list
}

// planStages compares layers; within one the engine has no order.
func planStages(_ *bench, c *recorded) (plan, error) {
	var in struct{ YAML string }
	var want struct {
		Layers [][]string
		Roots  []string
		Error  string
	}
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	r := compileLango(in.YAML)
	if r.HasErrors() {
		if want.Layers == nil {
			return judged(nil), nil
		}
		return judged([]difference{{what: "layers", want: lists(want.Layers), got: refusal(r)}}), nil
	}
	var infos []flow.NodeInfo
	for _, n := range r.Workflow.Workflow.Body.All() {
		info := flow.NodeInfo{Key: n.ID}
		for _, need := range n.Needs {
			info.After = append(info.After, need.Node.ID)
		}
		infos = append(infos, info)
	}
	got := draw.Layers(infos)
	roots := slices.Clone(got[0])
	for _, list := range append(slices.Concat(want.Layers, got), want.Roots, roots) {
		slices.Sort(list)
	}
	return judged(append(same("layers", lists(want.Layers), lists(got)), same("roots", jsonText(want.Roots), jsonText(roots))...)), nil
}

// planRender compares a prompt: that of a step that comes after steps with the
// given results.
func planRender(b *bench, c *recorded) (plan, error) {
	var in struct {
		Template string
		Results  map[string]string
	}
	var want struct {
		Rendered *string
		Error    string
	}
	if err := c.decode(&in, &want); err != nil {
		return plan{}, err
	}
	const asked = "the-step-that-is-asked"
	job := runner.Job{Inputs: json.RawMessage("{}"), Session: &runner.Session{CancelAfter: -1, LeaveAfter: -1}}
	var yaml strings.Builder
	yaml.WriteString("name: w\nsteps:\n")
	ids := slices.Sorted(maps.Keys(in.Results))
	replies := map[string][]string{}
	for _, id := range ids {
		replies[id] = []string{in.Results[id]}
		fmt.Fprintf(&yaml, "  - {id: %s, prompt: x}\n", quote(id))
	}
	job.Replies = json.RawMessage(jsonText(replies))
	fmt.Fprintf(&yaml, "  - {id: %s, prompt: %s, depends_on: %s}\n", asked, quote(in.Template), flowList(ids))
	r := compileLango(yaml.String())
	if r.HasErrors() {
		if want.Rendered == nil {
			return judged(nil), nil
		}
		return judged([]difference{{what: "prompt", want: *want.Rendered, got: refusal(r)}}), nil
	}
	return b.perform(r, job, func(out *runner.Outcome) []difference {
		for _, turn := range out.Turns {
			switch {
			case turn.Step != asked:
			case want.Rendered == nil:
				return []difference{{what: "prompt", want: fails, got: turn.Prompt}}
			default:
				return same("prompt", *want.Rendered, turn.Prompt)
			}
		}
		if want.Rendered == nil {
			return nil
		}
		return []difference{{what: "prompt", want: *want.Rendered, got: fails}}
	}), nil
}
