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
	cancel func()
}

// init makes a scope in parent, which is nil for the root.
func (sc *scope) init(parent *scope) {
	sc.parent = parent
	sc.self.at = -1
	if parent != nil {
		sc.cancelled = parent.cancelled
		if !sc.cancelled {
			sc.self.cancel = sc.cancel
			parent.add(&sc.self)
		}
	}
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

// cancel cancels the scope and all in it, in the order in which it came.
func (sc *scope) cancel() {
	if sc.cancelled {
		return
	}
	sc.cancelled = true
	if sc.parent != nil {
		sc.parent.remove(&sc.self)
	}
	members := slices.Clone(sc.members)
	slices.SortFunc(members, func(a, b *member) int { return a.seq - b.seq })
	for _, m := range members {
		if m.at >= 0 { // not ended by one before it
			m.cancel()
		}
	}
}

// number returns the next position in the order of cancelling.
func (s *scheduler) number() int {
	s.seq++
	return s.seq
}
