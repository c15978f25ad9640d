package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilSignal returns a context that ends when a signal asks wfc to end, so that
// nothing that it has started is left running. SIGHUP is one, unless wfc was
// started so that it outlives its terminal. That nobody reads the output any more
// ends nothing.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return signal.NotifyContext(ctx, ends...)
}
