package graph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// A Walk is the path of one run through a graph. Generated code calls Start, then Visit for
// each node, then Finish.
type Walk[N ~string, S, L any] struct {
	c      *flow.Context
	graph  Graph[N, S, L]
	limits flow.GraphLimits
	// at is the node that runs or has just ended, and key its visit.
	at  N
	key string
	// steps are the steps of the current visit, by node.
	steps map[N]*Work[N]
	// entered counts the visits; iteration the nodes that have ended.
	entered, iteration int
	executed           []string
	last               NodeResult
	// step is the key of the last step of the visit that ended last, or "".
	step string
	// texts are the last outputs of the nodes.
	texts    map[N]string
	totals   map[N]flow.Meta
	cost     float64
	warnings []string
	// begun is the start of the run; before is the time spent by the run whose state it
	// continues, which began at started.
	begun, started time.Time
	before         time.Duration
	// elapsed is the duration of the run up to the last saved state.
	elapsed time.Duration
	// replayed means that an earlier process saved the state after the visit.
	replayed bool
	// memory is the agents' memory as the last saving returned it.
	memory string
	// passed are the keys of the halts that this process has passed.
	passed  map[string]bool
	success bool
	verdict error
}

// New returns a walk that has not started.
func New[N ~string, S, L any](c *flow.Context, g Graph[N, S, L]) *Walk[N, S, L] {
	w := &Walk[N, S, L]{
		c: c, graph: g, limits: g.Info.Limits, steps: map[N]*Work[N]{},
		texts: map[N]string{}, totals: map[N]flow.Meta{}, passed: map[string]bool{},
	}
	if o := c.Scheduler().Run().Graph; o != nil && o.Limits != nil {
		w.limits = *o.Limits
	}
	return w
}

// info returns the description of a node.
func (w *Walk[N, S, L]) info(node N) flow.NodeInfo {
	i := slices.IndexFunc(w.graph.Nodes, func(n flow.NodeInfo) bool { return n.Key == string(node) })
	if i < 0 {
		return flow.NodeInfo{Key: string(node)}
	}
	return w.graph.Nodes[i]
}

func (w *Walk[N, S, L]) guard(fn func() error) error { return w.c.Node().Recover(fn) }

// context returns the context of the current visit of a node.
func (w *Walk[N, S, L]) context(node N) *flow.Context {
	return w.contextOn(w.c.Scheduler(), w.key, w.steps[node])
}

func (w *Walk[N, S, L]) contextOn(e flow.Scheduler, key string, s *Work[N]) *flow.Context {
	return w.c.Node().VisitContext(e, key, flow.NodeState{Key: string(s.Node), Repeated: w.replayed, Memory: w.memory}, s.Timeout, s.Retry)
}

// Start returns the first node: the target of the first edge that holds. A run that
// continues from a saved state starts at its flow.GraphState.Next.
func (w *Walk[N, S, L]) Start(edges ...Edge[N]) N {
	w.begun = w.c.Scheduler().Now("START/begun")
	w.started = w.begun
	next, err := w.first(edges)
	if err != nil {
		w.verdict = err
		return ""
	}
	return next
}

func (w *Walk[N, S, L]) first(edges []Edge[N]) (N, error) {
	if o := w.c.Scheduler().Run().Graph; o != nil && len(o.From) > 0 {
		next, err := w.restore(o.From)
		switch {
		case err != nil:
			return "", err
		case next == "":
			return "", w.finish(kernel.ReasonCompleted)
		case next != kernel.Start:
			return next, nil
		}
	}
	next, ok, err := w.choose(edges)
	switch {
	case err != nil:
		return "", err
	case !ok:
		held, err := w.goal()
		switch {
		case err != nil:
			return "", err
		case held:
			return "", w.finish(kernel.ReasonCompleted)
		}
		return "", noEdge("no edge from START holds")
	case next == "":
		return "", w.finish(kernel.ReasonCompleted)
	}
	return next, nil
}

// choose returns the node to which the first edge leads that holds.
func (w *Walk[N, S, L]) choose(edges []Edge[N]) (next N, ok bool, err error) {
	err = w.guard(func() error {
		i := slices.IndexFunc(edges, func(e Edge[N]) bool { return e.When == nil || e.When() })
		if ok = i >= 0; ok {
			next = edges[i].To
		}
		return nil
	})
	return next, ok, err
}

// goal reports whether one of the goals holds.
func (w *Walk[N, S, L]) goal() (held bool, err error) {
	err = w.guard(func() error {
		held = slices.ContainsFunc(w.graph.Completion, func(holds func() bool) bool { return holds() })
		return nil
	})
	return held, err
}

// noEdge is the failure of a walk that cannot continue: no edge holds, and no goal does.
func noEdge(problem string) *flow.Failure {
	return &flow.Failure{Reason: kernel.ReasonNoEdge, Class: flow.ClassFatal, ExitCode: -1, Message: problem + ", and no completion condition does"}
}

// restore takes over the saved state of another run, and returns its position: a node,
// the start or the end.
func (w *Walk[N, S, L]) restore(raw json.RawMessage) (N, error) {
	unfit := func(format string, args ...any) error {
		return &flow.Failure{Reason: "state", Class: flow.ClassFatal, ExitCode: -1, Message: "the saved state does not fit the workflow: " + fmt.Sprintf(format, args...)}
	}
	var s flow.GraphState
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", unfit("%v", plain.JSONError(err, ""))
	}
	for _, part := range []struct {
		name string
		text json.RawMessage
		into any
	}{{"variables", s.Variables, w.graph.State}, {"outputs", s.Labels, w.graph.Labels}} {
		if len(part.text) > 0 {
			if err := json.Unmarshal(part.text, part.into); err != nil {
				return "", unfit("its %s: %v", part.name, plain.JSONError(err, ""))
			}
		}
	}
	next := N(s.Next)
	if next != "" && next != kernel.Start && !w.visits(next) {
		return "", unfit("unknown node `%s`", s.Next)
	}
	w.entered, w.iteration, w.executed = s.Iteration, s.Iteration, s.Executed
	w.cost, w.warnings = s.Usage.CostUSD, s.Warnings
	w.before, w.memory = s.Usage.Elapsed, s.Memory
	if !s.Started.IsZero() {
		w.started = s.Started
	}
	w.at = N(s.Node)
	return next, nil
}

// visits reports whether the walk visits a node: whether it exists and is not a branch.
func (w *Walk[N, S, L]) visits(node N) bool {
	for _, n := range w.graph.Nodes {
		if slices.Contains(n.Branches, string(node)) {
			return false
		}
	}
	return w.info(node).Kind != ""
}

// Finish returns the outputs of a walk that has ended, and the error that ended it.
func (w *Walk[N, S, L]) Finish() (Outputs[S, L], error) {
	return Outputs[S, L]{
		Success: w.success, Node: string(w.at), Label: w.last.Label, Text: w.last.Text,
		Iterations: int64(w.iteration), Labels: *w.graph.Labels, State: *w.graph.State,
	}, w.verdict
}

// words are the last words of an agent for a question, unless its message has them.
func (w *Walk[N, S, L]) words(message string) string {
	if text := strings.TrimSpace(w.last.Text); w.last.Agent && !strings.Contains(message, text) {
		return text
	}
	return ""
}

// finish ends the walk: at its end, or where a goal holds and no edge does.
func (w *Walk[N, S, L]) finish(reason string) error {
	held, err := w.goal()
	if err != nil {
		return err
	}
	w.success = held || len(w.graph.Completion) == 0 || reason == kernel.ReasonPromise
	s := w.state("", kernel.StateCompleted)
	s.Reason, s.Success = reason, &w.success
	if err := w.save("END/state", s); err != nil {
		return err
	}
	if !w.success {
		return &kernel.GoalsError{}
	}
	return nil
}

// Iteration returns the number of nodes that have ended.
func (w *Walk[N, S, L]) Iteration() int64 { return int64(w.iteration) }

// Current returns the id of the node that runs or has just ended.
func (w *Walk[N, S, L]) Current() string { return string(w.at) }

// StartedAt returns the start of the run, as RFC 3339.
func (w *Walk[N, S, L]) StartedAt() string { return w.started.Format(time.RFC3339) }

// Executed returns the ids of the nodes that have ended, in order. The caller must not
// change it.
func (w *Walk[N, S, L]) Executed() []string { return w.executed }

// CostUSD returns the cost of agents so far.
func (w *Walk[N, S, L]) CostUSD() float64 { return w.cost }

// Warn logs a warning and keeps it in the saved state.
func (w *Walk[N, S, L]) Warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.warnings = append(w.warnings, text)
	if !w.replayed {
		w.c.Scheduler().Log(flow.Event{Type: "warning", Key: w.key, Message: text})
	}
}

// Reports returns the last outputs of nodes, each under a heading, for the prompt of a
// join. It skips nodes that have not ended in this run.
func (w *Walk[N, S, L]) Reports(nodes ...N) string {
	var b bytes.Buffer
	for _, n := range nodes {
		if text, ok := w.texts[n]; ok {
			fmt.Fprintf(&b, "\n\n## Output of `%s`\n\n%s", string(n), text)
		}
	}
	return b.String()
}
