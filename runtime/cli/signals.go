package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/wfc-lang/wfc/runtime/process"
)

// signals turn the first interrupt into the cancellation of the run, and the
// second into an end at once.
type signals struct {
	incoming chan os.Signal
	done     chan struct{}

	mu    sync.Mutex
	first os.Signal
}

func (a *app) catchSignals(s *session, show *progress) *signals {
	c := &signals{incoming: make(chan os.Signal, 2), done: make(chan struct{})}
	signal.Notify(c.incoming, os.Interrupt, syscall.SIGTERM)
	go func() {
		for {
			select {
			case sig := <-c.incoming:
				c.handle(a, s, show, sig)
			case <-c.done:
				return
			}
		}
	}()
	return c
}

func (c *signals) handle(a *app, s *session, show *progress, sig os.Signal) {
	c.mu.Lock()
	again := c.first != nil
	if !again {
		c.first = sig
	}
	c.mu.Unlock()
	ids := s.engine.Live()
	if again {
		for _, id := range ids {
			process.KillSurvivors(s.folder.Run(id))
		}
		show.close()
		fmt.Fprintf(a.streams.Err, "%s: ended at once; the run can be resumed\n", a.name)
		os.Exit(codeOf(sig))
	}
	fmt.Fprintf(a.streams.Err, "%s: cancelling; once more to end at once\n", a.name)
	for _, id := range ids {
		// Cancel waits for the run's end, which the main goroutine tells.
		go func() { _ = s.engine.Cancel(context.Background(), id, "signal "+signalName(sig)) }()
	}
}

func (c *signals) stop() {
	signal.Stop(c.incoming)
	close(c.done)
}

// code is the exit code for the signal that came, or 0.
func (c *signals) code() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.first == nil {
		return 0
	}
	return codeOf(c.first)
}

func codeOf(sig os.Signal) int {
	if sig == syscall.SIGTERM {
		return ExitTerminate
	}
	return ExitInterrupt
}

func signalName(sig os.Signal) string {
	if sig == syscall.SIGTERM {
		return "SIGTERM"
	}
	return "SIGINT"
}
