//go:build unix

package main

import (
	"context"
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
// committed when it starts and when it ends.
func (b *bench) steps() error {
	const count, inFlight = 10_000, 100
	folder := state.Folder{Path: filepath.Join(b.dir, "steps")}
	ctx := context.Background()
	store, err := entstore.OpenState(ctx, folder)
	if err != nil {
		return err
	}
	defer store.Close()
	e, err := local.New(local.Config{Store: store, State: folder, Performers: []engine.Performer{performer{}}, MaxParallel: inFlight})
	if err != nil {
		return err
	}
	var taken series
	for range min(b.rounds, 5) {
		began := time.Now()
		result, err := e.Run(ctx, independent(count), nil, local.Options{WorkDir: b.dir})
		if err != nil {
			return err
		}
		if result.Status != flow.Completed {
			return fmt.Errorf("the run is %s: %s", result.Status, result.Error)
		}
		taken = append(taken, sample{wall: time.Since(began)})
	}
	rate := func(d time.Duration) float64 { return count / d.Seconds() }
	b.table.add(row{"durable no-op steps, 100 in flight, through Ent", "10,000/s", "20,000/s",
		fmt.Sprintf("%.0f/s (best %.0f/s)", rate(taken.median()), rate(taken.least())), "recorded: trial 15,000/s, raw SQL 39,000/s"})
	return nil
}

// independent is a workflow of steps that need nothing.
func independent(count int) *flow.Definition {
	def := &flow.Definition{Name: "steps", Fingerprint: "steps"}
	for i := range count {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: fmt.Sprintf("n%d", i), Kind: nothing{}.Kind()})
	}
	def.Flow = func(c *flow.Context) (any, error) {
		for _, n := range def.Nodes {
			flow.Spawn(c, flow.Node[string]{Key: n.Key, Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(nothing{})
				return r.Text, err
			}})
		}
		return nil, flow.Settle(c)
	}
	return def
}
