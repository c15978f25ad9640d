package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/remote"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
)

// client connects to a server.
func (f *fakeServer) client(t *testing.T) cluster.Cluster {
	t.Helper()
	def := program().Definition
	c, err := remote.Opener{}.Open(t.Context(), cluster.Connection{Address: f.address, Namespace: "default", Definition: def})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() }) // the server ends with the test
	return c
}

// payloads encode a state of a run.
func payloads(t *testing.T, s *wire.RunState) *commonpb.Payloads {
	t.Helper()
	p, err := converter.GetDefaultDataConverter().ToPayloads(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// at is a run with one step.
func at(run, step flow.Status) *wire.RunState {
	s := &wire.RunState{Kept: wire.Kept{Steps: wire.Records{{Key: "a", Kind: "bash", Status: step}}}, End: flow.RunState{Status: run}}
	if run.Ended() {
		s.Finished = time.Now()
	}
	return s
}

// A command that waits for a run sees each change when it happens. While nothing happens it
// sends no requests but those that the server holds.
func TestAwait(t *testing.T) {
	f := serve(t, nil)
	const id = "demo-000001"
	w := &fakeWorkflow{info: workflowInfo(id, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, time.Now()), state: payloads(t, at(flow.Running, flow.Running))}
	f.workflows[id] = w
	// held waits until the server holds a request for the end and one for new events.
	held := func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		for f.waiting < 2 {
			f.changed.Wait()
		}
	}
	for _, test := range []struct {
		end    flow.Status
		step   flow.Status
		change func(result *commonpb.Payloads)
	}{
		{flow.Paused, flow.Waiting, func(result *commonpb.Payloads) {
			w.state, w.events = result, append(w.events, &historypb.HistoryEvent{EventType: enumspb.EVENT_TYPE_WORKFLOW_PROPERTIES_MODIFIED})
		}},
		{flow.Completed, flow.Completed, func(result *commonpb.Payloads) {
			w.info.Status, w.events = enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, append(w.events, completed(result))
		}},
	} {
		t.Run(string(test.end), func(t *testing.T) {
			f.change(func() { w.state, w.events, f.calls = payloads(t, at(flow.Running, flow.Running)), nil, nil })
			var seen []flow.Status
			looked := make(chan struct{}, 10)
			done := make(chan error, 1)
			go func() {
				end, err := f.client(t).Await(t.Context(), id, func(r flow.Record) {
					seen = append(seen, r.Status)
					looked <- struct{}{}
				})
				if err == nil && end.Status != test.end {
					err = fmt.Errorf("the run is %s", end.Status)
				}
				done <- err
			}()
			held()
			<-looked
			result := payloads(t, at(test.end, test.step))
			f.change(func() { test.change(result) })
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(seen, []flow.Status{flow.Running, test.step}) {
				t.Errorf("step a was %v", seen)
			}
			if n := len(requests[*workflowservice.DescribeWorkflowExecutionRequest](f)); n > 3 {
				t.Errorf("the client looked at the run %d times", n)
			}
		})
	}
}

// The end of the context ends the wait.
func TestAwaitInterrupted(t *testing.T) {
	f := serve(t, nil)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	const id = "demo-000001"
	f.workflows[id] = &fakeWorkflow{info: workflowInfo(id, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, time.Now()), state: payloads(t, at(flow.Running, flow.Running))}
	if _, err := f.client(t).Await(ctx, id, func(flow.Record) { stop() }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A reader of events misses none, unless the run no longer has it.
func TestEventPositions(t *testing.T) {
	f := serve(t, nil)
	const id = "demo-000001"
	w := &fakeWorkflow{info: workflowInfo(id, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, time.Now())}
	f.workflows[id] = w
	c := f.client(t)
	for _, test := range []struct {
		dropped, kept int // events of the run
		from          int64
		want          int
		last          int64
	}{
		{0, 3, 0, 3, 3},
		{0, 3, 3, 0, 3},
		{0, 1000, 990, 10, 1000},
		{10, 1000, 1000, 10, 1010}, // the oldest ten were dropped meanwhile
		{10, 1000, 1010, 0, 1010},
		{5000, 1000, 1000, 1000, 6000}, // the reader is far behind
	} {
		s := at(flow.Running, flow.Running)
		s.Dropped, s.Events = test.dropped, make([]flow.Event, test.kept)
		f.change(func() { w.state = payloads(t, s) })
		events, last, err := c.Events(t.Context(), id, test.from)
		if err != nil || len(events) != test.want || last != test.last {
			t.Errorf("from %d with %d dropped: %d events, last %d, %v; want %d and %d", test.from, test.dropped, len(events), last, err, test.want, test.last)
		}
	}
	// Without a worker nothing is known, and the position stays.
	f.change(func() { w.state = nil })
	if events, last, err := c.Events(t.Context(), id, 1010); len(events) != 0 || last != 1010 || err != nil {
		t.Errorf("%d events, last %d, %v", len(events), last, err)
	}
}
