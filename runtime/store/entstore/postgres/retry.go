package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// retry does something again while the server is starting, or cannot be reached
// for the moment, until patience is over. The error of a server that says no is
// returned at once, and so is that of a name that nobody knows.
func retry(ctx context.Context, patience time.Duration, do func() error) error {
	begun := time.Now()
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		err := do()
		if err == nil || !passing(err) || ctx.Err() != nil {
			return err
		}
		if time.Since(begun)+wait >= patience {
			return fmt.Errorf("waited %v for the server: %w", time.Since(begun).Round(time.Second/10), err)
		}
		if !pause(ctx, wait) {
			return errors.Join(ctx.Err(), err)
		}
	}
}

// The times between two tries to reach a server.
const (
	firstWait   = 50 * time.Millisecond
	longestWait = time.Second
)

// pause waits, and reports whether ctx has not ended.
func pause(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// passing reports whether the fault of a connection is likely to pass by itself:
// nobody listens, nobody answers, or the server says that it starts or stops. A
// name that nobody knows and a setting that the server refuses stay so.
func passing(err error) bool {
	switch code := codeOf(err); code {
	case "":
	case starting, stopping, crashed, tooMany:
		return true
	default:
		return code[:2] == brokenConnection
	}
	var unknown *net.DNSError
	if errors.As(err, &unknown) && unknown.IsNotFound {
		return false
	}
	var network net.Error
	return errors.As(err, &network) || dropped(err)
}

// dropped reports whether a connection that was there is lost.
func dropped(err error) bool {
	return pgconn.SafeToRetry(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, driver.ErrBadConn) || codeOf(err) == stopping
}
