package folder

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/wfc-lang/wfc/runtime/state"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Runs say where the programs of workflows keep their runs: State or Database.
type Runs interface {
	open(ctx context.Context, f state.Folder, database string) (store.Store, error)
}

// State are runs in the state folder.
type State struct {
	// Open opens the store there.
	Open func(ctx context.Context, f state.Folder) (store.Store, error)
}

// Database are runs in a database.
type Database struct {
	// Open opens the store in the database of a URL.
	Open func(ctx context.Context, url string) (store.Store, error)
}

func (s State) open(ctx context.Context, f state.Folder, _ string) (store.Store, error) {
	return s.Open(ctx, f)
}

func (d Database) open(ctx context.Context, _ state.Folder, given string) (store.Store, error) {
	url := cmp.Or(os.Getenv("WFC_DATABASE_URL"), given)
	if url == "" {
		return nil, errors.New("no database is named: set WFC_DATABASE_URL, or `database:` in wfc.yaml")
	}
	return d.Open(ctx, url)
}
