package entstore

import (
	"context"
	stdsql "database/sql"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/internal/database"
)

// migrate brings the tables to the version that this build knows. Of a store
// that is there it only asks.
func migrate(ctx context.Context, db *stdsql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if version, err := tableVersion(ctx, conn); err != nil || version == len(database.Versions) {
		return err
	}
	// The version is asked again within the transaction: another process may
	// have done it in the meantime.
	return transact(ctx, conn, func() error {
		version, err := tableVersion(ctx, conn)
		if err != nil {
			return err
		}
		if version > len(database.Versions) {
			return fmt.Errorf("a newer wfc wrote it (tables of version %d; this build knows %d): use the newer wfc, or another folder with --state", version, len(database.Versions))
		}
		for _, change := range database.Versions[version:] {
			for _, statement := range change {
				if _, err := conn.ExecContext(ctx, statement); err != nil {
					return fmt.Errorf("make the tables: %w", err)
				}
			}
		}
		_, err = conn.ExecContext(ctx, sqlSetVersion(len(database.Versions)))
		return err
	})
}

func tableVersion(ctx context.Context, conn *stdsql.Conn) (version int, err error) {
	err = conn.QueryRowContext(ctx, sqlVersion).Scan(&version)
	return version, err
}

// transact does something in a transaction.
func transact(ctx context.Context, conn *stdsql.Conn, do func() error) error {
	if _, err := conn.ExecContext(ctx, sqlBegin); err != nil {
		return err
	}
	err := do()
	if err == nil {
		_, err = conn.ExecContext(ctx, sqlCommit)
	}
	if err != nil {
		// The first error is the one that tells.
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), sqlRollback)
	}
	return err
}
