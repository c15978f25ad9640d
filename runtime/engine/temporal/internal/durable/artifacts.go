package durable

import (
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// Outputs of nodes that declare an artifact type are files of the run. A worker writes
// them before it performs the next action, and when the run pauses or ends.

// typed returns the ids of the nodes that declare an artifact type.
func typed(nodes []flow.NodeInfo, around string) []string {
	var ids []string
	for _, n := range nodes {
		if n.Artifact != "" {
			ids = append(ids, around+n.Key)
		}
		ids = append(ids, typed(n.Inside, around+n.Key+".")...)
	}
	return ids
}

// artifacts returns the last completed step of each node that declares an artifact type.
func (r *run) artifacts() wire.Records {
	if len(r.typed) == 0 {
		return nil
	}
	var list wire.Records
	for _, s := range slices.Backward(r.steps) {
		id := stepkey.Static(s.Key)
		known := func(other flow.Record) bool { return stepkey.Static(other.Key) == id }
		if s.Status == flow.Completed && slices.Contains(r.typed, id) && !slices.ContainsFunc(list, known) {
			list = append(list, flow.Record{
				Key: s.Key, Kind: s.Kind, Status: s.Status, Text: s.Text, Started: s.Started, Finished: s.Finished,
				Meta: flow.Meta{Session: s.Meta.Session},
			})
		}
	}
	slices.SortStableFunc(list, func(a, b flow.Record) int { return a.Finished.Compare(b.Finished) })
	return list
}

// keepArtifacts has a worker write the artifacts that no action has brought there. One that
// cannot be written costs nothing: the output is in the journal.
func (r *run) keepArtifacts() {
	list := r.artifacts()
	if len(list) == 0 || r.place == nil || r.place.Git != nil {
		return
	}
	ctx := workflow.WithActivityOptions(r.ctx, workflow.ActivityOptions{
		TaskQueue: r.place.Queue, ScheduleToCloseTimeout: time.Minute, Summary: "keep artifacts",
	})
	call := wire.Call{Run: r.info, StateDir: r.info.StateDir, Workspace: r.workspace(), Artifacts: list}
	if err := workflow.ExecuteActivity(ctx, wire.Keep, call).Get(ctx, nil); err != nil {
		workflow.GetLogger(r.ctx).Warn("the artifacts were not written", "error", err)
	}
}
