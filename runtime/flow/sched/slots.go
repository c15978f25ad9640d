package sched

// Slots are places for actions that several runs share. Each run has its own
// Slots, whose methods are called from the goroutine of the run's scheduler.
type Slots interface {
	// Take takes a place. When it reports false, a place is kept for the run as
	// soon as there is one, and the host says so with SlotFree.
	Take() bool
	// Give gives a place back whose action has ended. Those of actions that the
	// scheduler leaves behind are its host's to give back.
	Give()
	// Enough says that the run waits for no place; what is kept for it is the
	// others'.
	Enough()
}

// takeSlot takes a place for an action, if there is one.
func (s *scheduler) takeSlot() bool {
	as := &s.actions
	if s.opt.MaxParallel > 0 && as.running >= s.opt.MaxParallel {
		return false
	}
	if s.opt.Slots != nil && !s.opt.Slots.Take() {
		as.short = true
		return false
	}
	return true
}

// enough gives up what is kept for the run when it needs none.
func (s *scheduler) enough() {
	if s.opt.Slots != nil && !s.actions.short {
		s.opt.Slots.Enough()
	}
}
