package serving

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A Source is a store from which metrics come.
type Source struct {
	Store store.Store
	// Runs is local.Engine.ListRuns: it knows which runs are interrupted.
	Runs func(ctx context.Context, f store.Filter, statuses ...flow.Status) ([]local.RunStatus, error)
	// Counts selects workflows; nil selects all.
	Counts func(workflow string) bool
}
