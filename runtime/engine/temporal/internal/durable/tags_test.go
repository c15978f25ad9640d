package durable_test

import (
	"context"
	"maps"
	"testing"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Nodes with tags go to the queue of workers that have all of them. If all steps of a run
// are on one worker, that worker has the tags of all nodes.
func TestTags(t *testing.T) {
	for workspace, want := range map[string]map[string]string{
		wire.WorkspaceNone: {"a": "runs", "b": "runs+gpu", "c": "runs+gpu+trusted"},
		wire.WorkspaceHost: {wire.Prepare: "runs+gpu+trusted", "a": "mine", "b": "mine", "c": "mine"},
	} {
		w := world(t, stage{}, "a b<a c<b", func(c *flow.Context) (any, error) {
			bash(c, "c", bash(c, "b", bash(c, "a")))
			return nil, flow.Settle(c)
		})
		w.Run.Definition.Nodes[1].WorkerTags = []string{"gpu"}
		w.Run.Definition.Nodes[2].WorkerTags = []string{"gpu", "trusted"}
		w.Options.Workspace = workspace
		w.Queue = "mine"
		got := map[string]string{}
		w.Configure = func(env *testsuite.TestWorkflowEnvironment) {
			env.SetOnActivityStartedListener(func(info *activity.Info, _ context.Context, args converter.EncodedValues) {
				name := info.ActivityType.Name
				var call wire.Call
				if name == wire.Perform && args.Get(&call) == nil {
					name = call.Action.Key
				}
				got[name] = info.TaskQueue
			})
		}
		must(t, flow.Completed)(w.Process())
		if !maps.Equal(got, want) {
			t.Errorf("%s: the queues are %v, want %v", workspace, got, want)
		}
	}
}
