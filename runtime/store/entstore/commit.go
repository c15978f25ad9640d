package entstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"entgo.io/ent/dialect/sql"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent/run"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent/step"
)

// Group commit.
//
// A commit that is safe against power loss waits for the disk, and the disk
// takes about as long for many changes as for one. So one goroutine writes:
// while it waits for the disk, requests gather, and all that have come go into
// the next transaction together, their steps in one bulk insert. A single
// writer loses nothing by this; a hundred share one wait.
//
// Requests that share a transaction must not share their faults. What a request
// finds wrong by reading (no such run, answered already) it reports before it
// writes anything, and the others go on. When the database itself fails, the
// transaction is undone and every request is tried once more by itself, so that
// only those that cannot be written fail.

// request is one change that somebody waits for.
type request struct {
	ctx  context.Context
	do   change
	done chan error
}

// change is a change within a transaction. Errors wrapped by refused have
// written nothing.
type change interface {
	apply(ctx context.Context, tx *ent.Tx, all *steps) error
}

// refusal is an error of a change that wrote nothing.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

func refused(format string, args ...any) error { return refusal{fmt.Errorf(format, args...)} }

// most is how many requests share a transaction.
const most = 256

type committer struct {
	store    *Store
	requests chan *request
	wait     sync.WaitGroup

	mu     sync.RWMutex
	closed bool
}

var errClosed = errors.New("the store is closed")

func newCommitter(s *Store) *committer {
	c := &committer{store: s, requests: make(chan *request, most)}
	c.wait.Go(c.work)
	return c
}

// write hands a change to the committer and waits until it is on disk. Once it
// is handed over the end of ctx no longer matters: the caller must learn what
// became of it.
func (s *Store) write(ctx context.Context, do change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r := &request{ctx: context.WithoutCancel(ctx), do: do, done: make(chan error, 1)}
	if !s.commit.send(r) {
		return fmt.Errorf("the store %s: %w", s.path, errClosed)
	}
	err := <-r.done
	var no refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &no):
		return no.error
	}
	return fmt.Errorf("write to the store %s: %w", s.path, explain(err))
}

func (c *committer) send(r *request) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if !c.closed {
		c.requests <- r
	}
	return !c.closed
}

func (c *committer) close() {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		close(c.requests)
	}
	c.mu.Unlock()
	c.wait.Wait()
}

func (c *committer) work() {
	group := make([]*request, 0, most)
	for first := range c.requests {
		group = append(group[:0], first)
	gather:
		for len(group) < most {
			select {
			case r, ok := <-c.requests:
				if !ok {
					break gather
				}
				group = append(group, r)
			default:
				break gather
			}
		}
		c.commit(group)
	}
}

// commit writes a group of requests and tells each what became of it.
func (c *committer) commit(group []*request) {
	results, err := c.transaction(group)
	if err == nil {
		for i, r := range group {
			r.done <- results[i]
		}
		return
	}
	if len(group) == 1 {
		group[0].done <- err
		return
	}
	for _, r := range group {
		c.commit([]*request{r})
	}
}

// transaction writes a group in one transaction. results are the refusals; err
// says that nothing was written.
func (c *committer) transaction(group []*request) (results []error, err error) {
	ctx := group[0].ctx
	tx, err := c.store.writer.Tx(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = tx.Rollback() // the first error is the one that tells
		}
	}()
	results = make([]error, len(group))
	all := &steps{index: map[stepID]int{}}
	for i, r := range group {
		err := r.do.apply(r.ctx, tx, all)
		var no refusal
		if err != nil && !errors.As(err, &no) {
			return nil, err
		}
		results[i] = err
	}
	if err := all.write(ctx, tx); err != nil {
		return nil, err
	}
	return results, tx.Commit()
}

// steps gathers the step changes of a transaction: of several states of one
// step the last counts.
type steps struct {
	index map[stepID]int
	list  []stepChange
}

type stepID struct{ run, key string }

type stepChange struct {
	run    string
	record *flow.Record
}

func (s *steps) add(run string, records []flow.Record) {
	for i := range records {
		id := stepID{run, records[i].Key}
		if at, known := s.index[id]; known {
			s.list[at].record = &records[i]
			continue
		}
		s.index[id] = len(s.list)
		s.list = append(s.list, stepChange{run, &records[i]})
	}
}

// bulk is how many steps go into one statement: SQLite takes 32,766 variables
// and a step has 14.
const bulk = 1000

// write inserts or replaces the steps. Rows keep the numbers that they got when
// they were inserted, so the order of a run's steps stays.
func (s *steps) write(ctx context.Context, tx *ent.Tx) error {
	for list := s.list; len(list) > 0; list = list[min(bulk, len(list)):] {
		rows := make([]*ent.StepCreate, min(bulk, len(list)))
		for i := range rows {
			row, err := createStep(tx.Step.Create(), list[i].run, list[i].record)
			if err != nil {
				return err
			}
			rows[i] = row
		}
		err := tx.Step.CreateBulk(rows...).OnConflict(sql.ConflictColumns(step.FieldRunID, step.FieldKey), sql.ResolveWithNewValues()).Exec(ctx)
		if err != nil {
			return err
		}
	}
	return nil
}

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, id string, b flow.Batch) error {
	return s.write(ctx, &batchChange{id, b, time.Now()})
}

type batchChange struct {
	id    string
	batch flow.Batch
	now   time.Time
}

func (c *batchChange) apply(ctx context.Context, tx *ent.Tx, all *steps) error {
	u := tx.Run.Update().Where(run.ID(c.id)).SetUpdated(fromTime(c.now))
	if end := c.batch.Run; end != nil {
		finished := time.Time{}
		if end.Status.Ended() {
			finished = c.now
		}
		u.SetStatus(string(end.Status)).SetReason([]byte(end.Reason)).SetError([]byte(end.Error)).
			SetOutputs(end.Outputs).SetSummary([]byte(end.Summary)).SetFinished(fromTime(finished))
	}
	if n, err := u.Save(ctx); err != nil {
		return err
	} else if n == 0 {
		return refused("run %s: %w", c.id, store.ErrNotFound)
	}
	all.add(c.id, c.batch.Steps)
	return insertEvents(ctx, tx, c.id, c.batch.Events)
}

func insertEvents(ctx context.Context, tx *ent.Tx, id string, events []flow.Event) error {
	for list := events; len(list) > 0; list = list[min(bulk, len(list)):] {
		rows := make([]*ent.EventCreate, min(bulk, len(list)))
		for i := range rows {
			e := list[i]
			rows[i] = tx.Event.Create().SetRunID(id).SetTime(fromTime(e.Time)).SetType(e.Type).SetKey(e.Key).SetMessage([]byte(e.Message))
		}
		if err := tx.Event.CreateBulk(rows...).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}
