// Package sim runs workflows in a simulated world: one thread, a virtual clock,
// a random order that a seed decides, and a process that may die at any point.
// It is the same scheduler as on a real machine, so what holds in every
// simulated world (the same end from every interleaving and after every crash)
// holds of the code that real runs use.
package sim

import (
	"encoding/json"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A World is a workflow and everything around it that a run meets.
type World struct {
	// Definition is the workflow.
	Definition *flow.Definition
	// Inputs are the run's inputs, a JSON object.
	Inputs json.RawMessage
	// Graph is what the caller says of the run of a state graph, or nil.
	Graph *flow.GraphOptions
	// MaxParallel is how many actions run at once; less than 1 is no limit.
	MaxParallel int
	// Perform says how an attempt at an action goes, counted from 1. It must
	// depend on its arguments only. If nil, every action completes at once
	// without text.
	Perform func(a flow.Action, attempt int) Performance
	// Answers are what people answer, whether or not a process is there to
	// hear it.
	Answers []Answer
	// Cancels are requests for the run's cancellation. One that comes while no
	// process is there, or whose process dies, is made again to the next.
	Cancels []Cancel
	// Attended says that people answer in the process that asks, so that it
	// does not pause.
	Attended bool
	// OnInterrupt says what becomes of actions that a process left running.
	OnInterrupt settings.Interrupts
	// Limits end the run when its actions have cost too much.
	Limits settings.Limits
}

// A Performance is how an attempt goes: what comes of it, after how long.
type Performance struct {
	Result flow.Result
	Takes  time.Duration
}

// An Answer is what somebody answers to the question of a step, some time
// after it was first asked.
type Answer struct {
	Key    string
	After  time.Duration
	Result flow.Result
}

// A Cancel is a request for cancellation, some time after the run began.
type Cancel struct {
	At     time.Duration
	Reason string
}

// An Outcome is what came of a run.
type Outcome struct {
	// End is the run's last committed end.
	End flow.RunEnd
	// Steps are the steps as last committed, static ones in definition order,
	// then the others in the order of their first commit.
	Steps []flow.Record
	// Events are the committed events.
	Events []flow.Event
	// Begun counts by key how often the journal had an action begin.
	Begun map[string]int
	// Effects counts by key how often an action's effect took place.
	Effects map[string]int
	// Faults are the broken promises of the scheduler that the world noticed,
	// such as an action begun before its start was committed, or one performed
	// again although its completion was committed.
	Faults []string
	// Processes counts the processes that worked on the run.
	Processes int
	// Deaths counts those of them that died.
	Deaths int
	// Points counts the points at which a process could have died.
	Points int
	// Elapsed is the run's duration by the virtual clock.
	Elapsed time.Duration

	fresh map[string]bool // see journal
}

// Step returns the state of a step, or the zero Record.
func (o *Outcome) Step(key string) flow.Record {
	for _, r := range o.Steps {
		if r.Key == key {
			return r
		}
	}
	return flow.Record{}
}
