package pg

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

// NoTable is PostgreSQL's code of the error about a missing table.
const NoTable = "42P01"

// PostgreSQL's codes of errors on which something depends here.
const (
	noSchema     = "3F000"
	noDatabase   = "3D000"
	noPermission = "42501"
	duplicate    = "23505"
	division     = "22012"
	serialize    = "40001"
	deadlock     = "40P01"
	diskFull     = "53100"
	tooMany      = "53300"
	readOnly     = "25006"
	stopping     = "57P01"
	crashed      = "57P02"
	starting     = "57P03"
	// brokenConnection begins the codes of faults of a connection.
	brokenConnection = "08"
)

// explainError adds advice to an error of the database.
func explainError(err error) error {
	if err == nil {
		return nil
	}
	var connect *pgconn.ConnectError
	var network net.Error
	switch code := codeOf(err); {
	case code == noDatabase:
		return fmt.Errorf("the database does not exist; createdb makes one: %w", err)
	case len(code) == 5 && code[:2] == "28":
		return fmt.Errorf("the server refuses this user or password: %w", err)
	case code == noPermission:
		return fmt.Errorf("the user lacks a right (it must be allowed to make tables in the schema, and owns them then): %w", err)
	case code == noSchema:
		return fmt.Errorf("the schema for the tables does not exist; make the one of the URL's search_path: %w", err)
	case code == diskFull:
		return fmt.Errorf("the server's disk is full: %w", err)
	case code == tooMany:
		return fmt.Errorf("the server takes no more connections: %w", err)
	case code == readOnly:
		return fmt.Errorf("the server takes no changes now; a standby does not: %w", err)
	case errors.As(err, &connect), errors.As(err, &network), code == starting:
		return fmt.Errorf("the server cannot be reached: %w", err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the server did not answer in time: %w", err)
	}
	return err
}

// codeOf returns PostgreSQL's code of an error, or "".
func codeOf(err error) string {
	if fault, ok := errors.AsType[*pgconn.PgError](err); ok {
		return fault.Code
	}
	return ""
}

// IsConflict reports whether two processes wrote the same rows at the same time; the one
// with this error tries again, and then sees the other's changes.
func IsConflict(err error) bool {
	switch codeOf(err) {
	case duplicate, serialize, deadlock:
		return true
	}
	return false
}

// IsDivision reports whether a statement has divided by zero.
func IsDivision(err error) bool { return codeOf(err) == division }

// Retry does something again while the server is starting, or cannot be reached
// for the moment, until patience is over. The error of a server that says no is
// returned at once, and so is that of a name that nobody knows.
func Retry(ctx context.Context, patience time.Duration, do func() error) error {
	begun := time.Now()
	for wait := firstWait; ; wait = min(2*wait, longestWait) {
		err := do()
		if err == nil || !isTransient(err) || ctx.Err() != nil {
			return err
		}
		if time.Since(begun)+wait >= patience {
			return fmt.Errorf("waited %v for the server: %w", time.Since(begun).Round(time.Second/10), err)
		}
		if !sleepContext(ctx, wait) {
			return errors.Join(ctx.Err(), err)
		}
	}
}

// The times between two tries to reach a server.
const (
	firstWait   = 50 * time.Millisecond
	longestWait = time.Second
)

// sleepContext waits, and reports whether ctx has not ended.
func sleepContext(ctx context.Context, wait time.Duration) bool {
	select {
	case <-time.After(wait):
		return true
	case <-ctx.Done():
		return false
	}
}

// isTransient reports whether the fault of a connection is likely to pass by itself:
// nobody listens, nobody answers, or the server says that it starts or stops. A
// name that nobody knows and a setting that the server refuses stay so.
func isTransient(err error) bool {
	switch code := codeOf(err); code {
	case "":
	case starting, stopping, crashed, tooMany:
		return true
	default:
		return code[:2] == brokenConnection
	}
	if unknown, ok := errors.AsType[*net.DNSError](err); ok && unknown.IsNotFound {
		return false
	}
	var network net.Error
	return errors.As(err, &network) || Dropped(err)
}

// Dropped reports whether a connection that was there is lost.
func Dropped(err error) bool {
	return pgconn.SafeToRetry(err) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, driver.ErrBadConn) || codeOf(err) == stopping
}
