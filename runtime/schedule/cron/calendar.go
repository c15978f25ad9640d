package cron

import "time"

// farthest is how many days ahead to look: 29 February may be eight years away.
const farthest = 12 * 366

const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
)

// nextOnCalendar returns the first date and time of day of the schedule after a
// given one. Both are what clocks show, as seconds since 1970 where clocks show
// UTC.
func (s *Schedule) nextOnCalendar(after int64) (shown int64, ok bool) {
	shown = after - mod(after, minute) + minute
	midnight := shown - mod(shown, day)
	for range farthest {
		if s.onDay(time.Unix(midnight, 0).UTC()) {
			if at, ok := s.onClock(int(shown-midnight) / minute); ok {
				return midnight + int64(at)*minute, true
			}
		}
		midnight += day
		shown = midnight
	}
	return 0, false
}

// onDay reports whether the schedule fires on a day.
func (s *Schedule) onDay(d time.Time) bool {
	if !s.months.has(int(d.Month())) {
		return false
	}
	of, week := s.days.has(d.Day()), s.weekdays.has(int(d.Weekday()))
	switch {
	case s.days.free:
		return week
	case s.weekdays.free:
		return of
	}
	return of || week
}

// onClock returns the first time of day that is not before another one. Both are
// minutes since midnight.
func (s *Schedule) onClock(from int) (at int, ok bool) {
	for h := from / 60; h < 24; h++ {
		if s.hours.has(h) {
			for m := from % 60; m < 60; m++ {
				if s.minutes.has(m) {
					return h*60 + m, true
				}
			}
		}
		from = 0
	}
	return 0, false
}

// has reports whether a number is in the set.
func (s set) has(n int) bool { return s.bits>>n&1 == 1 }

// mod is the remainder of a division, which is never negative.
func mod(a, b int64) int64 { return (a%b + b) % b }
