// Package process runs programs for actions. It knows no kinds of nodes: the
// performers say which program to run, and turn its outcome into a result.
package process

import (
	"cmp"
	"context"
	"io"
	"os"
	"sync"
	"time"
)

// A Command is one program to run once.
type Command struct {
	// Path is the program's file, absolute or relative to the current folder;
	// see LookPath.
	Path string
	// Args are the arguments after the program's name.
	Args []string
	// Name is the program's argument 0; "" means Path.
	Name string
	// Dir is the working directory; "" means the current one.
	Dir string
	// Env is the environment. If a variable occurs twice, the later value counts.
	Env []string
	// Stdin is what the program can read; nil is the null device.
	Stdin []byte
	// Feed, in place of Stdin, writes what the program can read while it runs. It is
	// called once, in a separate goroutine, when the program has started; its return ends
	// the program's input. Run returns after it. ctx ends when the program has ended and
	// all of its output has been taken; by then writing fails, and a write that the
	// program does not read waits until then.
	Feed func(ctx context.Context, w io.Writer)
	// Output takes what the program prints as it comes, with secrets masked.
	// Calls are never concurrent and none is made after Run returns. It may be
	// nil. stream is "stdout" or "stderr".
	Output func(stream string, piece []byte)
	// Consume takes standard output as it comes, as the program printed it, in
	// pieces that may end anywhere; none of it is kept or handed to Output, and
	// Limits.Output does not bound it. An error ends the process and is
	// End.Consumed; there are no calls after one. Calls are never concurrent, not
	// with those of Output either, and nothing of a piece may be kept. What the
	// program printed before it printed a piece on standard error comes before that
	// piece, except on Windows. It may be nil.
	Consume func(piece []byte) error
	// Owner says for which step of which run the program works. The zero Owner
	// leaves no record and sets no variables.
	Owner Owner
	// Hold, if set, is not released yet: the program has its pipe as file 3, and must wait
	// there for a line. Its output is taken after the release.
	Hold *Hold
	// Timeout ends the program as the end of ctx does, so long after its start or the
	// release of Hold; 0 means never.
	Timeout time.Duration
	// Interrupt says that a program which must end gets SIGINT first, alone, and may report
	// for Limits.Grace what it has done. Its group gets SIGTERM after that. Windows has no
	// such signal.
	Interrupt bool
	// Limits bound what the program may do; the zero value has the defaults.
	Limits Limits
}

// An Owner is the step a process works for.
type Owner struct {
	// Dir is the run's own folder in the state folder, where the process is
	// recorded while it runs. "" records nothing.
	Dir   string
	RunID string
	Key   string
}

// Limits bound a process. A zero field means the default.
type Limits struct {
	// Grace is the time between asking a group to end and killing it; 5 s.
	Grace time.Duration
	// Linger is how long a process that has ended may leave its output open in
	// processes that it started; 2 s. After it they are ended too.
	Linger time.Duration
	// Output is the number of bytes that may come on standard output; 64 MiB.
	Output int
}

const (
	defaultGrace  = 5 * time.Second
	defaultLinger = 2 * time.Second
	defaultOutput = 64 << 20
)

func (l Limits) withDefaults() Limits {
	return Limits{cmp.Or(l.Grace, defaultGrace), cmp.Or(l.Linger, defaultLinger), cmp.Or(l.Output, defaultOutput)}
}

// An End is the outcome of a process.
type End struct {
	// Stdout is all that came on standard output, as it came; nothing when the
	// command has a Consume.
	Stdout []byte
	// Consumed is the error with which Consume ended the process, or nil.
	Consumed error
	// Stderr is the end of what came on standard error: at most 2,000
	// characters, without surrounding white space, with secrets masked.
	Stderr string
	// Printed is the end of what came on standard output, in the same form. It is empty
	// unless the process failed without a word on standard error: many programs, such as
	// those that run tests, print their reasons there.
	Printed string
	// ExitCode is the exit status, or -1 when the process has none because a
	// signal ended it.
	ExitCode int
	// Signal names the signal that ended the process, such as "SIGKILL", or is
	// "".
	Signal string
	// Stopped is the context's error when its end ended the process; then it
	// is context.Canceled or context.DeadlineExceeded. It is nil when the
	// process had ended by itself before.
	Stopped error
	// Overflow is the limit in bytes when more came on standard output and the
	// process was ended for it; else 0.
	Overflow int
	// Lingered says that the process ended but others that it had started in
	// its group kept its output open and were ended.
	Lingered bool
}

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

// Release lets the process continue. It is called once.
func (h *Hold) Release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.released)
	h.openGate()
}

// openGate sends the line. The caller holds mu.
func (h *Hold) openGate() {
	if h.gate == nil {
		return
	}
	// A process that has ended already reads nothing; then its end says why.
	_, _ = h.gate.Write([]byte("\n"))
	h.gate.Close()
	h.gate = nil
}

// setGate makes a process wait that reads the other end of the pipe.
func (h *Hold) setGate(gate *os.File) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gate = gate
	if h.Released() {
		h.openGate()
	}
}

// closeGate gives up a process that has ended.
func (h *Hold) closeGate() {
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

// Released reports whether the process may continue.
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
