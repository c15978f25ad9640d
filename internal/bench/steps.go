//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/state"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// nothing is the payload of steps that do nothing.
type nothing struct{}

// Kind implements flow.Payload.
func (nothing) Kind() string { return "nothing" }

type performer struct{}

// Kind implements engine.Performer.
func (performer) Kind() string { return nothing{}.Kind() }

// Perform implements engine.Performer.
func (performer) Perform(context.Context, *engine.Call) flow.Result {
	return flow.Result{Status: flow.Completed, Text: "done"}
}

// steps measures how many steps a second go through the engine and the store
// when a hundred are in flight: all are inserted with the run, and each is
// committed when it starts and when it ends. In layers, each step waits for three
// of the layer before.
func (b *bench) steps() error {
	e, closeStore, err := b.engine()
	if err != nil {
		return err
	}
	defer closeStore()
	for _, w := range []struct {
		what string
		def  *flow.Definition
	}{
		{"durable no-op steps through Ent: 10,000, 100 in flight", idle(10_000, 10_000)},
		{"durable no-op steps through Ent: 1,000, 100 wide", idle(1_000, inFlight)},
	} {
		var taken series
		for range min(b.rounds, 5) {
			began := time.Now()
			result, err := e.Run(context.Background(), w.def, nil, local.Options{WorkDir: b.dir})
			if err != nil {
				return err
			}
			if result.Status != flow.Completed {
				return fmt.Errorf("the run is %s: %s", result.Status, result.Error)
			}
			taken = append(taken, sample{wall: time.Since(began)})
		}
		rate := func(d time.Duration) float64 { return float64(len(w.def.Nodes)) / d.Seconds() }
		b.table.add(row{w.what, "10,000/s", "20,000/s",
			fmt.Sprintf("%.0f/s (best %.0f/s)", rate(taken.median()), rate(taken.least())), "recorded: trial 15,000/s, raw SQL 39,000/s"})
	}
	return nil
}

// inFlight is how many of the steps are performed at once.
const inFlight = 100

// engine returns an engine that keeps its runs on disk.
func (b *bench) engine() (e *local.Engine, closeStore func() error, err error) {
	folder := state.Folder{Path: filepath.Join(b.dir, "steps")}
	store, err := entstore.OpenState(context.Background(), folder)
	if err != nil {
		return nil, nil, err
	}
	e, err = local.New(local.Config{Store: store, State: folder, Performers: []engine.Performer{performer{}}, MaxParallel: inFlight})
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return e, store.Close, nil
}

// idle is a workflow of steps that do nothing, in layers of a width. Each needs
// three of the layer before.
func idle(count, width int) *flow.Definition {
	def := &flow.Definition{Name: "steps", Fingerprint: "steps"}
	for i := range count {
		info := flow.NodeInfo{Key: fmt.Sprintf("n%d", i), Kind: nothing{}.Kind()}
		for _, j := range needs(i, width) {
			info.After = append(info.After, def.Nodes[j].Key)
		}
		def.Nodes = append(def.Nodes, info)
	}
	def.Flow = func(c *flow.Context) (any, error) {
		tasks := make([]*flow.Task[string], count)
		for i, info := range def.Nodes {
			n := flow.Node[string]{Key: info.Key, Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(nothing{})
				return r.Text, err
			}}
			for _, j := range needs(i, width) {
				n.After = append(n.After, tasks[j])
			}
			tasks[i] = flow.Spawn(c, n)
		}
		return nil, flow.Settle(c)
	}
	return def
}

// needs are the steps of the layer before that a step waits for.
func needs(step, width int) (list []int) {
	layer := step / width
	for k := range 3 {
		if layer > 0 {
			list = append(list, (layer-1)*width+(step+k)%width)
		}
	}
	return list
}
