package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/confine"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
)

// schemaVersion is the version of the JSON documents that commands print. It
// grows when a field changes its meaning or goes away.
const schemaVersion = 1

// wholeDocument is a run with all that --json says of it, and its family.
func (s *session) wholeDocument(ctx context.Context, id string) (document.Run, *family, error) {
	f, err := s.loadFamily(ctx, id)
	if err != nil {
		return document.Run{}, nil, err
	}
	d, err := s.familyDocument(ctx, f, id)
	return d, f, err
}

// familyDocument is a run of a family with all that --json says of it.
func (s *session) familyDocument(ctx context.Context, f *family, id string) (d document.Run, err error) {
	run := f.findRun(id)
	by, _ := s.continuedBy(f.root)
	v := s.showRun(run)
	d = v.runDocument(run, s.folder.LogFile(id), s.costOf(f, run))
	d.SchemaVersion = schemaVersion
	s.addRules(f, run, d.Questions)
	d.Waits = v.waitDocuments(run.Questions, by)
	d.Children = s.childDocuments(f, id, by)
	events, _, err := s.store.Events(ctx, id, 0)
	if err != nil {
		return d, err
	}
	for _, e := range events {
		switch e.Type {
		case sched.EventWarning, sched.EventBudget, confine.EventReport: // what stopped nothing
			d.Warnings = append(d.Warnings, document.Warning{Key: e.Key, Message: e.Message})
		case sched.EventResumed:
			d.Resumed = append(d.Resumed, document.Resumption{By: e.Message, Time: e.Time})
		}
	}
	failed, err := failedNotices(ctx, s.store, id)
	for _, n := range failed {
		d.FailedNotices = append(d.FailedNotices, unsentReason(n))
	}
	return d, err
}

// runDocument is a run with its steps, as far as they are read. spent is what it has cost.
func (v *shown) runDocument(r *local.RunStatus, logFile string, spent flow.Meta) document.Run {
	parent, step := r.Parent()
	d := document.NewRun(r.Run, logFile, (*worktree.Tree)(r.Worktree()), parent, step)
	d.SessionKey = sessionKeyOf(r.Settings)
	d.Trigger = triggerOf(r.Settings, r.LogDir)
	if by := actions.TermsOf(r.Settings, "").StartedBy; by != nil {
		d.StartedBy = by.String()
	}
	if open := asksPeople(r.Questions); len(open) > 0 {
		d.Questions = v.questionDocuments(open)
	}
	paid := spent.Spent()
	d.CostUSD, d.InputTokens, d.OutputTokens, d.Turns = paid.CostUSD, paid.InputTokens, paid.OutputTokens, paid.Turns
	d.Replayed = spent.Replayed
	if r.Steps == nil {
		return d
	}
	d.Undelivered = undeliveredReasons(r.Steps)
	d.Task = v.taskDocument(r)
	nodes := nodeSteps(v.def, r.Steps)
	c := countSteps(nodes)
	d.Counts = &c
	parts := costsOf(r.Steps)
	for _, s := range r.Steps {
		switch node := v.nodeOf(s.Key); {
		case node == s.Key:
			s.Meta = stepCost(s, parts)
		case s.Status == flow.Pending:
			continue // a part of a repeated node, to which the run has not come again
		}
		d.Nodes = append(d.Nodes, document.NewStep(s))
	}
	return d
}

// keptSetting returns one of the settings that are kept with a run. Those of another kind of caller
// are not there.
func keptSetting[T any](kept json.RawMessage, name string) (value T) {
	var all map[string]json.RawMessage
	if json.Unmarshal(kept, &all) == nil {
		_ = json.Unmarshal(all[name], &value)
	}
	return value
}

// sessionKeyOf is the session key that is kept with a run, or "".
func sessionKeyOf(kept json.RawMessage) string { return keptSetting[string](kept, "session_key") }

// nodeSteps returns the steps that are nodes of the workflow, in its order; the
// others are parts of these. If the definition is of another program and has none of them, it
// returns the steps that are parts of no other.
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
	if len(list) > 0 {
		return list
	}
	keys := stepkey.KeysOf(steps)
	for _, s := range steps {
		if keys.Outermost(s.Key) == s.Key && !strings.HasPrefix(s.Key, "/") {
			list = append(list, s)
		}
	}
	return list
}

// partCosts are the costs of the parts of nodes.
type partCosts struct {
	all stepkey.Costs
	// left are those of parts that were repeated, and to which the run did not come again.
	left stepkey.Costs
}

func costsOf(steps []flow.Record) partCosts {
	c := partCosts{all: stepkey.CostsOf(steps)}
	left := func(s flow.Record) bool {
		return (s.Status == flow.Pending || s.Status == flow.Skipped) && s.Attempt > 0 && s.Meta != (flow.Meta{})
	}
	if slices.ContainsFunc(steps, left) {
		steps = slices.Clone(steps)
		for i := range steps {
			if !left(steps[i]) {
				steps[i].Meta = flow.Meta{}
			}
		}
		c.left = stepkey.CostsOf(steps)
	}
	return c
}

// stepCost is what a node has cost in all processes of the run. The record of a
// node that has parts says it when the node has ended; until then the parts do.
func stepCost(node flow.Record, parts partCosts) flow.Meta {
	if node.Status.Ended() {
		return parts.left[node.Key].Plus(node.Meta)
	}
	return node.Meta.Plus(parts.all[node.Key])
}

// totalCost is what a run has cost: the sum over its nodes, or over its actions if these cost more. A run
// that has moved to another version of its workflow can have nodes that do not count all their parts.
func totalCost(def *flow.Definition, steps []flow.Record) flow.Meta {
	var sum flow.Meta
	parts := costsOf(steps)
	for _, n := range nodeSteps(def, steps) {
		sum = sum.Plus(stepCost(n, parts))
	}
	if used := sched.Used(steps); used.CostUSD > sum.CostUSD+format.TinyCost {
		sum.CostUSD, sum.InputTokens, sum.OutputTokens, sum.Turns = used.CostUSD, used.InputTokens, used.OutputTokens, used.Turns
	}
	return sum
}

func countSteps(steps []flow.Record) document.Counts {
	var c document.Counts
	for _, s := range steps {
		c.Total++
		switch s.Status {
		case flow.Completed:
			c.Completed++
		case flow.Failed:
			c.Failed++
		case flow.Skipped:
			c.Skipped++
		case flow.Cancelled:
			c.Cancelled++
		}
	}
	return c
}

func limitsOf(l flow.GraphLimits) document.Limits {
	return document.Limits{Iterations: l.Iterations, Minutes: l.Time.Minutes(), CostUSD: l.CostUSD, Parallel: l.Parallel}
}

// undeliveredReasons says of the deliveries of a run that failed why, in order.
func undeliveredReasons(steps []flow.Record) []string {
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
func (s *session) undeliveredOf(ctx context.Context, runs []local.RunStatus) (map[string][]string, error) {
	if s.newDeliverer() == nil {
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
		notes[r.ID] = undeliveredReasons(full.Steps)
	}
	return notes, nil
}

// deliveryProblems says of the targets of a run's result and steps, one a line, which
// could not be delivered to. Nothing is sent for it: an address that is there and
// has the right form may still be refused by its service.
func (c *call) deliveryProblems(session string) []string {
	targets := c.deliverTo(session)
	for _, def := range flow.Reachable(c.program.Definition) {
		walkAll(def.Nodes, func(n flow.NodeInfo) { targets = append(targets, n.DeliverTo...) })
	}
	return unreadyTargets(c, targets)
}

// unreadyTargets says which targets could not be sent to, one a line.
func unreadyTargets(c *call, targets []string) (list []string) {
	if d := c.newDeliverer(); d != nil {
		list = plain.Texts(d.Unready(targets, c.processEnviron()), error.Error)
	}
	return list
}

// checkDelivery looks whether what nobody will watch can be delivered.
func (c *call) checkDelivery(session string) error {
	if list := c.deliveryProblems(session); len(list) > 0 {
		return failedError(fmt.Errorf("these targets cannot be delivered to:\n  %s\n--skip-delivery-check starts the command anyway", strings.Join(list, "\n  ")))
	}
	return nil
}

// errorDocument is what --json prints when a command could not do its work.
type errorDocument struct {
	SchemaVersion int    `json:"schema_version"`
	Error         string `json:"error"`
	ExitCode      int    `json:"exit_code"`
}

// printJSON prints the one document of a command.
func printJSON(w io.Writer, v any) error {
	text, err := kernel.Encode(v)
	if err != nil {
		return failedError(err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return failedError(err)
	}
	b.WriteByte('\n')
	_, err = plain.JSONWriter(w).Write(b.Bytes())
	return failedError(err)
}

// eventLines prints what happens as JSON, one object a line.
type eventLines struct {
	mu  sync.Mutex
	out io.Writer
	// secrets are masked: such lines end up in logs.
	secrets []string
}

// eventDocument is one line of --jsonl. Type is "begin", "step", "output", "end"
// or what the flow calls an event of its own, such as "step_retrying".
type eventDocument struct {
	SchemaVersion int                `json:"schema_version"`
	Time          time.Time          `json:"time"`
	Type          string             `json:"type"`
	Run           string             `json:"run_id"`
	Resumed       bool               `json:"resumed,omitempty"`
	Parent        *document.Parent   `json:"parent,omitempty"`
	Worktree      *document.Worktree `json:"worktree,omitempty"`
	Node          string             `json:"node,omitempty"`
	Stream        string             `json:"stream,omitempty"`
	Text          string             `json:"text,omitempty"`
	Step          *document.Step     `json:"step,omitempty"`
	End           *flow.RunState     `json:"end,omitempty"`
}

func (l *eventLines) printNotice(n local.Notice) {
	d := eventDocument{SchemaVersion: schemaVersion, Time: time.Now(), Run: n.RunID}
	switch {
	case n.Begin:
		d.Type, d.Resumed, d.Worktree = "begin", n.Resumed, document.NewWorktree((*worktree.Tree)(n.Worktree))
		if n.Parent != "" {
			d.Parent = &document.Parent{Run: n.Parent, Step: n.ParentStep}
		}
	case n.Step != nil:
		step := document.NewStep(*n.Step)
		d.Type, d.Node, d.Step = "step", n.Step.Key, &step
	case n.Piece != nil:
		d.Type, d.Node, d.Stream, d.Text = "output", n.Key, n.Stream, string(n.Piece)
	case n.Logged != nil:
		d.Type, d.Node, d.Text, d.Time = n.Logged.Type, n.Logged.Key, n.Logged.Message, n.Logged.Time
	case n.End != nil:
		d.Type, d.End = "end", n.End
	}
	text, err := kernel.Encode(d)
	if err != nil {
		return // every field encodes
	}
	text = process.MaskJSON(l.secrets, text)
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = plain.JSONWriter(l.out).Write(append(text, '\n'))
}
