package cron

import "time"

// When a schedule fires.
//
// A schedule speaks of what the clocks show, and what the clocks show goes back
// and forth when they are changed. So times are found in two steps: which date
// and time of day comes next on the calendar (calendar.go), and when the clocks
// show it (clock.go).
//
//   - What the clocks leave out runs once, when they are forward; and what they
//     show twice runs the first time. Both are the same rule: a time of day has
//     come when the clocks show it or a later one for the first time. So the
//     search begins behind the latest that the clocks have shown until now.
//   - A schedule that fires in every hour, such as every ten minutes, goes on with
//     the clocks: it has an hour of ten-minute steps more when they are set back,
//     and none of what they leave out.

// Next returns the next n times after a time, fewer when the schedule does not
// fire any more. They are in the schedule's zone, or in that of after when it has
// none. The error says that this machine does not know the zone.
func (s *Schedule) Next(after time.Time, n int) ([]time.Time, error) {
	loc := after.Location()
	if s.Zone != "" {
		var err error
		if loc, err = s.Location(); err != nil {
			return nil, err
		}
	}
	z := &clocks{loc: loc}
	list := make([]time.Time, 0, n)
	for at := after.Unix(); len(list) < n; {
		next, ok := s.next(z, at)
		if !ok {
			break
		}
		at = next
		list = append(list, time.Unix(at, 0).In(loc))
	}
	return list, nil
}

// next returns the first moment after a moment at which the schedule fires.
func (s *Schedule) next(z *clocks, after int64) (at int64, ok bool) {
	if s.hours.full(1) {
		return s.nextShown(z, after)
	}
	shown, ok := s.nextOnCalendar(z.latest(after))
	if !ok {
		return 0, false
	}
	return z.reach(shown), true
}

// nextShown returns the first moment after a moment at which the clocks show a
// time of the schedule, whether they have shown it before or not.
func (s *Schedule) nextShown(z *clocks, after int64) (at int64, ok bool) {
	for from := after + 1; ; {
		ahead, end := z.stretch(from, from+widest)
		shown, ok := s.nextOnCalendar(from - 1 + ahead)
		if !ok {
			return 0, false
		}
		switch at := shown - ahead; {
		case at < end:
			return at, true
		case end >= from+widest:
			// The clocks are not changed for so long that they show nothing again
			// that they have shown; and until shortly before the time that comes
			// next they show earlier ones.
			end = max(end, at-widest)
		}
		from = end
	}
}
