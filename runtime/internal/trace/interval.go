package trace

import (
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// An interval is the time from start until end.
type interval struct{ start, end time.Time }

// union returns intervals in order, merged where they overlap or touch. Empty ones are dropped.
func union(list []interval) []interval {
	list = slices.DeleteFunc(slices.Clone(list), func(i interval) bool { return !i.start.Before(i.end) })
	slices.SortFunc(list, func(a, b interval) int { return a.start.Compare(b.start) })
	var merged []interval
	for _, i := range list {
		if n := len(merged); n > 0 && !i.start.After(merged[n-1].end) {
			if i.end.After(merged[n-1].end) {
				merged[n-1].end = i.end
			}
			continue
		}
		merged = append(merged, i)
	}
	return merged
}

// subtract returns the parts of some intervals that no other ones cover. Both are unions.
func subtract(list, others []interval) (left []interval) {
	for _, i := range list {
		for _, o := range others {
			if !o.end.After(i.start) {
				continue
			}
			if !o.start.Before(i.end) {
				break
			}
			if o.start.After(i.start) {
				left = append(left, interval{i.start, o.start})
			}
			i.start = o.end
			if !i.start.Before(i.end) {
				break
			}
		}
		if i.start.Before(i.end) {
			left = append(left, i)
		}
	}
	return left
}

// total returns the sum of the lengths of a union.
func total(list []interval) (sum time.Duration) {
	for _, i := range list {
		sum += i.end.Sub(i.start)
	}
	return sum
}

// idleTimes returns the times without a process: before each resumption, since the journals' last
// entry.
func idleTimes(journals []Journal) (idle []interval) {
	var entries, resumed []time.Time
	for i := range journals {
		for _, s := range journals[i].Steps {
			entries = append(entries, s.Started, s.Finished)
		}
		for _, turn := range journals[i].Turns {
			entries = append(entries, turn.Time)
		}
		for _, e := range journals[i].Events {
			if entries = append(entries, e.Time); e.Type == sched.EventResumed {
				resumed = append(resumed, e.Time)
			}
		}
	}
	slices.SortFunc(entries, time.Time.Compare)
	for _, t := range resumed {
		if at, _ := slices.BinarySearchFunc(entries, t, time.Time.Compare); at > 0 && !entries[at-1].IsZero() {
			idle = append(idle, interval{entries[at-1], t})
		}
	}
	return union(idle)
}
