package process

import (
	"context"
	"io"
	"os"
)

// A feeder writes what a program reads while it runs.
type feeder struct {
	cancel context.CancelFunc
	done   chan struct{}
}

func startFeeder(w *os.File, write func(ctx context.Context, w io.Writer)) *feeder {
	ctx, cancel := context.WithCancel(context.Background())
	f := &feeder{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		// Only the writing is offered: closing is what returning is for.
		write(ctx, struct{ io.Writer }{w})
		w.Close()
	}()
	return f
}

// stop tells the writer that nobody reads any more and waits for it.
func (f *feeder) stop() {
	if f != nil {
		f.cancel()
		<-f.done
	}
}
