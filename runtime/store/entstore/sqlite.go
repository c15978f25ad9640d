package entstore

import (
	stdsql "database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"entgo.io/ent/dialect"
)

// What is SQLite's alone is here: the driver, its options, its errors.

const (
	driverName  = "sqlite"
	dialectName = dialect.SQLite
)

// busyTimeout is how long a connection waits for another process's lock.
const busyTimeout = 5 * time.Second

// readers is how many connections read at once, one of them for Version.
const readers = 5

const (
	sqlBegin    = "BEGIN IMMEDIATE" // takes the write lock at once: a change cannot fail half-way for want of it
	sqlCommit   = "COMMIT"
	sqlRollback = "ROLLBACK"
	// sqlChanges changes when another connection has changed the database.
	sqlChanges = "PRAGMA data_version"
	sqlVersion = "PRAGMA user_version"
)

func sqlBusyTimeout(d time.Duration) string {
	return fmt.Sprintf("PRAGMA busy_timeout = %d", d.Milliseconds())
}

func sqlSetVersion(version int) string { return fmt.Sprintf("PRAGMA user_version = %d", version) }

// openWriter opens a pool of one connection, whose commits are on disk when
// they return.
func openWriter(path string) (*stdsql.DB, error) {
	return openPool(path, 1, "journal_mode(WAL)", "synchronous(FULL)")
}

// openReaders opens a pool of connections that cannot write.
func openReaders(path string) (*stdsql.DB, error) {
	return openPool(path, readers, "query_only(1)")
}

// openScratch opens a file that nobody else knows: what it writes need not be
// on disk before the file is whole.
func openScratch(path string) (*stdsql.DB, error) {
	return openPool(path, 1, "synchronous(OFF)", "journal_mode(WAL)")
}

func openPool(path string, size int, pragmas ...string) (*stdsql.DB, error) {
	db, err := stdsql.Open(driverName, dsn(path, pragmas))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// dsn is the data source's name: a URI, so that a path may hold any character.
func dsn(path string, pragmas []string) string {
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

// explain adds to what SQLite says what can be done about it.
func explain(err error) error {
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
		return fmt.Errorf("the file is damaged or no store of wfc; move it away to begin with an empty one: %w", err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return fmt.Errorf("the file or its folder cannot be written: %w", err)
	case sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("it is no file, or may not be opened: %w", err)
	}
	return err
}
