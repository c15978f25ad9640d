package cron

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	library "github.com/netresearch/go-cron"
)

// When a schedule fires.
//
// The library says which date and time of day comes next, on a calendar without
// time zones; where clocks are changed is decided here, because cron libraries
// differ in that and most are wrong for some zone. Time is cut into the stretches
// in which the zone keeps one distance to UTC. Within a stretch a time of day is
// one instant. Between two of them there is either a gap, times of day that do
// not come that day, or a repetition, times that come twice:
//
//   - What was to run in a gap runs once, at the end of the gap.
//   - What would run twice runs the first time.
//
// Neither is wanted of a schedule that fires in every hour, such as every ten
// minutes: it goes on with the clock, so it has an hour of ten-minute steps in a
// repetition and none in a gap.

// years is how far ahead to look: 29 February may be eight years away.
const years = 12

// Next returns the next n times after a time, fewer when the library finds no
// more. They are in the schedule's zone, or in that of after when it has none.
// The error says that this machine does not know the zone.
func (s *Schedule) Next(after time.Time, n int) ([]time.Time, error) {
	loc := after.Location()
	if s.Zone != "" {
		var err error
		if loc, err = s.Location(); err != nil {
			return nil, err
		}
	}
	calendar, err := s.calendar()
	if err != nil {
		return nil, err
	}
	list := make([]time.Time, 0, n)
	for at := after.Round(0).In(loc); len(list) < n; {
		if at = s.next(calendar, at); at.IsZero() {
			break
		}
		list = append(list, at)
	}
	return list, nil
}

// calendar gives the fields to the library, written out so that there is nothing
// to understand differently.
func (s *Schedule) calendar() (library.Schedule, error) {
	var b strings.Builder
	for i, set := range [...]set{s.minutes, s.hours, s.days, s.months, s.weekdays} {
		if i > 0 {
			b.WriteByte(' ')
		}
		if set.free {
			b.WriteByte('*')
			continue
		}
		for j, n := range set.list() {
			if j > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Itoa(n))
		}
	}
	parser, err := library.TryNewParser(library.Minute | library.Hour | library.Dom | library.Month | library.Dow | library.DowOrDom)
	if err != nil {
		return nil, fmt.Errorf("the schedule `%s`: %w", s.Text, err)
	}
	calendar, err := parser.WithMaxSearchYears(years).Parse("TZ=UTC " + b.String())
	if err != nil {
		return nil, fmt.Errorf("the schedule `%s`: %w", s.Text, err)
	}
	return calendar, nil
}

// next returns the first time after a time, or the zero time.
func (s *Schedule) next(calendar library.Schedule, after time.Time) time.Time {
	loc, hourly := after.Location(), s.hours.full(1)
	begin, end := after.ZoneBounds()
	shift := offset(after)
	wall := onCalendar(after, shift) // what comes is behind this
	for range 4 * years {            // zones change their clocks a few times a year at most
		if !begin.IsZero() && !hourly {
			if repeated := onCalendar(begin, offset(begin.Add(-1))).Add(-1); repeated.After(wall) {
				wall = repeated
			}
		}
		next := calendar.Next(wall)
		if next.IsZero() || end.IsZero() || next.Before(onCalendar(end, shift)) {
			return instant(next, shift, loc)
		}
		shift = offset(end)
		if !hourly && next.Before(onCalendar(end, shift)) {
			return end // it falls into the gap
		}
		wall = onCalendar(end, shift).Add(-1)
		begin = end
		_, end = end.ZoneBounds()
	}
	return time.Time{}
}

// offset is how far a zone is ahead of UTC at an instant.
func offset(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}

// onCalendar is the date and time of day of an instant where clocks are ahead of
// UTC by shift, as if it were UTC.
func onCalendar(t time.Time, shift time.Duration) time.Time { return t.UTC().Add(shift) }

// instant is the opposite of onCalendar.
func instant(wall time.Time, shift time.Duration, loc *time.Location) time.Time {
	if wall.IsZero() {
		return wall
	}
	return wall.Add(-shift).In(loc)
}
