// Package runstore is what engines need of stores beyond the interface that all have: who
// works on a run, in stores that processes of several
// machines share.
package runstore

import (
	"context"
	"errors"
	"time"

	"github.com/wfc-lang/wfc/runtime/store"
)

// ErrLost: another process may have taken over the run, so that this one must not
// write to it any more.
var ErrLost = errors.New("the lease on it is lost, because its holder did not renew it in time")

// A Store is a store that processes of several machines share, so that it keeps the
// leases itself. A lease ends when its holder releases it or has not renewed it for some
// time. As soon as another process may have taken the run over, Begin, SetFingerprint and
// Commit return ErrLost to the previous holder.
//
// With other stores a run's holder is the process that locks a file in the state folder.
type Store interface {
	store.Store
	// Lease makes this process the one that works on a run, which need not be
	// there yet. While another one does, the error is a *HeldError. holder says
	// who this process is, for people.
	Lease(ctx context.Context, id, holder string) (Lease, error)
	// Leased reports whether a process works on a run, and what that said of
	// itself.
	Leased(ctx context.Context, id string) (held bool, holder string, err error)
}

// A Lease is the right to work on a run.
type Lease interface {
	// Lost is closed when the lease is lost: then the holder must end its work. It
	// is closed so early that the holder's processes have ended before another
	// process can take the run over, unless that has done so already.
	Lost() <-chan struct{}
	// Release gives the lease back. Releasing twice does nothing.
	Release()
}

// A HeldError says that another process has the lease on a run.
type HeldError struct {
	// Holder is what the holder said of itself.
	Holder string
	// Left is how long its lease lasts unless it is heard of before then.
	Left time.Duration
}

func (e *HeldError) Error() string { return "held by " + e.Holder }

// Place describes, for people, where a store keeps its runs: the result of the store's
// method Name() string, if it has one, else folder, the path of the state folder.
func Place(s store.Store, folder string) string {
	if named, ok := s.(interface{ Name() string }); ok {
		return named.Name()
	}
	return folder
}
