package durable

import (
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// With WorkspaceGit, an attempt starts from the last commit of the run and saves its changes
// where nothing else sees them. When the history has its end, another activity makes them
// part of the branch. Only then the scheduler gets the end. So the branch has the
// changes of an attempt if and only if the journal has its end: the changes of an attempt
// whose worker was lost are never joined.

// Attempts at activities that need the repository, which may be out of reach for a while.
const (
	mostPrepares = 5
	mostJoins    = 10
	joining      = 10 * time.Minute
)

// joinNext begins to join the changes of the attempt that has waited longest, unless one is
// being joined.
func (r *run) joinNext() {
	if slices.ContainsFunc(r.attempts, func(t *attempt) bool { return t.joins }) {
		return
	}
	i := slices.IndexFunc(r.attempts, func(t *attempt) bool { return t.saved != nil })
	if i < 0 {
		return
	}
	t := r.attempts[i]
	t.joins = true
	r.beginActivity(t, workflow.ActivityOptions{
		StartToCloseTimeout: joining, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: mostJoins}, Summary: "join " + t.key,
	}, wire.Join, wire.Joining{
		Run: r.kept.Run.ID, Step: t.key, Checkout: *r.kept.Place.Git,
		Attempt: t.saved.Attempt, Work: t.saved.Work, Artifacts: t.saved.Artifacts,
	})
}

// handleJoined handles the outcome of a join.
func (r *run) handleJoined(t *attempt) {
	var j wire.Joined
	result := flow.Result(t.saved.Result)
	lost := func(reason, format string, args ...any) {
		if result.Status == flow.Completed {
			meta := result.Meta
			result = failedResult(reason, format, args...)
			result.Failure.Class, result.Meta = flow.ClassUnknown, meta
		}
	}
	if err := t.future.Get(r.ctx, &j); err != nil {
		lost("workspace", "the changes of step `%s` could not be added to the branch of the run: %s", t.key, causeMessage(err))
	} else {
		place, git := *r.kept.Place, *r.kept.Place.Git
		git.Work, git.Artifacts = j.Work, j.Artifacts
		place.Git = &git
		r.kept.Place = &place
		if j.Conflict != "" {
			lost("conflict", "%s", j.Conflict)
		}
	}
	if t.child {
		r.forgetChild(t.key)
	}
	r.signalDone(t.key, result)
}

// joinChild makes the changes of a child run part of the branch.
func (r *run) joinChild(c wire.Begun) {
	if !slices.ContainsFunc(r.attempts, func(t *attempt) bool { return t.key == c.Step }) {
		r.attempts = append(r.attempts, &attempt{key: c.Step, child: true, saved: &wire.Performed{Result: *c.Result, Work: c.Work}})
		r.joinNext()
	}
}

// commitForParent is the last commit of the run's branch, or "" if its parent takes none.
func (r *run) commitForParent() string {
	if r.kept.Place == nil || r.kept.Place.Git == nil || r.kept.Parent.Apart {
		return ""
	}
	return r.kept.Place.Git.Work
}

// keepArtifacts has a worker write the artifacts that no action has brought there. One that
// cannot be written costs nothing: the output is in the journal.
func (r *run) keepArtifacts() {
	list := r.kept.latestArtifacts()
	if len(list) == 0 || r.kept.Place == nil || r.kept.Place.Git != nil {
		return
	}
	ctx := workflow.WithActivityOptions(r.ctx, workflow.ActivityOptions{
		TaskQueue: r.kept.Place.Queue, ScheduleToCloseTimeout: time.Minute, Summary: "keep artifacts",
	})
	call := wire.Call{Run: r.kept.Run, SharedDir: r.kept.Run.SharedDir, Workspace: r.workspaceKind(), Artifacts: list}
	if err := workflow.ExecuteActivity(ctx, wire.Keep, call).Get(ctx, nil); err != nil {
		workflow.GetLogger(r.ctx).Warn("the artifacts were not written", "error", err)
	}
}
