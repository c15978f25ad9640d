// Package postgres keeps runs in PostgreSQL, in the same tables as package
// entstore does in SQLite, so that processes of several machines can work on
// them: each run is leased to one.
package postgres

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"time"

	"entgo.io/ent/dialect"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore/database"
)

const dialectName = dialect.Postgres

// readers is how many connections read at once.
const readers = 4

// Options are the times of a store. The zero value has the defaults.
type Options struct {
	// Heartbeat is how often leases are renewed; zero means every 5 s.
	Heartbeat time.Duration
	// Expiry is how long a lease lasts unless it is renewed; zero means 20 s. It
	// must be the same in all processes, and at least three heartbeats.
	Expiry time.Duration
	// Patience is how long a change waits for a server that is gone; zero means
	// 15 s.
	Patience time.Duration
}

// Store is a store.Lessor in a database.
type Store struct {
	*database.Store
	leases  *leases
	name    string
	explain func(error) error
}

var _ store.Lessor = (*Store)(nil)

// OpenURL opens the store in the database of a URL; generated programs name it.
func OpenURL(ctx context.Context, url string) (store.Store, error) {
	s, err := Open(ctx, url, Options{})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Open opens the store in the database of a URL such as
// postgres://user:password@host:5432/name, in the schema that comes first in the
// user's or the URL's search_path. The tables are made when they are not there.
// Errors name the database and never show a password.
func Open(ctx context.Context, url string, opt Options) (*Store, error) {
	a, err := parse(url)
	if err != nil {
		return nil, err
	}
	if opt.Heartbeat <= 0 {
		opt.Heartbeat = 5 * time.Second
	}
	if opt.Expiry <= 0 {
		opt.Expiry = 20 * time.Second
	}
	if opt.Patience <= 0 {
		opt.Patience = 15 * time.Second
	}
	if opt.Expiry < 3*opt.Heartbeat {
		return nil, fmt.Errorf("leases that last %v cannot be renewed every %v: that must be three times as often", opt.Expiry, opt.Heartbeat)
	}
	explained := func(err error) error { return explain(hidden(err, a.secrets)) }
	reads, writes := pool(a, readers, nil), pool(a, 1, map[string]string{
		// What is left of a writer that died unnoticed must not hold its locks.
		"idle_in_transaction_session_timeout": fmt.Sprint(limit.Milliseconds()),
	})
	if err := migrate(ctx, reads); err != nil {
		return nil, errors.Join(fmt.Errorf("the store %s: %w", a.name, explained(err)), reads.Close(), writes.Close())
	}
	l := &leases{db: reads, heartbeat: opt.Heartbeat, expiry: opt.Expiry, held: map[string]*lease{}}
	return &Store{leases: l, name: a.name, explain: explained, Store: database.New(database.Config{
		Name: a.name, Dialect: dialectName, Reads: reader{reads}, Watch: watch{reads}, Explain: explained,
		Plain: plain, CommonPrefix: commonPrefix, Like: true, Close: writes.Close,
		Open: func() (database.Connection, error) { return newConnection(writes, l, opt.Patience), nil },
	})}, nil
}

// pool returns connections to a database; they are made when they are needed.
func pool(a *address, size int, params map[string]string) *stdsql.DB {
	config := a.config.Copy()
	for name, value := range params {
		config.RuntimeParams[name] = value
	}
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db
}

// Lease implements store.Lessor.
func (s *Store) Lease(ctx context.Context, id, holder string) (store.Lease, error) {
	taken, err := s.leases.take(ctx, id, holder)
	var held *store.HeldError
	switch {
	case errors.As(err, &held):
		return nil, held
	case err != nil:
		return nil, s.leaseError(id, err)
	}
	return taken, nil
}

// Leased implements store.Lessor.
func (s *Store) Leased(ctx context.Context, id string) (held bool, holder string, err error) {
	if held, holder, err = s.leases.holder(ctx, id); err != nil {
		err = s.leaseError(id, err)
	}
	return held, holder, err
}

// Close implements store.Store. Leases that are held still are given back.
func (s *Store) Close() error {
	s.leases.close()
	return s.Store.Close()
}

// reader reads for Ent.
type reader struct{ *stdsql.DB }

// ExecContext implements entsql.ExecQuerier.
func (r reader) ExecContext(ctx context.Context, query string, args ...any) (stdsql.Result, error) {
	return r.DB.ExecContext(ctx, query, keptArgs(args)...)
}

// QueryContext implements entsql.ExecQuerier.
func (r reader) QueryContext(ctx context.Context, query string, args ...any) (*stdsql.Rows, error) {
	return r.DB.QueryContext(ctx, query, keptArgs(args)...)
}
