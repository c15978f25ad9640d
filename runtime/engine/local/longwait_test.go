package local_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A readsStore counts how often a store is asked for its version, and for anything of a run.
type readsStore struct {
	store.Store
	versions, reads, commits atomic.Int64
}

func (s *readsStore) Generation(ctx context.Context) (int64, error) {
	s.versions.Add(1)
	return s.Store.Generation(ctx)
}

func (s *readsStore) Run(ctx context.Context, id string) (store.Run, error) {
	s.reads.Add(1)
	return s.Store.Run(ctx, id)
}

func (s *readsStore) Answers(ctx context.Context, id string) ([]store.Answer, error) {
	s.reads.Add(1)
	return s.Store.Answers(ctx, id)
}

func (s *readsStore) Commit(ctx context.Context, id string, b flow.Batch) error {
	s.commits.Add(1)
	return s.Store.Commit(ctx, id, b)
}

// A process that waits for 30 days asks the store for its version once in each interval, and
// reads and writes no more than one that waits for an hour.
func TestLongWait(t *testing.T) {
	const poll = 10 * time.Minute
	wait := func(t *testing.T, length time.Duration) *readsStore {
		s := &readsStore{}
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			s.Store = w.store
			e := w.engine(t, func(c *local.Config) { c.Store, c.MaxWait, c.Poll = s, 2*length, poll })
			def := &flow.Definition{Name: "soak", Fingerprint: "f1", Nodes: []flow.NodeInfo{{Key: "soak", Kind: "wait"}}, Returns: "soak"}
			def.Flow = func(c *flow.Context) (any, error) {
				flow.RunNext(c, flow.Node[string]{Key: "soak", Kind: "wait", Run: steps.Wait{For: length}.Run})
				return nil, flow.Settle(c)
			}
			began := time.Now()
			r := must(t, flow.Completed)(e.Run(t.Context(), def, nil, w.options()))
			if took := time.Since(began); took < length || took > length+time.Second {
				t.Errorf("the run took %v, want %v", took, length)
			}
			if text := w.steps(t, r.ID)["soak"].Text; !strings.Contains(text, `"satisfied"`) {
				t.Errorf("the wait ended with %s", text)
			}
		})
		return s
	}
	hour, month := wait(t, time.Hour), wait(t, 30*24*time.Hour)
	if looks, most := month.versions.Load(), int64(30*24*time.Hour/poll)+5; looks > most {
		t.Errorf("a wait of 30 days asks for the version %d times, want at most %d", looks, most)
	}
	if few, many := hour.reads.Load(), month.reads.Load(); many > few {
		t.Errorf("a wait of 30 days reads %d times, one of an hour %d times", many, few)
	}
	if few, many := hour.commits.Load(), month.commits.Load(); many != few {
		t.Errorf("a wait of 30 days commits %d times, one of an hour %d times", many, few)
	}
}
