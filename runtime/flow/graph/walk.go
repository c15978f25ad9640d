package graph

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// Start returns the first node: the target of the first edge that holds. A run that
// continues from a saved state starts at its State.Next.
func (w *Walk[N, S, L]) Start(edges ...Edge[N]) N {
	if !w.planned() {
		w.begun = w.c.Engine().Now("START/begun")
		w.started = w.begun
	}
	next, err := w.first(edges)
	if err != nil {
		w.verdict = err
		return ""
	}
	return next
}

func (w *Walk[N, S, L]) first(edges []Edge[N]) (N, error) {
	if o := w.c.Engine().Run().Graph; o != nil && len(o.From) > 0 {
		next, err := w.restore(o.From)
		switch {
		case err != nil:
			return "", err
		case next == "":
			return "", w.finish(kernel.ReasonCompleted)
		case next != kernel.Start:
			return next, nil
		}
	}
	next, ok, err := w.choose(edges)
	switch {
	case err != nil:
		return "", err
	case !ok:
		held, err := w.goal()
		switch {
		case err != nil:
			return "", err
		case held:
			return "", w.finish(kernel.ReasonCompleted)
		}
		return "", noEdge("no edge from START holds")
	case next == "":
		return "", w.finish(kernel.ReasonCompleted)
	}
	return next, nil
}

// restore takes over the saved state of another run, and returns its position: a node,
// the start or the end.
func (w *Walk[N, S, L]) restore(raw json.RawMessage) (N, error) {
	unfit := func(format string, args ...any) error {
		return &flow.Failure{Reason: "state", Class: flow.ClassFatal, ExitCode: -1, Message: "the saved state does not fit the workflow: " + fmt.Sprintf(format, args...)}
	}
	var s State
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", unfit("%v", plain.JSONError(err, ""))
	}
	for _, part := range []struct {
		name string
		text json.RawMessage
		into any
	}{{"variables", s.Variables, w.graph.State}, {"outputs", s.Labels, w.graph.Labels}} {
		if len(part.text) > 0 {
			if err := json.Unmarshal(part.text, part.into); err != nil {
				return "", unfit("its %s: %v", part.name, plain.JSONError(err, ""))
			}
		}
	}
	next := N(s.Next)
	if next != "" && next != kernel.Start && !w.visits(next) {
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

// visits reports whether the walk visits a node: whether it exists and is not a branch.
func (w *Walk[N, S, L]) visits(node N) bool {
	for _, n := range w.graph.Nodes {
		if slices.Contains(n.Branches, string(node)) {
			return false
		}
	}
	return w.info(node).Kind != ""
}

// Finish returns the outputs of a walk that has ended, and the error that ended it.
func (w *Walk[N, S, L]) Finish() (Outputs[S, L], error) {
	return Outputs[S, L]{
		Success: w.success, Node: string(w.at), Label: w.last.Label, Text: w.last.Text,
		Iterations: int64(w.iteration), Labels: *w.graph.Labels, State: *w.graph.State,
	}, w.verdict
}

// finish ends the walk: at its end, or where a goal holds and no edge does.
func (w *Walk[N, S, L]) finish(reason string) error {
	if w.planned() {
		return nil
	}
	held, err := w.goal()
	if err != nil {
		return err
	}
	w.success = held || len(w.graph.Completion) == 0 || reason == kernel.ReasonPromise
	s := w.state("", kernel.StateCompleted)
	s.Reason, s.Success = reason, &w.success
	if err := w.save("END/state", s); err != nil {
		return err
	}
	if !w.success {
		return &kernel.GoalsError{}
	}
	return nil
}
