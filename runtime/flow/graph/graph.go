package graph

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// A Graph is the definition of a state graph. N is the type of its nodes, whose zero
// value is the end; S is the type of its state, and L that of its nodes' labels. S and L
// are structs that encode to JSON objects.
type Graph[N ~string, S, L any] struct {
	// Info has the version, the edges and the limits.
	Info *flow.GraphInfo
	// Nodes describe the nodes: kinds, labels, branches.
	Nodes []flow.NodeInfo
	// State points to the variables, which have their initial values, and Labels to the
	// last label of each node. A run that continues from a saved state sets both.
	State  *S
	Labels *L
	// Completion are the completion conditions. A run that ends succeeds if one of them
	// holds, or if there are none.
	Completion []func() bool
}

// Outputs are the outputs of a state graph's run.
type Outputs[S, L any] struct {
	// Success means that a completion condition holds, or that there are none.
	Success bool `json:"success"`
	// Node is the node that ended last, Label its label, Text its text.
	Node  string `json:"node"`
	Label string `json:"label"`
	Text  string `json:"text"`
	// Iterations is the number of nodes that have ended.
	Iterations int64 `json:"iterations"`
	// Labels are the last labels of the nodes, State the variables.
	Labels L `json:"labels"`
	State  S `json:"state"`
}

// Summary returns the text of the last node, for people.
func (o Outputs[S, L]) Summary() string { return o.Text }

// An Edge leads to the node To; the zero value of To is the end. The walk takes the edge
// only if the condition When holds. A nil When always holds.
type Edge[N ~string] struct {
	To   N
	When func() bool
}

// A Work is the work of a node.
type Work[N ~string] struct {
	Node N
	// Timeout limits each action of the node, or the wait for a person; zero is no limit.
	Timeout time.Duration
	// OnTimeout is the label of a node that takes too long, or whose question nobody
	// answers. If it is "", the node fails, and a run that waits for a person stops.
	OnTimeout string
	// Retry is the retry policy of the node's actions.
	Retry flow.Retry
	// Run does the node's work.
	Run func(c *flow.Context) (NodeResult, error)
	// Done keeps the label and applies the node's handlers: assignments to the state that
	// the workflow makes when the node ends, depending on the label.
	Done func(o NodeResult)
}

// A Visit is the work of a node with its branches, interrupts and edges.
type Visit[N ~string] struct {
	Work[N]
	// Branches run side by side before the node ends. If one fails, the others finish;
	// then the node ends with the label OnFailure or, if that is "", fails too.
	Branches  []Work[N]
	OnFailure string
	// Before and After are the interrupts before and after the node.
	Before, After []Interrupt[N]
	// Edges lead to the next node: the walk takes the first edge whose condition holds.
	Edges []Edge[N]
}

// An Interrupt asks a person before or after a node whether to continue.
type Interrupt[N ~string] struct {
	// When decides whether it asks; nil means always.
	When func() bool
	// Message is the question, unless Compose is set: then Compose returns it.
	Message string
	Compose func() string
	// Required means that the node cannot be skipped, and that a run with nobody to ask
	// pauses until somebody answers. Without it such a run continues.
	Required bool
	// Skips lets the person skip the node; the walk then continues at SkipTo.
	Skips  bool
	SkipTo N
}

// A NodeResult is the end of a node: one of its labels, and its text.
type NodeResult struct {
	// Label is one of the node's labels.
	Label string
	// Text is an agent's reply, the output of a script or a person's answer; for other
	// nodes it is the label.
	Text string
	// Agent means that the text is an agent's.
	Agent bool
	// Promised means that the agent ended the run; see flow.GraphOptions.Promise. The
	// label is "" if the reply does not name one.
	Promised bool
	// open means that a plan does not know the label.
	open bool
}

// Pass returns a function for Work.Run that does nothing and ends with the given label. It is
// for nodes without work, such as a parallel, whose branches do the work, and a checkpoint,
// whose state Walk.Visit saves.
func Pass[T ~string](label T) func(*flow.Context) (NodeResult, error) {
	o := NodeResult{Label: string(label), Text: string(label)}
	return func(*flow.Context) (NodeResult, error) { return o, nil }
}

// Keep returns a function for Work.Done that stores the node's label in *label.
func Keep[T ~string](label *T) func(NodeResult) {
	return func(o NodeResult) { *label = T(o.Label) }
}

// Is returns a condition, such as for Edge.When: whether *label is one of the given labels.
func Is[T ~string](label *T, labels ...T) func() bool {
	return func() bool { return slices.Contains(labels, *label) }
}

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
	// texts are the last texts of the nodes.
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
	if o := c.Engine().Run().Graph; o != nil && o.Limits != nil {
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

func (w *Walk[N, S, L]) planned() bool { return w.c.Engine().Run().Planned }

// context returns the context of the current visit of a node.
func (w *Walk[N, S, L]) context(node N) *flow.Context {
	return w.contextOn(w.c.Engine(), w.key, w.steps[node])
}

func (w *Walk[N, S, L]) contextOn(e flow.Engine, key string, s *Work[N]) *flow.Context {
	return w.c.Node().Visit(e, key, flow.NodeState{Key: string(s.Node), Repeated: w.replayed, Memory: w.memory}, s.Timeout, s.Retry)
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

// Iteration returns the number of nodes that have ended.
func (w *Walk[N, S, L]) Iteration() int64 { return int64(w.iteration) }

// Current returns the id of the node that runs or has just ended.
func (w *Walk[N, S, L]) Current() string { return string(w.at) }

// StartedAt returns the start of the run, as RFC 3339.
func (w *Walk[N, S, L]) StartedAt() string {
	if w.planned() {
		return "‹when the run begins›"
	}
	return w.started.Format(time.RFC3339)
}

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
		w.c.Engine().Log(flow.Event{Type: "warning", Key: w.key, Message: text})
	}
}

// Reports returns the last texts of nodes, each under a heading, for the prompt of a
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
