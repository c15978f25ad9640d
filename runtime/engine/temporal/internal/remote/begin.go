package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
	"github.com/wfc-lang/wfc/runtime/internal/repeat"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/store"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
)

// Start implements cluster.Cluster.
func (c *Client) Start(ctx context.Context, s cluster.Start) error {
	err := c.executeWorkflow(ctx, s.Run.ID, c.startInput(ctx, s))
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		return store.ErrExists
	}
	return err
}

// registration is how long a cluster may take to know the build of a new worker.
const registration = 15 * time.Second

// executeWorkflow begins a workflow that is pinned to this build.
func (c *Client) executeWorkflow(ctx context.Context, id string, start wire.Start) error {
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(registration); ; {
		_, err := c.temporal.ExecuteWorkflow(ctx, c.startOptions(id, c.def.Fingerprint, begunAttributes(start.Options)), c.def.Name, start)
		var refused *serviceerror.FailedPrecondition
		switch {
		case !errors.As(err, &refused) || !strings.Contains(refused.Message, "not present in task queue"):
			return err
		case time.Now().After(deadline):
			return fmt.Errorf("no worker of this build has connected to the task queue `%s`; start one with the command `worker`", c.queue)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// startInput is the input of the workflow of a new run.
func (c *Client) startInput(ctx context.Context, s cluster.Start) wire.Start {
	return wire.Start{Kept: wire.Kept{Run: s.Run, Options: wire.Options{
		MaxParallel: s.MaxParallel, OnInterrupt: s.OnInterrupt, Limits: s.Limits, Workspace: s.Workspace,
		DeadWorker: s.DeadWorker, Repository: s.Repository, Base: s.Base, Folder: s.Folder, Worktree: s.Worktree, Attributes: c.hasAttributes(ctx), Settings: s.Settings,
	}}}
}

// begunAttributes let lists show a run before a worker has taken it.
func begunAttributes(o wire.Options) temporal.SearchAttributes {
	if !o.Attributes {
		return temporal.SearchAttributes{}
	}
	return temporal.NewSearchAttributes(temporal.NewSearchAttributeKeyKeyword(wire.AttributeStatus).ValueSet(string(flow.Running)))
}

// startOptions pin a run to a build, so that no build has to be made the current one.
func (c *Client) startOptions(id, build string, attributes temporal.SearchAttributes) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID: id, TaskQueue: c.queue,
		WorkflowIDReusePolicy:                    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		TypedSearchAttributes:                    attributes,
		VersioningOverride: &client.PinnedVersioningOverride{
			Version: worker.WorkerDeploymentVersion{DeploymentName: c.def.Name, BuildID: build},
		},
	}
}

// Resume implements cluster.Cluster.
func (c *Client) Resume(ctx context.Context, id string, r cluster.Resume) error {
	s, open, err := c.runState(ctx, id)
	switch {
	case err != nil:
		return err
	case s.Parent != nil:
		return fmt.Errorf("run %s is a part of run %s; resume that run", id, s.Parent.Run)
	case s.Run.Workflow != c.def.Name:
		return fmt.Errorf("run %s belongs to workflow %s, and this is %s", id, s.Run.Workflow, c.def.Name)
	case open && r.Force && s.Run.Fingerprint != c.def.Fingerprint:
		// A worker of its build ends it where it is.
		if !c.hasWorkerFor(ctx, id) {
			return fmt.Errorf("run %s can move when a worker of the build that started it answers; start one", id)
		}
		if err := c.temporal.SignalWorkflow(ctx, id, "", wire.Suspend, nil); err != nil {
			return err
		}
		if s, err = c.waitForEnd(ctx, id, ""); err != nil {
			return err
		}
	case open && s.Run.Fingerprint != c.def.Fingerprint:
		return fmt.Errorf("run %s is %s on another build; `resume --force` moves it to this one", id, s.End.Status)
	case open:
		return fmt.Errorf("run %s continues by itself: it is %s", id, s.End.Status)
	}
	switch {
	case s.End.Status == flow.Completed && r.From == "":
		return fmt.Errorf("run %s has completed; there is nothing to resume", id)
	case s.Run.Fingerprint != c.def.Fingerprint && !r.Force:
		return &runerr.OtherBuildError{Run: id}
	case s.Run.Fingerprint != c.def.Fingerprint:
		if err := stepkey.Fits(c.def, s.Steps); err != nil {
			return err
		}
		s.Run.Fingerprint = c.def.Fingerprint
	}
	if r.From != "" {
		if err := c.resetRepeatedSteps(s, r); err != nil {
			return fmt.Errorf("run %s: %w", id, err)
		}
	}
	if r.By != "" {
		s.Events = append(s.Events, flow.Event{Time: time.Now(), Type: sched.EventResumed, Message: r.By})
	}
	start := wire.Start{Kept: s.Kept}
	start.Options.Limits = r.Limits
	if len(r.Settings) > 0 {
		if start.Options.Settings, err = runstore.Overlay(s.Options.Settings, r.Settings); err != nil {
			return err
		}
	}
	return c.executeWorkflow(ctx, id, start)
}

// Continue implements cluster.Cluster.
func (c *Client) Continue(ctx context.Context, id, by string) error {
	d, err := c.temporal.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return err
	}
	s, _, err := c.runState(ctx, id)
	if err != nil {
		return err
	}
	own, read := *c, *c.reader
	read.def = &flow.Definition{Name: s.Run.Workflow, Fingerprint: s.Run.Fingerprint}
	own.reader, own.queue = &read, d.GetWorkflowExecutionInfo().GetTaskQueue()
	return own.Resume(ctx, id, cluster.Resume{Limits: s.Options.Limits, By: by})
}

// resetRepeatedSteps resets the steps of a run that a person has repeated. A child run keeps its inputs, so
// a step with one is not repeated.
func (c *Client) resetRepeatedSteps(s *wire.RunState, r cluster.Resume) error {
	chosen, err := repeat.Steps(c.def, s.Steps, r.From)
	if err != nil {
		return err
	}
	event := repeat.Event(r.From, r.By, chosen)
	s.Events = append(s.Events, repeat.EventsWithEnds(chosen, event)...)
	for _, reset := range repeat.Reset(c.def, s.Steps, chosen) {
		if reset.Kind == (flow.Child{}).Kind() {
			return fmt.Errorf("step `%s` starts another run, and a program for a cluster cannot repeat such steps: start a new run", reset.Key)
		}
		s.Steps[slices.IndexFunc(s.Steps, func(old flow.Record) bool { return old.Key == reset.Key })] = reset
		s.Answers = slices.DeleteFunc(s.Answers, func(a store.Answer) bool { return a.Key == reset.Key })
	}
	return nil
}

// hasWorkerFor reports whether a worker answers for a run.
func (c *Client) hasWorkerFor(ctx context.Context, id string) bool {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	_, err := c.temporal.QueryWorkflow(ctx, id, "", wire.State)
	return err == nil
}

// waitForEnd waits for the end of a workflow and returns it; run is "" for the newest workflow of
// the id.
func (c *reader) waitForEnd(ctx context.Context, id, run string) (*wire.RunState, error) {
	final := &wire.Final{}
	err := c.temporal.GetWorkflow(ctx, id, run).Get(ctx, final)
	err = wire.Ended(err, final)
	if notFound(err) {
		err = store.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return final, nil
}

// Ended returns the end of a run, or nil if there is no such run or it has not ended. It
// waits for the workflow of a run that has ended: its parent may know the end before it
// is closed.
func (c *Client) Ended(ctx context.Context, id string) (*wire.Final, error) {
	s, open, err := c.runState(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case err != nil || !open:
		return s, err
	case s.Finished.IsZero():
		return nil, nil
	}
	return c.waitForEnd(ctx, id, "")
}

// Schedule implements cluster.Cluster. The cluster begins the runs. It skips a time at which
// the previous run is open. The id of a run is the id of s and the time.
func (c *Client) Schedule(ctx context.Context, cron string, s cluster.Start) error {
	id := "wfc-" + c.def.Name
	handle := c.temporal.ScheduleClient().GetHandle(ctx, id)
	if cron == "" {
		err := handle.Delete(ctx)
		if notFound(err) {
			err = nil
		}
		return err
	}
	// Servers do not pin the runs of a schedule to a build: such runs begin on the current one, and keep it.
	_, err := c.temporal.WorkerDeploymentClient().GetHandle(c.def.Name).SetCurrentVersion(ctx, client.WorkerDeploymentSetCurrentVersionOptions{
		BuildID: c.def.Fingerprint, IgnoreMissingTaskQueues: true, AllowNoPollers: true,
	})
	if err != nil {
		return fmt.Errorf("make this build the current one of deployment `%s`: %w", c.def.Name, err)
	}
	spec := client.ScheduleSpec{CronExpressions: []string{cron}}
	input := c.startInput(ctx, s)
	action := &client.ScheduleWorkflowAction{ID: s.Run.ID, Workflow: c.def.Name, Args: []any{input}, TaskQueue: c.queue, TypedSearchAttributes: begunAttributes(input.Options)}
	_, err = c.temporal.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: id, Spec: spec, Action: action, Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_SKIP,
	})
	var exists *serviceerror.AlreadyExists
	if !errors.Is(err, temporal.ErrScheduleAlreadyRunning) && !errors.As(err, &exists) {
		return err
	}
	return handle.Update(ctx, client.ScheduleUpdateOptions{DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
		next := in.Description.Schedule
		next.Spec, next.Action = &spec, action
		return &client.ScheduleUpdate{Schedule: &next}, nil
	}})
}
