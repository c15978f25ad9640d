package steps

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// A Branch is one of the branches of a Fork. Branch lint of node check is step
// check/lint.
type Branch struct {
	Name string
	// Kind is the branch's kind for people.
	Kind string
	// When is the branch's condition; nil is none.
	When func() (bool, error)
	// Run performs the branch and returns its output.
	Run func(c *flow.Context) (string, error)
}

// A BranchOutput is the output of a branch. Ran is false if the branch's condition did
// not hold; then the branch has no output.
type BranchOutput struct {
	Name, Text string
	Ran        bool
}

// A Fork runs branches side by side.
type Fork struct {
	// Branches are the branches, in the order of the workflow.
	Branches []Branch
	// FailFast cancels the branches that still run when one fails.
	FailFast bool
}

// Run runs the branches, waits for all of them, and joins their outputs in the order of
// the branches. If a branch fails, the node fails.
func (f Fork) Run(c *flow.Context, join func(ends []BranchOutput) (string, error)) (string, error) {
	branches := f.Branches
	c.Node().Begin(flow.Running)
	scope, cancel := c.Scheduler().Scope()
	defer cancel()
	parts := make([]part, len(branches))
	ends := make([]BranchOutput, len(branches))
	futures := make([]*flow.Future, len(branches))
	for i, b := range branches {
		futures[i] = scope.NewFuture()
		scope.Spawn(nil, func(e flow.Scheduler) {
			parts[i], ends[i] = runBranch(c, e, b)
			if p := parts[i]; f.FailFast && p.err != nil && !errors.Is(p.err, flow.ErrCancelled) {
				cancel()
			}
			futures[i].Settle(flow.Result{Status: flow.Completed})
		})
	}
	if err := c.Scheduler().AwaitEnded(futures...); err != nil {
		return "", err
	}
	takeAll(c, parts)
	if err := forkFailure(branches, parts); err != nil {
		return "", err
	}
	return join(ends)
}

// runBranch performs a branch on engine e if its condition holds.
func runBranch(c *flow.Context, e flow.Scheduler, b Branch) (part, BranchOutput) {
	end := BranchOutput{Name: b.Name}
	skipped := part{node: &flow.NodeState{}}
	key := c.Key() + "/" + b.Name
	if b.When != nil {
		runs, _, err := c.Node().Decide(key, b.When)
		switch {
		case err != nil:
			skipped.err = err
			e.Settle(flow.Record{Key: key, Kind: b.Kind, Status: flow.Failed, Failure: flow.AsFailure(err)})
			return skipped, end
		case !runs:
			e.Settle(flow.Record{Key: key, Kind: b.Kind, Status: flow.Skipped, Reason: kernel.SkipCondition})
			return skipped, end
		}
	}
	p := runPart(c, e, "/"+b.Name, b.Run)
	if errors.Is(p.err, flow.ErrCancelled) {
		e.Settle(flow.Record{Key: key, Kind: b.Kind, Status: flow.Cancelled}) // its action may never have started
	}
	end.Text, end.Ran = p.text, p.err == nil
	return p, end
}

// forkFailure returns the failures of branches as one, or nil.
func forkFailure(branches []Branch, parts []part) error {
	var first *flow.Failure
	var texts []string
	cancelled := false
	for i, p := range parts {
		switch {
		case p.err == nil:
		case errors.Is(p.err, flow.ErrCancelled):
			cancelled = true
		default:
			f := flow.AsFailure(p.err)
			first = cmp.Or(first, f)
			texts = append(texts, fmt.Sprintf("`%s` failed: %s", branches[i].Name, f.Message))
		}
	}
	if first != nil {
		f := *first
		f.Message = strings.Join(texts, "; ")
		return &f
	}
	if cancelled {
		return flow.ErrCancelled
	}
	return nil
}
