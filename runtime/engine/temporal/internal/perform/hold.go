package perform

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/filelock"
	"github.com/wfc-lang/wfc/runtime/internal/git"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
)

// holds are the locks of the runs whose files a worker has: one run at a time changes a
// checkout, and one run at a time has the folder of a task. The system releases the locks
// when the worker dies.
type holds struct {
	mu   sync.Mutex
	runs map[string]*hold
	// shared are the checkouts that children work on while their parents hold them, with
	// the child.
	shared map[string]string
}

// A hold has the locks that a worker holds for one run.
type hold struct {
	parent string
	// root is the checkout that the run holds, or that it shares if checkout is nil; "" is
	// none.
	root     string
	checkout *filelock.Lock
	task     *graphstate.Taken
}

// A busyError is the error of a run that needs a lock of another run.
type busyError struct{ message string }

func (e *busyError) Error() string { return e.message }

// takeLocks takes the locks of a run. It reports whether the folder of the run's task lacks the
// last state. Taking twice changes nothing.
func (w *Worker) takeLocks(ctx context.Context, def *flow.Definition, run *flow.RunInfo, parent string, resumed bool) (unsaved bool, err error) {
	all := &w.holds
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.runs[run.ID] != nil || !def.ExclusiveCheckout && def.Graph == nil {
		return false, nil
	}
	if all.runs == nil {
		all.runs, all.shared = map[string]*hold{}, map[string]string{}
	}
	h := &hold{parent: parent}
	if def.ExclusiveCheckout {
		if err := w.takeCheckout(ctx, h, def, run); err != nil {
			return false, err
		}
	}
	if def.Graph != nil {
		if err := w.takeTask(h, def, run, resumed); err != nil {
			all.releaseLocks(run.ID, h)
			return false, err
		}
	}
	all.runs[run.ID] = h
	return h.task != nil && h.task.Lost, nil
}

func (w *Worker) takeCheckout(ctx context.Context, h *hold, def *flow.Definition, run *flow.RunInfo) error {
	all := &w.holds
	root, err := state.Root(run.WorkDir)
	if err != nil {
		return err
	}
	up := all.runs[h.parent]
	for up != nil && up.checkout == nil {
		up = all.runs[up.parent]
	}
	if up != nil && up.root == root {
		if by := all.shared[root]; by != "" && by != run.ID && !strings.HasPrefix(run.ID, by+runid.ChildMark) {
			return busyCheckout(def, "run "+by, root)
		}
		all.shared[root] = cmp.Or(all.shared[root], run.ID)
		h.root = root
		return nil
	}
	for {
		h.checkout, err = filelock.Acquire(w.State.CheckoutLock(root), "run "+run.ID)
		var held *filelock.HeldError
		if !errors.As(err, &held) {
			break
		}
		if !w.dropEnded(ctx, root) {
			return busyCheckout(def, held.Holder, root)
		}
	}
	h.root = root
	return err
}

func busyCheckout(def *flow.Definition, holder, root string) error {
	message := fmt.Sprintf("%s works on the checkout %s", cmp.Or(holder, "another process"), root)
	if def.Graph == nil { // state graphs do not have the key
		message += " (if the workflow changes no files there, set `mutates_checkout: false`)"
	}
	return &busyError{message}
}

// dropEnded releases the hold of a run that ended without saying so, because somebody
// terminated its workflow, and reports whether there was one.
func (w *Worker) dropEnded(ctx context.Context, root string) bool {
	if w.Ended == nil {
		return false
	}
	for id, h := range w.holds.runs {
		if h.root != root || h.checkout == nil {
			continue
		}
		if final, err := w.Ended(ctx, id); err == nil && final != nil && !final.Finished.IsZero() {
			w.holds.releaseLocks(id, h)
			return true
		}
	}
	return false
}

func (w *Worker) takeTask(h *hold, def *flow.Definition, run *flow.RunInfo, resumed bool) error {
	for _, p := range w.Performers {
		keeper, ok := p.(graphstate.Keeper)
		if !ok {
			continue
		}
		taken, err := keeper.Take(run, def, w.Name, resumed)
		if _, ok := errors.AsType[*filelock.HeldError](err); ok {
			return &busyError{err.Error()}
		}
		if err != nil {
			return err
		}
		h.task = taken
	}
	return nil
}

// releaseLocks gives back the locks of a run.
func (all *holds) releaseLocks(id string, h *hold) {
	if h == nil {
		return
	}
	if h.task != nil {
		h.task.Release()
	}
	h.checkout.Release()
	if all.shared[h.root] == id {
		delete(all.shared, h.root)
	}
	delete(all.runs, id)
}

// letGo gives back the locks that a worker holds for a run.
func (w *Worker) letGo(id string) {
	w.holds.mu.Lock()
	defer w.holds.mu.Unlock()
	w.holds.releaseLocks(id, w.holds.runs[id])
}

// Hold takes the locks of a run that has a place on this worker.
func (w *Worker) Hold(ctx context.Context, p wire.Preparation) (*wire.Place, error) {
	def, err := w.findDefinition(p.Run.Workflow)
	if err != nil {
		return nil, refusal(err)
	}
	place := *p.Old
	run := p.Run
	run.WorkDir = place.WorkDir
	return &place, w.holdLocks(ctx, def, &run, &place, p)
}

// holdLocks takes the locks of a run. Temporal tries again while another run has them.
func (w *Worker) holdLocks(ctx context.Context, def *flow.Definition, run *flow.RunInfo, place *wire.Place, p wire.Preparation) error {
	unsaved, err := w.takeLocks(ctx, def, run, p.Parent, p.Old != nil)
	var busy *busyError
	switch {
	case errors.As(err, &busy):
		if !activity.IsActivity(ctx) || activity.GetInfo(ctx).Attempt == 1 {
			w.logEntry(run.ID, Entry{Type: "note", Message: "the run waits: " + busy.message})
		}
		return temporal.NewApplicationError(busy.message, wire.TypeBusy)
	case err != nil:
		return refusal(err)
	}
	place.Held, place.Unsaved = def.ExclusiveCheckout || def.Graph != nil, unsaved
	return nil
}

// worktreeFile describes the worktree of a run, in the folder of the run.
const worktreeFile = "worktree.json"

// prepareWorktree makes the separate git worktree of a run, unless the run has one here or
// needs none.
func (w *Worker) prepareWorktree(ctx context.Context, def *flow.Definition, p wire.Preparation, place *wire.Place) error {
	request := p.Worktree
	switch {
	case def.Worktree == flow.WorktreeAlways && request == nil:
		request = &worktree.Tree{}
	case request == nil:
		return nil
	}
	note := filepath.Join(w.State.RunDir(p.Run.ID), worktreeFile)
	var kept wire.Place
	if text, err := wholefile.Source.Read(note); err == nil && json.Unmarshal(text, &kept) == nil && kept.Worktree != nil && !kept.Worktree.Gone() {
		place.Worktree, place.WorkDir = kept.Worktree, kept.WorkDir
		return nil
	}
	site := &worktree.Site{Folder: git.Folder{Path: place.WorkDir, Environ: w.Environ}, Branch: request.Branch}
	if err := site.Survey(ctx, request.Base); err != nil {
		return err
	}
	tree, err := site.Plan(ctx, w.State.WorktreeDir(p.Run.ID), p.Run.ID)
	if err != nil {
		return err
	}
	if err := site.Make(ctx, tree); err != nil {
		return err
	}
	place.Worktree, place.WorkDir = tree, site.WorkDir(tree)
	text, err := json.Marshal(wire.Place{Worktree: tree, WorkDir: place.WorkDir})
	if err = errors.Join(err, os.MkdirAll(filepath.Dir(note), 0o700)); err == nil {
		err = os.WriteFile(note, text, 0o600)
	}
	if err != nil {
		site.Unmake(ctx, tree)
	}
	return err
}

// slots count the actions that a worker performs, by kind; "" is all kinds.
type slots struct {
	mu    sync.Mutex
	taken map[string]int
	// freed is closed when a slot becomes free.
	freed chan struct{}
}

// takeSlot waits until the limits allow another action of a kind, and returns a function that
// ends it, or nil if ctx ended first.
func (s *slots) takeSlot(ctx context.Context, limits map[string]int, kind string) (free func()) {
	for {
		s.mu.Lock()
		if s.taken == nil {
			s.taken, s.freed = map[string]int{}, make(chan struct{})
		}
		if isFull(s.taken, limits, kind) || isFull(s.taken, limits, "") {
			freed := s.freed
			s.mu.Unlock()
			select {
			case <-freed:
				continue
			case <-ctx.Done():
				return nil
			}
		}
		s.taken[kind]++
		s.taken[""]++
		s.mu.Unlock()
		return func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.taken[kind]--
			s.taken[""]--
			close(s.freed)
			s.freed = make(chan struct{})
		}
	}
}

func isFull(taken, limits map[string]int, kind string) bool {
	limit, limited := limits[kind]
	return limited && taken[kind] >= limit
}
