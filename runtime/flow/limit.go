package flow

// Limit lets at most n tasks at a time into a part of the flow, in the order
// in which they came. A nil Limit lets all in.
type Limit struct {
	free  int
	queue []*place
}

// place is one task's turn in a limit's queue.
type place struct {
	given *Future
	// gone says that the task no longer waits: its scope was cancelled.
	gone bool
}

// NewLimit returns a limit of n tasks; n < 1 means no limit.
func NewLimit(n int) *Limit {
	if n < 1 {
		return nil
	}
	return &Limit{free: n}
}

// Enter waits for a place and returns the function that gives it back, which
// may be called more than once. It returns ErrCancelled when the task's scope
// is cancelled first.
func (l *Limit) Enter(c *Context) (leave func(), err error) {
	if l == nil {
		return func() {}, nil
	}
	if l.free > 0 {
		l.free--
		return l.leaver(), nil
	}
	p := &place{given: c.engine.NewFuture()}
	l.queue = append(l.queue, p)
	if err := c.engine.Await(All, p.given); err != nil {
		p.gone = true
		if p.given.Settled() { // after the cancellation, before this task's turn
			l.handOn()
		}
		return nil, err
	}
	return l.leaver(), nil
}

func (l *Limit) leaver() func() {
	left := false
	return func() {
		if !left {
			left = true
			l.handOn()
		}
	}
}

// handOn gives a place that became free to the first task that still waits.
func (l *Limit) handOn() {
	for len(l.queue) > 0 {
		next := l.queue[0]
		l.queue = l.queue[1:]
		if !next.gone {
			next.given.Settle(Result{Status: Completed})
			return
		}
	}
	l.free++
}
