package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store/entstore/postgres"
)

// The server crashes while many commit: each commit is made once, and nobody is
// told anything else.
func TestRestart(t *testing.T) {
	url := schema(t)
	s := openStore(t, url, postgres.Options{})
	create(t, s, "run")
	const writers, restarts = 8, 3
	var acknowledged atomic.Int64
	stop := make(chan struct{})
	counts := make([]int, writers)
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				key := fmt.Sprintf("%d.%d", w, n)
				err := s.Commit(context.Background(), "run", flow.Batch{
					Steps: []flow.Record{completed(key)}, Events: []flow.Event{{Type: "e", Key: key}},
				})
				if err != nil {
					t.Errorf("commit: %v", err)
					return
				}
				counts[w]++
				acknowledged.Add(1)
			}
		})
	}
	for range restarts {
		for before := acknowledged.Load(); acknowledged.Load() < before+100 && !t.Failed(); {
			_, _ = s.Generation(t.Context()) // so that others come to work
		}
		server.Kill()
		if err := server.Run(); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	wait.Wait()
	// Connections that were lost in between are found out one by one.
	var events []flow.Event
	for i := range 10 {
		var err error
		if events, _, err = s.Events(t.Context(), "run", 0); err == nil {
			break
		} else if i == 9 {
			t.Fatal(err)
		}
	}
	seen := map[string]int{}
	for _, e := range events {
		seen[e.Key]++
	}
	want := 0
	for w, n := range counts {
		want += n
		for i := range n {
			if key := fmt.Sprintf("%d.%d", w, i); seen[key] != 1 {
				t.Errorf("commit %s was made %d times", key, seen[key])
			}
		}
	}
	if len(events) != want || want < 100*restarts {
		t.Errorf("%d commits were acknowledged, and there are %d", want, len(events))
	}
}
