package served_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/engine/enginetest"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/durable"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/trial"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// folderVariable names the folder for recorded histories. Without it, TestRecord checks that
// the samples run, and keeps nothing.
const folderVariable = "WFC_TEST_TEMPORAL_RECORD"

// TestRecord runs the samples on a server and writes the histories of their workflows, for
// TestReplay of package durable.
func TestRecord(t *testing.T) {
	c := dial(t)
	for _, name := range slices.Sorted(maps.Keys(trial.Samples())) {
		if name == "child" {
			continue // parent has it
		}
		t.Run(name, func(t *testing.T) {
			def := trial.Samples()[name]
			queue, begun := id(name), make(chan string, 1)
			serveSample(t, c, queue, def, begun)
			options := wire.Options{}
			if name == "loop" {
				options.MaxEvents = 40
			}
			start := wire.Start{Kept: wire.Kept{Run: flow.RunInfo{ID: queue, Workflow: name}, Options: options}}
			run, err := c.ExecuteWorkflow(context.Background(), client.StartWorkflowOptions{ID: queue, TaskQueue: queue}, name, start)
			if err != nil {
				t.Fatal(err)
			}
			want, first := flow.Completed, run.GetRunID() // it changes with the workflow
			switch name {
			case "review":
				answer(t, c, queue, "gate#1")
			case "parent":
				answer(t, c, runid.Child(queue, "call"), "ask#1")
			case "cancel":
				<-begun
				want = flow.Cancelled
				if err := c.SignalWorkflow(context.Background(), queue, "", wire.Cancel, wire.Cancellation{By: "eve"}); err != nil {
					t.Fatal(err)
				}
			}
			final := &wire.Final{}
			if err := run.Get(context.Background(), final); err != nil && wire.Ended(err, final) != nil {
				t.Fatal(err)
			}
			if final.End.Status != want {
				t.Fatalf("the run is %+v", final.End)
			}
			n := keep(t, c, name, queue, first)
			if name == "loop" && n < 3 {
				t.Errorf("%d workflows", n)
			}
			if name == "parent" {
				keep(t, c, "child", runid.Child(queue, "call"), "")
			}
		})
	}
}

func serveSample(t *testing.T, c client.Client, queue string, def *flow.Definition, begun chan<- string) {
	t.Helper()
	dir := t.TempDir()
	w := worker.New(c, queue, worker.Options{MaxHeartbeatThrottleInterval: time.Second, DefaultHeartbeatThrottleInterval: time.Second})
	for _, d := range flow.Reachable(def) {
		w.RegisterWorkflowWithOptions(durable.Workflow(d, converter.GetDefaultDataConverter()), workflow.RegisterOptions{Name: d.Name})
	}
	p := trial.Worker(&enginetest.Run{Definition: def, Performers: trial.SamplePerformers(begun), RunDir: dir, Info: &flow.RunInfo{WorkDir: dir}})
	for name, f := range p.Activities() {
		w.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
}

// answer answers a question once the run asks it: a run that waits says so in an event.
func answer(t *testing.T, c client.Client, run, key string) {
	t.Helper()
	for {
		events := c.GetWorkflowHistory(context.Background(), run, "", true, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for events.HasNext() {
			e, err := events.Next()
			if err != nil {
				break // the child has not begun
			}
			if e.GetEventType() != enumspb.EVENT_TYPE_WORKFLOW_PROPERTIES_MODIFIED {
				continue
			}
			handle, err := c.UpdateWorkflow(context.Background(), client.UpdateWorkflowOptions{
				WorkflowID: run, UpdateName: wire.Answer, WaitForStage: client.WorkflowUpdateStageCompleted,
				Args: []any{store.Answer{Key: key, Choice: "approve", Text: "fine", By: "eve"}},
			})
			if err == nil && handle.Get(context.Background(), nil) == nil {
				return
			}
		}
	}
}

// keep writes the histories of the workflows of a run, if there is a folder for them, and
// returns how many there are.
func keep(t *testing.T, c client.Client, name, id, first string) (n int) {
	t.Helper()
	for run := first; n == 0 || run != ""; n++ {
		all := &historypb.History{}
		for events := c.GetWorkflowHistory(context.Background(), id, run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); events.HasNext(); {
			e, err := events.Next()
			if err != nil {
				t.Fatal(err)
			}
			all.Events = append(all.Events, e)
		}
		run = next(all.Events[len(all.Events)-1])
		text, err := temporalproto.CustomJSONMarshalOptions{Indent: " "}.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		if dir := os.Getenv(folderVariable); dir != "" {
			file := filepath.Join(dir, fmt.Sprintf("%s-%d.json", name, n+1))
			if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	return n
}
