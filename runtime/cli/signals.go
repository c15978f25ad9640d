package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/wfc-lang/wfc/runtime/internal/runerr"
)

// notifyEnds has the signals sent to a channel that ask a process to end. SIGHUP
// is one of them, unless the process was started so that it outlives its terminal,
// as by nohup.
func notifyEnds(incoming chan<- os.Signal) {
	signal.Notify(incoming, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(incoming, syscall.SIGHUP)
	}
}

// outliveReaders keeps the process from ending when nobody reads its output any
// more: a run goes on without. Programs that it starts get the signal as usual,
// since a handler is not inherited.
func outliveReaders() { signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) }

// ends are the signals that ask a process to end, besides SIGINT.
var ends = map[os.Signal]struct {
	name string
	code int
}{syscall.SIGTERM: {"SIGTERM", runerr.ExitTerminate}, syscall.SIGHUP: {"SIGHUP", runerr.ExitHangup}}

func codeOf(sig os.Signal) int { return cmp.Or(ends[sig].code, runerr.ExitInterrupt) }

func signalName(sig os.Signal) string { return cmp.Or(ends[sig].name, "SIGINT") }

// signals turn the first signal into the cancellation of the run, and an interrupt
// after it into an end at once.
type signals struct {
	session  *session
	show     *progress
	incoming chan os.Signal
	end      func()

	mu    sync.Mutex
	first os.Signal
}

// editorEnded follows the signals that came while an editor had the terminal. It is
// closed when they are handled.
type editorEnded chan struct{}

func (editorEnded) String() string { return "end of the editor" }
func (editorEnded) Signal()        {}

func catchSignals(s *session, show *progress) *signals {
	c := &signals{session: s, show: show}
	c.incoming, c.end = onSignals(c.handleSignal)
	show.edited = c.endEditing
	return c
}

// onSignals passes the signals that ask this process to end to handle, one after the other.
// end returns when none is being handled.
func onSignals(handle func(os.Signal)) (incoming chan os.Signal, end func()) {
	incoming, done := make(chan os.Signal, 2), make(chan struct{})
	notifyEnds(incoming)
	outliveReaders()
	var work sync.WaitGroup
	work.Go(func() {
		for {
			select {
			case sig := <-incoming:
				handle(sig)
			case <-done:
				return
			}
		}
	})
	return incoming, func() {
		close(done)
		work.Wait()
		signal.Stop(incoming)
	}
}

// endEditing ends the time in which interrupts are an editor's. Those that came before are
// in the channel, or on their way into it, which signal.Stop waits for.
func (c *signals) endEditing() {
	takePendingSignals()
	idle := make(chan os.Signal, 1)
	signal.Notify(idle, os.Interrupt)
	signal.Stop(idle)
	end := make(editorEnded)
	c.incoming <- end
	<-end
}

func (c *signals) handleSignal(sig os.Signal) {
	if end, ok := sig.(editorEnded); ok {
		c.show.editing.Store(false)
		close(end)
		return
	}
	if sig == os.Interrupt && c.show.editing.Load() {
		return // it was typed for the editor
	}
	c.mu.Lock()
	again := c.first != nil
	if !again {
		c.first = sig
	}
	c.mu.Unlock()
	ids := c.session.engine.Live()
	switch {
	case len(ids) == 0:
		// The run has not begun, or has ended.
		c.exitNow(sig, "")
	case again && sig != os.Interrupt:
		// A terminal that closes may say so twice, and timeout(1) sends its signal to the
		// process and then to the process group: neither is a person in a hurry.
		return
	case again:
		c.session.engine.Abandon()
		verb, then := "resume", "continues the run"
		if c.session.program.Definition.CleansUp() {
			verb, then = "cancel", "runs the steps that clean up"
		}
		c.exitNow(sig, fmt.Sprintf("ended at once; `%s` %s", c.session.commandLine(verb, ids[0])+c.session.stateHint(), then))
	}
	hint := "once more"
	if sig != os.Interrupt {
		hint = "SIGINT"
	}
	c.show.printAlways(c.session.name + ": cancelling; " + hint + " to end at once")
	for _, id := range ids {
		// Cancel waits for the run's end, which the main goroutine tells.
		go func() { _ = c.session.engine.Cancel(context.Background(), id, "signal "+signalName(sig)) }()
	}
}

// exitNow ends the process without waiting for anything.
func (c *signals) exitNow(sig os.Signal, why string) {
	c.show.stopDrawing()
	if why != "" {
		fmt.Fprintf(c.session.streams.Err, "%s: %s\n", c.session.name, why)
	}
	os.Exit(codeOf(sig))
}

// stopHandling returns when no signal is being handled. So it does not return if one ends the
// process.
func (c *signals) stopHandling() {
	if c != nil {
		c.end()
	}
}

// signalExitCode is the exit code for the signal that came, or 0.
func (c *signals) signalExitCode() int {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first == nil {
		return 0
	}
	return codeOf(c.first)
}
