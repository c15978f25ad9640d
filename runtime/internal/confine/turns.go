package confine

import (
	"errors"
	"maps"
	"slices"
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
	latest          look            // unless a step worked outside of the sandbox since
	inner           innerRepositories
	held            bool // the programs in the sandbox stand still
	taken           int  // the files that were taken away
}

// A look has the guarded files as they were at a time.
type look struct {
	guards guards
	time   time.Time
}

// look returns the guarded files as they are now.
func (t *turns) look() look {
	now := time.Now()
	return look{lookAt(t.all), now}
}

// atOnce is how soon a step begins after the last look if there is nothing to wait for. Then it needs
// no look of its own: what comes meanwhile is as if it came during the step.
const atOnce = 100 * time.Millisecond

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
		} else if err == nil && (t.outside == 0 || t.seen == nil) {
			if t.outside > 0 || time.Since(t.latest.time) > atOnce {
				t.latest = t.look()
			}
			t.snapshotGuardedFiles(t.latest) // nobody in the sandbox has changed them
			s.found = slices.AppendSeq([]string{}, maps.Keys(t.latest.guards))
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
	now := t.look()
	t.latest = look{}
	now.guards.keepContent(t.all, t.seen)
	for path, file := range now.guards {
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
		t.latest = look{}
		if t.outside == 0 && t.inside == 0 && t.seen != nil {
			t.snapshotGuardedFiles(t.look()) // the step has made them
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
	t.latest = look{}
	return leave, nil
}

// snapshotGuardedFiles notes the guarded files as they are, by a look at them.
func (t *turns) snapshotGuardedFiles(now look) {
	seen := maps.Clone(now.guards)
	seen.keepContent(t.all, t.seen)
	t.seen, t.since = seen, now.time
}

// removePlantedFiles takes away the guarded files that programs made which earlier steps have left running.
func (r *Run) removePlantedFiles() error {
	if result := r.takeAway(r.turns.all, flow.Result{}, "a program that an earlier step left running"); result.Failure != nil {
		return errors.New(result.Failure.Message)
	}
	return nil
}
