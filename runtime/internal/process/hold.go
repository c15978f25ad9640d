package process

import (
	"context"
	"os"
	"sync"
)

// A Hold lets a process start before it may do anything. Making a process and reading its
// program takes about as long as committing that its step has started, so both happen at
// once: the process waits until the Hold is released, which is after the commit. It waits
// for a line on a pipe. If this process dies before the release, the pipe ends without a
// line, and the process must end without having done anything.
//
// The methods are safe for concurrent use. A nil Hold is released.
type Hold struct {
	// released is closed by Release.
	released chan struct{}

	mu   sync.Mutex
	gate *os.File // our end of the pipe, while the process waits
}

// NewHold returns a Hold that is not released.
func NewHold() *Hold { return &Hold{released: make(chan struct{})} }

type holdKey struct{}

// WithHold returns a context for performing an action whose start is not committed.
func WithHold(ctx context.Context, h *Hold) context.Context {
	return context.WithValue(ctx, holdKey{}, h)
}

// HoldOf returns the Hold of a context, or nil.
func HoldOf(ctx context.Context) *Hold {
	h, _ := ctx.Value(holdKey{}).(*Hold)
	return h
}

// Release lets the process go on. It is called once.
func (h *Hold) Release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.released)
	h.open()
}

// open sends the line. The caller holds mu.
func (h *Hold) open() {
	if h.gate == nil {
		return
	}
	// A process that has ended already reads nothing; then its end says why.
	_, _ = h.gate.Write([]byte("\n"))
	h.gate.Close()
	h.gate = nil
}

// guard makes a process wait that reads the other end of the pipe.
func (h *Hold) guard(gate *os.File) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gate = gate
	if h.Released() {
		h.open()
	}
}

// drop gives up a process that has ended.
func (h *Hold) drop() {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gate != nil {
		h.gate.Close()
		h.gate = nil
	}
}

// Released reports whether the process may go on.
func (h *Hold) Released() bool {
	if h == nil {
		return true
	}
	select {
	case <-h.released:
		return true
	default:
		return false
	}
}

// Wait waits for the release, or for the end of ctx or of the channel, whichever is first.
func (h *Hold) Wait(ctx context.Context, exited <-chan struct{}) {
	if h == nil {
		return
	}
	select {
	case <-h.released:
	case <-ctx.Done():
	case <-exited:
	}
}
