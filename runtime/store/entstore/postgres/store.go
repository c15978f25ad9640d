// Package postgres keeps runs in a PostgreSQL database, so that processes of several
// machines can work on them. Leases in the database make sure that one process at a time
// works on a run.
//
//	runs, err := postgres.OpenURL(ctx, os.Getenv("WFC_DATABASE_URL"))
package postgres

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"entgo.io/ent/dialect"

	"github.com/wfc-lang/wfc/runtime/internal/database"
	"github.com/wfc-lang/wfc/runtime/internal/pg"
	"github.com/wfc-lang/wfc/runtime/internal/places"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
)

const dialectName = dialect.Postgres

// connections is how many there are at once. One of them writes, from the first change on. A
// short run needs no other one: each costs the server a process.
const connections = 5

// options are the times of a store. The zero value has the defaults.
type options struct {
	// Heartbeat is how often leases are renewed; zero means every 5 s.
	Heartbeat time.Duration
	// Expiry is how long a lease lasts unless it is renewed; zero means 20 s. It
	// must be the same in all processes, and at least three heartbeats.
	Expiry time.Duration
	// Grace is how long before the expiry of a lease its holder takes it for lost
	// when it could not renew it. What the holder has started must have ended in
	// that time. Zero means 8 s, or half of Expiry if that is less: an agent may
	// take 2 s to finish a turn, and 5 s lie between asking a process to end and
	// killing it.
	Grace time.Duration
	// RetryFor is how long opening the store, taking a lease, and a change wait
	// for a server that is gone or starts; zero means 15 s.
	RetryFor time.Duration

	clock clock // nil means that of this machine
}

// defaultGrace is the usual Options.Grace.
const defaultGrace = 8 * time.Second

// withDefaults returns the options with defaults, or the reason why they are invalid.
func (o options) withDefaults() (options, error) {
	if o.Heartbeat <= 0 {
		o.Heartbeat = 5 * time.Second
	}
	if o.Expiry <= 0 {
		o.Expiry = 20 * time.Second
	}
	if o.Grace <= 0 {
		o.Grace = min(defaultGrace, o.Expiry/2)
	}
	if o.RetryFor <= 0 {
		o.RetryFor = 15 * time.Second
	}
	if o.clock == nil {
		o.clock = realClock{}
	}
	switch {
	case o.Expiry < 3*o.Heartbeat:
		return o, fmt.Errorf("leases that last %v cannot be renewed every %v: the heartbeat must be at most a third of the expiry", o.Expiry, o.Heartbeat)
	case o.Expiry-o.Grace <= o.Heartbeat:
		return o, fmt.Errorf("leases that last %v and are given up %v before that cannot be renewed every %v", o.Expiry, o.Grace, o.Heartbeat)
	}
	return o, nil
}

// runStore is a runstore.Store in a database.
type runStore struct {
	*database.Store
	// Queue orders the turns of agents for all processes of the store; see engine.Queue.
	*places.Queue
	leases  *leases
	name    string
	explain func(error) error
}

var _ runstore.Store = (*runStore)(nil)

// OpenURL opens the store in the database of a URL, for cli.Program.OpenDatabase and
// embedding.Options.OpenDatabase. It creates missing tables. Errors contain no password of
// the URL.
func OpenURL(ctx context.Context, url string) (store.Store, error) {
	s, err := openStore(ctx, url, options{})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// openStore opens the store in the database of a URL such as
// postgres://user:password@host:5432/name, in the schema that comes first in the user's
// or the URL's search_path. It makes missing tables. It waits for a server that starts or
// is unreachable. Errors name the database and never show a password.
func openStore(ctx context.Context, url string, opt options) (*runStore, error) {
	a, err := pg.Parse(url)
	if err != nil {
		return nil, err
	}
	if opt, err = opt.withDefaults(); err != nil {
		return nil, err
	}
	db := a.Pool(connections, map[string]string{
		// The transaction of a writer that died unnoticed must not keep its locks.
		"idle_in_transaction_session_timeout": fmt.Sprint(idle.Milliseconds()),
	})
	if err := pg.Retry(ctx, opt.RetryFor, func() error { return migrateTables(ctx, db) }); err != nil {
		return nil, errors.Join(fmt.Errorf("the store %s: %w", a.Name, a.Explain(err)), db.Close())
	}
	l := &leases{
		db: db, clock: opt.clock, heartbeat: opt.Heartbeat, expiry: opt.Expiry, grace: opt.Grace, retryFor: opt.RetryFor, held: map[string]*heldLease{},
	}
	s := &runStore{leases: l, name: a.Name, explain: a.Explain, Store: database.New(database.Config{
		Name: a.Name, Dialect: dialectName, Reads: reader{db}, Watch: watch{db}, Explain: a.Explain,
		Plain: runstore.DecodeText, CommonPrefix: runstore.CommonPrefix, Like: true, Close: db.Close,
		Open: func() (database.Connection, error) { return newConnection(db, l, opt.RetryFor), nil },
	})}
	l.writes = s.Write
	s.Queue = places.New(agentPlaces{s}, time.Second)
	return s, nil
}

// Name returns the URL of the database without passwords.
func (s *runStore) Name() string { return s.name }

// Lease implements runstore.Store.
func (s *runStore) Lease(ctx context.Context, id, holder string) (runstore.Lease, error) {
	taken, err := s.leases.take(ctx, id, holder)
	var held *runstore.HeldError
	switch {
	case errors.As(err, &held):
		return nil, held
	case err != nil:
		return nil, s.leaseError(id, err)
	}
	return taken, nil
}

// Leased implements runstore.Store.
func (s *runStore) Leased(ctx context.Context, id string) (held bool, holder string, err error) {
	if held, holder, err = s.leases.currentHolder(ctx, id); err != nil {
		err = s.leaseError(id, err)
	}
	return held, holder, err
}

// Close implements store.Store. It releases the leases that are still held.
func (s *runStore) Close() error {
	s.leases.close()
	return s.Store.Close()
}

// reader reads for Ent.
type reader struct{ *stdsql.DB }

// Close implements database.Reader; the connections are also the writer's, which closes last.
func (reader) Close() error { return nil }

// ExecContext implements entsql.ExecQuerier.
func (r reader) ExecContext(ctx context.Context, query string, args ...any) (stdsql.Result, error) {
	return r.DB.ExecContext(ctx, query, keptValues(args)...)
}

// QueryContext implements entsql.ExecQuerier. A connection that was lost since it
// was last used is found out by using it; then another one is used.
func (r reader) QueryContext(ctx context.Context, query string, args ...any) (rows *stdsql.Rows, err error) {
	for range connections + 1 {
		if rows, err = r.DB.QueryContext(ctx, query, keptValues(args)...); err == nil || ctx.Err() != nil || !pg.Dropped(err) {
			break
		}
	}
	return rows, err
}

// sqlSnapshot says which transactions are done and which are under way. It
// differs after every one that changed anything, also elsewhere in the server:
// then a look at the run is in vain, which is cheap. A counter in a table would
// make all processes wait for each other.
const sqlSnapshot = `SELECT txid_current_snapshot()::text`

// watch notices that the database has changed.
type watch struct{ db *stdsql.DB }

// Version implements database.Watch.
func (w watch) Version(ctx context.Context) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var snapshot string
	if err := w.db.QueryRowContext(ctx, sqlSnapshot).Scan(&snapshot); err != nil {
		return 0, err
	}
	sum := fnv.New64a()
	sum.Write([]byte(snapshot))
	return int64(sum.Sum64()), nil
}

// Close implements database.Watch; the connections are the readers'.
func (watch) Close() error { return nil }
