package local_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// gauge counts how many steps are performed at once.
type gauge struct {
	now, most, done atomic.Int64
	// some gets a token now and then.
	some chan struct{}
	// takes is how long a step takes.
	takes time.Duration
}

func (*gauge) Kind() string { return "bash" }

func (g *gauge) Perform(_ context.Context, call *engine.Attempt) flow.Result {
	now := g.now.Add(1)
	for most := g.most.Load(); now > most && !g.most.CompareAndSwap(most, now); most = g.most.Load() {
	}
	if g.done.Add(1)%250 == 0 {
		select {
		case g.some <- struct{}{}:
		default:
		}
	}
	time.Sleep(g.takes)
	defer g.now.Add(-1)
	return completed("ran " + call.Action.Key)
}

// wide is a workflow of a step, a layer of n, and one behind all of them.
func wide(n int) *flow.Definition {
	steps := []step{{key: "begin"}}
	last := step{key: "end"}
	for i := range n {
		key := fmt.Sprintf("s%d", i)
		steps = append(steps, step{key: key, after: []string{"begin"}})
		last.after = append(last.after, key)
	}
	return define("wide", append(steps, last)...)
}

// Runs with a layer of 1,000 steps each, and people who look at them meanwhile:
// for the race detector. No more is performed at once than the engine is allowed,
// by all runs together.
func TestWideLayers(t *testing.T) {
	const width, limit = 1000, 8
	runs := 3
	if testing.Short() {
		runs = 1
	}
	w, g := newWorld(t), &gauge{some: make(chan struct{}, 1)}
	e := w.engine(t, func(c *local.Config) { c.Performers, c.MaxParallel = []engine.Performer{g}, limit })
	def := wide(width)
	var ids []string
	for range runs {
		id, err := e.RunAsync(t.Context(), def, nil, w.options())
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	stop, looked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looked)
		for {
			select {
			case <-stop:
				return
			case <-g.some:
				lookAtAll(t, e, ids)
			}
		}
	}()
	for _, id := range ids {
		status, err := e.Wait(t.Context(), id)
		if err != nil || status.Status != flow.Completed {
			t.Errorf("%+v, %v", status, err)
			continue
		}
		for i, s := range status.Steps {
			if s.Key != def.Nodes[i].Key || s.Status != flow.Completed || s.Text != "ran "+s.Key {
				t.Errorf("step %d is %+v, want %s", i, s, def.Nodes[i].Key)
			}
		}
	}
	close(stop)
	<-looked
	if n := g.done.Load(); n != int64(runs*(width+2)) {
		t.Errorf("%d steps were performed", n)
	}
	if most := g.most.Load(); most > limit {
		t.Errorf("%d steps were performed at once, %d are allowed", most, limit)
	}
}

func lookAtAll(t *testing.T, e *local.Engine, ids []string) {
	if _, err := e.ListRuns(context.Background(), store.Filter{}); err != nil {
		t.Error(err)
	}
	for _, id := range ids {
		if _, err := e.Status(context.Background(), id); err != nil {
			t.Error(err)
		}
	}
}

// The runs of a workflow that has a limit of its own are held to it, unless the
// engine was given one.
func TestWorkflowsConcurrency(t *testing.T) {
	for _, tt := range []struct{ engine, workflow, most int64 }{{0, 4, 4}, {0, 1, 1}, {6, 4, 6}, {2, 4, 2}} {
		t.Run(fmt.Sprintf("%d by the engine, %d by the workflow", tt.engine, tt.workflow), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // time passes when all that can start has started
				w, g := newWorld(t), &gauge{takes: time.Second}
				e := w.engine(t, func(c *local.Config) { c.Performers, c.MaxParallel = []engine.Performer{g}, int(tt.engine) })
				def := wide(12)
				def.Concurrency = int(tt.workflow)
				must(t, flow.Completed)(e.Run(t.Context(), def, nil, w.options()))
				if most := g.most.Load(); most != tt.most {
					t.Errorf("%d steps were performed at once, want %d", most, tt.most)
				}
			})
		})
	}
}
