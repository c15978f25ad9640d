package large

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Fill adds the records of n ended runs of a workflow to a store, a minute apart, the last
// of them an hour ago. Every tenth has failed. The runs have no folders.
func Fill(ctx context.Context, s store.Store, n int, workflow string) error {
	const writers = 100 // which share transactions
	now := time.Now().Truncate(time.Second)
	errs := make(chan error, writers)
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for i := w; i < n; i += writers {
				created := now.Add(-time.Hour - time.Duration(n-i)*time.Minute)
				if err := s.CreateRun(ctx, endedRun(fmt.Sprintf("%s-%06d", workflow, i), workflow, created, i%10 == 0), stepRecords(created)); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wait.Wait()
	close(errs)
	return <-errs
}

func endedRun(id, workflow string, created time.Time, failed bool) store.Run {
	r := store.Run{
		RunInfo: flow.RunInfo{ID: id, Workflow: workflow, Fingerprint: workflow, Inputs: json.RawMessage(`{"issue":"A short text about a mistake"}`)},
		Status:  flow.Completed, Outputs: json.RawMessage(`{"result":"done"}`), Summary: "done", Settings: json.RawMessage(`{}`),
		Processes: 1, Created: created, Started: created, Finished: created.Add(time.Minute), Updated: created.Add(time.Minute),
	}
	if failed {
		r.Status, r.Error, r.Outputs, r.Summary = flow.Failed, "node 'n2' failed: exit status 1", nil, ""
	}
	return r
}

// stepRecords are the steps of a small run.
func stepRecords(created time.Time) []flow.Record {
	list := make([]flow.Record, 5)
	for i := range list {
		list[i] = flow.Record{Key: fmt.Sprintf("n%d", i), Kind: "text", Status: flow.Completed, Text: "done", Attempt: 1, Started: created, Finished: created.Add(time.Second)}
	}
	return list
}
