package attempt

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/checkout"
	"github.com/wfc-lang/wfc/runtime/internal/git"
)

// readCheckout returns the state of the checkout, for an action that must not change it; nil for
// other actions.
func (s *Site) readCheckout(ctx context.Context, a flow.Action) (checkout.State, error) {
	if !a.ReadOnly {
		return nil, nil
	}
	return checkout.Read(ctx, s.Run, s.Sandbox.Git(git.Folder{Path: s.Run.WorkDir, Environ: s.Environ}).Run)
}

// failIfChanged fails an action that has changed the checkout.
func (s *Site) failIfChanged(ctx context.Context, a flow.Action, before checkout.State, result flow.Result) flow.Result {
	if before == nil || result.Status != flow.Completed {
		return result
	}
	after, err := s.readCheckout(ctx, a)
	if err != nil {
		return checkout.Unknown(a.Key, err)
	}
	return checkout.Unchanged(a.Key, before, after, result)
}
