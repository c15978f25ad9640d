package dry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/draw"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Options are the options of a plan.
type Options struct {
	// Inputs are the run's inputs as a JSON object.
	Inputs json.RawMessage
	// Outputs are the scripted outputs, or nil.
	Outputs *Outputs
	// WorkDir is the folder that the run would work in.
	WorkDir string
	// BaseBranch is the branch that changes are made against; "" is unknown.
	BaseBranch string
	// DocsDir is the project's documentation folder; "" means docs/.
	DocsDir string
	// Agents are the settings of agents. The plan starts none of them.
	Agents settings.Agents
	// Performers judge scripted outputs, those of them that are engine.Judges.
	// Nothing is performed.
	Performers []engine.Performer
	// Graph has the caller's options for the run of a state graph, or nil.
	Graph *flow.GraphOptions
	// Environ is an environment in the form of os.Environ. Its secrets are masked in the
	// whole plan.
	Environ []string
}

// Make makes the plan of a run. The error is an *OutputError, or says why the flow could
// not be followed to its end.
func Make(def *flow.Definition, opt Options) (*Plan, error) {
	w, err := observe(def, opt, &stand{})
	if err != nil {
		return nil, err
	}
	if w.stand.truths {
		other, err := observe(def, opt, &stand{truth: true})
		if err != nil {
			return nil, err
		}
		w.merge(other)
	}
	p := w.plan()
	p.Unused = opt.Outputs.unused()
	p.finish(w.stand, opt.Environ)
	return p, nil
}

// plan makes the plan from the observed run.
func (w *world) plan() *Plan {
	def := w.def
	p := &Plan{
		SchemaVersion: SchemaVersion, Workflow: def.Name, Source: def.Source, Fingerprint: def.Fingerprint,
		Inputs: w.info.Inputs, WorkDir: w.info.WorkDir, Steps: w.steps(def, w.opt.Agents),
	}
	for _, s := range p.Steps {
		for _, a := range s.Actions {
			if a.run != nil {
				a.Plan = a.run.plan()
			}
		}
	}
	p.Verdict = w.verdict(p.Steps)
	return p
}

// world is a host's record of a run.
type world struct {
	*host
	info flow.RunInfo
	end  flow.RunState
	// told has the events of each step.
	told map[string][]flow.Event
}

// observe runs the flow once. above are the workflows of the runs around it.
func observe(def *flow.Definition, opt Options, s *stand, above ...*flow.Definition) (*world, error) {
	s.nodes = map[string]bool{}
	w := &world{
		host: &host{
			def: def, opt: opt, above: above,
			outputs: opt.Outputs, judges: map[string]engine.Judge{}, stand: s,
			now: time.Now(), ends: map[string]flow.Record{},
		},
		info: flow.RunInfo{
			ID: phrase("run id"), Workflow: def.Name, Fingerprint: def.Fingerprint, Inputs: bytes.TrimSpace(opt.Inputs),
			ArtifactsDir: phrase("artifacts folder"), LogDir: phrase("log folder"), SharedDir: phrase("state folder"),
			WorkDir: opt.WorkDir, BaseBranch: opt.BaseBranch, DocsDir: opt.DocsDir, Graph: opt.Graph, Planned: true,
		},
	}
	if len(w.info.Inputs) == 0 {
		w.info.Inputs = json.RawMessage("{}")
	}
	w.info.BaseBranch = cmp.Or(w.info.BaseBranch, phrase("base branch"))
	w.info.DocsDir = cmp.Or(w.info.DocsDir, "docs/")
	for _, p := range opt.Performers {
		if judge, ok := p.(engine.Judge); ok {
			w.judges[p.Kind()] = judge
		}
	}
	var err error
	w.end, err = sched.Run(w.host, &w.info, nil, sched.Options{Nodes: def.Nodes, Returns: def.Returns, Attended: true}, def.Flow)
	if w.err != nil {
		return nil, w.err
	}
	if err != nil {
		return nil, fmt.Errorf("plan the run: %w", err)
	}
	return w, nil
}

// merge puts the placeholder of bools into the strings that differ from those of other,
// in which unknown bools are true.
func (w *world) merge(other *world) {
	index := map[string]*Action{}
	for _, a := range other.actions {
		index[a.Key] = a
	}
	for _, a := range w.actions {
		b := index[a.Key]
		if b == nil {
			continue
		}
		mine, others := a.texts(), b.texts()
		for i := range mine {
			if len(mine) == len(others) {
				*mine[i] = merge(*mine[i], *others[i])
			}
		}
		if a.run != nil && b.run != nil {
			a.run.merge(b.run)
		}
	}
	for key, r := range w.ends {
		o := other.ends[key]
		r.Text, r.Reason = merge(r.Text, o.Text), merge(r.Reason, o.Reason)
		w.ends[key] = r
	}
	for i := range w.events {
		if i < len(other.events) {
			w.events[i].Message = merge(w.events[i].Message, other.events[i].Message)
		}
	}
	w.end.Reason = merge(w.end.Reason, other.end.Reason)
	if s := merge(string(w.info.Inputs), string(other.info.Inputs)); json.Valid([]byte(s)) {
		w.info.Inputs = json.RawMessage(s)
	}
}

// steps returns the nodes with their observed actions, in the order of stages.
func (w *world) steps(def *flow.Definition, agents settings.Agents) []*Step {
	nodes := slices.Clone(def.Nodes)
	known := newIndex(nodes)
	for _, key := range w.order { // steps of a flow that describes no such node
		if known.owner(key) == "" {
			known[key] = len(nodes)
			nodes = append(nodes, flow.NodeInfo{Key: key, Kind: w.ends[key].Kind})
		}
	}
	w.told = map[string][]flow.Event{}
	for _, e := range w.events {
		w.told[e.Key] = append(w.told[e.Key], e)
	}
	byID := map[string]*Step{}
	var steps []*Step
	for stage, layer := range draw.Layers(nodes) {
		for _, key := range layer {
			byID[key] = w.step(nodes[known[key]], stage+1)
			steps = append(steps, byID[key])
		}
	}
	for _, a := range w.actions {
		if s := byID[known.owner(a.Key)]; s != nil {
			a.choose(agents)
			s.Actions = append(s.Actions, a)
		}
	}
	return steps
}

// finish replaces placeholder numbers by their names, and hides secrets.
func (p *Plan) finish(s *stand, environ []string) {
	clean := func(text *string) { *text = process.Mask(environ, s.reveal(*text)) }
	for _, step := range p.Steps {
		for _, text := range []*string{&step.Failure, &step.Cancels, &step.Output} {
			clean(text)
		}
		for i := range step.Why {
			clean(&step.Why[i])
		}
		for _, a := range step.Actions {
			for _, text := range append(a.texts(), &a.Result.Text) {
				clean(text)
			}
			if a.Plan != nil {
				a.Plan.finish(s, environ)
			}
			for _, list := range [][]Value{a.Bindings, a.Env} {
				for i := range list {
					if list[i].Value != "" && process.Secret(list[i].Name, list[i].Value) {
						list[i].Value = "***"
					}
				}
			}
		}
	}
	for i := range p.Verdict.Reasons {
		clean(&p.Verdict.Reasons[i])
	}
	p.Inputs = json.RawMessage(process.Mask(environ, s.revealJSON(string(p.Inputs))))
}
