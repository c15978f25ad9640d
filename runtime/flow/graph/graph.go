package graph

import (
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// Start and End are the ends of a graph, between which its nodes are: edges lead from Start
// and to End.
const (
	Start = kernel.Start
	End   = "END"
)

// A Graph is the table of a state graph: its nodes, and the edges between them. N is the
// type of the nodes' names. R is what the functions of the table work on: a struct for one
// run, which embeds a Walk.
type Graph[N ~string, R any] struct {
	// Version is the version of the format of the workflow file.
	Version string
	Limits  flow.GraphLimits
	Nodes   []Node[N, R]
	// Edges are the edges. Those from a node are tried in this order.
	Edges []Edge[N, R]
	// Completion are the completion conditions. A run that ends succeeds if one of them
	// holds, or if there are none.
	Completion []Goal[N, R]
	// State describes the variables.
	State []flow.VariableInfo
	// Text is the content of the workflow file. A run keeps a copy beside its saved state.
	Text string
}

// A Node describes a node and its work. A node without Run and Decide has no work of its
// own: a parallel, whose branches do the work, or a checkpoint, whose state the walk saves.
type Node[N ~string, R any] struct {
	Name N
	// Line is the line of the workflow file where the node is defined.
	Line int
	Kind string
	// Agent is the agent of a prompt; WorkerTags are those of flow.NodeInfo.
	Agent      string
	WorkerTags []string
	// Labels are the possible outputs of the node; see LabelsOf.
	Labels []string
	// Branches are the nodes that run side by side before this one ends, and WaitsFor those
	// whose outputs a join collects. If a branch fails, the others finish; then the node
	// ends with FailureLabel or, if that is "", fails too.
	Branches, WaitsFor []N
	FailureLabel       string
	// Timeout limits each action of the node, or the wait for a person; zero means no
	// limit.
	Timeout time.Duration
	// TimeoutLabel is the label of a node that takes too long, or whose question nobody
	// answers in time. If it is "", the node fails, except that a run that waits for a
	// person pauses.
	TimeoutLabel string
	// Retry is the retry policy of the node's actions.
	Retry flow.Retry
	// Run does the node's work.
	Run func(*R, *flow.Context) (NodeResult, error)
	// Decide is the condition of a decision: the node ends with ThenLabel if it holds, else
	// with ElseLabel.
	Decide               func(*R) bool
	ThenLabel, ElseLabel string
	// EndLabel is the label of a node without work.
	EndLabel string
	// OnEnd applies the node's handlers when it has ended with a label: the assignments to
	// the state that the workflow makes then. It may be nil.
	OnEnd func(*R, NodeResult)
	// Before and After are the interrupts before and after the node.
	Before, After []Interrupt[N, R]
}

// An Edge leads from a node or Start to a node or End. The walk takes the edge only if From ended with the label On, and if the condition
// When holds. Without them it always does.
type Edge[N ~string, R any] struct {
	From, To N
	On       string
	When     func(*R) bool
	// Text is the condition as the workflow writes it, if that is not On.
	Text string
}

// A Goal is a completion condition: that the last label of Node is Label, or When.
type Goal[N ~string, R any] struct {
	Node  N
	Label string
	When  func(*R) bool
}

// An Interrupt is a question to a person, before or after a node, whether to continue.
// (flow.Interrupted and settings.Interrupts, by contrast, are about steps whose process
// died.)
type Interrupt[N ~string, R any] struct {
	// When decides whether the interrupt asks; nil means that it always asks.
	When func(*R) bool
	// Message is the question, unless Compose is set: then Compose returns it.
	Message string
	Compose func(*R) string
	// Required means that the node cannot be skipped, and that a run with nobody to ask
	// pauses until somebody answers. Without it such a run continues.
	Required bool
	// SkipTo, unless it is "", lets the person skip the node: the walk continues there, at a
	// node or End.
	SkipTo N
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

// A NodeResult is the end of a node: one of its labels, and its text.
type NodeResult struct {
	// Label is one of the node's labels.
	Label string
	// Text is an agent's reply, the output of a script or a person's answer; for other
	// nodes it is the label.
	Text string
	// Agent means that the text is an agent's.
	Agent bool
	// promised means that the agent ended the run, by the word that
	// flow.GraphOptions.Promise names. The label is "" if the reply does not name one.
	promised bool
}

// NodeInfos describes the nodes for pictures, `info` and `status`.
func (g *Graph[N, R]) NodeInfos() []flow.NodeInfo {
	list := make([]flow.NodeInfo, len(g.Nodes))
	for i, n := range g.Nodes {
		list[i] = flow.NodeInfo{
			Key: string(n.Name), Line: n.Line, Kind: n.Kind, Agent: n.Agent, WorkerTags: n.WorkerTags,
			Labels: n.Labels, Branches: textsOf(n.Branches), WaitsFor: textsOf(n.WaitsFor),
		}
	}
	return list
}

// Info describes the edges and the state for pictures and `info`.
func (g *Graph[N, R]) Info() *flow.GraphInfo {
	info := &flow.GraphInfo{Version: g.Version, Limits: g.Limits, State: g.State, Text: g.Text}
	for _, e := range g.Edges {
		text := e.Text
		if text == "" {
			text = e.On
		}
		info.Edges = append(info.Edges, flow.EdgeInfo{From: nodeKey(e.From), To: nodeKey(e.To), When: text})
	}
	return info
}

// LabelsOf returns labels of a type of their own as strings, for Node.Labels.
func LabelsOf[L ~string](labels ...L) []string { return textsOf(labels) }

// nodeNamed returns a node of the table, or nil.
func (g *Graph[N, R]) nodeNamed(name N) *Node[N, R] {
	i := slices.IndexFunc(g.Nodes, func(n Node[N, R]) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	return &g.Nodes[i]
}

// nodeKey returns the key of a node, or "" for Start and End.
func nodeKey[N ~string](n N) string {
	if n == Start || n == End {
		return ""
	}
	return string(n)
}

func textsOf[T ~string](names []T) (list []string) {
	for _, n := range names {
		list = append(list, string(n))
	}
	return list
}
