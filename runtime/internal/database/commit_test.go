package database

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// TestGroupFaults writes a group in which some cannot be written: the others
// are, and each learns its own fate.
func TestGroupFaults(t *testing.T) {
	ctx := t.Context()
	s := newStore(t)
	if err := s.CreateRun(ctx, store.Run{RunInfo: flow.RunInfo{ID: "run"}}, nil); err != nil {
		t.Fatal(err)
	}
	gone, leave := context.WithCancel(ctx)
	leave()
	step := func(ctx context.Context, run, key string, cost float64) *request {
		records := []flow.Record{{Key: key + " before"}, {Key: key, Meta: flow.Meta{CostUSD: cost}}}
		return &request{ctx: ctx, run: run, do: batchChange(run, flow.Batch{Steps: records}, time.Now()), done: make(chan error, 1)}
	}
	group := []*request{
		step(ctx, "run", "a", 0),
		step(ctx, "nobody", "b", 0),
		step(ctx, "run", "c", math.NaN()), // JSON has no such number
		step(gone, "run", "d", 0),
		step(ctx, "run", "e", 1),
	}
	w, err := newWriter(s.cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer w.conn.Close()
	w.writeGroup(group)
	if all := (*w.conn.(plain).expected)[0]; !slices.Equal(all, []string{"run", "nobody", "run", "run"}) {
		t.Errorf("the transaction of all expects %q", all)
	}

	for i, check := range []func(error) bool{
		func(err error) bool { return err == nil },
		func(err error) bool { return errors.Is(err, store.ErrNotFound) },
		func(err error) bool {
			return err != nil && strings.Contains(err.Error(), "step c of run run: its meta data")
		},
		func(err error) bool { return errors.Is(err, context.Canceled) },
		func(err error) bool { return err == nil },
	} {
		if err := <-group[i].done; !check(err) {
			t.Errorf("request %d got %v", i, err)
		}
	}
	steps, err := s.Steps(ctx, "run")
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, r := range steps {
		keys = append(keys, r.Key)
	}
	if got := strings.Join(keys, ", "); got != "a before, a, e before, e" {
		t.Errorf("the steps are %s", got)
	}
}
