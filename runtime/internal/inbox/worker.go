package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/runstore"
)

// A Worker handles the queued deliveries of a workflow, the oldest first. One process at a time
// may have a worker for a queue.
type Worker struct {
	Queue *Queue
	// Most is how many deliveries that start runs are handled at the same time.
	Most int
	// Handle acts on a delivery and returns when that is done: the run has ended or paused. It
	// is called on a separate goroutine. An error that is a *Later lets the worker try again;
	// with ErrLeft, the delivery stays in the queue for the next process. Any other error is
	// final.
	Handle func(ctx context.Context, item Item) error

	mu      sync.Mutex
	running map[int64]bool // whether they start runs
	wake    chan struct{}
	items   sync.WaitGroup
}

// ErrLeft says that a delivery stays in the queue, because the process stops.
var ErrLeft = errors.New("the process stops")

// A Later says that a delivery cannot be handled yet.
type Later struct {
	// Reason is why, and After the time until the next attempt; 0 is a time that grows with
	// the attempts.
	Reason error
	After  time.Duration
	// Patient doesn't count the attempt.
	Patient bool
}

func (e *Later) Error() string { return e.Reason.Error() }

func (e *Later) Unwrap() error { return e.Reason }

const (
	// nap is the longest time between two looks at the queue.
	nap = 5 * time.Second
	// claim is how long a delivery counts as handled by this process. The worker itself doesn't
	// look at it again before it has settled it.
	claim = time.Hour
	// A delivery is tried this often, and for this long.
	mostAttempts = 12
	mostTime     = time.Hour
	shortestWait = 2 * time.Second
	longestWait  = 10 * time.Minute
)

// Wake lets the worker look at the queue at once.
func (w *Worker) Wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wake == nil {
		w.wake = make(chan struct{}, 1)
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Run handles deliveries until ctx ends, and returns when all that it began are handled or
// left. Handle gets work, which should outlive ctx: its end stops what is at work.
func (w *Worker) Run(ctx, work context.Context) {
	w.Wake() // also makes the channel
	w.running = map[int64]bool{}
	w.takeBack(ctx)
	defer w.items.Wait()
	for ctx.Err() == nil {
		select {
		case <-time.After(w.startDue(ctx, work)):
		case <-w.wake:
		case <-ctx.Done():
		}
	}
}

// takeBack makes all deliveries due, also those that the process before has claimed and not settled.
func (w *Worker) takeBack(ctx context.Context) {
	list, err := w.Queue.Box.Messages(ctx, w.filter())
	now := time.Now()
	for _, m := range list {
		if m.Due.After(now) {
			m.Due = now
			err = errors.Join(err, w.Queue.Box.SettleMessage(ctx, m, now))
		}
	}
	if err != nil {
		w.Queue.Log.Error("the queue of deliveries cannot be read", "error", err)
	}
}

func (w *Worker) filter() runstore.MessageFilter {
	return runstore.MessageFilter{Box: runstore.BoxTrigger, State: runstore.MessageQueued, Workflows: []string{w.Queue.Definition.Name}}
}

// startDue starts to handle deliveries that are due, and returns the time until the next look.
func (w *Worker) startDue(ctx, work context.Context) time.Duration {
	list, err := w.Queue.Box.Messages(ctx, w.filter())
	if err != nil {
		if ctx.Err() == nil {
			w.Queue.Log.Error("the queue of deliveries cannot be read", "error", err)
		}
		return nap
	}
	now, next := time.Now(), nap
	for _, m := range list {
		w.mu.Lock()
		_, busy := w.running[m.ID]
		starts := 0
		for _, run := range w.running {
			if run {
				starts++
			}
		}
		w.mu.Unlock()
		switch left := m.Due.Sub(now); {
		case busy:
			continue
		case left > 0:
			next = min(next, left)
			continue
		case m.RunID != "" && starts >= max(w.Most, 1):
			continue // the end of one wakes this
		}
		claimed, err := w.Queue.Box.ClaimMessage(ctx, m, now, now.Add(claim))
		if err != nil || !claimed {
			continue
		}
		m.Attempts++
		w.mu.Lock()
		w.running[m.ID] = m.RunID != ""
		w.mu.Unlock()
		w.items.Go(func() {
			w.handle(work, m)
			w.mu.Lock()
			delete(w.running, m.ID)
			w.mu.Unlock()
			w.Wake()
		})
	}
	return max(next, 10*time.Millisecond)
}

// handle acts on a delivery and records what became of it.
func (w *Worker) handle(ctx context.Context, m runstore.Message) {
	item := Item{RunID: m.RunID}
	err := json.Unmarshal(m.Body, &item)
	if err == nil {
		err = w.Handle(ctx, item)
	} else {
		err = fmt.Errorf("the delivery cannot be read: %w", err)
	}
	log := w.Queue.Log.With("trigger", m.Target, "delivery", item.ID)
	var later *Later
	switch {
	case errors.Is(err, ErrLeft):
		return
	case err == nil:
		m.State, m.Problem = runstore.MessageDone, ""
	case errors.As(err, &later) && (later.Patient || m.Attempts < mostAttempts || time.Since(m.Created) < mostTime):
		wait := later.After
		if wait == 0 {
			wait = min(shortestWait<<min(m.Attempts, 20), longestWait)
		}
		m.State, m.Problem, m.Due = runstore.MessageQueued, err.Error(), time.Now().Add(wait)
		log.Warn("not handled yet", "problem", err, "again", m.Due.Format(time.TimeOnly))
	default:
		m.State, m.Problem = runstore.MessageFailed, err.Error()
		log.Error("not handled", "problem", err)
	}
	// The work is done: its record must not be lost because the process stops.
	if err := w.Queue.Box.SettleMessage(context.WithoutCancel(ctx), m, time.Now()); err != nil {
		log.Error("the delivery stays in the queue", "error", err)
	}
}

// Left returns the deliveries that are still queued.
func (w *Worker) Left(ctx context.Context) ([]Item, error) {
	list, err := w.Queue.Box.Messages(ctx, w.filter())
	if err != nil {
		return nil, err
	}
	items := make([]Item, len(list))
	for i, m := range list {
		_ = json.Unmarshal(m.Body, &items[i]) // one that cannot be read has no details
		items[i].RunID, items[i].Trigger = m.RunID, m.Target
	}
	return items, nil
}
