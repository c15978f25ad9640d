package memory

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/state"
	"github.com/wfc-lang/wfc/runtime/store"
)

// OpenState returns an empty store; generated programs name it. The state
// folder still has the runs' own folders.
func OpenState(context.Context, state.Folder) (store.Store, error) { return New(), nil }
