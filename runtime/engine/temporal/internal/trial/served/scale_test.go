package served_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/enginetest"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/durable"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/trial"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/trial/served"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/shell"
)

// Bounds of Temporal: it warns at this many events, and suggests to go on in a new workflow
// long before it ends one.
const (
	mostEvents = 10_000
	mostBytes  = 10 << 20
)

// echo completes each bash action at once, with its script as the output.
type echo struct{ performed atomic.Int64 }

func (*echo) Kind() string { return flow.Bash{}.Kind() }

func (e *echo) Perform(_ context.Context, call *engine.Attempt) flow.Result {
	e.performed.Add(1)
	return flow.Result{Status: flow.Completed, Text: call.Action.Payload.(flow.Bash).Script}
}

// dial connects to the server of the tests, or skips the test.
func dial(t *testing.T) client.Client {
	t.Helper()
	if os.Getenv(served.AddressVariable) == "" {
		t.Skip(served.AddressVariable + " names no server; `make test-temporal` starts one")
	}
	if os.Getenv(served.BlobsVariable) == "" {
		t.Setenv(served.BlobsVariable, t.TempDir())
	}
	c, err := served.Dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// site is a worker on its own task queue.
type site struct {
	client.Client
	t     *testing.T
	queue string
	def   *flow.Definition
	dir   string
	first map[string]string // the first workflows of runs
}

// serve starts a worker for a flow.
func serve(t *testing.T, c client.Client, queue string, p engine.Performer, nodes []string, fn func(c *flow.Context) (any, error)) *site {
	t.Helper()
	def := &flow.Definition{Name: "scale", Fingerprint: "f1", Flow: fn}
	for i, key := range nodes {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: key, Kind: "bash", After: nodes[:i]})
	}
	s := &site{Client: c, t: t, queue: queue, def: def, dir: t.TempDir(), first: map[string]string{}}
	w := worker.New(c, queue, worker.Options{})
	w.RegisterWorkflowWithOptions(durable.Workflow(def, converter.GetDefaultDataConverter()), workflow.RegisterOptions{Name: def.Name})
	for name, f := range trial.Worker(&enginetest.Run{Definition: def, Performers: []engine.Performer{p}, RunDir: s.dir, Info: &flow.RunInfo{WorkDir: s.dir}, Environ: os.Environ()}).Activities() {
		w.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	}
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return s
}

// begin begins a run.
func (s *site) begin(id string) client.WorkflowRun {
	s.t.Helper()
	start := wire.Start{Kept: wire.Kept{Run: flow.RunInfo{ID: id, Workflow: s.def.Name, WorkDir: s.dir}, Options: wire.Options{Workspace: wire.WorkspaceHost}}}
	run, err := s.ExecuteWorkflow(context.Background(), client.StartWorkflowOptions{ID: id, TaskQueue: s.queue}, s.def.Name, start)
	if err != nil {
		s.t.Fatal(err)
	}
	s.first[id] = run.GetRunID() // which changes with the workflow
	return run
}

// histories checks the sizes of the histories of all workflows of a run that has ended, and
// returns how many there are, their events and the bytes of the largest.
func (s *site) histories(run string) (workflows, events int, largest int64) {
	s.t.Helper()
	ctx := context.Background()
	for id := s.first[run]; id != ""; workflows++ {
		d, err := s.DescribeWorkflowExecution(ctx, run, id)
		if err != nil {
			s.t.Fatal(err)
		}
		info := d.GetWorkflowExecutionInfo()
		if info.GetHistoryLength() >= mostEvents || info.GetHistorySizeBytes() >= mostBytes {
			s.t.Errorf("workflow %d of run %s has %d events of %d bytes", workflows+1, run, info.GetHistoryLength(), info.GetHistorySizeBytes())
		}
		events += int(info.GetHistoryLength())
		largest = max(largest, info.GetHistorySizeBytes())
		last, err := s.GetWorkflowHistory(ctx, run, id, false, enumspb.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT).Next()
		if err != nil {
			s.t.Fatal(err)
		}
		id = next(last)
	}
	return workflows, events, largest
}

// next is the workflow that goes on with the run of one that has ended, or "".
func next(last *historypb.HistoryEvent) string {
	return last.GetWorkflowExecutionContinuedAsNewEventAttributes().GetNewExecutionRunId()
}

// completed waits for a run and checks that all of its steps completed.
func completed(t *testing.T, run client.WorkflowRun, steps int) *wire.Final {
	t.Helper()
	final := &wire.Final{}
	if err := run.Get(context.Background(), final); err != nil {
		t.Fatal(err)
	}
	if final.End.Status != flow.Completed || len(final.Steps) != steps {
		t.Fatalf("the run is %s with %d steps, want %d", final.End.Status, len(final.Steps), steps)
	}
	for _, s := range final.Steps {
		if s.Status != flow.Completed {
			t.Fatalf("step %s is %s", s.Key, s.Status)
		}
	}
	return final
}

func bash(c *flow.Context, key string, after ...flow.AnyTask) *flow.Task[string] {
	return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "bash", After: after, Run: func(c *flow.Context) (string, error) {
		return flow.TextOf(c.Do(flow.Bash{Script: key}))
	}})
}

// id is a run's id that no earlier test on the same server had.
func id(name string) string { return fmt.Sprintf("%s-%d", name, time.Now().UnixNano()) }

// A workflow of 1,000 nodes, in ten layers, performs each once.
func TestManyNodes(t *testing.T) {
	const layers, width = 10, 100
	p := &echo{}
	var keys []string
	for i := range layers * width {
		keys = append(keys, fmt.Sprint("n", i))
	}
	s := serve(t, dial(t), id("nodes"), p, keys, func(c *flow.Context) (any, error) {
		var before []flow.AnyTask
		for l := range layers {
			var layer []flow.AnyTask
			for i := range width {
				layer = append(layer, bash(c, keys[l*width+i], before...))
			}
			before = layer
		}
		return nil, flow.Settle(c)
	})
	began := time.Now()
	run := s.begin(s.queue)
	completed(t, run, layers*width)
	if n := p.performed.Load(); n != layers*width {
		t.Errorf("%d actions were performed", n)
	}
	workflows, events, largest := s.histories(s.queue)
	t.Logf("1,000 nodes: %s, %d workflows, %d events, largest history %d KiB", time.Since(began).Round(time.Millisecond), workflows, events, largest>>10)
}

// A loop of 20,000 iterations, with -short of 2,000, goes on in new workflows, so that no history is long, and
// performs each iteration once.
func TestManyIterations(t *testing.T) {
	iterations, least := 20_000, 10
	if testing.Short() {
		iterations, least = 2_000, 3
	}
	p := &echo{}
	s := serve(t, dial(t), id("loop"), p, []string{"loop"}, func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "loop", Kind: "loop", Run: func(c *flow.Context) (string, error) {
			return steps.Loop{
				Max: iterations, Goal: "its end",
				Body: func(c *flow.Context, i *steps.Iteration) (flow.Result, error) {
					return c.Do(flow.Bash{Script: fmt.Sprint(i.Number)})
				},
				Done: func(text string) bool { return text == fmt.Sprint(iterations) },
			}.Run(c)
		}})
		return nil, flow.Settle(c)
	})
	began := time.Now()
	run := s.begin(s.queue)
	completed(t, run, iterations+1)
	if n := p.performed.Load(); n != int64(iterations) {
		t.Errorf("%d iterations were performed", n)
	}
	workflows, events, largest := s.histories(s.queue)
	if workflows < least {
		t.Errorf("only %d workflows", workflows)
	}
	t.Logf("%d iterations: %s, %d workflows, %d events, largest history %d KiB", iterations, time.Since(began).Round(time.Millisecond), workflows, events, largest>>10)
}

// An output of 50 MB reaches the next step and the end of the run, and no history.
func TestLargeOutput(t *testing.T) {
	const size = 50_000_000
	p := &shell.Performer{}
	s := serve(t, dial(t), id("large"), p, []string{"a", "b"}, func(c *flow.Context) (any, error) {
		a := flow.Spawn(c, flow.Node[string]{Key: "a", Kind: "bash", Run: func(c *flow.Context) (string, error) {
			return flow.TextOf(c.Do(flow.Bash{Script: fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x", size)}))
		}})
		flow.Spawn(c, flow.Node[string]{Key: "b", Kind: "bash", After: flow.After(a), Run: func(c *flow.Context) (string, error) {
			return flow.TextOf(c.Do(flow.Bash{Script: `printf %s "$v" | sha256sum | cut -d ' ' -f 1`, Bindings: []flow.Binding{{Name: "v", Value: a.MustOutput().Text}}}))
		}})
		return nil, flow.Settle(c)
	})
	began := time.Now()
	run := s.begin(s.queue)
	final := completed(t, run, 2)
	want := strings.Repeat("x", size)
	if final.Steps[0].Text != want || final.Steps[1].Text != fmt.Sprintf("%x", sha256.Sum256([]byte(want))) {
		t.Errorf("%d bytes came back, and the next step read %s", len(final.Steps[0].Text), final.Steps[1].Text)
	}
	workflows, _, largest := s.histories(s.queue)
	if largest > 1<<20 {
		t.Errorf("a history has %d bytes", largest)
	}
	t.Logf("50 MB: %s, %d workflows, largest history %d KiB", time.Since(began).Round(time.Millisecond), workflows, largest>>10)
}

// 1,000 runs on 50 task queues all complete, and no queue waits for the others: when half of
// the runs have ended, some of each queue have.
func TestManyRuns(t *testing.T) {
	const queues, each = 50, 20
	c := dial(t)
	name := id("runs")
	var sites []*site
	p := &echo{}
	for q := range queues {
		sites = append(sites, serve(t, c, fmt.Sprint(name, "-", q), p, []string{"a", "b", "c"}, func(c *flow.Context) (any, error) {
			bash(c, "c", bash(c, "b", bash(c, "a")))
			return nil, flow.Settle(c)
		}))
	}
	began := time.Now()
	var mu sync.Mutex
	var ended []int // queues, in the order in which runs ended
	var wait sync.WaitGroup
	for i := range each {
		for q, s := range sites {
			run := s.begin(fmt.Sprint(s.queue, "-", i))
			wait.Go(func() {
				if err := run.Get(context.Background(), nil); err != nil {
					t.Errorf("%s: %v", run.GetID(), err)
				}
				mu.Lock()
				defer mu.Unlock()
				ended = append(ended, q)
			})
		}
	}
	wait.Wait()
	for q := range queues {
		if !slices.Contains(ended[:queues*each/2], q) {
			t.Errorf("no run of queue %d was in the first half", q)
		}
	}
	if n := p.performed.Load(); n != 3*queues*each {
		t.Errorf("%d actions were performed", n)
	}
	t.Logf("1,000 runs of three steps on 50 queues: %s", time.Since(began).Round(time.Millisecond))
}
