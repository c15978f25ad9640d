package runstore

import (
	"context"
	"fmt"

	"github.com/wfc-lang/wfc/runtime/store"
)

// Brief reads a run without its outputs, which may have many megabytes. It returns the fields of a run that store.Filter.Brief names. The error is
// store.ErrNotFound if there is no run of this id.
func Brief(ctx context.Context, from store.Store, id string) (store.Run, error) {
	// The prefix is for stores that do not know Filter.ID.
	runs, err := from.Runs(ctx, store.Filter{ID: id, Prefix: id, Brief: true})
	if err != nil {
		return store.Run{}, err
	}
	for _, r := range runs {
		if r.ID == id {
			return r, nil
		}
	}
	return store.Run{}, fmt.Errorf("run %s: %w", id, store.ErrNotFound)
}
