package sched

import "slices"

// scope is a part of the flow that can be cancelled as a whole: it holds what a
// cancellation ends, which is what waits or runs in it, and the scopes in it.
type scope struct {
	parent    *scope
	cancelled bool
	members   []*member
	self      member // in parent
}

// member is something that ends when its scope is cancelled. Members leave when
// they end, so a scope holds what is alive only.
type member struct {
	seq    int // position in the order of cancelling
	at     int // index in members, or -1
	waits  bool
	cancel func()
	sub    *scope // instead of cancel
}

// init makes a scope in parent, which is nil for the root.
func (sc *scope) init(parent *scope) {
	sc.parent = parent
	sc.self.at = -1
	if parent != nil {
		sc.cancelled = parent.cancelled
		if !sc.cancelled {
			sc.self.sub = sc
			parent.add(&sc.self)
		}
	}
}

// within reports whether the scope is in another one.
func (sc *scope) within(outer *scope) bool {
	for ; sc != nil; sc = sc.parent {
		if sc == outer {
			return true
		}
	}
	return false
}

// add takes a member in.
func (sc *scope) add(m *member) {
	m.at = len(sc.members)
	sc.members = append(sc.members, m)
}

// remove lets a member go; one that is not in the scope is no error.
func (sc *scope) remove(m *member) {
	if m.at < 0 {
		return
	}
	last := len(sc.members) - 1
	moved := sc.members[last]
	sc.members[m.at], moved.at = moved, m.at
	sc.members[last] = nil
	sc.members = sc.members[:last]
	m.at = -1
}

// cancel cancels the scope and all in it, in the order in which it came. Tasks
// that wait are told first: what the cancellation settles, it settles after
// them, so that a task that waits for an action of its own scope learns of the
// cancellation rather than of its effect.
func (sc *scope) cancel() {
	if sc.cancelled {
		return
	}
	if sc.parent != nil {
		sc.parent.remove(&sc.self)
	}
	all := sc.mark(nil)
	slices.SortFunc(all, func(a, b *member) int {
		if a.waits != b.waits {
			if a.waits {
				return -1
			}
			return 1
		}
		return a.seq - b.seq
	})
	for _, m := range all {
		if m.at >= 0 { // not ended by one before it
			m.cancel()
		}
	}
}

// mark marks the scope and those in it as cancelled, and adds what is in them
// to all.
func (sc *scope) mark(all []*member) []*member {
	sc.cancelled = true
	for _, m := range sc.members {
		if m.sub != nil {
			all = m.sub.mark(all)
		} else {
			all = append(all, m)
		}
	}
	return all
}

// number returns the next position in the order of cancelling.
func (s *scheduler) number() int {
	s.seq++
	return s.seq
}
