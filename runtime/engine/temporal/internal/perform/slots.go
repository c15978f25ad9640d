package perform

import (
	"context"
	"sync"
)

// slots count the actions that a worker performs, by kind; "" is all kinds.
type slots struct {
	mu    sync.Mutex
	taken map[string]int
	// freed is closed when a slot becomes free.
	freed chan struct{}
}

// take waits until the limits allow another action of a kind, and returns a function that
// ends it, or nil if ctx ended first.
func (s *slots) take(ctx context.Context, limits map[string]int, kind string) (free func()) {
	for {
		s.mu.Lock()
		if s.taken == nil {
			s.taken, s.freed = map[string]int{}, make(chan struct{})
		}
		if full(s.taken, limits, kind) || full(s.taken, limits, "") {
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

func full(taken, limits map[string]int, kind string) bool {
	limit, limited := limits[kind]
	return limited && taken[kind] >= limit
}
