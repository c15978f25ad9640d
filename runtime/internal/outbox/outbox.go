package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/repeat"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

const (
	// claim is how long a process has a notice for itself, and sending how long it may take
	// to send it, which leaves time to record that.
	claim   = 2 * time.Minute
	sending = time.Minute
	// attempts is how often a notice is tried at most. The waits between are firstWait and
	// then four times the one before, at most longestWait.
	attempts    = 8
	firstWait   = time.Second
	longestWait = time.Hour
)

// An Outbox sends the notices of workflows that a store has. Several processes may have one
// for the same store.
type Outbox struct {
	Store  store.Store
	Box    runstore.Mailbox
	Sender Sender
	// Workflows are the names of the workflows whose notices it sends: those for which it
	// knows the channels.
	Workflows []string
	Quiet     settings.QuietHours
	// Environ has the secrets of channels.
	Environ []string
	// Contain is called before an attempt at a notice.
	Contain Contain
	// Now is the clock.
	Now func() time.Time
}

// A Contain returns a context in which the program of a notice starts, and end, which is called with
// the result of the attempt and returns it. about is the run that the notice is about, or the zero Run.
type Contain func(ctx context.Context, n *Notice, about store.Run) (contained context.Context, end func(error) error)

// New returns the outbox for the notices of workflows and of those that their runs begin. It
// is nil if the store keeps no messages or no sender is among the performers.
func New(s store.Store, performers []engine.Performer, workflows []*flow.Definition, quiet settings.QuietHours, environ []string, contain Contain) *Outbox {
	box, ok := s.(runstore.Mailbox)
	if !ok {
		return nil
	}
	names := []string{} // nil would be all
	for _, def := range flow.Reachable(workflows...) {
		names = append(names, def.Name)
	}
	for _, p := range performers {
		if sender, ok := p.(Sender); ok {
			return &Outbox{Store: s, Box: box, Sender: sender, Workflows: names, Quiet: quiet, Environ: environ, Contain: contain, Now: time.Now}
		}
	}
	return nil
}

// SendDue tries each notice that is due once, those of different targets side by side. It
// returns the time at which the next one is due; the zero time is none.
func (o *Outbox) SendDue(ctx context.Context) (next time.Time, err error) {
	list, err := o.Box.Messages(ctx, runstore.MessageFilter{Box: runstore.BoxNotice, State: runstore.MessageQueued, Workflows: o.Workflows})
	if err != nil {
		return next, err
	}
	var mu sync.Mutex
	note := func(due time.Time, problem error) {
		mu.Lock()
		defer mu.Unlock()
		if !due.IsZero() && (next.IsZero() || due.Before(next)) {
			next = due
		}
		err = errors.Join(err, problem)
	}
	now, byTarget := o.Now(), map[string][]runstore.Message{}
	for _, m := range list {
		if m.Due.After(now) {
			note(m.Due, nil)
			continue
		}
		byTarget[m.Target] = append(byTarget[m.Target], m)
	}
	var wait sync.WaitGroup
	for _, messages := range byTarget {
		wait.Go(func() {
			for _, m := range messages {
				if ctx.Err() != nil {
					return
				}
				note(o.tryMessage(ctx, m))
			}
		})
	}
	wait.Wait()
	return next, err
}

// tryMessage tries a notice that is due, and returns when it is due again, if at all.
func (o *Outbox) tryMessage(ctx context.Context, m runstore.Message) (again time.Time, err error) {
	var n Notice
	broken := json.Unmarshal(m.Body, &n)
	now := o.Now()
	if broken == nil && !n.Urgent {
		if end, err := o.Quiet.EndAfter(now); err != nil || !end.IsZero() {
			return end, err
		}
	}
	until := now.Add(claim)
	claimed, err := o.Box.ClaimMessage(ctx, m, now, until)
	if err != nil || !claimed {
		return time.Time{}, err
	}
	m.Attempts++
	m.State, m.Due, m.Problem = runstore.MessageDone, time.Time{}, ""
	switch needed, err := o.isNeeded(ctx, &n); {
	case broken != nil:
		m.State, m.Problem = runstore.MessageFailed, "its content cannot be read: "+broken.Error()
	case err != nil:
		return until, err
	case needed != "":
		m.Problem = needed
	default:
		limited, cancel := context.WithTimeout(ctx, sending)
		o.judgeAttempt(&m, o.send(limited, &n))
		cancel()
	}
	// A process that is ending still records what it did.
	return m.Due, o.Box.SettleMessage(context.WithoutCancel(ctx), m, o.Now())
}

// send makes an attempt to send a notice.
func (o *Outbox) send(ctx context.Context, n *Notice) error {
	var about store.Run
	if n.Run != "" {
		var err error
		if about, err = o.Store.Run(ctx, n.Run); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	ctx, end := o.Contain(ctx, n, about)
	return end(o.Sender.SendNotice(ctx, n, o.Environ))
}

// judgeAttempt decides whether a notice that was tried is done, tried again or given up.
func (o *Outbox) judgeAttempt(m *runstore.Message, err error) {
	if err == nil {
		return
	}
	m.State, m.Problem = runstore.MessageQueued, err.Error()
	refused, _ := errors.AsType[*RefusedError](err)
	if refused != nil && refused.Final || m.Attempts >= attempts {
		m.State = runstore.MessageFailed
		return
	}
	wait := min(firstWait<<min(2*(m.Attempts-1), 20), longestWait)
	if refused != nil {
		wait = max(wait, min(refused.Wait, longestWait))
	}
	m.Due = o.Now().Add(wait)
}

// isNeeded returns why nobody needs a notice any more, or "".
func (o *Outbox) isNeeded(ctx context.Context, n *Notice) (reason string, err error) {
	if n.Run == "" || n.Key == "" && !n.Escalates {
		return "", nil
	}
	run, err := runstore.Brief(ctx, o.Store, n.Run)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "the run was removed", nil
	case err != nil:
		return "", err
	case n.Key == "" && run.Status != flow.Failed && run.Status != flow.LimitReached:
		return "the run was resumed", nil
	case n.Key == "":
		return "", nil
	case run.Status.Ended():
		return "the run has ended", nil
	case n.Since.IsZero():
		return "", nil // it is about no question
	}
	steps, err := o.Store.Steps(ctx, n.Run)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(steps, func(s flow.Record) bool { return s.Key == n.Key })
	if i < 0 || steps[i].Status != flow.Waiting || !steps[i].Started.Equal(n.Since) {
		return "the wait is over", nil
	}
	answers, err := o.Store.Answers(ctx, n.Run)
	if slices.ContainsFunc(answers, func(a store.Answer) bool { return a.Key == n.Key }) {
		reason = "it was answered"
	}
	return reason, err
}

// patience is how long a process that ends waits to try again a notice that was not sent.
const patience = 2 * time.Second

// SendLast sends the notices that are due now or soon, for a process that ends.
func (o *Outbox) SendLast(ctx context.Context) error {
	last := o.Now().Add(patience)
	for {
		next, err := o.SendDue(ctx)
		if err != nil || next.IsZero() || ctx.Err() != nil || next.After(last) {
			return err
		}
		_ = repeat.Sleep(ctx, next.Sub(o.Now())) // the next look sees the end of ctx
	}
}

// A Courier sends the notices of an outbox while its process lives.
type Courier struct {
	outbox *Outbox
	nudge  chan struct{}
	ctx    context.Context // ends what it sends
	abort  context.CancelFunc
	ending chan struct{}
	ended  chan struct{}
	finish sync.Once
}

// NewCourier starts to send. Call Finish when the process ends.
func NewCourier(o *Outbox) *Courier {
	c := &Courier{outbox: o, nudge: make(chan struct{}, 1), ending: make(chan struct{}), ended: make(chan struct{})}
	c.ctx, c.abort = context.WithCancel(context.Background())
	go c.run()
	return c
}

// nap is the longest time between two looks at the store: other processes queue notices, too.
const nap = 30 * time.Second

func (c *Courier) run() {
	defer close(c.ended)
	for {
		next, err := c.outbox.SendDue(c.ctx)
		wait := nap
		// If the store fails now, Finish says so unless it works again by then.
		if err == nil && !next.IsZero() {
			wait = min(wait, max(next.Sub(c.outbox.Now()), 0))
		}
		select {
		case <-time.After(wait):
		case <-c.nudge:
		case <-c.ending:
			return
		}
	}
}

// Nudge says that notices were queued.
func (c *Courier) Nudge() {
	select {
	case c.nudge <- struct{}{}:
	default: // it will look
	}
}

// Finish sends the notices that are due now or soon, until ctx ends, and stops sending. Later
// calls do nothing.
func (c *Courier) Finish(ctx context.Context) (err error) {
	c.finish.Do(func() {
		close(c.ending)
		select {
		case <-c.ended:
			err = c.outbox.SendLast(ctx)
		case <-ctx.Done():
		}
		c.abort()
		<-c.ended
	})
	return err
}
