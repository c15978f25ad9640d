package postgres

import (
	"context"
	stdsql "database/sql"
	"hash/fnv"
)

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
