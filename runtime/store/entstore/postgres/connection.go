package postgres

import (
	"context"
	"crypto/rand"
	stdsql "database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/wfc-lang/wfc/runtime/internal/database"
	"github.com/wfc-lang/wfc/runtime/internal/pg"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Writing over a network.
//
// Each statement whose result is needed costs a round trip to the server, so the rows of
// steps and events are queued and sent together with the COMMIT. Only one round trip precedes
// it: the BEGIN, and for all runs of the transaction their locks and the looks at their leases.
//
// A restart of the server, or a short failure of the network, must not end every run. If
// the connection is lost before the COMMIT was sent, nothing is written, and the
// transaction is repeated on another connection. If it is lost after that, the result is
// unknown. But each transaction first sets its number in the row of its writer. Writing
// that row on the new connection waits for the end of the old transaction, and shows
// whether it was committed. The server ends an old transaction after idle at the latest,
// so the wait is bounded. (The server's own txid_status could be wrong after a crash,
// because it reuses the numbers of transactions that left no trace.)

// limit is how long a transaction, or a read, may take, and idle how long the server
// waits for the next statement of a transaction.
const (
	limit = 30 * time.Second
	idle  = 10 * time.Second
)

// conflicts is how often a transaction that met another one is tried.
const conflicts = 5

const (
	// sqlMark notes the number of a transaction in the row of its writer.
	sqlMark = `INSERT INTO workflow_writers (id, number, used) VALUES ($1, $2, clock_timestamp())
		ON CONFLICT (id) DO UPDATE SET number = excluded.number, used = excluded.used`
	// sqlMarked returns the number in the row of a writer. It writes the row, since
	// that waits for the end of a transaction under way even when it is the first
	// one of the writer, whose row nobody else sees yet. Numbers begin at 1.
	sqlMarked = `INSERT INTO workflow_writers AS w (id, number, used) VALUES ($1, 0, clock_timestamp())
		ON CONFLICT (id) DO UPDATE SET used = excluded.used RETURNING w.number`
	// sqlForget removes the rows of this writer and of such as died.
	sqlForget = `DELETE FROM workflow_writers WHERE id = $1 OR used < clock_timestamp() - interval '7 days'`
	// sqlLockRun makes others who write to a run wait. It is a separate statement, so
	// that the next ones see the writes of those before.
	sqlLockRun = `SELECT 1 FROM workflow_runs WHERE id = $1 FOR NO KEY UPDATE`
	sqlEpoch   = `SELECT epoch FROM workflow_leases WHERE run_id = $1`
	// sqlDurable makes a commit wait for the disk where the server's settings
	// would have it return before.
	sqlDurable = `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`
)

// connection is the one that writes.
type connection struct {
	pool   *stdsql.DB
	leases *leases
	// retryFor is how long to wait for a lost server.
	retryFor time.Duration

	conn  *stdsql.Conn // nil when there is none
	queue *pgx.Batch
	// ctx ends when the transaction has taken too long.
	ctx context.Context
	// looked are the runs of the transaction that are locked and not updated yet.
	looked map[string]*lookedAt
	// writer names this connection's row, and number is that of its last
	// transaction.
	writer string
	number int64
	// touched says of the runs that this process commits to when it last noted
	// in them that it did.
	touched map[string]time.Time

	putStep, addEvent, touch string
}

var _ database.Connection = (*connection)(nil)

func newConnection(pool *stdsql.DB, leases *leases, patience time.Duration) *connection {
	return &connection{
		pool: pool, leases: leases, retryFor: patience, queue: &pgx.Batch{}, ctx: context.Background(),
		writer: rand.Text(), touched: map[string]time.Time{}, looked: map[string]*lookedAt{},
		putStep:  database.PutStepText(dialectName),
		addEvent: database.AddEventText(dialectName),
		touch:    database.TouchText(dialectName),
	}
}

// Transact implements database.Connection.
func (c *connection) Transact(ctx context.Context, do func() error) (begun bool, err error) {
	deadline := time.Now().Add(c.retryFor)
	if err := c.ensureConnected(ctx, deadline); err != nil {
		return false, err
	}
	for try := 1; ; try++ {
		sent, err := c.tryTransaction(ctx, do)
		switch {
		case err == nil:
			return true, nil
		case ctx.Err() != nil:
			return false, err
		case c.isDisconnected():
			connectErr := c.ensureConnected(ctx, deadline)
			switch {
			case connectErr != nil && sent:
				return false, notKnown(err, connectErr)
			case connectErr != nil:
				return false, errors.Join(err, connectErr)
			}
			if sent {
				arrived, markErr := c.isCommitted(ctx)
				if markErr != nil {
					return false, notKnown(err, markErr)
				}
				if arrived {
					return true, nil
				}
			}
			if time.Now().After(deadline) {
				return false, err
			}
		case pg.IsConflict(err) && try < conflicts:
		default:
			return true, err
		}
	}
}

// notKnown is the error of a transaction with an unknown result.
func notKnown(errs ...error) error {
	return fmt.Errorf("it is unknown whether it was written: %w", errors.Join(errs...))
}

// tryTransaction does a transaction once. sent says that its COMMIT may have reached
// the server.
func (c *connection) tryTransaction(ctx context.Context, do func() error) (sent bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c.ctx = ctx
	c.number++
	c.queue = &pgx.Batch{}
	c.queue.Queue("BEGIN")
	c.queue.Queue(sqlMark, c.writer, c.number)
	clear(c.looked)
	if err = do(); err == nil {
		c.queue.Queue("COMMIT")
		sent = true
		err = c.flushQueue()
	}
	if err != nil {
		clear(c.touched)
		c.queue = &pgx.Batch{}
		if !c.isDisconnected() {
			c.queue.Queue("ROLLBACK")
			if c.flushQueue() != nil {
				c.closeQuietly() // with it goes the transaction
			}
		}
	}
	return sent, err
}

// flushQueue sends the queued statements, and waits for all results.
func (c *connection) flushQueue() error {
	if c.queue.Len() == 0 {
		return nil
	}
	queue := c.queue
	c.queue = &pgx.Batch{}
	return c.withRawConn(func(raw *pgx.Conn) error { return raw.SendBatch(c.ctx, queue).Close() })
}

// withRawConn does something with the driver's own connection.
func (c *connection) withRawConn(do func(raw *pgx.Conn) error) error {
	if c.conn == nil {
		return driver.ErrBadConn
	}
	var result error
	err := c.conn.Raw(func(conn any) error {
		result = do(conn.(*stdlib.Conn).Conn())
		return nil // it says itself whether it is of use still
	})
	return errors.Join(err, result)
}

// isDisconnected reports whether there is no connection any more.
func (c *connection) isDisconnected() bool {
	closed := true
	_ = c.withRawConn(func(raw *pgx.Conn) error {
		closed = raw.IsClosed()
		return nil
	})
	return closed
}

// ensureConnected makes a connection unless there is one, trying again until the
// deadline. A server that says no is not asked again.
func (c *connection) ensureConnected(ctx context.Context, deadline time.Time) error {
	if !c.isDisconnected() {
		return nil
	}
	return pg.Retry(ctx, time.Until(deadline), func() error {
		c.closeQuietly()
		return c.openOnce(ctx)
	})
}

func (c *connection) openOnce(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if c.conn, err = c.pool.Conn(ctx); err != nil {
		c.conn = nil
		return err
	}
	_, err = c.conn.ExecContext(ctx, sqlDurable)
	return err
}

// closeQuietly gives the connection up.
func (c *connection) closeQuietly() {
	if c.conn == nil {
		return
	}
	_ = c.withRawConn(func(raw *pgx.Conn) error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		return raw.Close(ctx)
	})
	_ = c.conn.Close()
	c.conn = nil
}

// isCommitted reports whether the last transaction was committed.
func (c *connection) isCommitted(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var number int64
	err := c.conn.QueryRowContext(ctx, sqlMarked, c.writer).Scan(&number)
	return number == c.number, err
}

// ExecContext runs a statement of Ent's.
func (c *connection) ExecContext(_ context.Context, query string, args ...any) (stdsql.Result, error) {
	if err := c.flushQueue(); err != nil {
		return nil, err
	}
	return c.conn.ExecContext(c.ctx, query, keptValues(args)...)
}

// QueryContext runs a query of Ent's.
func (c *connection) QueryContext(_ context.Context, query string, args ...any) (*stdsql.Rows, error) {
	if err := c.flushQueue(); err != nil {
		return nil, err
	}
	return c.conn.QueryContext(c.ctx, query, keptValues(args)...)
}

// PutStep implements database.Connection.
func (c *connection) PutStep(values ...driver.Value) error {
	c.queue.Queue(c.putStep, keptValues(values)...)
	return nil
}

// AddEvent implements database.Connection.
func (c *connection) AddEvent(values ...driver.Value) error {
	c.queue.Queue(c.addEvent, keptValues(values)...)
	return nil
}

// touchEvery is how exactly a run says when it was last committed to.
const touchEvery = time.Second

// lookedAt is a run that is locked: what the database says of it, the lease that this process
// has, and whether that is lost.
type lookedAt struct {
	found          bool
	current, epoch int64
	lost           error
}

// Expect implements database.Connection.
func (c *connection) Expect(runs []string) error {
	for _, id := range runs {
		if c.looked[id] == nil {
			c.looked[id] = c.queueRunLock(id)
		}
	}
	return c.flushQueue()
}

// queueRunLock queues the lock of a run and the look at its lease.
func (c *connection) queueRunLock(id string) *lookedAt {
	at, leased := &lookedAt{}, false
	if at.epoch, leased, at.lost = c.leases.heldEpoch(id); at.lost != nil {
		return at
	}
	c.queue.Queue(sqlLockRun, encodeText(id)).Query(func(rows pgx.Rows) error {
		at.found = rows.Next()
		return nil
	})
	if leased {
		c.queue.Queue(sqlEpoch, encodeText(id)).QueryRow(func(row pgx.Row) error { return row.Scan(&at.current) })
	}
	return at
}

// Update implements database.Connection.
func (c *connection) Update(id string, now time.Time) error {
	if c.looked[id] == nil {
		if err := c.Expect([]string{id}); err != nil {
			return err
		}
	}
	at := c.looked[id]
	delete(c.looked, id) // the next change may follow the run's deletion
	switch {
	case at.lost != nil:
		return at.lost
	case !at.found:
		return store.ErrNotFound
	case at.current != at.epoch:
		c.leases.markLost(id, at.epoch)
		return runstore.ErrLost
	}
	if last, ok := c.touched[id]; !ok || now.Sub(last) >= touchEvery {
		c.queue.Queue(c.touch, now.UnixNano(), encodeText(id))
		c.touched[id] = now
	}
	return nil
}

// Lock implements database.Connection.
func (c *connection) Lock(id string) error {
	c.queue.Queue(sqlLockRun, encodeText(id))
	return c.flushQueue()
}

// Ended implements database.Connection.
func (c *connection) Ended(id string) { delete(c.touched, id) }

// Crowded implements database.Connection: others may write from other machines.
func (c *connection) Crowded() bool { return false }

// Close implements database.Connection.
func (c *connection) Close() error {
	if c.conn == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), pg.ConnectTimeout)
	defer cancel()
	if !c.isDisconnected() {
		_, _ = c.conn.ExecContext(ctx, sqlForget, c.writer) // another writer removes it one day
	}
	err := c.conn.Close()
	c.conn = nil
	return err
}
