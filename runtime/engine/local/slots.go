package local

import (
	"slices"
	"sync"

	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// slots are the places for actions that all runs of an engine share. A place
// that becomes free is kept for the run that has waited longest, so that a wide
// run does not keep a narrow one waiting.
type slots struct {
	mu      sync.Mutex
	free    int
	waiting []*share // each once
}

// A share is what one run has of the slots. It is the run's sched.Slots.
type share struct {
	of *slots
	// wake tells the run that a place is kept for it.
	wake func()
	// taken are the places of actions that run, and kept those that are kept for
	// the run. Both are guarded by the lock of all.
	taken, kept int
}

var _ sched.Slots = (*share)(nil)

// Take implements sched.Slots.
func (s *share) Take() bool {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	switch {
	case s.kept > 0:
		s.kept--
	case s.of.free > 0:
		s.of.free--
	default:
		if !slices.Contains(s.of.waiting, s) {
			s.of.waiting = append(s.of.waiting, s)
		}
		return false
	}
	s.taken++
	return true
}

// Give implements sched.Slots.
func (s *share) Give() {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.taken--
	s.of.pass(1)
}

// Enough implements sched.Slots.
func (s *share) Enough() {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.enough()
}

func (s *share) enough() {
	s.of.waiting = slices.DeleteFunc(s.of.waiting, func(w *share) bool { return w == s })
	n := s.kept
	s.kept = 0
	s.of.pass(n)
}

// close gives back all that the run has.
func (s *share) close() {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.enough()
	n := s.taken
	s.taken = 0
	s.of.pass(n)
}

// pass keeps n places for the runs that wait for them.
func (s *slots) pass(n int) {
	for ; n > 0 && len(s.waiting) > 0; n-- {
		next := s.waiting[0]
		s.waiting = slices.Delete(s.waiting, 0, 1)
		next.kept++
		next.wake()
	}
	s.free += n
}
