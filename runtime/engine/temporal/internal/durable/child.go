package durable

import (
	"slices"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A child run is a separate workflow. The end of its parent's workflow does not end it, since the
// parent may continue in a new one. So a child signals its parent when it waits for people, when it
// continues, and when it has ended.

// startChild begins the child of a step, or continues it.
func (r *run) startChild(step string, call flow.Child, limits settings.Limits) {
	if c := r.findChild(step); c != nil {
		r.rejoinChild(*c)
		return
	}
	again := r.in.Steps != nil || r.began[step]
	r.began[step] = true
	if call.Worktree && r.workspaceKind() == wire.WorkspaceNone {
		r.signalDone(step, failedResult("workflow", "a run with --workspace none has no git worktree; start it with --workspace host or git"))
		return
	}
	i := slices.IndexFunc(r.def.Children, func(d *flow.Definition) bool { return d.Name == call.Workflow })
	if i < 0 {
		r.signalDone(step, failedResult("workflow", "this program has no workflow `%s`", call.Workflow))
		return
	}
	r.kept.Children = append(r.kept.Children, wire.Begun{Step: step, Run: runid.Child(r.kept.Run.ID, step)})
	workflow.Go(r.ctx, func(ctx workflow.Context) { r.beginChild(ctx, step, call, r.def.Children[i], limits, again) })
}

// rejoinChild continues a child that an earlier process began.
func (r *run) rejoinChild(c wire.Begun) {
	switch {
	case c.Result != nil:
		r.childDone(c)
	case c.Idle:
		r.process.signal(sched.Idle{Key: c.Step})
	}
}

// beginChild begins the workflow of a child. It runs beside the scheduler, which learns about
// the child from its signals.
func (r *run) beginChild(ctx workflow.Context, step string, call flow.Child, def *flow.Definition, limits settings.Limits, again bool) {
	id := runid.Child(r.kept.Run.ID, step)
	fail := func(format string, args ...any) {
		result := wire.Result(failedResult(kernel.ChildFailed, format, args...))
		r.handleChildNews(wire.News{Step: step, Result: &result})
	}
	var plan wire.ChildPlan
	act := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: r.kept.Place.Queue, StartToCloseTimeout: time.Minute, Summary: "plan " + id,
	})
	err := workflow.ExecuteActivity(act, wire.Child, wire.ChildQuery{
		ID: id, Workflow: def.Name, Inputs: call.Inputs, WorkDir: r.kept.Run.WorkDir, Began: again,
	}).Get(act, &plan)
	switch {
	case err != nil:
		fail("run %s: %s", id, causeMessage(err))
		return
	case plan.Error != "":
		fail("run %s: %s", id, plan.Error)
		return
	}
	start := wire.Start{Kept: wire.Kept{
		Run: flow.RunInfo{
			ID: id, Workflow: def.Name, Fingerprint: def.Fingerprint, Inputs: plan.Inputs, WorkDir: r.kept.Run.WorkDir,
			BaseBranch: r.kept.Run.BaseBranch, DocsDir: r.kept.Run.DocsDir, DeliverTo: r.kept.Run.DeliverTo,
		},
		Options: r.kept.Options, Parent: &wire.Parent{Run: r.kept.Run.ID, Step: step, Apart: call.Worktree},
	}}
	start.Options.Limits = limits
	if start.Options.Worktree = nil; call.Worktree && r.kept.Place.Git == nil {
		start.Options.Worktree = &worktree.Tree{}
	}
	if git := r.kept.Place.Git; git != nil {
		start.Options.Base = git.Work
	}
	if r.kept.Place.Queue != "" {
		start.Near = r.kept.Place
	}
	if old := plan.Final; old != nil {
		if sched.IsFinal(r.kept.Run.ID, old.End.Status, old.End.Reason) {
			result := wire.Result(sched.ChildResult(id, old.End, old.Steps))
			news := wire.News{Step: step, Result: &result}
			if old.Place != nil && old.Place.Git != nil && !call.Worktree {
				news.Work = old.Place.Git.Work
			}
			r.handleChildNews(news)
			return
		}
		start.Created, start.Steps, start.Events, start.Answers = old.Created, old.Steps, old.Events, old.Answers
		start.Dropped, start.Children = old.Dropped, old.Children
		if old.Place != nil && (old.Place.Git != nil || old.Place.Worktree != nil) {
			start.Place = old.Place
		}
	}
	child := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: id, ParentClosePolicy: enumspb.PARENT_CLOSE_POLICY_ABANDON,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, StaticSummary: "step " + step + " of " + r.kept.Run.ID,
		Memo: encodeMemo(r.ctx, r.published.values, id, map[string]any{wire.MemoStep: step}),
	})
	err = workflow.ExecuteChildWorkflow(child, def.Name, start).GetChildWorkflowExecution().Get(ctx, nil)
	if err != nil && !temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		fail("run %s cannot start: %s", id, causeMessage(err))
	}
}

// handleChildNews handles news of a child.
func (r *run) handleChildNews(n wire.News) {
	c := r.findChild(n.Step)
	switch {
	case c == nil:
	case n.Result != nil && !r.process.asked:
		c.Result, c.Work, c.Idle = n.Result, n.Work, false // for the next process
		r.process.signal(sched.Idle{Key: c.Step, Ended: true})
	case n.Result != nil:
		c.Result, c.Work = n.Result, n.Work
		r.childDone(*c)
	case c.Idle != n.Idle:
		c.Idle = n.Idle
		r.process.signal(sched.Idle{Key: c.Step, Ended: !n.Idle, Spent: n.Spent})
	}
}

// childDone gives the end of a child to the scheduler. If the child has failed, a
// further attempt at the step continues it.
func (r *run) childDone(c wire.Begun) {
	if r.kept.Place.Git != nil && c.Work != "" {
		r.joinChild(c)
		return
	}
	r.forgetChild(c.Step)
	r.signalDone(c.Step, flow.Result(*c.Result))
}

// forgetChild removes the child of a step, whose end the scheduler has.
func (r *run) forgetChild(step string) {
	r.kept.Children = slices.DeleteFunc(r.kept.Children, func(c wire.Begun) bool { return c.Step == step })
}

// findChild returns the child of a step whose end the scheduler does not know, or nil.
func (r *run) findChild(step string) *wire.Begun {
	i := slices.IndexFunc(r.kept.Children, func(c wire.Begun) bool { return c.Step == step })
	if i < 0 {
		return nil
	}
	return &r.kept.Children[i]
}

// cancelChild cancels the child of a step.
func (r *run) cancelChild(step string) {
	c := r.findChild(step)
	if c == nil {
		return
	}
	id := c.Run
	workflow.Go(r.ctx, func(ctx workflow.Context) {
		message := wire.Cancellation{By: sched.ByParent(r.kept.Run.ID)}
		if err := workflow.SignalExternalWorkflow(ctx, id, "", wire.Cancel, message).Get(ctx, nil); err != nil {
			// The workflow no longer exists, so it sends no news of its end.
			result := wire.Result{Status: flow.Cancelled}
			r.handleChildNews(wire.News{Step: step, Result: &result})
		}
	})
}

// tellParent signals the parent that the run only waits for people, or no longer does.
func (r *run) tellParent(idle bool) {
	if p := r.kept.Parent; p != nil {
		r.signalWorkflow(p.Run, wire.ChildNews, wire.News{Step: p.Step, Idle: idle, Spent: sched.Used(r.kept.Steps)})
	}
}
