package remote

import (
	"context"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/internal/attempt"
)

// A history answers without a worker, but only has the messages between the parts of the engine.

// messageOf decodes the first of the payloads of a workflow's or an activity's input. activity is ""
// for the workflow.
func (c *reader) messageOf(id, activity string, from *commonpb.Payloads, to any) error {
	var place converter.SerializationContext = converter.WorkflowSerializationContext{Namespace: c.namespace, WorkflowID: id}
	if activity != "" {
		place = converter.ActivitySerializationContext{Namespace: c.namespace, WorkflowID: id, ActivityType: activity}
	}
	return converter.WithDataConverterSerializationContext(c.converter, place).FromPayloads(from, to)
}

// stateFromStart returns what is known of a run without a worker: how it began, the steps that had
// ended then, and the questions that are open now. An answer needs the first: it has the gates' rules.
func (c *reader) stateFromStart(ctx context.Context, info *workflowpb.WorkflowExecutionInfo) (*wire.RunState, error) {
	s := c.stateFromAttributes(info)
	r, err := c.temporal.WorkflowService().GetWorkflowExecutionHistory(ctx, &workflowservice.GetWorkflowExecutionHistoryRequest{
		Namespace: c.namespace, Execution: info.GetExecution(), MaximumPageSize: 1,
	})
	if err != nil {
		return nil, err
	}
	events := r.GetHistory().GetEvents()
	if len(events) == 0 {
		return nil, fmt.Errorf("the history of run %s has no begin", s.Run.ID)
	}
	var start wire.Start
	if err := c.messageOf(s.Run.ID, "", events[0].GetWorkflowExecutionStartedEventAttributes().GetInput(), &start); err != nil {
		return nil, fmt.Errorf("read the begin of run %s: %w", s.Run.ID, err)
	}
	start.Run.ID, start.Run.Workflow, start.Run.Fingerprint = s.Run.ID, s.Run.Workflow, s.Run.Fingerprint // a schedule adds the time to the id
	s.Run, s.Options, s.Parent, s.Place, s.Approvals = start.Run, start.Options, start.Parent, start.Place, start.Approvals
	if !start.Created.IsZero() {
		s.Created = start.Created
	}
	questions := s.Steps
	s.Steps = nil
	for _, step := range start.Steps {
		if step.Status.Ended() {
			s.Steps = append(s.Steps, step)
		}
	}
	s.Steps = append(s.Steps, questions...)
	return s, nil
}

// Script implements cluster.Cluster. It knows the steps of the run's last workflow.
func (c *reader) Script(ctx context.Context, id, key string) (script string, err error) {
	for events := c.temporal.GetWorkflowHistory(ctx, id, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); events.HasNext(); {
		e, err := events.Next()
		if err != nil {
			return "", err
		}
		begun := e.GetActivityTaskScheduledEventAttributes()
		var call wire.Call
		if name := begun.GetActivityType().GetName(); name != wire.Perform && name != wire.PerformGit || c.messageOf(id, name, begun.GetInput(), &call) != nil || call.Action.Key != key {
			continue
		}
		if a, err := call.Action.Decode(); err == nil {
			script = attempt.ScriptText(a.Payload, nil) // pages mask their secrets
		}
	}
	return script, nil
}
