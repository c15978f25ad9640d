package entstore

import (
	"context"
	stdsql "database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"entgo.io/ent/dialect"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// The parts for SQLite alone: the driver, its options, its errors.

const (
	driverName  = "sqlite"
	dialectName = dialect.SQLite
)

// busyTimeout is how long a connection waits for another process's lock.
const busyTimeout = 5 * time.Second

// logPages is the length of the write-ahead log, in pages of 4 KiB, from which its changes
// are moved to the database. The first process of several reads all of the log when it opens
// the store, and with SQLite's own 1,000 pages that takes longer than all else in a short
// run. A log that is written from its beginning again is also quicker to sync than one that
// grows.
const logPages = 256

// readers is how many connections read at once, one of them for Version.
const readers = 5

const (
	sqlBegin    = "BEGIN IMMEDIATE" // takes the write lock at once: a change cannot fail half-way for want of it
	sqlCommit   = "COMMIT"
	sqlRollback = "ROLLBACK"
	// sqlChanges changes when another connection has changed the database.
	sqlChanges = "PRAGMA data_version"
	sqlVersion = "PRAGMA user_version"
	// sqlCheckpoint moves the whole log to the database.
	sqlCheckpoint = "PRAGMA wal_checkpoint(TRUNCATE)"
)

func sqlBusyTimeout(d time.Duration) string {
	return fmt.Sprintf("PRAGMA busy_timeout = %d", d.Milliseconds())
}

func sqlSetVersion(version int) string { return fmt.Sprintf("PRAGMA user_version = %d", version) }

// openWriter opens a pool of one connection, whose commits are on disk when
// they return.
func openWriter(path string) (*stdsql.DB, error) {
	return openPool(path, 1, "journal_mode(WAL)", "synchronous(FULL)", fmt.Sprintf("wal_autocheckpoint(%d)", logPages))
}

// openReaders opens a pool of connections that cannot write.
func openReaders(path string) (*stdsql.DB, error) {
	return openPool(path, readers, "query_only(1)")
}

// openScratch opens a file that nobody else knows: writes need not be on disk before the
// file is complete.
func openScratch(path string) (*stdsql.DB, error) {
	return openPool(path, 1, "synchronous(OFF)", "journal_mode(WAL)")
}

func openPool(path string, size int, pragmas ...string) (*stdsql.DB, error) {
	db, err := stdsql.Open(driverName, dataSourceName(path, pragmas))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// dataSourceName is the data source's name: a URI, so that a path may hold any character.
func dataSourceName(path string, pragmas []string) string {
	options := url.Values{"_pragma": append([]string{fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds())}, pragmas...)}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive's letter
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: options.Encode()}).String()
}

// isBusy reports whether another connection held the lock for too long.
func isBusy(err error) bool {
	var fault *sqlite.Error
	return errors.As(err, &fault) && (fault.Code()&0xFF == sqlite3.SQLITE_BUSY || fault.Code()&0xFF == sqlite3.SQLITE_LOCKED)
}

// explainError adds advice to an error of SQLite.
func explainError(err error) error {
	var fault *sqlite.Error
	if !errors.As(err, &fault) {
		return err
	}
	switch fault.Code() & 0xFF { // the rest is detail
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("another process has held it for more than %v: %w", busyTimeout, err)
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR:
		return fmt.Errorf("the disk is full or broken: %w", err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("the file is damaged or not a store of wfc; move it away to start with an empty one: %w", err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return fmt.Errorf("the file or its folder cannot be written: %w", err)
	case sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("it is not a file, or cannot be opened: %w", err)
	}
	return err
}

// watch notices that the database has changed. SQLite says so only to one
// connection about the others, so one is kept for the asking. Numbers of two
// connections have nothing to do with each other; when the connection is lost,
// the upper half of the version counts one on.
type watch struct {
	db *stdsql.DB

	mu    sync.Mutex
	conn  *stdsql.Conn
	conns int64 // how many there have been
}

// Version implements database.Watch. Asking takes microseconds; breaking it off
// would cost the connection.
func (w *watch) Version(ctx context.Context) (version int64, err error) {
	ctx = context.WithoutCancel(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn != nil {
		err = w.conn.QueryRowContext(ctx, sqlChanges).Scan(&version)
		if !errors.Is(err, stdsql.ErrConnDone) && !errors.Is(err, driver.ErrBadConn) {
			return w.conns<<32 | version&(1<<32-1), err
		}
		w.conn.Close()
		w.conn = nil
	}
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return 0, err
	}
	w.conn = conn
	w.conns++
	err = conn.QueryRowContext(ctx, sqlChanges).Scan(&version)
	return w.conns<<32 | version&(1<<32-1), err
}

// Close implements database.Watch.
func (w *watch) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		return nil
	}
	conn := w.conn
	w.conn = nil
	return conn.Close()
}
