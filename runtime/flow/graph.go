package flow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// State graphs.
//
// A run of a state graph is a walk: one node at a time, and what it ended with
// decides which is next. The walk itself is not journalled. A later process walks
// the same way from the beginning, because all that decides it is in the journal
// or follows from it: what agents and scripts gave and which label that was (the
// label is kept with the step, so a script that failed is a step that completed
// with the label `fail`), what people answered, and the clock wherever it was
// read. Only what is not there yet is performed.
//
// A visit has a number: the first node that is visited is 1, the branches of a
// parallel have those after its own, in their order. Keys are made of it, so they
// are the same in every process: `review@5`, `review@5/again` when the agent had
// to be asked for its label, `approval@9#1` for a question, `deploy@7/before#1`
// for an interrupt, `review@5/state` for the state that is saved behind it.
//
// In a visit, in this order: interrupts before it; the node's work; handlers; the
// choice of the edge; the state is saved; interrupts after it; limits. A node
// that is followed by none has failed, before anybody is asked. The next visit
// begins when the state is saved, so that nothing happens of which the folder of
// the task does not know what led to it. Saving is an action because flow code
// performs nothing itself; it may be performed twice without harm, so it is not
// subject to what is to become of interrupted actions.
//
// A run that stops and can go on (a limit, a person who says no) has saved that,
// too, under a key of its own, `review@5/limit#1/halted`. A later process finds
// it in the journal and knows that this halt is over; when it passes the place it
// saves that it goes on.

// A Graph is a state graph as its walk needs it. N is the type of its nodes; the
// zero N is the end.
type Graph[N ~string] struct {
	// Version is the version that the workflow says it has.
	Version string
	// Nodes are the nodes that are visited: all but branches.
	Nodes  []N
	Limits Limits
	// State and Labels point at structs that encode to JSON objects: the
	// variables, and the label that each node last ended with, by the node's id.
	State, Labels any
	// Goals make a run that has ended a success: one of them has to hold. None
	// means that reaching the end is enough.
	Goals []func() bool
}

// Limits end a walk, which can be resumed with others. Zero is no limit.
type Limits struct {
	// Iterations is how many nodes may end.
	Iterations int `json:"max_iterations,omitempty"`
	// Time is how long the run may take, the time that people take included.
	Time time.Duration `json:"max_time,omitempty"`
	// CostUSD is what agents may cost.
	CostUSD float64 `json:"max_cost_dollars,omitempty"`
	// Parallel is how many branches run at once.
	Parallel int `json:"max_parallel_branches,omitempty"`
}

// A Walk is a run's way through a graph.
type Walk[N ~string] struct {
	c      *Context
	graph  Graph[N]
	limits Limits
	// at is the node that runs or has just ended, and key its visit.
	at  N
	key string
	// entered counts the visits; iteration the nodes that have ended.
	entered, iteration int
	executed           []string
	last               Ending
	// step is the key of the last step of the visit that ended last, or "".
	step string
	// texts are what nodes last gave.
	texts    map[N]string
	totals   map[N]Meta
	cost     float64
	warnings []string
	// begun is when the run began; the time before that was spent by the run
	// whose state it goes on from, which began at started.
	begun, started time.Time
	before         time.Duration
	// elapsed is how long the run has taken when its state was last saved.
	elapsed time.Duration
	// replayed says that an earlier process saved the state behind the visit.
	replayed bool
	// memory is what is written down, as the last saving returned it.
	memory string
	// passed are the keys of the places at which this process goes on.
	passed  map[string]bool
	success bool
	verdict error
}

// NewWalk returns a walk that has not begun.
func NewWalk[N ~string](c *Context, g Graph[N]) *Walk[N] {
	w := &Walk[N]{c: c, graph: g, limits: g.Limits, texts: map[N]string{}, totals: map[N]Meta{}, passed: map[string]bool{}}
	if o := c.engine.Run().Graph; o != nil && o.Limits != nil {
		w.limits = *o.Limits
	}
	return w
}

// Start returns the first node: that which first chooses, or the one at which the
// state stands from which the run goes on.
func (w *Walk[N]) Start(first func() (N, bool)) N {
	if !w.c.engine.Run().Planned {
		w.begun = w.c.engine.Now("START/begun")
		w.started = w.begun
	}
	next, err := w.start(first)
	if err != nil {
		w.verdict = err
		return ""
	}
	return next
}

func (w *Walk[N]) start(first func() (N, bool)) (N, error) {
	if o := w.c.engine.Run().Graph; o != nil && len(o.From) > 0 {
		next, err := w.goOnFrom(o.From)
		switch {
		case err != nil:
			return "", err
		case next == "":
			return "", w.finish(ReasonCompleted)
		case next != Start:
			return next, nil
		}
	}
	next, ok, err := choose(first)
	switch {
	case err != nil:
		return "", err
	case !ok:
		held, err := w.goal()
		switch {
		case err != nil:
			return "", err
		case held:
			return "", w.finish(ReasonCompleted)
		}
		return "", noEdge("no edge from START holds")
	case next == "":
		return "", w.finish(ReasonCompleted)
	}
	return next, nil
}

// choose calls a choice of edges.
func choose[N ~string](edges func() (N, bool)) (next N, ok bool, err error) {
	_, err = guardPanic(func() (struct{}, error) {
		next, ok = edges()
		return struct{}{}, nil
	})
	return next, ok, err
}

// goOnFrom takes over a state that was saved by another run, and returns where it
// stands: at a node, at Start or at the end.
func (w *Walk[N]) goOnFrom(raw json.RawMessage) (N, error) {
	unfit := func(format string, args ...any) error {
		return &Failure{Reason: "state", Class: ClassFatal, ExitCode: -1, Message: "the saved state does not fit the workflow: " + fmt.Sprintf(format, args...)}
	}
	var s GraphState
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", unfit("%v", JSONError(err, ""))
	}
	for _, part := range []struct {
		name string
		text json.RawMessage
		into any
	}{{"variables", s.Variables, w.graph.State}, {"outputs", s.Outputs, w.graph.Labels}} {
		if len(part.text) > 0 {
			if err := json.Unmarshal(part.text, part.into); err != nil {
				return "", unfit("its %s: %v", part.name, JSONError(err, ""))
			}
		}
	}
	next := N(s.Next)
	if next != "" && next != Start && !slices.Contains(w.graph.Nodes, next) {
		return "", unfit("there is no node `%s`", s.Next)
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

// Iteration is the number of nodes that have ended.
func (w *Walk[N]) Iteration() int64 { return int64(w.iteration) }

// Current is the id of the node that runs or has just ended.
func (w *Walk[N]) Current() string { return string(w.at) }

// StartedAt is when the run began, as RFC 3339.
func (w *Walk[N]) StartedAt() string {
	if w.c.engine.Run().Planned {
		return "‹when the run begins›"
	}
	return w.started.Format(time.RFC3339)
}

// Executed are the ids of the nodes that have ended, in order; it is not to be
// changed.
func (w *Walk[N]) Executed() []string { return w.executed }

// CostUSD is what agents have cost.
func (w *Walk[N]) CostUSD() float64 { return w.cost }

// Success reports whether the run has ended and one of its goals holds.
func (w *Walk[N]) Success() bool { return w.success }

// Last is how the node ended that ended last.
func (w *Walk[N]) Last() Ending { return w.last }

// Verdict is the run's, once the walk has come to its end; flow code returns it.
func (w *Walk[N]) Verdict() error { return w.verdict }

// Warn keeps a warning in the state and logs it.
func (w *Walk[N]) Warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.warnings = append(w.warnings, text)
	if !w.replayed {
		w.c.engine.Log(Event{Type: "warning", Key: w.key, Message: text})
	}
}

// Reports are what nodes last gave, each under a heading, for an agent that is to
// make something of it. Nodes that gave nothing in this run are left out.
func (w *Walk[N]) Reports(nodes ...N) string {
	var b bytes.Buffer
	for _, n := range nodes {
		if text, ok := w.texts[n]; ok {
			fmt.Fprintf(&b, "\n\n## Output of `%s`\n\n%s", string(n), text)
		}
	}
	return b.String()
}

// The reasons for which walks end or halt, besides the names of limits and the
// reasons of failures.
const (
	// ReasonCompleted: the end was reached.
	ReasonCompleted = "completed"
	// ReasonPromise: an agent gave the word that was agreed on; see
	// GraphOptions.Promise.
	ReasonPromise = "completion_promise"
	// ReasonNoEdge: no edge that leads on from a node holds.
	ReasonNoEdge = "no_edge"
	// ReasonStopped: a person said that the run is to stop.
	ReasonStopped = "stopped"
	// ReasonGoals: the run has ended and none of its goals holds.
	ReasonGoals = "no_goal"
)

// finish ends the walk: at its end, or where a goal holds and no edge leads on.
func (w *Walk[N]) finish(reason string) error {
	if w.c.engine.Run().Planned {
		return nil
	}
	held, err := w.goal()
	if err != nil {
		return err
	}
	w.success = held || len(w.graph.Goals) == 0 || reason == ReasonPromise
	s := w.state("", StateCompleted)
	s.Reason, s.Success = reason, &w.success
	if err := w.save("END/state", s); err != nil {
		return err
	}
	if !w.success {
		return &GoalsError{}
	}
	return nil
}

// goal reports whether one of the goals holds.
func (w *Walk[N]) goal() (bool, error) {
	return guardPanic(func() (bool, error) {
		for _, holds := range w.graph.Goals {
			if holds() {
				return true, nil
			}
		}
		return false, nil
	})
}

// A GoalsError is the verdict of a run that came to its end although none of its
// goals holds. Engines end the run as Completed, with ReasonGoals.
type GoalsError struct{}

func (*GoalsError) Error() string {
	return "the run has ended, but none of its completion conditions holds"
}

// A StopError is the verdict of a run that stops until somebody resumes it.
// Engines end the run as Paused.
type StopError struct {
	// Reason is ReasonStopped, or "timeout" when nobody answered in time.
	Reason  string
	Message string
}

func (e *StopError) Error() string { return e.Message }

// noEdge is the failure of a walk that cannot go on: no edge holds, and no goal
// does.
func noEdge(what string) *Failure {
	return &Failure{Reason: ReasonNoEdge, Class: ClassFatal, ExitCode: -1, Message: what + ", and no completion condition does"}
}

// encode returns v as compact JSON with its texts unchanged: < and > stay.
func encode(v any) (json.RawMessage, error) {
	if v == nil {
		return json.RawMessage("{}"), nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// halted are the verdicts that a walk has saved already.
func halted(err error) bool {
	var stop *StopError
	var limit *LimitError
	var goals *GoalsError
	return errors.As(err, &stop) || errors.As(err, &limit) || errors.As(err, &goals) || errors.Is(err, ErrCancelled)
}
