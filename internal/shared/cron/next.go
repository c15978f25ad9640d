package cron

import (
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// When a schedule fires.
//
// A schedule means local time, which jumps forward and back when clocks change. So Next
// works in two steps: it finds the next date and time of day on the calendar
// (nextOnCalendar), and then the moment at which the clocks show it (clocks).
//
//   - A time that the clocks skip fires once, when they have jumped forward; a time that
//     they show twice fires the first time. Both follow from one rule: a time of day has
//     come when the clocks show it or a later one for the first time. So the search
//     begins behind the latest time that the clocks have shown until now.
//   - A schedule that fires in every hour, such as every ten minutes, follows the clocks:
//     it fires for an hour more when they are set back, and not at all in a skipped hour.

// Next returns the next n times after a time, or fewer if the schedule fires less often.
// The times are in the schedule's zone or, without one, in the zone of after. It is an
// error if this machine does not know the zone.
func (s *Schedule) Next(after time.Time, n int) ([]time.Time, error) {
	loc := after.Location()
	if s.Zone != "" {
		var err error
		if loc, err = s.Location(); err != nil {
			return nil, err
		}
	}
	z := clocks{loc}
	list := make([]time.Time, 0, n)
	for at := after.Unix(); len(list) < n; {
		next, ok := s.nextInstant(z, at)
		if !ok {
			break
		}
		at = next
		list = append(list, time.Unix(at, 0).In(loc))
	}
	return list, nil
}

// nextInstant returns the first moment after a moment at which the schedule fires.
func (s *Schedule) nextInstant(z clocks, after int64) (at int64, ok bool) {
	if s.hours.isFull(1) {
		return s.nextShown(z, after)
	}
	shown, ok := s.nextOnCalendar(z.latestShown(after))
	if !ok {
		return 0, false
	}
	return z.firstShowing(shown), true
}

// nextShown returns the first moment after a moment at which the clocks show a
// time of the schedule, whether they have shown it before or not.
func (s *Schedule) nextShown(z clocks, after int64) (at int64, ok bool) {
	for from := after + 1; ; {
		ahead, end := z.offsetUntil(from, from+widest)
		shown, ok := s.nextOnCalendar(from - 1 + ahead)
		if !ok {
			return 0, false
		}
		switch at := shown - ahead; {
		case at < end:
			return at, true
		case end >= from+widest:
			// No change is so near that the clocks could show a time again. Until shortly
			// before the next time they show earlier ones.
			end = max(end, at-widest)
		}
		from = end
	}
}

// farthest is how many days ahead to look: 29 February may be eight years away.
const farthest = 12 * 366

const (
	minute = 60
	hour   = 60 * minute
	day    = 24 * hour
)

// nextOnCalendar returns the first date and time of day of the schedule after a given
// one. Both are local times, as seconds since 1970 as if the zone were UTC.
func (s *Schedule) nextOnCalendar(after int64) (shown int64, ok bool) {
	shown = after - floorMod(after, minute) + minute
	midnight := shown - floorMod(shown, day)
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
	if !s.months.contains(int(d.Month())) {
		return false
	}
	of, week := s.days.contains(d.Day()), s.weekdays.contains(int(d.Weekday()))
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
		if s.hours.contains(h) {
			for m := from % 60; m < 60; m++ {
				if s.minutes.contains(m) {
					return h*60 + m, true
				}
			}
		}
		from = 0
	}
	return 0, false
}

// contains reports whether a number is in the set.
func (s set) contains(n int) bool { return s.bits>>n&1 == 1 }

// floorMod is the remainder of a division, which is never negative.
func floorMod(a, b int64) int64 { return (a%b + b) % b }

// clocks are the clocks of a time zone. Moments are seconds since 1970; clocks show the
// moment plus their offset from UTC.
type clocks struct{ loc *time.Location }

// widest is more than the difference between any two offsets: the zones of the world are at most
// 26 hours apart.
const widest = 28 * hour

// offsetUntil returns how many seconds the clocks are ahead of UTC at a moment, and an end of that
// offset, at most until.
func (z clocks) offsetUntil(from, until int64) (ahead, end int64) {
	at := time.Unix(from, 0).In(z.loc)
	_, offset := at.Zone()
	if _, change := at.ZoneBounds(); change.After(at) {
		until = min(until, change.Unix())
	} else if !change.IsZero() {
		// For zones with a yearly rule, ZoneBounds ends leap years a day too early, at a moment
		// that is not after its argument.
		until = min(until, from-floorMod(from, 15*minute)+15*minute)
	}
	return int64(offset), until
}

// latestShown is the latest time that clocks have shown until a moment.
func (z clocks) latestShown(at int64) int64 {
	var shown int64
	for from := at - widest; from <= at; {
		ahead, end := z.offsetUntil(from, at+1)
		if last := end - 1 + ahead; from == at-widest || last > shown {
			shown = last
		}
		from = end
	}
	return shown
}

// firstShowing returns the first moment at which clocks show a date and time of day or a later
// one.
func (z clocks) firstShowing(shown int64) int64 {
	for from := shown - widest; ; {
		ahead, end := z.offsetUntil(from, shown+widest)
		if at := max(from, shown-ahead); at < end {
			return at
		}
		from = end
	}
}

// longest is the number of days that a month has at most.
var longest = [...]int{1: 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// checkOddities finds faults of a schedule whose single fields are valid.
func (p *parser) checkOddities(s *Schedule, parts []part) {
	days := part{p.text[parts[2].start:parts[3].end], parts[2].start, parts[3].end}
	switch {
	case !s.days.free && !s.weekdays.free:
		p.reportEitherDay(s, parts)
	case !s.days.free && !s.hasPossibleDay():
		first := s.days.numbers()[0]
		p.addFinding(neverFault, days, "", "this never fires: %s", noSuchDay(s.months.numbers(), first))
	}
}

// hasPossibleDay reports whether one of the months has one of the days.
func (s *Schedule) hasPossibleDay() bool {
	for _, m := range s.months.numbers() {
		for _, d := range s.days.numbers() {
			if d <= longest[m] {
				return true
			}
		}
	}
	return false
}

// reportEitherDay reports the effect of restricting both fields of days.
func (p *parser) reportEitherDay(s *Schedule, parts []part) {
	at := part{"", parts[2].start, parts[4].end}
	const rule = "either day field is enough"
	switch of, week := s.days.isFull(2), s.weekdays.isFull(4); {
	case of && week: // every day, however it is read
	case of:
		p.addFinding(eitherDay, at, fmt.Sprintf("write `*` for the day of the month to fire only %s", s.weekdayWords()),
			"this fires every day: %s, and `%s` matches every day", rule, parts[2].text)
	case week:
		p.addFinding(eitherDay, at, fmt.Sprintf("write `*` for the day of the week to fire only %s", s.dayWords()),
			"this fires every day: %s, and `%s` matches every day", rule, parts[4].text)
	default:
		p.addFinding(eitherDay, at, "restrict one of them here and test the other in the workflow if both must match",
			"this fires %s and also %s", s.dayWords(), s.weekdayWords())
	}
}

// noSuchDay says that months do not have a day, nor a later one.
func noSuchDay(months []int, day int) string {
	names := make([]string, len(months))
	for i, m := range months {
		names[i] = longMonths[m-1]
	}
	verb := "have"
	if len(names) == 1 {
		verb = "has"
	}
	return fmt.Sprintf("%s never %s a day %d", plain.JoinAnd(names), verb, day)
}
