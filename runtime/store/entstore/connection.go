package entstore

import (
	"context"
	stdsql "database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/database"
	"github.com/wfc-lang/wfc/runtime/store"
)

// connection is the one that writes. Its statements are prepared once.
type connection struct {
	*stdsql.Conn

	begin, commit, rollback statement
	touch                   statement // updated, id
	putStep                 statement // database.StepColumns
	addEvent                statement // database.EventColumns

	// touched says of the runs that this process commits to when it last noted
	// in them that it did.
	touched map[string]time.Time

	// transactions counts until version is read again; crowded says that it had changed.
	transactions int
	version      int64
	crowded      bool
}

var _ database.Connection = (*connection)(nil)

func newConnection(db *stdsql.DB) (*connection, error) {
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: conn, touched: map[string]time.Time{}}
	if _, err := conn.ExecContext(ctx, sqlBusyTimeout(busyTimeout/2)); err != nil {
		conn.Close()
		return nil, err
	}
	for _, s := range []struct {
		statement *statement
		text      string
	}{
		{&c.begin, sqlBegin},
		{&c.commit, sqlCommit},
		{&c.rollback, sqlRollback},
		{&c.touch, database.TouchText(dialectName)},
		{&c.putStep, database.PutStepText(dialectName)},
		{&c.addEvent, database.AddEventText(dialectName)},
	} {
		if *s.statement, err = prepareStatement(conn, s.text); err != nil {
			conn.Close()
			return nil, err
		}
	}
	return c, nil
}

// execStatement runs a prepared statement and returns how many rows it changed.
func (c *connection) execStatement(s statement, args ...driver.Value) (int64, error) {
	return s.exec(c.Conn, args)
}

// Write implements database.Connection.
func (c *connection) Write(query string, values ...driver.Value) error {
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = v
	}
	_, err := c.ExecContext(context.Background(), query, args...)
	return err
}

// PutStep implements database.Connection.
func (c *connection) PutStep(values ...driver.Value) error {
	_, err := c.execStatement(c.putStep, values...)
	return err
}

// AddEvent implements database.Connection.
func (c *connection) AddEvent(values ...driver.Value) error {
	_, err := c.execStatement(c.addEvent, values...)
	return err
}

// Expect implements database.Connection: each run is found soon enough.
func (c *connection) Expect([]string) error { return nil }

// touchEvery is how exactly a run says when it was last committed to. Each time
// is a page more to write.
const touchEvery = time.Second

// Update implements database.Connection. It does nothing if it was called a moment ago
// for the run: the run still exists, as nobody deletes a run at work, and others wait in
// any case, since the transaction holds the database's only lock.
func (c *connection) Update(id string, now time.Time) error {
	if last, ok := c.touched[id]; ok && now.Sub(last) < touchEvery {
		return nil
	}
	n, err := c.execStatement(c.touch, now.UnixNano(), id)
	if err != nil {
		return err
	}
	if n == 0 {
		return store.ErrNotFound
	}
	c.touched[id] = now
	return nil
}

// Lock implements database.Connection: the transaction has locked everything.
func (c *connection) Lock(string) error { return nil }

// Ended implements database.Connection.
func (c *connection) Ended(id string) { delete(c.touched, id) }

// lockTries is how often lock waits for half of busyTimeout while other processes
// get their changes through.
const lockTries = 24

// beginTransaction begins a transaction. SQLite's lock is not fair: on a busy machine a process can
// wait long while another one writes again and again. lock continues to wait while others
// make progress; if the holder of the lock writes nothing, it waits twice, which makes
// busyTimeout. It checks for progress only if the lock is not free: nearly always it is.
func (c *connection) beginTransaction() error {
	before := int64(-1)
	for waited := 1; ; waited++ {
		_, err := c.execStatement(c.begin)
		if !isBusy(err) || waited == lockTries {
			return err
		}
		now := c.dataVersion()
		if now == before {
			return err
		}
		before = now
	}
}

// dataVersion is a number that other connections' commits change, 0 when it cannot
// be read.
func (c *connection) dataVersion() (version int64) {
	_ = c.QueryRowContext(context.Background(), sqlChanges).Scan(&version)
	return version
}

// Transact implements database.Connection. A transaction waits at most for the disk, so
// it is not interrupted.
func (c *connection) Transact(_ context.Context, do func() error) (begun bool, err error) {
	if err := c.beginTransaction(); err != nil {
		return false, err
	}
	if err = do(); err == nil {
		_, err = c.execStatement(c.commit)
	}
	if err != nil {
		// The first error is the useful one. SQLite may have rolled back by itself.
		_, _ = c.execStatement(c.rollback)
		clear(c.touched)
	}
	return true, err
}

// versionEvery is how many transactions lie between two looks at what others do.
const versionEvery = 8

// Crowded implements database.Connection.
func (c *connection) Crowded() bool {
	if c.transactions++; c.transactions%versionEvery == 0 {
		now := c.dataVersion()
		c.version, c.crowded = now, c.version != 0 && now != c.version
	}
	return c.crowded
}

// Close implements database.Connection.
func (c *connection) Close() error {
	var errs []error
	for _, s := range []statement{c.begin, c.commit, c.rollback, c.touch, c.putStep, c.addEvent} {
		errs = append(errs, s.close(c.Conn))
	}
	return errors.Join(append(errs, c.Conn.Close())...)
}

// statement is a statement prepared once on the writer's connection and run by
// its driver directly. Package database/sql converts and checks arguments and
// finds out on which connection a statement is prepared; for the few thousand
// rows a second that steps write that is a good part of their cost.
//
// Arguments are int64, string, []byte or nil.
type statement struct {
	stmt driver.StmtExecContext
	args []driver.NamedValue
}

// prepareStatement prepares a statement on a connection.
func prepareStatement(conn *stdsql.Conn, text string) (s statement, err error) {
	err = conn.Raw(func(c any) error {
		preparer, ok := c.(driver.ConnPrepareContext)
		if !ok {
			return fmt.Errorf("the driver's connection %T prepares nothing", c)
		}
		stmt, err := preparer.PrepareContext(context.Background(), text)
		if err != nil {
			return err
		}
		if s.stmt, ok = stmt.(driver.StmtExecContext); !ok {
			return fmt.Errorf("the driver's statement %T cannot be run", stmt)
		}
		s.args = make([]driver.NamedValue, 0, len(database.StepColumns))
		return nil
	})
	return s, err
}

// exec runs the statement on the connection on which it was prepared, and
// returns how many rows it changed.
func (s statement) exec(conn *stdsql.Conn, args []driver.Value) (changed int64, err error) {
	named := s.args[:0]
	for i, value := range args {
		named = append(named, driver.NamedValue{Ordinal: i + 1, Value: value})
	}
	err = conn.Raw(func(any) error {
		result, err := s.stmt.ExecContext(context.Background(), named)
		if err == nil {
			changed, err = result.RowsAffected()
		}
		return err
	})
	clear(named) // they hold strings of any size
	return changed, err
}

func (s statement) close(conn *stdsql.Conn) error {
	return conn.Raw(func(any) error { return s.stmt.(driver.Stmt).Close() })
}
