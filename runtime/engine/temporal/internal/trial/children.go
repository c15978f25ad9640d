package trial

import (
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/runtime/engine/enginetest"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/durable"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Runs that steps began are workflows of the same environment. The environment ends with the
// first run. The next one has none of its workflows, so children that had not ended begin
// again there, with their journals.

// Answer answers a question of the run, or of one that a step began, and works on until the
// first run ends or pauses.
func (w *World) Answer(run string, a store.Answer) (flow.RunState, error) {
	if w.live != nil {
		return w.answerRun(run, a)
	}
	if child := w.children[run]; child != nil {
		child.Answers = append(child.Answers, a)
		return w.Process()
	}
	return w.Process(a)
}

// Cancel cancels the run while it is worked on.
func (w *World) Cancel(by string) {
	if l := w.live; l != nil {
		l.env.SignalWorkflow(wire.Cancel, wire.Cancellation{By: by})
	}
}

// End returns how a run that a step began ended, or is at the last pause.
func (w *World) End(run string) flow.RunState {
	if child := w.children[run]; child != nil {
		return child.End
	}
	return w.final.End
}

// keepingWorkflow is the workflow of a definition. It keeps the ends of runs that steps began.
func (w *World) keepingWorkflow(def *flow.Definition) func(workflow.Context, wire.Start) (*wire.Final, error) {
	run := durable.Workflow(def, w.dataConverter())
	return func(ctx workflow.Context, in wire.Start) (*wire.Final, error) {
		final, err := run(ctx, in)
		if in.Parent != nil {
			end := final
			if err != nil {
				end = &wire.Final{Kept: wire.Kept{Run: in.Run, Parent: in.Parent, Steps: in.Steps}}
				if wire.Ended(err, end) != nil {
					end.End = flow.RunState{Status: flow.Failed, Error: err.Error()}
				}
			}
			w.keepEnd(workflow.GetInfo(ctx).WorkflowExecution.ID, end)
		}
		return final, err
	}
}

func (w *World) keepEnd(id string, state *wire.RunState) {
	if w.children == nil {
		w.children = map[string]*wire.RunState{}
	}
	w.children[id] = state
}

// keepChildStates keeps the states of the children that have not ended.
func (w *World) keepChildStates(env *testsuite.TestWorkflowEnvironment) {
	var walk func(begun []wire.Begun)
	walk = func(begun []wire.Begun) {
		for _, c := range begun {
			value, err := env.QueryWorkflowByID(c.Run, wire.State)
			if err != nil {
				continue // it has not begun, or has ended
			}
			state := &wire.RunState{}
			if err := value.Get(state); err != nil {
				panic(err)
			}
			w.keepEnd(c.Run, state)
			walk(state.Children)
		}
	}
	value, err := env.QueryWorkflow(wire.State)
	if err != nil {
		panic(err)
	}
	state := &wire.RunState{}
	if err := value.Get(state); err != nil {
		panic(err)
	}
	walk(state.Children)
}

func (w *World) adoptChildren() { Adopt(w.Run, w.children) }

// Adopt makes runs that steps began, by id, the children of a run.
func Adopt(run *enginetest.Run, children map[string]*wire.RunState) {
	defs := map[string]*flow.Definition{}
	for _, def := range flow.Reachable(run.Definition) {
		defs[def.Name] = def
	}
	runs := map[string]*enginetest.Run{run.Info.ID: run}
	for id, c := range children {
		info := c.Run
		if c.Place != nil {
			info.SharedDir = c.Place.SharedDir
		}
		runs[id] = &enginetest.Run{Definition: defs[info.Workflow], Info: &info, Steps: c.Steps}
	}
	run.Children = map[string]*enginetest.Run{}
	for id, c := range children {
		parent := runs[c.Parent.Run]
		if parent.Children == nil {
			parent.Children = map[string]*enginetest.Run{}
		}
		parent.Children[c.Parent.Step] = runs[id]
	}
}
