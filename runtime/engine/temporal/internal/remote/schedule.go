package remote

import (
	"context"
	"errors"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/wfc-lang/wfc/runtime/internal/cluster"
)

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
	options := c.options(s.Run.ID, c.def.Fingerprint)
	spec := client.ScheduleSpec{CronExpressions: []string{cron}}
	action := &client.ScheduleWorkflowAction{
		ID: s.Run.ID, Workflow: c.def.Name, Args: []any{c.start(ctx, s)}, TaskQueue: c.queue, VersioningOverride: options.VersioningOverride,
	}
	_, err := c.temporal.ScheduleClient().Create(ctx, client.ScheduleOptions{
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
