package entstore_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// BenchmarkOpen measures what a process pays before it can ask or write
// anything.
func BenchmarkOpen(b *testing.B) {
	b.Run("new", func(b *testing.B) {
		folder := b.TempDir()
		for i := 0; b.Loop(); i++ {
			open(b, filepath.Join(folder, fmt.Sprint(i), "wfc.db")).Close()
		}
	})
	b.Run("existing", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "wfc.db")
		defer open(b, path).Close()
		for b.Loop() {
			open(b, path).Close()
		}
	})
}

// BenchmarkCommit measures how many steps a second become durable when so many
// writers, each with a run of its own, commit one step after the other: a step
// is a start and a completion, each waited for.
func BenchmarkCommit(b *testing.B) {
	for _, writers := range []int{1, 8, 32, 100} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			s := open(b, filepath.Join(b.TempDir(), "wfc.db"))
			defer s.Close()
			for w := range writers {
				createStore(b, s, fmt.Sprintf("bench-%06d", w))
			}
			var next atomic.Int64
			var wait sync.WaitGroup
			b.ResetTimer()
			for w := range writers {
				wait.Go(func() {
					id := fmt.Sprintf("bench-%06d", w)
					for {
						n := next.Add(1)
						if n > int64(b.N) || b.Failed() {
							return
						}
						key := fmt.Sprintf("step#%d", n)
						commit(b, s, id, started(key))
						commit(b, s, id, completed(key))
					}
				})
			}
			wait.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

// BenchmarkChain measures a run of nodes one after the other: every commit
// completes a step and starts the next.
func BenchmarkChain(b *testing.B) {
	s := open(b, filepath.Join(b.TempDir(), "wfc.db"))
	defer s.Close()
	createStore(b, s, "chain-000000")
	for i := 0; b.Loop() && !b.Failed(); i++ {
		commit(b, s, "chain-000000", completed(fmt.Sprintf("step#%d", i)), started(fmt.Sprintf("step#%d", i+1)))
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}

// BenchmarkBatches measures one run with 100 steps in flight: every commit
// completes 100 steps and starts the next 100.
func BenchmarkBatches(b *testing.B) {
	const wide = 100
	s := open(b, filepath.Join(b.TempDir(), "wfc.db"))
	defer s.Close()
	createStore(b, s, "batch-000000")
	for i := 0; b.Loop() && !b.Failed(); i++ {
		var records []flow.Record
		for n := range wide {
			records = append(records, completed(fmt.Sprintf("step%d#%d", n, i)))
		}
		for n := range wide {
			records = append(records, started(fmt.Sprintf("step%d#%d", n, i+1)))
		}
		commit(b, s, "batch-000000", records...)
	}
	b.ReportMetric(float64(wide*b.N)/b.Elapsed().Seconds(), "steps/s")
}

func open(t testing.TB, path string) store.Store {
	t.Helper()
	s, err := entstore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func createStore(t testing.TB, s store.Store, id string) {
	t.Helper()
	now := time.Now()
	run := store.Run{RunInfo: flow.RunInfo{ID: id, Workflow: "bench"}, Status: flow.Pending, Created: now, Updated: now}
	if err := s.CreateRun(t.Context(), run, nil); err != nil {
		t.Fatal(err)
	}
}

func commit(t testing.TB, s store.Store, id string, records ...flow.Record) {
	b := flow.Batch{Steps: records}
	for _, r := range records {
		b.Events = append(b.Events, flow.Event{Time: time.Now(), Type: "step_" + string(r.Status), Key: r.Key})
	}
	if err := s.Commit(context.Background(), id, b); err != nil {
		t.Error(err)
	}
}

func started(key string) flow.Record {
	return flow.Record{Key: key, Kind: "bash", Status: flow.Running, Attempt: 1, Started: time.Now()}
}

func completed(key string) flow.Record {
	return flow.Record{Key: key, Kind: "bash", Status: flow.Completed, Attempt: 1, Text: "ok", Started: time.Now(), Finished: time.Now()}
}
