package confine

import (
	"errors"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
)

// Turns watch the guarded files while the steps of a run take turns. A step may leave a program
// running, and that one could make such a file while a step works that executes it. So what is
// in the sandbox stands still while steps work outside of it and none inside.
type turns struct {
	mu              sync.Mutex
	inside, outside int             // the steps that work
	all             *sandbox.Policy // guards every file, whatever a step is granted
	seen            guards          // the files that were not made in the sandbox, or were granted
	since           time.Time       // when seen was made
	inner           innerRepositories
	held            bool // the programs in the sandbox stand still
	taken           int  // the files that were taken away
}

// holdPrograms stops the programs in the sandbox, or lets them go on, and reports whether there are any.
func (r *Run) holdPrograms(hold bool) (any bool, err error) {
	if !hold && !r.turns.held {
		return false, nil
	}
	any, err = r.box.Hold(hold)
	r.turns.held = hold && any && err == nil
	return any, err
}

// beginWork notes that the step begins to work in the sandbox.
func (s *step) beginWork() error {
	t := &s.run.turns
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.inside == 0 {
		any, err := s.run.holdPrograms(true)
		if err == nil && any && t.seen != nil {
			err = s.run.removePlantedFiles()
		} else if err == nil && t.outside == 0 {
			s.run.snapshotGuardedFiles() // nobody in the sandbox has changed them
		}
		_, err2 := s.run.holdPrograms(false)
		if err := errors.Join(err, err2); err != nil {
			return err
		}
	}
	t.inside++
	return nil
}

// endWork notes that the step works no longer, and fails it if it made guarded files.
func (s *step) endWork(result flow.Result) flow.Result {
	t := &s.run.turns
	t.mu.Lock()
	defer t.mu.Unlock()
	t.inside--
	if t.inside == 0 && t.outside > 0 {
		_, _ = s.run.holdPrograms(true) // without a box, nothing is there to stop
	}
	result = s.run.takeAway(s.guard, result, "the step")
	if len(s.grant.Write)+len(s.grant.Private) == 0 {
		return result
	}
	now := lookAt(t.all)
	now.keepContent(t.all, t.seen)
	for path, file := range now {
		if s.guard.Grants(path) {
			t.seen[path] = file
		}
	}
	return result
}

// beginTrustedWork notes that a step begins to work outside of the sandbox, until leave is called.
func (r *Run) beginTrustedWork() (leave func(flow.Result) flow.Result, err error) {
	t := &r.turns
	t.mu.Lock()
	defer t.mu.Unlock()
	leave = func(result flow.Result) flow.Result {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.outside--
		if t.outside == 0 && t.inside == 0 && t.seen != nil {
			r.snapshotGuardedFiles() // the step has made them
			_, _ = r.holdPrograms(false)
		}
		return result
	}
	if t.seen != nil && t.inside == 0 {
		if _, err := r.holdPrograms(true); err != nil {
			return leave, err
		}
		if err := r.removePlantedFiles(); err != nil {
			if t.outside == 0 {
				_, _ = r.holdPrograms(false)
			}
			return leave, err
		}
	}
	t.outside++
	return leave, nil
}

// snapshotGuardedFiles notes the guarded files as they are.
func (r *Run) snapshotGuardedFiles() {
	tree := r.workTree()
	r.turns.all = r.guardsOf(&tree)
	r.turns.since = time.Now()
	seen := lookAt(r.turns.all)
	seen.keepContent(r.turns.all, r.turns.seen)
	r.turns.seen = seen
}

// removePlantedFiles takes away the guarded files that programs made which earlier steps have left running.
func (r *Run) removePlantedFiles() error {
	if result := r.takeAway(r.turns.all, flow.Result{}, "a program that an earlier step left running"); result.Failure != nil {
		return errors.New(result.Failure.Message)
	}
	return nil
}
