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
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/wfc-lang/wfc/runtime/internal/database"
	"github.com/wfc-lang/wfc/runtime/internal/pg"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Writing over a network.
//
// Each statement whose result is needed costs a round trip to the server, so a transaction is
// sent as a whole, from the BEGIN with the locks of its runs to the COMMIT. For each run, a
// statement fails if the run or the lease on it is gone. Then the server skips the rest, and the
// transaction is done again in two round trips, which find out which of its changes to refuse.
//
// A connection sends statements as they are, because a short run uses most of them once. When
// it has had some transactions, it has the server prepare those of a step.
//
// A restart of the server, or a short failure of the network, must not end every run. If
// the connection is lost before the COMMIT was sent, nothing is written, and the
// transaction is repeated on another connection. If it is lost after that, the result is
// unknown. But each transaction first sets its number in the row of its writer. Writing
// that row on the new connection waits for the end of the old transaction, and shows
// whether it was committed. If the transaction was not there yet, it is never done: a number in
// the row stops it when it comes. The server ends an old transaction after idle at the latest,
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
	// sqlMark notes the number of a transaction in the row of its writer. It divides by zero if
	// the row has a number that is not smaller.
	sqlMark = `INSERT INTO workflow_writers AS w (id, number, used) VALUES ($1, $2, clock_timestamp())
		ON CONFLICT (id) DO UPDATE SET number = excluded.number / (excluded.number > w.number)::int, used = excluded.used`
	// sqlMarked returns the number in the row of a writer. It writes the row, since
	// that waits for the end of a transaction under way even when it is the first
	// one of the writer, whose row nobody else sees yet. Numbers begin at 1. Then sqlFence
	// sets a number that stops the transaction if it comes later.
	sqlMarked = `INSERT INTO workflow_writers AS w (id, number, used) VALUES ($1, 0, clock_timestamp())
		ON CONFLICT (id) DO UPDATE SET used = excluded.used RETURNING w.number`
	sqlFence = `UPDATE workflow_writers SET number = $2 WHERE id = $1`
	// sqlForget removes the rows of this writer and of such as died.
	sqlForget = `DELETE FROM workflow_writers WHERE id = $1 OR used < clock_timestamp() - interval '7 days'`
	// sqlLockRun makes others who write to a run wait. It is a separate statement, so
	// that the next ones see the writes of those before.
	sqlLockRun = `SELECT 1 FROM workflow_runs WHERE id = $1 FOR NO KEY UPDATE`
	sqlEpoch   = `SELECT epoch FROM workflow_leases WHERE run_id = $1`
	// sqlGuard divides by zero, which no other statement does, if the run or the lease on it
	// is gone.
	sqlGuard = `SELECT 1 / count(*) FROM workflow_runs AS r JOIN workflow_leases AS l ON l.run_id = r.id WHERE r.id = $1 AND l.epoch = $2`
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
	// careful says that a transaction was stopped by a guard, and is done again.
	careful bool
	// durable says that the connection has sqlDurable, and transactions counts those that it
	// has committed; see prepareSteps.
	durable      bool
	transactions int
	// writer names this connection's row, and number is that of its last
	// transaction.
	writer string
	number int64
	// fenced says that the row stops a transaction that may come still.
	fenced bool
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
				arrived, markErr := c.findOutcome(ctx, deadline)
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
		case pg.IsDivision(err) && !c.careful:
			c.careful = true
			defer func() { c.careful = false }()
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
	if !c.durable {
		c.queue.Queue(sqlDurable)
	}
	c.queue.Queue(sqlMark, c.writer, c.number)
	clear(c.looked)
	if err = do(); err == nil {
		c.queue.Queue("COMMIT")
		sent = true
		err = c.flushQueue()
	}
	if err == nil {
		c.durable = true
		if c.transactions++; c.transactions == prepareAfter {
			c.prepareSteps()
		}
		return sent, nil
	}
	clear(c.touched)
	c.queue = &pgx.Batch{}
	if !c.isDisconnected() {
		c.queue.Queue("ROLLBACK")
		if c.flushQueue() != nil {
			c.closeQuietly() // with it goes the transaction
		}
	}
	return sent, err
}

// prepareAfter is how many transactions a connection has before it prepares statements. That takes
// a round trip for each, which a short run would not gain.
const prepareAfter = 8

// prepareSteps has the server prepare the statements of a step, so that it need not plan them for
// each. Without it, the next transaction takes a little longer, or finds the connection lost.
func (c *connection) prepareSteps() {
	_ = c.withRawConn(func(raw *pgx.Conn) error {
		for _, text := range []string{"BEGIN", "COMMIT", sqlMark, sqlLockRun, sqlGuard, c.putStep, c.addEvent, c.touch} {
			if _, err := raw.Prepare(c.ctx, text, text); err != nil {
				return err
			}
		}
		return nil
	})
}

// flushQueue sends the queued statements, and waits for all results.
func (c *connection) flushQueue() error {
	if c.queue.Len() == 0 {
		return nil
	}
	queue := c.queue
	c.queue = &pgx.Batch{}
	return sendBatch(c.ctx, c.conn, queue)
}

// sendBatch sends statements and waits for all results.
func sendBatch(ctx context.Context, conn *stdsql.Conn, queue *pgx.Batch) error {
	return withRaw(conn, func(raw *pgx.Conn) error { return raw.SendBatch(ctx, queue).Close() })
}

// withRawConn does something with the driver's own connection.
func (c *connection) withRawConn(do func(raw *pgx.Conn) error) error { return withRaw(c.conn, do) }

func withRaw(conn *stdsql.Conn, do func(raw *pgx.Conn) error) error {
	if conn == nil {
		return driver.ErrBadConn
	}
	var result error
	err := conn.Raw(func(conn any) error {
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
	c.durable, c.transactions = false, 0
	if c.conn, err = c.pool.Conn(ctx); err != nil {
		c.conn = nil
	}
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

// findOutcome reports whether the last transaction was committed. A question that did not reach the
// server, because the connection was lost already, is asked again until the deadline.
func (c *connection) findOutcome(ctx context.Context, deadline time.Time) (bool, error) {
	last := c.number
	for {
		arrived, err := c.isCommitted(ctx, last)
		if err == nil || !pgconn.SafeToRetry(err) || !c.isDisconnected() || time.Now().After(deadline) {
			return arrived, err
		}
		if connectErr := c.ensureConnected(ctx, deadline); connectErr != nil {
			return false, errors.Join(err, connectErr)
		}
	}
}

// isCommitted reports whether the transaction of a number was committed, and if it wasn't, keeps it
// from being committed later.
func (c *connection) isCommitted(ctx context.Context, last int64) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	number := int64(0)
	c.number++
	c.fenced = true
	look := &pgx.Batch{}
	look.Queue("BEGIN")
	look.Queue(sqlMarked, c.writer).QueryRow(func(row pgx.Row) error { return row.Scan(&number) })
	look.Queue(sqlFence, c.writer, c.number)
	look.Queue("COMMIT")
	err := sendBatch(ctx, c.conn, look)
	return number == last, err
}

// ExecContext runs a statement of Ent's, and with it those that are queued.
func (c *connection) ExecContext(_ context.Context, query string, args ...any) (stdsql.Result, error) {
	var changed driver.RowsAffected
	c.queue.Queue(query, keptValues(args)...).Exec(func(tag pgconn.CommandTag) error {
		changed = driver.RowsAffected(tag.RowsAffected())
		return nil
	})
	return changed, c.flushQueue()
}

// QueryContext runs a query of Ent's.
func (c *connection) QueryContext(_ context.Context, query string, args ...any) (*stdsql.Rows, error) {
	if err := c.flushQueue(); err != nil {
		return nil, err
	}
	return c.conn.QueryContext(c.ctx, query, keptValues(args)...)
}

// Write implements database.Connection.
func (c *connection) Write(query string, values ...driver.Value) error {
	c.queue.Queue(query, keptValues(values)...)
	return nil
}

// PutStep implements database.Connection.
func (c *connection) PutStep(values ...driver.Value) error {
	return c.Write(c.putStep, values...)
}

// AddEvent implements database.Connection.
func (c *connection) AddEvent(values ...driver.Value) error {
	return c.Write(c.addEvent, values...)
}

// touchEvery is how exactly a run says when it was last committed to.
const touchEvery = time.Second

// lookedAt is a run that is locked: what the database says of it, the lease that this process
// has, and whether that is lost. guarded says that a guard stops the transaction unless that is so.
type lookedAt struct {
	found, guarded bool
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
	for _, at := range c.looked {
		if !at.guarded {
			return c.flushQueue()
		}
	}
	return nil
}

// queueRunLock queues the lock of a run, and the guard of its lease or the look at it.
func (c *connection) queueRunLock(id string) *lookedAt {
	at, leased := &lookedAt{}, false
	if at.epoch, leased, at.lost = c.leases.heldEpoch(id); at.lost != nil {
		return at
	}
	if leased && !c.careful {
		c.queue.Queue(sqlLockRun, runstore.EncodeText(id))
		c.queue.Queue(sqlGuard, runstore.EncodeText(id), at.epoch)
		at.found, at.current, at.guarded = true, at.epoch, true
		return at
	}
	c.queue.Queue(sqlLockRun, runstore.EncodeText(id)).Query(func(rows pgx.Rows) error {
		at.found = rows.Next()
		return nil
	})
	if leased {
		c.queue.Queue(sqlEpoch, runstore.EncodeText(id)).QueryRow(func(row pgx.Row) error { return row.Scan(&at.current) })
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
		c.queue.Queue(c.touch, now.UnixNano(), runstore.EncodeText(id))
		c.touched[id] = now
	}
	return nil
}

// Lock implements database.Connection.
func (c *connection) Lock(id string) error {
	c.queue.Queue(sqlLockRun, runstore.EncodeText(id))
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
	if !c.isDisconnected() && !c.fenced {
		_, _ = c.conn.ExecContext(ctx, sqlForget, c.writer) // another writer removes it one day
	}
	err := c.conn.Close()
	c.conn = nil
	return err
}
