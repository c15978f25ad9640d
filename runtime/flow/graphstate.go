package flow

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// The states of a graph's run as they are saved.
const (
	StateRunning   = "running"
	StateCompleted = "completed"
	StateFailed    = "failed"
	StateStopped   = "stopped"
	StateLimit     = "LIMIT_REACHED"
)

// A GraphState is the payload of the action that saves how far a walk has come.
// It holds all that is needed to go on from there in another run.
type GraphState struct {
	Workflow string `json:"workflow"`
	Version  string `json:"version"`
	// Task is the task's name, or "" for one made of the workflow's.
	Task string `json:"task,omitempty"`
	// Node is the node that ended last, and Next the one that follows; "" is the
	// start and the end.
	Node string `json:"node"`
	Next string `json:"next"`
	// Iteration is the number of nodes that have ended.
	Iteration int `json:"iteration"`
	// Started is when the run began, and At when its state became this one.
	Started time.Time `json:"started"`
	At      time.Time `json:"at"`
	// Status is one of the states above, and Reason says why, where the status
	// alone does not: what ended the run, or the limit that halted it.
	Status string `json:"status"`
	Reason string `json:"reason,omitempty"`
	// Error is the message of a failure or of a halt.
	Error string `json:"error,omitempty"`
	// Success says of a run that has completed whether one of its goals holds.
	Success *bool `json:"success,omitempty"`
	// Executed are the nodes that have ended, in order.
	Executed []string `json:"executed"`
	// Outputs are the nodes' last labels and Variables the variables, JSON objects
	// with their keys in order.
	Outputs   json.RawMessage `json:"outputs"`
	Variables json.RawMessage `json:"variables"`
	Limits    Limits          `json:"limits"`
	Usage     GraphUsage      `json:"usage"`
	Warnings  []string        `json:"warnings,omitempty"`
	// Ended are the nodes whose end the state is saved for, in order: one, those
	// of a parallel with its branches, or none for a halt.
	Ended []EndedNode `json:"ended,omitempty"`
	// Checkpoint says that the state is to be kept as one, and to be on disk for
	// certain.
	Checkpoint bool `json:"checkpoint,omitempty"`
	// Memory is what was written down so far for the prompts to come; only a
	// state has it that another run goes on from. What performs the saving of a
	// state returns, as its text, what is written down then.
	Memory string `json:"memory,omitempty"`
}

// Start is what stands for the start of a graph where a node could stand.
const Start = "START"

// GraphUsage is what a walk has used of its limits.
type GraphUsage struct {
	Elapsed time.Duration `json:"elapsed"`
	CostUSD float64       `json:"cost_usd"`
}

// An EndedNode is a node that has ended.
type EndedNode struct {
	Node string `json:"node"`
	// Iteration is the number of nodes that had ended then, with this one.
	Iteration int    `json:"iteration"`
	Label     string `json:"label"`
	Text      string `json:"text,omitempty"`
	// Agent says that an agent gave the text.
	Agent bool `json:"agent,omitempty"`
}

// Kind implements Payload.
func (GraphState) Kind() string { return "graph_state" }

// Repeatable implements Repeatable.
func (GraphState) Repeatable() {}

// A Repeatable payload is one whose action may be performed any number of times,
// so that it never matters whether an interrupted one was.
type Repeatable interface {
	Payload
	Repeatable()
}

// GraphOptions are what a caller says of a run of a state graph.
type GraphOptions struct {
	// Task is the name of the folder that its state is kept in; "" makes one of
	// the workflow's name.
	Task string `json:"task,omitempty"`
	// Limits replace those of the workflow. A run that is resumed may have others.
	Limits *Limits `json:"limits,omitempty"`
	// Promise is the text by which an agent ends the run, said between <promise>
	// and </promise>; "" is none.
	Promise string `json:"promise,omitempty"`
	// From is the GraphState of another run from which this one goes on. Its Next
	// may be Start.
	From json.RawMessage `json:"from,omitempty"`
	// Memory says whose words are written down, and who is shown what is.
	Memory MemoryRule `json:"memory,omitempty"`
	// FromDir is the folder that From was read from, or "".
	FromDir string `json:"from_dir,omitempty"`
	// Force has the run take over a folder that another workflow has left.
	Force bool `json:"force,omitempty"`
}

// A MemoryRule says for which agents there is a memory: lines of their answers
// are written down, and go into their prompts from then on.
type MemoryRule string

// The rules.
const (
	// MemorySelf is for the agent `self` alone.
	MemorySelf MemoryRule = ""
	MemoryAll  MemoryRule = "all"
	MemoryNone MemoryRule = "none"
)

// Remembers reports whether an agent has a memory. A nil *GraphOptions has the rule
// MemorySelf.
func (o *GraphOptions) Remembers(agent string) bool {
	rule := MemorySelf
	if o != nil {
		rule = o.Memory
	}
	return rule == MemoryAll || rule == MemorySelf && agent == "self"
}

// WalkStep reports whether a step of a state graph's run is part of no node but
// of the walk itself: of its start or of its end.
func WalkStep(key string) bool { return PartOf(key, "START") || PartOf(key, "END") }

// state returns the state as it is now.
func (w *Walk[N]) state(next N, status string) GraphState {
	info := w.c.engine.Run()
	s := GraphState{
		Workflow: info.Workflow, Version: w.graph.Version, Node: string(w.at), Next: string(next),
		Iteration: w.iteration, Started: w.started, Status: status, Executed: slices.Clone(w.executed),
		Limits: w.limits, Usage: GraphUsage{CostUSD: w.cost}, Warnings: slices.Clone(w.warnings),
	}
	if info.Graph != nil {
		s.Task = info.Graph.Task
	}
	return s
}

// save performs the saving of a state under a key, at which the clock is read,
// too. A state that an earlier process saved is not saved again.
func (w *Walk[N]) save(key string, s GraphState) error {
	if w.c.engine.Run().Planned {
		return nil
	}
	s.At = w.c.engine.Now(key + "/at")
	s.Usage.Elapsed = w.before + s.At.Sub(w.begun)
	w.elapsed = s.Usage.Elapsed
	var err error
	for _, part := range []struct {
		from any
		into *json.RawMessage
	}{{w.graph.State, &s.Variables}, {w.graph.Labels, &s.Outputs}} {
		if *part.into, err = encode(part.from); err != nil {
			return &Failure{Reason: "internal", Class: ClassFatal, Message: fmt.Sprintf("the state does not encode to JSON: %v", err)}
		}
	}
	r, err := w.c.end(w.c.engine.Do(Action{Key: key, Payload: s}))
	if err == nil {
		w.memory = r.Text
	}
	return err
}

// A haltPoint is where a walk may halt and go on.
type haltPoint struct {
	key string
	// halted says that an earlier process halted here, and resumed that this one or
	// one in between has saved that it goes on.
	halted, resumed bool
}

// point returns what the journal has of a place where the walk halts once.
func (w *Walk[N]) point(key string) haltPoint {
	p := haltPoint{key: key}
	_, p.halted = w.c.engine.Recorded(key + "/halted")
	_, p.resumed = w.c.engine.Recorded(key + "/resumed")
	p.resumed = p.resumed || w.passed[key]
	return p
}

// place returns what the journal has of a place where the walk may halt again and
// again: the last time that is not over.
func (w *Walk[N]) place(key string) haltPoint {
	for n := 1; ; n++ {
		if p := w.point(fmt.Sprintf("%s#%d", key, n)); !p.resumed {
			return p
		}
	}
}

// halt saves that the walk halts at a place, unless the journal says that it is
// saved.
func (w *Walk[N]) halt(p haltPoint, next N, status, reason string, err error) error {
	s := w.state(next, status)
	s.Reason, s.Error = reason, err.Error()
	return w.save(p.key+"/halted", s)
}

// pass saves that the walk goes on at a place where an earlier process halted.
func (w *Walk[N]) pass(p haltPoint, next N) error {
	if !p.halted || p.resumed {
		return nil
	}
	w.passed[p.key] = true
	return w.save(p.key+"/resumed", w.state(next, StateRunning))
}
