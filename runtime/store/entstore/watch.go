package entstore

import (
	"context"
	stdsql "database/sql"
	"fmt"
	"sync"
)

// watch notices that the database has changed. SQLite's data_version says so,
// but only to one connection about the others, so one is kept for the asking.
type watch struct {
	db *stdsql.DB

	mu   sync.Mutex
	conn *stdsql.Conn
}

// Version implements store.Store.
func (s *Store) Version(ctx context.Context) (int64, error) {
	version, err := s.watch.version(ctx)
	if err != nil {
		return 0, fmt.Errorf("the store %s: %w", s.path, explain(err))
	}
	return version, nil
}

func (w *watch) version(ctx context.Context) (version int64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		if w.conn, err = w.db.Conn(ctx); err != nil {
			return 0, err
		}
	}
	err = w.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version)
	return version, err
}

func (w *watch) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn == nil {
		return nil
	}
	return w.conn.Close()
}
