package entstore

import (
	"context"
	stdsql "database/sql"
	"database/sql/driver"
	"errors"
	"sync"
)

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
