package database

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/wfc-lang/wfc/internal/shared/tuning"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
)

// Group commit.
//
// A commit that is safe against power loss waits for the disk, and the disk
// takes about as long for many changes as for one. So one goroutine writes: while it
// waits for the disk, requests gather, and all of them go into the next transaction. A
// single writer loses nothing by this; a hundred share one wait.
//
// Requests that share a transaction must not share their faults. A request reports faults
// that it can see (no such run, already answered) before it writes anything, and the
// others continue. If the database itself fails, the committer rolls the transaction back
// and retries every request by itself, so that only those that cannot be written fail. A
// transaction that could not even begin says nothing about the requests: then all fail.

// request is one change that somebody waits for.
type request struct {
	ctx  context.Context
	run  string // that it updates, or ""
	do   change
	done chan error
}

// prepareConnection has the committer open its connection now, beside the work that precedes the
// first change. If it fails, the first change tries again and reports why.
func (c *committer) prepareConnection() {
	c.prepared.Do(func() {
		c.mu.RLock()
		defer c.mu.RUnlock()
		if c.closed {
			return
		}
		select {
		case c.requests <- nil:
		default: // it has more than enough to do
		}
	})
}

// change is a change within a transaction. Errors of newRefusal have written
// nothing.
type change func(w *writer) error

// refusal is an error of a change that wrote nothing.
type refusal struct{ error }

func (r refusal) Unwrap() error { return r.error }

func newRefusal(format string, args ...any) error { return refusal{fmt.Errorf(format, args...)} }

// most is how many requests share a transaction.
const most = 256

// committer owns the goroutine that writes.
type committer struct {
	cfg      Config
	requests chan *request
	wait     sync.WaitGroup

	prepared sync.Once
	// crowded is what Connection.Crowded reported last.
	crowded atomic.Bool

	mu     sync.RWMutex
	closed bool
	err    error // of closing
}

var errClosed = errors.New("it is closed")

func newCommitter(cfg Config) *committer {
	c := &committer{cfg: cfg, requests: make(chan *request, most)}
	c.wait.Go(c.processRequests)
	return c
}

// writeChange hands a change to the committer and waits until it is on disk. run is the run that
// the change updates, or "". The end of ctx counts until a transaction includes the change;
// from then on the caller must learn the result, unless ctx ended because the lease on the run
// is lost: then the next holder sees it.
func (c *committer) writeChange(ctx context.Context, run string, do change) error {
	r := &request{ctx: ctx, run: run, do: do, done: make(chan error, 1)}
	if err := r.abandonError(); err != nil {
		return err
	}
	err := c.sendRequest(r)
	if err == nil {
		err = r.waitForResult()
	}
	var no refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &no):
		return no.error
	}
	return fmt.Errorf("write to the store %s: %w", c.cfg.Name, c.cfg.Explain(err))
}

// waitForResult waits for the end of a request.
func (r *request) waitForResult() error {
	select {
	case err := <-r.done:
		return err
	case <-r.ctx.Done():
	}
	if r.leaseLost() {
		return refusal{r.abandonError()}
	}
	return <-r.done
}

// abandonError is the reason for which a request is not to be taken up any more, or nil.
func (r *request) abandonError() error {
	if r.leaseLost() {
		return runstore.ErrLost
	}
	return r.ctx.Err()
}

// leaseLost reports whether nobody needs the outcome of a request any more.
func (r *request) leaseLost() bool {
	return errors.Is(context.Cause(r.ctx), runstore.ErrLost)
}

func (c *committer) sendRequest(r *request) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return errClosed
	}
	select {
	case c.requests <- r:
		return nil
	case <-r.ctx.Done():
		return refusal{r.abandonError()}
	}
}

// close writes the sent changes and ends the goroutine.
func (c *committer) close() error {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		close(c.requests)
	}
	c.mu.Unlock()
	c.wait.Wait()
	return c.err
}

func (c *committer) processRequests() {
	tuning.ReserveStack()
	var w *writer
	group := make([]*request, 0, most)
	for first := range c.requests {
		if w == nil {
			// Programs that only read never come here.
			var err error
			if w, err = newWriter(c.cfg); err != nil {
				w = nil
				if first != nil {
					failRequests(c.gatherRequests(append(group[:0], first)), err)
				}
				continue
			}
		}
		if first != nil {
			w.writeGroup(c.gatherRequests(append(group[:0], first)))
			c.crowded.Store(w.conn.Crowded())
		}
	}
	if w != nil {
		c.err = w.conn.Close()
	}
	c.err = errors.Join(c.err, c.cfg.Close())
}

// gatherRequests adds the requests that wait already. The writers that the last transaction woke
// are about to send their next: gather lets them run first, which costs nothing if there
// are none.
func (c *committer) gatherRequests(group []*request) []*request {
	yielded := false
	for len(group) < most {
		select {
		case r, ok := <-c.requests:
			if !ok {
				return group
			}
			if r != nil {
				group = append(group, r)
			}
		default:
			if yielded {
				return group
			}
			yielded = true
			runtime.Gosched()
		}
	}
	return group
}

func failRequests(group []*request, err error) {
	for _, r := range group {
		r.done <- err
	}
}

// writeGroup writes a group of requests and sends each its result.
func (w *writer) writeGroup(group []*request) {
	results := make([]error, len(group))
	ctx, cancel := groupContext(group)
	defer cancel()
	begun, err := w.conn.Transact(ctx, func() error { return w.applyGroup(group, results) })
	switch {
	case err == nil:
		for i, r := range group {
			r.done <- results[i]
		}
	case !begun, len(group) == 1:
		failRequests(group, err)
	default:
		for i := range group {
			w.writeGroup(group[i : i+1])
		}
	}
}

// groupContext returns a context that ends when nobody needs the outcome of any
// request of a group any more.
func groupContext(group []*request) (context.Context, context.CancelFunc) {
	for _, r := range group {
		if r.ctx.Done() == nil {
			return context.Background(), func() {}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var needed atomic.Int64
	needed.Store(int64(len(group)))
	stops := make([]func() bool, len(group))
	for i, r := range group {
		stops[i] = context.AfterFunc(r.ctx, func() {
			if r.leaseLost() && needed.Add(-1) == 0 {
				cancel()
			}
		})
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}

// applyGroup makes the changes of a group. results are the refusals.
func (w *writer) applyGroup(group []*request, results []error) error {
	w.runs = w.runs[:0]
	for _, r := range group {
		if r.run != "" && r.abandonError() == nil {
			w.runs = append(w.runs, r.run)
		}
	}
	if err := w.conn.Expect(w.runs); err != nil {
		return err
	}
	for i, r := range group {
		if err := r.abandonError(); err != nil {
			results[i] = refusal{err}
			continue
		}
		err := r.do(w)
		var no refusal
		if err != nil && !errors.As(err, &no) {
			return err
		}
		results[i] = err
	}
	return nil
}
