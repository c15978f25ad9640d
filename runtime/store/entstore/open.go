// Package entstore keeps runs in an SQLite database, one file, without cgo:
//
//	runs, err := entstore.Open(ctx, "/var/lib/notes/runs.db")
//
// Open creates the tables and migrates those of older versions. The package has its name from
// ent (entgo.io), with which it is built.
package entstore

import (
	"context"
	stdsql "database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/internal/database"
	"github.com/wfc-lang/wfc/runtime/store"
)

// OpenState opens the store in a state folder, for cli.Program.OpenStore and
// embedding.Options.OpenStore.
func OpenState(ctx context.Context, dir string) (store.Store, error) {
	return Open(ctx, state.Folder{Path: dir}.Database())
}

// Open opens the store in the file of the given path and creates a missing file with its
// folder. Other processes may have the file open. Errors name the file.
func Open(ctx context.Context, path string) (store.Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("the store %s: %w", path, err)
	}
	s, err := openFile(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("the store %s: %w", path, explainError(err))
	}
	return s, nil
}

func openFile(ctx context.Context, path string) (store.Store, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		if err := createStore(ctx, path); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	writes, err := openWriter(path)
	if err != nil {
		return nil, err
	}
	if err := migrateTables(ctx, writes); err != nil {
		writes.Close()
		return nil, err
	}
	reads, err := openReaders(path)
	if err != nil {
		writes.Close()
		return nil, err
	}
	return database.New(database.Config{
		Name: path, Dialect: dialectName, Reads: reads, Watch: &watch{db: reads}, Explain: explainError, Close: writes.Close,
		Open: func() (database.Connection, error) {
			c, err := newConnection(writes)
			if err != nil {
				return nil, err
			}
			return c, nil
		},
	}), nil
}

// createStore makes an empty store, for its owner only. It is made under another
// name and then linked to its own: so it costs one wait for the disk instead of
// one for each change of SQLite's mode and tables, nobody meets half a store,
// of several processes that make it one wins, and no descriptor of the real
// file is opened and closed here, which would release the locks that SQLite
// may hold on it in this process.
func createStore(ctx context.Context, path string) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, ".new-*.db")
	if err != nil {
		return err
	}
	defer func() {
		for _, suffix := range []string{"", "-wal", "-shm"} { // SQLite keeps its log if the disk is full
			os.Remove(file.Name() + suffix)
		}
	}()
	if err := errors.Join(createTables(ctx, file), file.Close()); err != nil {
		return err
	}
	// Without hard links, SQLite makes the file itself when it opens it, and reports the
	// error.
	if err := os.Link(file.Name(), path); err == nil {
		_ = wholefile.SyncFolder(folder)
	}
	return nil
}

// createTables makes the tables in an empty file. It moves them there from SQLite's log, because
// closing the file does so without an error if the disk is full.
func createTables(ctx context.Context, file *os.File) error {
	db, err := openScratch(file.Name())
	if err != nil {
		return err
	}
	err = migrateTables(ctx, db)
	if err == nil {
		_, err = db.ExecContext(ctx, sqlCheckpoint)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	return file.Sync()
}

// migrateTables brings the tables to the version of this build. For a current store it only
// reads the version.
func migrateTables(ctx context.Context, db *stdsql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if version, err := tableVersion(ctx, conn); err != nil || version == database.Latest() {
		return err
	}
	// Read the version again within the transaction: another process may have migrated in
	// the meantime.
	return inTransaction(ctx, conn, func() error {
		version, err := tableVersion(ctx, conn)
		if err != nil {
			return err
		}
		changes, err := database.Missing(version, "another folder with --state")
		if err != nil {
			return err
		}
		for _, change := range changes {
			for _, statement := range change {
				if _, err := conn.ExecContext(ctx, statement); err != nil {
					return fmt.Errorf("make the tables: %w", err)
				}
			}
		}
		_, err = conn.ExecContext(ctx, sqlSetVersion(database.Latest()))
		return err
	})
}

func tableVersion(ctx context.Context, conn *stdsql.Conn) (version int, err error) {
	err = conn.QueryRowContext(ctx, sqlVersion).Scan(&version)
	return version, err
}

// inTransaction does something in a transaction.
func inTransaction(ctx context.Context, conn *stdsql.Conn, do func() error) error {
	if _, err := conn.ExecContext(ctx, sqlBegin); err != nil {
		return err
	}
	err := do()
	if err == nil {
		_, err = conn.ExecContext(ctx, sqlCommit)
	}
	if err != nil {
		// The first error is the useful one.
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), sqlRollback)
	}
	return err
}
