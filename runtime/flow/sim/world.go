// Package sim runs workflows in a simulated world: one thread, a virtual clock, a random
// order that a seed decides, and a process that may die at any point. Real runs use the
// same scheduler, so the guarantees that hold in every simulated world (the same end from
// every interleaving and after every crash) hold for them too.
//
// A test runs a workflow with made-up results and checks how the run ended:
//
//	run := sim.Run(sim.World{
//		Definition: &triage.Workflow,
//		Perform: func(c sim.Attempt) sim.Performance {
//			return sim.Performance{Result: flow.Result{Status: flow.Completed, Text: "ok"}}
//		},
//	}, 1)
//	fmt.Println(run.End.Status, run.Step("fix").Text)
//
// Explore repeats the run with other seeds and with a crash at every point.
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
	// Resumes is the result of a run that did not complete, which this run resumes after
	// somebody fixed the cause; nil starts a new run.
	Resumes *Result
	// Graph are the caller's options for a state graph, or nil.
	Graph *flow.GraphOptions
	// MaxParallel is the maximum number of concurrent actions; less than 1 means no limit.
	MaxParallel int
	// Perform returns the result of one attempt at an action. The result must depend on the
	// argument only. If it is nil, every action completes at once without text.
	Perform func(c Attempt) Performance
	// Answers are people's answers, whether or not a process runs when they come.
	Answers []Answer
	// Person answers questions that Answers does not; ok false leaves one open. The Key
	// and the Run of the answer need not be set. Person may be nil.
	Person func(run string, q flow.Question) (a Answer, ok bool)
	// Committed takes every batch that a run of the world commits, in order. It may be
	// nil.
	Committed func(run string, at time.Time, b flow.Batch)
	// Info has the folders, the base branch and the id of the run; nil makes them up.
	Info *flow.RunInfo
	// Start is the time of the virtual clock at which the run begins; zero means a fixed
	// time.
	Start time.Time
	// Orderly makes the run ignore the seed: results arrive in the order of their times,
	// and of several ready tasks the first continues.
	Orderly bool
	// Cancels are requests to cancel the run. A request that comes while no process
	// runs, or whose process dies, goes to the next process.
	Cancels []Cancel
	// Attended means that people answer in the process that asks, so that it does not
	// pause.
	Attended bool
	// PauseOnWait says what happens when the run only waits for a time, or for an event with a
	// deadline. If it is true, the run ends up paused: nobody resumes it. If it is false,
	// another process resumes the run when the wait is over.
	PauseOnWait bool
	// PausesOn reports the same for the wait of a single step, if PauseOnWait is false: true
	// leaves the run paused. run says which run it is, as Answer.Run does. The function may
	// be nil.
	PausesOn func(run, step string) bool
	// OnInterrupt are the policies for actions that a dead process left running.
	OnInterrupt settings.Interrupts
	// Limits end the run when its actions have cost too much.
	Limits settings.Limits
}

// An Attempt is one execution of an action; each retry of the action is another one.
type Attempt struct {
	flow.Action
	// Number counts from 1.
	Number int
	// Run says which run starts the action, as Answer.Run does. Info describes that run.
	Run  string
	Info *flow.RunInfo
}

// A Performance is the result of an attempt at an action, and the time that the attempt
// takes by the virtual clock.
type Performance struct {
	Result flow.Result
	Takes  time.Duration
	// Dies lets the process die while the action is performed, so that its result is lost.
	Dies bool
	// Cancel requests to cancel the run while the action is performed, or is nil. Its At counts
	// from the start of the action.
	Cancel *Cancel
}

// An Answer is an answer to the question of a step, some time after the question was
// first asked.
type Answer struct {
	// Run says which run asks: "" is the run of World.Definition, "a" the child run that
	// its step a began, and "a/b" the child run that step b of this child began.
	Run    string
	Key    string
	After  time.Duration
	Result flow.Result
	// Cancel requests to cancel the run in place of an answer, or is nil. It has an effect
	// only in an answer that World.Person returns. Its At counts from the question.
	Cancel *Cancel
}

// A Cancel is a request for cancellation.
type Cancel struct {
	// At is the time of the request: since the start of the run in World.Cancels, otherwise
	// see the field with the Cancel.
	At     time.Duration
	Reason string
}

// A Result is a run after Run has returned: its end or pause, its steps, and counters.
type Result struct {
	// End is the last committed state of the run: its end, or its pause.
	End flow.RunState
	// Steps are the steps as last committed: those of nodes in definition order, then the
	// others in the order of their first commit.
	Steps []flow.Record
	// Events are the committed events.
	Events []flow.Event
	// Begun counts by key how often the journal recorded the start of an action.
	Begun map[string]int
	// Effects counts by key how often an action's effect took place.
	Effects map[string]int
	// Children are the results of the run's descendants, by Answer.Run.
	Children map[string]*Result
	// Faults are violations of the scheduler's guarantees, such as an action that started
	// before its start was committed, or that was performed again after its completion
	// was committed.
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
func (o *Result) Step(key string) flow.Record {
	for _, r := range o.Steps {
		if r.Key == key {
			return r
		}
	}
	return flow.Record{}
}
