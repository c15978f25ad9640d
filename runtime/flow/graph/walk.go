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
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// A Walk is the path of one run through a graph: R embeds it. S is the type of the state, and
// L that of the nodes' labels: structs that encode to JSON objects.
type Walk[N ~string, S, L, R any] struct {
	// State has the variables, with their initial values before Follow.
	State S
	// Labels holds the last label of each node, by the node's name in JSON.
	Labels L

	c      *flow.Context
	graph  *Graph[N, R]
	run    *R
	limits flow.GraphLimits
	// at is the node that runs or has just ended, and key its visit.
	at  N
	key string
	// entered counts the visits; iteration the nodes that have ended.
	entered, iteration int
	executed           []string
	last               NodeResult
	// step is the key of the last step of the visit that ended last, or "".
	step string
	// labels are the last labels of the nodes, and texts their last outputs.
	labels   map[N]string
	texts    map[N]string
	totals   map[N]flow.Meta
	cost     float64
	unpriced string // says why that is not the whole cost, or is ""
	warnings []string
	clock
	// replayed means that an earlier process saved the state after the visit.
	replayed bool
	// memory is the agents' memory as the last saving returned it.
	memory string
	// passed are the keys of the halts that this process has passed.
	passed  map[string]bool
	success bool
}

// A clock has the times of a run.
type clock struct {
	// begun is the start of the run; before is the time spent by the run whose state it
	// continues, which began at started.
	begun, started time.Time
	before         time.Duration
	// elapsed is the duration of the run up to the last saved state.
	elapsed time.Duration
}

// Follow walks through a graph until the run ends, and returns the run's outputs. run is
// what the functions of the graph work on; it embeds w.
func (w *Walk[N, S, L, R]) Follow(c *flow.Context, g *Graph[N, R], run *R) (Outputs[S, L], error) {
	w.c, w.graph, w.run, w.limits = c, g, run, g.Limits
	w.labels, w.texts, w.totals, w.passed = map[N]string{}, map[N]string{}, map[N]flow.Meta{}, map[string]bool{}
	if o := c.Scheduler().Run().Graph; o != nil && o.Limits != nil {
		w.limits = *o.Limits
	}
	next, err := w.firstNode()
	for err == nil && next != "" {
		n := g.nodeNamed(next)
		if n == nil {
			panic("unknown node " + next)
		}
		next, err = w.visitNode(n)
	}
	return Outputs[S, L]{
		Success: w.success, Node: string(w.at), Label: w.last.Label, Text: w.last.Text,
		Iterations: int64(w.iteration), Labels: w.Labels, State: w.State,
	}, err
}

func (w *Walk[N, S, L, R]) recoverPanics(fn func() error) error { return w.c.Node().Recover(fn) }

// visitContext returns the context of the current visit of a node.
func (w *Walk[N, S, L, R]) visitContext(n *Node[N, R]) *flow.Context {
	return w.contextOn(w.c.Scheduler(), w.key, n)
}

func (w *Walk[N, S, L, R]) contextOn(e flow.Scheduler, key string, n *Node[N, R]) *flow.Context {
	return w.c.Node().VisitContext(e, key, flow.NodeState{Key: string(n.Name), Repeated: w.replayed, Memory: w.memory}, n.Timeout, n.Retry)
}

// firstNode returns the first node: the target of the first edge from the start that holds. A
// run that continues from a saved state starts at its graphstate.State.Next.
func (w *Walk[N, S, L, R]) firstNode() (N, error) {
	w.begun = w.c.Scheduler().Now("START/begun")
	w.started = w.begun
	if o := w.c.Scheduler().Run().Graph; o != nil && len(o.From) > 0 {
		next, err := w.restoreState(o.From)
		switch {
		case err != nil:
			return "", err
		case next == "":
			return "", w.finishWalk(kernel.ReasonCompleted)
		case next != kernel.Start:
			return next, nil
		}
	}
	next, ok, err := w.chooseNextNode(Start)
	switch {
	case err != nil:
		return "", err
	case !ok:
		held, err := w.isGoalReached()
		switch {
		case err != nil:
			return "", err
		case held:
			return "", w.finishWalk(kernel.ReasonCompleted)
		}
		return "", noEdge("no edge from START holds")
	case next == "":
		return "", w.finishWalk(kernel.ReasonCompleted)
	}
	return next, nil
}

// chooseNextNode returns the node to which the first edge from a node leads that holds: "" is the
// end.
func (w *Walk[N, S, L, R]) chooseNextNode(from N) (next N, ok bool, err error) {
	err = w.recoverPanics(func() error {
		i := slices.IndexFunc(w.graph.Edges, func(e Edge[N, R]) bool {
			return e.From == from && (e.On == "" || e.On == w.labels[from]) && w.conditionHolds(e.When)
		})
		if ok = i >= 0; ok {
			next = N(nodeKey(w.graph.Edges[i].To))
		}
		return nil
	})
	return next, ok, err
}

// conditionHolds reports whether a condition holds or is nil.
func (w *Walk[N, S, L, R]) conditionHolds(condition func(*R) bool) bool {
	return condition == nil || condition(w.run)
}

// isGoalReached reports whether one of the goals holds.
func (w *Walk[N, S, L, R]) isGoalReached() (held bool, err error) {
	err = w.recoverPanics(func() error {
		held = slices.ContainsFunc(w.graph.Completion, func(goal Goal[N, R]) bool {
			return w.labels[goal.Node] == goal.Label && w.conditionHolds(goal.When)
		})
		return nil
	})
	return held, err
}

// keepLabel stores the last label of a node.
func (w *Walk[N, S, L, R]) keepLabel(node N, label string) error {
	w.labels[node] = label
	text, err := json.Marshal(map[N]string{node: label})
	if err == nil {
		err = json.Unmarshal(text, &w.Labels)
	}
	return err
}

// noEdge is the failure of a walk that cannot continue: no edge holds, and no goal does.
func noEdge(problem string) *flow.Failure {
	return &flow.Failure{Reason: kernel.ReasonNoEdge, Class: flow.ClassFatal, ExitCode: -1, Message: problem + ", and no completion condition does"}
}

// restoreState takes over the saved state of another run, and returns its position: a node,
// the start or the end.
func (w *Walk[N, S, L, R]) restoreState(raw json.RawMessage) (N, error) {
	unfit := func(format string, args ...any) error {
		return &flow.Failure{Reason: "state", Class: flow.ClassFatal, ExitCode: -1, Message: "the saved state does not fit the workflow: " + fmt.Sprintf(format, args...)}
	}
	var s graphstate.State
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", unfit("%v", plain.JSONError(err, ""))
	}
	for _, part := range []struct {
		name string
		text json.RawMessage
		into any
	}{{"variables", s.Variables, &w.State}, {"outputs", s.Labels, &w.Labels}, {"outputs", s.Labels, &w.labels}} {
		if len(part.text) > 0 {
			if err := json.Unmarshal(part.text, part.into); err != nil {
				return "", unfit("its %s: %v", part.name, plain.JSONError(err, ""))
			}
		}
	}
	next := N(s.Next)
	if next != "" && next != kernel.Start && !w.isVisitable(next) {
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

// isVisitable reports whether the walk visits a node: whether it exists and is not a branch.
func (w *Walk[N, S, L, R]) isVisitable(node N) bool {
	return w.graph.nodeNamed(node) != nil && !slices.ContainsFunc(w.graph.Nodes, func(n Node[N, R]) bool { return slices.Contains(n.Branches, node) })
}

// showLastWords makes a question about the last words of an agent, unless its message has them.
func (w *Walk[N, S, L, R]) showLastWords(q *flow.Question) {
	if text := strings.TrimSpace(w.last.Text); w.last.Agent && !strings.Contains(q.Message, text) {
		node, _, _ := strings.Cut(w.step, "@")
		q.Output, q.Speakers = text, []flow.Speaker{{Node: node, Length: len(text)}}
	}
}

// finishWalk ends the walk: at its end, or where a goal holds and no edge does.
func (w *Walk[N, S, L, R]) finishWalk(reason string) error {
	held, err := w.isGoalReached()
	if err != nil {
		return err
	}
	w.success = held || len(w.graph.Completion) == 0 || reason == kernel.ReasonPromise
	s := w.currentState("", kernel.StateCompleted)
	s.Reason, s.Success = reason, &w.success
	if err := w.saveState("END/state", s); err != nil {
		return err
	}
	if !w.success {
		return &kernel.GoalsError{}
	}
	return nil
}

// Iteration returns the number of nodes that have ended.
func (w *Walk[N, S, L, R]) Iteration() int64 { return int64(w.iteration) }

// Current returns the id of the node that runs or has just ended.
func (w *Walk[N, S, L, R]) Current() string { return string(w.at) }

// StartedAt returns the start of the run, as RFC 3339.
func (w *Walk[N, S, L, R]) StartedAt() string { return w.started.Format(time.RFC3339) }

// Executed returns the ids of the nodes that have ended, in order. The caller must not
// change it.
func (w *Walk[N, S, L, R]) Executed() []string { return w.executed }

// CostUSD returns the cost of agents so far.
func (w *Walk[N, S, L, R]) CostUSD() float64 { return w.cost }

// Warn logs a warning and keeps it in the saved state.
func (w *Walk[N, S, L, R]) Warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.warnings = append(w.warnings, text)
	if !w.replayed {
		w.c.Scheduler().Log(flow.Event{Type: "warning", Key: w.key, Message: text})
	}
}

// Reports returns the last outputs of the nodes for which a join waits, each under a
// heading, for the join's prompt. c is the context of the join. Reports skips nodes that have
// not ended in this run.
func (w *Walk[N, S, L, R]) Reports(c *flow.Context) string {
	var b bytes.Buffer
	for _, n := range w.nodeOf(c).WaitsFor {
		if text, ok := w.texts[n]; ok {
			fmt.Fprintf(&b, "\n\n## Output of `%s`\n\n%s", string(n), text)
		}
	}
	return b.String()
}

// nodeOf returns the node whose context c is.
func (w *Walk[N, S, L, R]) nodeOf(c *flow.Context) *Node[N, R] {
	return w.graph.nodeNamed(N(c.Node().State().Key))
}
