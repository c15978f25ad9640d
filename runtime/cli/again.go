package cli

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// familySteps are the steps of a run and of the runs that its steps began, parents first.
type familySteps []runSteps

type runSteps struct {
	id string
	// parent and call are the run and the step that began this run, or "".
	parent, call string
	steps        []flow.Record
}

// readFamilySteps returns the steps of a run's family.
func (s *session) readFamilySteps(ctx context.Context, root *local.RunStatus) (familySteps, error) {
	list := familySteps{{id: root.ID, steps: root.Steps}}
	children, err := s.engine.Children(ctx, root.ID)
	if err != nil {
		return nil, failedError(err)
	}
	for _, c := range children {
		parent, call := c.Parent()
		list = append(list, runSteps{c.ID, parent, call, c.Steps})
	}
	return list, nil
}

// spent returns what all turns have cost, in dollars.
func (f familySteps) spent() (dollars float64) {
	for _, r := range f {
		for _, cost := range f.ownCosts(r) {
			dollars += cost
		}
	}
	return dollars
}

// ownCosts returns the costs of a run's steps, without those that add up the costs of their
// parts or of a run that they began.
func (f familySteps) ownCosts(r runSteps) map[string]float64 {
	sums := stepkey.CostsOf(r.steps)
	calls := map[string]bool{}
	for _, child := range f {
		if child.parent == r.id {
			calls[child.call] = true
		}
	}
	costs := map[string]float64{}
	for _, s := range r.steps {
		if sums[s.Key].CostUSD == 0 && !calls[s.Key] {
			costs[s.Key] = s.Meta.Spent().CostUSD
		}
	}
	return costs
}

// spentAgain returns what steps that had begun before have cost since then, in dollars: also
// all that a new run costs if the step that began it had already spent something.
func (f familySteps) spentAgain(before familySteps) (dollars float64) {
	known := map[string]runSteps{}
	for _, r := range before {
		known[r.id] = r
	}
	repeated := map[string]bool{} // whole runs
	for _, r := range f {
		old, ok := known[r.id]
		repeated[r.id] = !ok && (repeated[r.parent] || spentAt(known[r.parent], r.call) > 0)
		began := map[string]float64{}
		for _, s := range old.steps {
			if mayHaveSpent(s) {
				began[s.Key] = s.Meta.Spent().CostUSD
			}
		}
		for key, cost := range f.ownCosts(r) {
			if earlier, ok := began[key]; ok || repeated[r.id] {
				dollars += cost - earlier
			}
		}
	}
	return max(dollars, 0)
}

// mayHaveSpent reports whether a step has begun something that costs. What waits for a quota or a
// budget was refused, unlike what waits for a person after a kill; what failed and reported neither
// money nor tokens cost nothing, unless it was cut off.
func mayHaveSpent(s flow.Record) bool {
	used := s.Meta.Spent()
	if s.Status == flow.Failed && used.CostUSD == 0 && used.InputTokens+used.OutputTokens == 0 {
		return s.Failure != nil && s.Failure.Reason == kernel.FailureTimeout
	}
	return s.Attempt > 0 && (s.Status != flow.Waiting || s.Failure == nil && sched.HeldFor(s.Reason) == "")
}

func spentAt(r runSteps, key string) float64 {
	for _, s := range r.steps {
		if s.Key == key {
			return s.Meta.Spent().CostUSD
		}
	}
	return 0
}
