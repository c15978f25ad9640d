package postgres_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
)

// The processes of a database share the places of an agent, first come first served. Those of a
// process that is not heard of for long are free.
func TestPlaces(t *testing.T) {
	url := schema(t)
	stores := []*postgres.Store{openStore(t, url, long), openStore(t, url, long)}
	dead, err := stores[0].Take(t.Context(), "claude/x", 1, func() { t.Error("waits") })
	if err != nil {
		t.Fatal(err)
	}
	defer dead()
	var order []int
	got := make(chan int)
	queues := stores
	for i := range 6 {
		waits := make(chan bool)
		go func() {
			leave, err := queues[i%2].Take(context.Background(), "claude/x", 1, func() { close(waits) })
			if err != nil {
				t.Error(err)
			}
			got <- i
			leave()
		}()
		<-waits
	}
	expire(t, url, "/place/claude%2Fx/00000000000000000001")
	for range 6 {
		order = append(order, <-got)
	}
	if !slices.IsSorted(order) {
		t.Errorf("%v", order)
	}
	ctx, cancel := context.WithCancel(t.Context())
	held, err := queues[0].Take(ctx, "codex", 1, func() {})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := queues[1].Take(ctx, "codex", 1, cancel); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	held()
}

// The waits of several machines for the same reset end one after another.
func TestPlacesDelay(t *testing.T) {
	url := schema(t)
	queues := []*postgres.Store{openStore(t, url, long), openStore(t, url, long)}
	reset := time.Now().Add(time.Hour)
	for i := range 5 {
		if d := queues[i%2].Delay(t.Context(), "claude", reset).Round(10 * time.Millisecond); d != time.Duration(i+1)*time.Second {
			t.Errorf("wait %d: %v", i, d)
		}
	}
	closed := openStore(t, url, long)
	closed.Close()
	if d := closed.Delay(t.Context(), "claude", reset); d != time.Second {
		t.Errorf("%v", d)
	}
	if _, err := closed.Take(t.Context(), "claude", 1, func() {}); err == nil || !strings.HasPrefix(err.Error(), "the places of agent `claude` in the store postgres://") {
		t.Errorf("%v", err)
	}
}
