package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// undeliverable says of the targets of a run's result and steps, one a line, which
// could not be delivered to. Nothing is sent for it: an address that is there and
// has the right form may still be refused by its service.
func (a *app) undeliverable(session string) []string {
	d := a.deliverer()
	if d == nil {
		return nil
	}
	targets := a.deliverTo(session)
	var collect func(nodes []flow.NodeInfo)
	collect = func(nodes []flow.NodeInfo) {
		for _, n := range nodes {
			targets = append(targets, n.DeliverTo...)
			collect(n.Inside)
		}
	}
	for _, def := range definitions(a.program.Definition) {
		collect(def.Nodes)
	}
	var list []string
	for _, err := range d.Unready(targets, a.environ()) {
		list = append(list, err.Error())
	}
	return list
}

// checkDelivery looks whether what nobody will watch can be delivered.
func (a *app) checkDelivery(session string) error {
	if list := a.undeliverable(session); len(list) > 0 {
		return failed(fmt.Errorf("these targets cannot be delivered to:\n  %s\n--skip-delivery-check starts the command anyway", strings.Join(list, "\n  ")))
	}
	return nil
}

// undelivered says of the deliveries of a run that failed why, in order.
func undelivered(steps []flow.Record) []string {
	var list []string
	for _, s := range steps {
		if s.Kind != (flow.Delivery{}).Kind() || s.Status != flow.Failed || s.Failure == nil {
			continue
		}
		text := s.Failure.Message
		if node := strings.TrimSuffix(s.Key, "/deliver"); node != "" {
			text = node + ": " + text
		}
		list = append(list, text)
	}
	return list
}

// undeliveredOf says which deliveries of runs failed, by run.
func (a *app) undeliveredOf(ctx context.Context, s *session, runs []local.RunStatus) (map[string][]string, error) {
	if a.deliverer() == nil {
		return nil, nil
	}
	notes := map[string][]string{}
	for _, r := range runs {
		if !slices.Contains([]flow.Status{flow.Completed, flow.Failed, flow.LimitReached, flow.Cancelled}, r.Status) {
			continue
		}
		full, err := s.engine.Status(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		notes[r.ID] = undelivered(full.Steps)
	}
	return notes, nil
}

// nodeSteps returns the steps that are nodes of the workflow, in its order; the
// others are parts of these.
func nodeSteps(def *flow.Definition, steps []flow.Record) []flow.Record {
	byKey := make(map[string]flow.Record, len(steps))
	for _, s := range steps {
		byKey[s.Key] = s
	}
	list := make([]flow.Record, 0, len(def.Nodes))
	for _, n := range def.Nodes {
		if s, ok := byKey[n.Key]; ok {
			list = append(list, s)
		}
	}
	return list
}

// spent is what a node has cost in all processes of the run. The record of a
// node that has parts says it when the node has ended; until then the parts do.
func spent(node flow.Record, parts stepkey.Costs) flow.Meta {
	if node.Status.Ended() {
		return node.Meta
	}
	return node.Meta.Plus(parts[node.Key])
}

// total is what a run has cost: the sum over its nodes.
func total(def *flow.Definition, steps []flow.Record) flow.Meta {
	var sum flow.Meta
	parts := stepkey.CostsOf(steps)
	for _, n := range nodeSteps(def, steps) {
		sum = sum.Plus(spent(n, parts))
	}
	return sum
}

// sessionKeyOf is the session key that is kept with a run, or "".
func sessionKeyOf(kept json.RawMessage) string {
	var s struct {
		SessionKey string `json:"session_key"`
	}
	if json.Unmarshal(kept, &s) != nil {
		return "" // settings of another kind of caller
	}
	return s.SessionKey
}

func (a *app) runDocument(r *local.RunStatus, logFile string) document.Run {
	d := document.Run{
		ID: r.ID, Workflow: r.Workflow, Status: r.Status, Reason: r.Reason, Error: r.Error, Summary: r.Summary, Outcome: r.Outcome,
		Inputs: r.Inputs, Outputs: r.Outputs, Created: r.Created, Finished: r.Finished,
		WorkDir: r.WorkDir, ArtifactsDir: r.ArtifactsDir, LogFile: logFile, Worktree: newWorktreeDocument(r.Worktree()),
	}
	d.SessionKey = sessionKeyOf(r.Settings)
	if !r.Finished.IsZero() {
		d.DurationMS = max(1, r.Finished.Sub(r.Created).Milliseconds())
	}
	d.Parent = newParentDocument(r)
	if open := asksPeople(r.Questions); len(open) > 0 {
		d.Questions = a.questionDocuments(open)
	}
	if r.Steps == nil {
		return d
	}
	d.Undelivered = undelivered(r.Steps)
	d.Task = a.taskDocument(r)
	nodes := nodeSteps(a.program.Definition, r.Steps)
	c := count(nodes)
	d.Counts = &c
	sum := total(a.program.Definition, r.Steps)
	paid := sum.Spent()
	d.CostUSD, d.InputTokens, d.OutputTokens, d.Turns = paid.CostUSD, paid.InputTokens, paid.OutputTokens, paid.Turns
	d.Replayed = sum.Replayed
	parts := stepkey.CostsOf(r.Steps)
	for _, s := range r.Steps {
		if a.nodeOf(s.Key) == s.Key {
			s.Meta = spent(s, parts)
		}
		d.Nodes = append(d.Nodes, newStepDocument(s))
	}
	return d
}

// wholeDocument is a run with all that --json says of it, and its family.
func (a *app) wholeDocument(ctx context.Context, s *session, id string) (document.Run, *family, error) {
	f, err := s.family(ctx, id)
	if err != nil {
		return document.Run{}, nil, err
	}
	run, by := f.member(id), a.continuedBy(s, f.root.ID)
	d := a.of(run.Workflow).runDocument(run, s.folder.Log(id))
	d.SchemaVersion = schemaVersion
	d.Waits = a.of(run.Workflow).waitDocuments(run.Questions, by)
	d.Children = a.childDocuments(s, f, id, by)
	d.Warnings, err = s.warnings(ctx, id)
	return d, f, err
}

// warnings are what was told of in a run and stopped nothing.
func (s *session) warnings(ctx context.Context, id string) ([]document.Warning, error) {
	events, _, err := s.store.Events(ctx, id, 0)
	if err != nil {
		return nil, err
	}
	var list []document.Warning
	for _, e := range events {
		if e.Type == sched.EventWarning {
			list = append(list, document.Warning{Key: e.Key, Message: e.Message})
		}
	}
	return list, nil
}
