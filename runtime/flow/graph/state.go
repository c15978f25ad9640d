package graph

import (
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// currentState returns the current state.
func (w *Walk[N, S, L, R]) currentState(next N, status string) graphstate.State {
	info := w.c.Scheduler().Run()
	s := graphstate.State{
		Workflow: info.Workflow, Version: w.graph.Version, Node: string(w.at), Next: string(next),
		Iteration: w.iteration, Started: w.started, Status: status, Executed: slices.Clone(w.executed),
		Limits: w.limits, Warnings: slices.Clone(w.warnings),
	}
	s.Usage.CostUSD = w.cost
	if info.Graph != nil {
		s.Folder = info.Graph.Folder
	}
	return s
}

// saveState performs the saving of a state under a key and reads the clock there. A state that
// an earlier process saved is not saved again.
func (w *Walk[N, S, L, R]) saveState(key string, s graphstate.State) (err error) {
	s.At = w.c.Scheduler().Now(key + "/at")
	s.Usage.Elapsed = w.before + s.At.Sub(w.begun)
	w.elapsed = s.Usage.Elapsed
	if s.Variables, err = kernel.Encode(&w.State); err == nil {
		s.Labels, err = kernel.Encode(&w.Labels)
	}
	if err != nil {
		return &flow.Failure{Reason: "internal", Class: flow.ClassFatal, Message: fmt.Sprintf("the state does not encode to JSON: %v", err)}
	}
	r, err := w.c.At(key).Do(s)
	if err == nil {
		w.memory = r.Text
	}
	return err
}
