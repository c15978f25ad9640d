package claim

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/pg"
)

// A database is a Store in PostgreSQL. The server's clock gives the times of use.
type database struct {
	db        *stdsql.DB
	address   *pg.Address
	namespace string
}

const (
	connections = 4
	// opening and patience are how long Open, and each later call, wait for a server that
	// restarts or cannot be reached. A value that cannot be stored costs its step.
	opening  = 15 * time.Second
	patience = time.Minute
	// limit bounds one statement.
	limit = time.Minute
)

const (
	sqlHasTable = `SELECT to_regclass('workflow_blobs') IS NOT NULL`
	// sqlAlone lets one process at a time create the table.
	sqlAlone = `SELECT pg_advisory_xact_lock(hashtext('wfc blobs in ' || coalesce(current_schema(), '')))`
	sqlTable = `CREATE TABLE IF NOT EXISTS workflow_blobs (
		namespace TEXT COLLATE "C" NOT NULL,
		sum TEXT COLLATE "C" NOT NULL,
		used TIMESTAMPTZ NOT NULL,
		blob BYTEA NOT NULL,
		PRIMARY KEY (namespace, sum)
	)`
	sqlUse = `UPDATE workflow_blobs SET used = clock_timestamp() WHERE namespace = $1 AND sum = $2 AND used < clock_timestamp() - $3 * interval '1 second'`
	sqlHas = `SELECT EXISTS (SELECT 1 FROM workflow_blobs WHERE namespace = $1 AND sum = $2 AND used >= clock_timestamp() - $3 * interval '1 second')`
	sqlPut = `INSERT INTO workflow_blobs (namespace, sum, used, blob) VALUES ($1, $2, clock_timestamp(), $3)
		ON CONFLICT (namespace, sum) DO UPDATE SET used = excluded.used, blob = excluded.blob`
	sqlGet   = `SELECT blob FROM workflow_blobs WHERE namespace = $1 AND sum = $2`
	sqlOld   = `SELECT sum, octet_length(blob) FROM workflow_blobs WHERE namespace = $1 AND used < $2`
	sqlPrune = `DELETE FROM workflow_blobs WHERE namespace = $1 AND sum = $2 AND used < $3`
)

func openDatabase(ctx context.Context, url, namespace string) (*database, error) {
	address, err := pg.Parse(url)
	if err != nil {
		return nil, fmt.Errorf("--blobs: %w", err)
	}
	d := &database{db: address.Pool(connections, nil), address: address, namespace: namespace}
	if err := d.retryUntil(ctx, opening, d.createTable); err != nil {
		return nil, errors.Join(err, d.db.Close())
	}
	return d, nil
}

func (d *database) createTable(ctx context.Context) error {
	var has bool
	if err := d.db.QueryRowContext(ctx, sqlHasTable).Scan(&has); err != nil || has {
		return err
	}
	tx, err := d.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, statement := range []string{sqlAlone, sqlTable} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// retryUntil calls f until it succeeds, fails for a reason that does not pass, or the time is over.
func (d *database) retryUntil(ctx context.Context, atMost time.Duration, f func(context.Context) error) error {
	err := pg.Retry(ctx, atMost, func() error {
		ctx, stop := context.WithTimeout(ctx, limit)
		defer stop()
		return f(ctx)
	})
	if err == nil || errors.Is(err, stdsql.ErrNoRows) {
		return err
	}
	return fmt.Errorf("the store %s: %w", d.address.Name, d.address.Explain(err))
}

// Put implements Store. A value that is there and was used a short time ago is not sent.
func (d *database) Put(sum string, blob []byte) error {
	return d.retryUntil(context.Background(), patience, func(ctx context.Context) error {
		var has bool
		if err := d.db.QueryRowContext(ctx, sqlHas, d.namespace, sum, usePrecision.Seconds()).Scan(&has); err != nil || has {
			return err
		}
		_, err := d.db.ExecContext(ctx, sqlPut, d.namespace, sum, blob)
		return err
	})
}

// Get implements Store.
func (d *database) Get(sum string) (blob []byte, err error) {
	err = d.retryUntil(context.Background(), patience, func(ctx context.Context) error {
		if err := d.db.QueryRowContext(ctx, sqlGet, d.namespace, sum).Scan(&blob); err != nil {
			return err
		}
		_, err := d.db.ExecContext(ctx, sqlUse, d.namespace, sum, usePrecision.Seconds())
		return err
	})
	if errors.Is(err, stdsql.ErrNoRows) {
		return nil, fmt.Errorf("the store %s has no value %s: %w", d.address.Name, sum, fs.ErrNotExist)
	}
	return blob, err
}

// Prune implements Store.
func (d *database) Prune(ctx context.Context, before time.Time, keep map[string]bool, dry bool) (Pruned, error) {
	var p Pruned
	sizes := map[string]int64{}
	err := d.retryUntil(ctx, patience, func(ctx context.Context) error {
		clear(sizes)
		rows, err := d.db.QueryContext(ctx, sqlOld, d.namespace, before)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var sum string
			var size int64
			if err := rows.Scan(&sum, &size); err != nil {
				return err
			}
			if !keep[sum] {
				sizes[sum] = size
			}
		}
		return rows.Err()
	})
	if err != nil {
		return p, err
	}
	for sum, size := range sizes {
		removed := int64(1)
		if !dry {
			err := d.retryUntil(ctx, patience, func(ctx context.Context) error {
				// A use since the query above shows in the time, so the blob stays.
				result, err := d.db.ExecContext(ctx, sqlPrune, d.namespace, sum, before)
				if err != nil {
					return err
				}
				removed, err = result.RowsAffected()
				return err
			})
			if err != nil {
				return p, err
			}
		}
		if removed > 0 {
			p.Blobs, p.Bytes = p.Blobs+1, p.Bytes+size
		}
	}
	return p, nil
}

// Close implements Store.
func (d *database) Close() error { return d.db.Close() }
