package explore

import (
	"slices"
	"time"

	"github.com/wfc-lang/wfc/internal/ir"
)

// A Report describes how long runs of a graph can be, and how much they can use. It
// does not count failures and users: a run may also end earlier, and wait for a user as long
// as that takes.
type Report struct {
	// Configurations is the number of distinguished configurations; if Complete is
	// false, there were more than Bound, and the other figures are only upper
	// bounds.
	Configurations, Bound int
	Complete              bool
	// Shortest is the least number of nodes that end in a run that gets to END, and
	// ShortestWay such a run; nil when none does.
	Shortest    int
	ShortestWay Path
	// Longest is the greatest number of nodes that can end. LongestBy names its
	// bound.
	Longest   int
	LongestBy Bounded
	// Calls are how often each agent is asked at most, attempts included, in the
	// order of their first nodes.
	Calls []Calls
	// Time is the maximum time of all nodes together, with their attempts, by their
	// timeouts; TimeBy names its bound.
	Time   time.Duration
	TimeBy Bounded
	// Unsuccessful are the endings at which no goal may be met, in definition order.
	Unsuccessful []Ending
}

// Bounded names the bound of a figure.
type Bounded int

const (
	// Nothing bounds it.
	Nothing Bounded = iota
	// Structure: no longer path through the graph exists.
	Structure
	// Iterations: the limit of iterations.
	Iterations
	// Clock: the limit of time.
	Clock
)

// Calls is the maximum number of calls of an agent; By names its bound.
type Calls struct {
	Agent string
	Most  int
	By    Bounded
}

// Bounds returns the report of a program without errors, or nil unless it is a state graph.
func Bounds(p *ir.Program) *Report {
	if p == nil {
		return nil
	}
	g, ok := p.Workflow.Body.(*ir.Graph)
	if !ok {
		return nil
	}
	return Run(g, Options{}).Report()
}

// Report returns the known bounds of the length and the use of runs.
func (r *Result) Report() *Report {
	g := r.walk.model.graph
	rep := &Report{Configurations: r.Configurations, Bound: r.Bound, Complete: r.Complete}
	rep.Shortest, rep.ShortestWay = r.Shortest(false)
	longest, by := r.maxTotal(Weight)
	rep.Longest, rep.LongestBy = int(longest), by
	for _, agent := range r.askedAgents() {
		most, by := r.maxTotal(func(n *ir.Node) float64 { return float64(maxAgentCalls(n, agent)) })
		rep.Calls = append(rep.Calls, Calls{agent, int(most), by})
	}
	minutes, by := r.maxTotal(func(n *ir.Node) float64 { return r.maxDuration(n).Minutes() })
	rep.Time, rep.TimeBy = time.Duration(minutes*float64(time.Minute)), by
	if limit := g.Limits.Time; limit > 0 && (by == Nothing || limit < rep.Time) {
		rep.Time, rep.TimeBy = limit, Clock
	}
	for _, e := range r.Endings() {
		if e.Misses != nil {
			rep.Unsuccessful = append(rep.Unsuccessful, e)
		}
	}
	return rep
}

// maxTotal returns the maximum count of the nodes of a run together, and its bound.
func (r *Result) maxTotal(count Measurer) (float64, Bounded) {
	free, finite := r.Longest(count)
	limit := r.walk.model.graph.Limits.Iterations
	switch {
	case limit > 0:
		if limited := r.Within(limit, count); !finite || limited < free {
			return limited, Iterations
		}
	case !finite:
		return 0, Nothing
	}
	return free, Structure
}

// askedAgents are the names of the agents that nodes ask, in the order of nodes.
func (r *Result) askedAgents() []string {
	var names []string
	for _, n := range r.walk.model.nodes {
		if p := promptOf(n); p != nil && r.Reached(n) && !slices.Contains(names, p.Agent.Name) {
			names = append(names, p.Agent.Name)
		}
	}
	return names
}

func promptOf(n *ir.Node) *ir.Prompt {
	switch a := n.Action.(type) {
	case *ir.Prompt:
		return a
	case *ir.Join:
		return a.Prompt
	}
	return nil
}

// maxAgentCalls returns how often a node asks an agent at most: one question for each attempt, two if
// the answer may not name the node's output.
func maxAgentCalls(n *ir.Node, agent string) int {
	if p, ok := n.Action.(*ir.Parallel); ok {
		total := 0
		for _, b := range p.Branches {
			total += maxAgentCalls(b, agent)
		}
		return total
	}
	p := promptOf(n)
	if p == nil || p.Agent.Name != agent {
		return 0
	}
	return maxAsksPerAttempt(n) * maxAttempts(n)
}

// maxAsksPerAttempt is how often a node asks its agent at most when no attempt fails.
func maxAsksPerAttempt(n *ir.Node) int {
	if promptOf(n) != nil && len(n.Labels) > 1 {
		return 2
	}
	return 1
}

func maxAttempts(n *ir.Node) int {
	if n.Retry == nil {
		return 1
	}
	return 1 + n.Retry.Max
}

// maxDuration is how long a node may take by its time limit, with the waits between its
// attempts. Branches run in batches of the graph's limit.
func (r *Result) maxDuration(n *ir.Node) time.Duration {
	if p, ok := n.Action.(*ir.Parallel); ok {
		once := r.walk.model.graph.Limits.Parallel
		if once <= 0 {
			once = len(p.Branches)
		}
		var total time.Duration
		for batch := range slices.Chunk(p.Branches, max(once, 1)) {
			var longest time.Duration
			for _, b := range batch {
				longest = max(longest, r.maxDuration(b))
			}
			total += longest
		}
		return total
	}
	total := n.Timeout * time.Duration(maxAttempts(n))
	if n.Retry != nil {
		wait := n.Retry.Delay
		for range n.Retry.Max {
			total += wait
			wait *= 2
		}
	}
	return total * time.Duration(maxAsksPerAttempt(n))
}
