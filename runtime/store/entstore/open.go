package entstore

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/wfc-lang/wfc/runtime/state"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent"
)

// schemaVersion is the version of the tables, kept in the database as SQLite's
// user_version. It grows with every change of package schema.
const schemaVersion = 1

// busyTimeout is how long a connection waits for another process's lock.
const busyTimeout = 5 * time.Second

// Open opens the store in the file of the given path, which it creates, with
// its folder, when it is not there. Other processes may have it open.
func Open(ctx context.Context, path string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := create(path); err != nil {
		return nil, fmt.Errorf("the store %s: %w", path, err)
	}
	s := &Store{path: path}
	if s.writes, err = stdsql.Open("sqlite", dsn(path)); err != nil {
		return nil, fmt.Errorf("the store %s: %w", path, err)
	}
	// One writing connection: writers in this process queue up in order
	// rather than meet at the database's lock.
	s.writes.SetMaxOpenConns(1)
	if s.reads, err = stdsql.Open("sqlite", dsn(path)); err != nil {
		s.writes.Close()
		return nil, fmt.Errorf("the store %s: %w", path, err)
	}
	s.reads.SetMaxOpenConns(4)
	s.writer = ent.NewClient(ent.Driver(entsql.OpenDB(dialect.SQLite, s.writes)))
	s.reader = ent.NewClient(ent.Driver(entsql.OpenDB(dialect.SQLite, s.reads)))
	if err := s.migrate(ctx); err != nil {
		s.writes.Close()
		s.reads.Close()
		return nil, fmt.Errorf("the store %s: %w", path, explain(err))
	}
	s.watch = &watch{db: s.reads}
	s.commit = newCommitter(s)
	return s, nil
}

// create makes the file and its folder for their owner only, before SQLite
// makes them for everybody.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// dsn is the data source's name. A commit is on disk when it returns:
// synchronous is FULL. Transactions take the write lock when they begin, so
// that they cannot fail in the middle for want of it.
func dsn(path string) string {
	options := url.Values{"_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()),
		"journal_mode(WAL)",
		"synchronous(FULL)",
		"foreign_keys(1)",
	}, "_txlock": {"immediate"}}
	return (&url.URL{Scheme: "file", Opaque: filepath.ToSlash(path), RawQuery: options.Encode()}).String()
}

// migrate brings the tables to this version. An up-to-date store costs one
// question.
func (s *Store) migrate(ctx context.Context) error {
	version, err := s.version(ctx)
	if err != nil || version == schemaVersion {
		return err
	}
	lock, err := s.migrationLock(ctx)
	if err != nil {
		return err
	}
	defer lock.Release()
	// Another process may have done it in the meantime.
	if version, err = s.version(ctx); err != nil || version == schemaVersion {
		return err
	}
	if version > schemaVersion {
		return fmt.Errorf("it was written by a newer wfc (tables of version %d, this build knows %d); use that one, or another state folder by --state", version, schemaVersion)
	}
	if err := s.writer.Schema.Create(ctx); err != nil {
		return fmt.Errorf("create the tables: %w", err)
	}
	_, err = s.writes.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", schemaVersion))
	return err
}

func (s *Store) version(ctx context.Context) (version int, err error) {
	err = s.writes.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

// migrationLock waits until no other process migrates the store.
func (s *Store) migrationLock(ctx context.Context) (*state.Lock, error) {
	const pause = 5 * time.Millisecond
	deadline := time.Now().Add(busyTimeout)
	for {
		lock, err := state.Acquire(s.path+".migrate", fmt.Sprintf("process %d", os.Getpid()))
		var held *state.HeldError
		if !errors.As(err, &held) || time.Now().After(deadline) {
			return lock, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
