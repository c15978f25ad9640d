package dry

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/draw"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
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
	now := time.Now()
	w, err := observeRun(def, opt, &stand{now: now})
	if err != nil {
		return nil, err
	}
	if w.stand.truths {
		other, err := observeRun(def, opt, &stand{now: now, truth: true})
		if err != nil {
			return nil, err
		}
		w.mergeTruths(other)
	}
	p := w.makePlan()
	p.Unused = opt.Outputs.unusedKeys()
	p.showSymbols(w.stand, opt.Environ)
	return p, nil
}

// makePlan makes the plan from the observed run.
func (w *world) makePlan() *Plan {
	def := w.def
	p := &Plan{
		SchemaVersion: SchemaVersion, Workflow: def.Name, Source: def.Source, Fingerprint: def.Fingerprint,
		Inputs: w.info.Inputs, WorkDir: w.info.WorkDir, Steps: w.makeSteps(def, w.opt.Agents),
	}
	for _, s := range p.Steps {
		for _, a := range s.Actions {
			if a.run != nil {
				a.Plan = a.run.makePlan()
			}
		}
	}
	p.Verdict = w.makeVerdict(p.Steps)
	return p
}

// world is a host's record of a run.
type world struct {
	*host
	facts
	info flow.RunInfo
	end  flow.RunState
	// taken are the nodes whose ends are those of an earlier execution; see observe.
	taken map[string]*world
}

// observeRun runs the flow. above are the workflows of the runs around it. A node that cancels the
// run, but may be skipped, leaves open how the run ends. So the flow runs again, without
// the code of this node.
func observeRun(def *flow.Definition, opt Options, s *stand, above ...*flow.Definition) (*world, error) {
	taken := map[string]*world{}
	for {
		w, err := executeFlow(def, opt, s, taken, above)
		if err != nil {
			return nil, err
		}
		key := w.openCanceller()
		if key == "" {
			return w, nil
		}
		taken[key] = w
	}
}

// openCanceller returns a node that has cancelled the run, but may be skipped, or "".
func (w *world) openCanceller() string {
	for _, key := range w.order {
		if end := w.settled[key]; (end.Status == flow.Cancelled || end.Reason != "" && end.Status == flow.Completed) && w.taken[key] == nil && len(w.doubtsAbout(key)) > 0 {
			return key
		}
	}
	return ""
}

// executeFlow runs the flow once.
func executeFlow(def *flow.Definition, opt Options, s *stand, taken map[string]*world, above []*flow.Definition) (*world, error) {
	w := &world{
		host: &host{
			def: def, opt: opt, above: above,
			outputs: opt.Outputs, judges: map[string]engine.Judge{}, stand: s,
			now: s.now, records: map[string]flow.Record{}, owners: map[string][]string{},
		},
		facts: newFacts(),
		info: flow.RunInfo{
			ID: unknownPhrase("run id"), Workflow: def.Name, Fingerprint: def.Fingerprint, Inputs: bytes.TrimSpace(opt.Inputs),
			ArtifactsDir: unknownPhrase("artifacts folder"), LogDir: unknownPhrase("log folder"), SharedDir: unknownPhrase("state folder"),
			WorkDir: opt.WorkDir, BaseBranch: opt.BaseBranch, DocsDir: opt.DocsDir, Graph: opt.Graph,
		},
		taken: maps.Clone(taken),
	}
	if len(w.info.Inputs) == 0 {
		w.info.Inputs = json.RawMessage("{}")
	}
	w.info.BaseBranch = cmp.Or(w.info.BaseBranch, unknownPhrase("base branch"))
	w.info.DocsDir = cmp.Or(w.info.DocsDir, "docs/")
	for _, p := range opt.Performers {
		if judge, ok := p.(engine.Judge); ok {
			w.judges[p.Kind()] = judge
		}
	}
	var err error
	w.end, err = sched.Run(w.host, &w.info, nil, sched.Options{Nodes: def.Nodes, Returns: def.Returns, Attended: true}, func(c *flow.Context) (any, error) {
		return flow.RunFlow(&scheduler{Scheduler: c.Scheduler(), w: w, first: true}, def.Nodes, def.Flow)
	})
	switch {
	case w.err != nil:
		return nil, w.err
	case len(w.open) > 0:
		w.completeWalk()
	case err != nil:
		return nil, fmt.Errorf("plan the run: %w", err)
	}
	return w, nil
}

// completeWalk completes the records of a walk that stopped where the next node is not known.
func (w *world) completeWalk() {
	for _, n := range w.def.Nodes {
		switch r, ok := w.records[n.Key]; {
		case !ok:
			w.records[n.Key] = flow.Record{Key: n.Key, Status: flow.Skipped, Reason: kernel.SkipUnreached}
		case !r.Status.Ended():
			w.records[n.Key] = flow.Record{Key: n.Key, Status: flow.Completed, Text: kernel.OutputSymbol(n.Key)}
		}
	}
}

// mergeTruths puts the placeholder of bools into the strings that differ from those of other,
// in which unknown bools are true.
func (w *world) mergeTruths(other *world) {
	index := map[string]*Action{}
	for _, a := range other.actions {
		index[a.Key] = a
	}
	for _, a := range w.actions {
		b := index[a.Key]
		if b == nil {
			continue
		}
		mine, others := a.renderedTexts(), b.renderedTexts()
		for i := range mine {
			if len(mine) == len(others) {
				*mine[i] = mergeTexts(*mine[i], *others[i])
			}
		}
		if a.run != nil && b.run != nil {
			a.run.mergeTruths(b.run)
		}
	}
	for key, r := range w.records {
		o := other.records[key]
		r.Text, r.Reason = mergeTexts(r.Text, o.Text), mergeTexts(r.Reason, o.Reason)
		w.records[key] = r
	}
	for key, earlier := range w.taken {
		if same := other.taken[key]; same != nil {
			earlier.mergeTruths(same)
		}
	}
	w.end.Reason = mergeTexts(w.end.Reason, other.end.Reason)
	if s := mergeTexts(string(w.info.Inputs), string(other.info.Inputs)); json.Valid([]byte(s)) {
		w.info.Inputs = json.RawMessage(s)
	}
}

// makeSteps returns the nodes with their observed actions, in the order of stages.
func (w *world) makeSteps(def *flow.Definition, agents settings.Agents) []*Step {
	nodes := slices.Clone(def.Nodes)
	known := stepkey.NewNodes(nodes)
	for _, key := range w.order { // steps of a flow that describes no such node
		if _, ok := known.Of(key); !ok && !stepkey.OfWalk(key) {
			nodes = append(nodes, flow.NodeInfo{Key: key, Kind: w.records[key].Kind})
		}
	}
	infos := map[string]flow.NodeInfo{}
	for _, n := range nodes {
		infos[n.Key] = n
	}
	known = stepkey.NewNodes(nodes)
	byID := map[string]*Step{}
	var steps []*Step
	for stage, layer := range draw.Layers(nodes) {
		for _, key := range layer {
			byID[key] = w.makeStep(infos[key], stage+1)
			steps = append(steps, byID[key])
		}
	}
	actions := w.actions
	for key, earlier := range w.taken {
		for _, a := range earlier.actions {
			if stepkey.PartOf(a.Key, key) {
				actions = append(actions, a)
			}
		}
	}
	for _, a := range actions {
		if n, ok := known.Of(a.Key); ok {
			s := byID[n.Key]
			a.chooseAgent(agents)
			s.Actions = append(s.Actions, a)
		}
	}
	return steps
}

// showSymbols shows symbols as people read them, and hides secrets.
func (p *Plan) showSymbols(s *stand, environ []string) {
	clean := func(text *string) { *text = process.Mask(environ, s.revealSymbols(*text)) }
	for _, step := range p.Steps {
		for _, text := range []*string{&step.Failure, &step.Cancels, &step.Output} {
			clean(text)
		}
		for _, list := range [][]string{step.Why, step.Notes} {
			for i := range list {
				clean(&list[i])
			}
		}
		for _, a := range step.Actions {
			for _, text := range append(a.renderedTexts(), &a.Result.Text) {
				clean(text)
			}
			a.Payload = json.RawMessage(process.Mask(environ, s.revealJSON(string(a.Payload))))
			for i, option := range a.Options {
				a.Options[i].Value = process.Mask(environ, s.revealJSON(option.Value))
			}
			if a.Plan != nil {
				a.Plan.showSymbols(s, environ)
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
