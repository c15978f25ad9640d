package cron

import (
	"fmt"
	"strings"
)

// longest is the number of days that a month has at most.
var longest = [...]int{1: 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// oddities finds what is odd about a schedule whose fields are fine each.
func (p *parser) oddities(s *Schedule, parts []part) {
	days := part{p.text[parts[2].start:parts[3].end], parts[2].start, parts[3].end}
	switch {
	case !s.days.free && !s.weekdays.free:
		p.either(s, parts)
	case !s.days.free && !s.possible():
		first := s.days.list()[0]
		p.find(neverFault, days, "", "this never fires: %s", noSuchDay(s.months.list(), first))
	}
}

// possible reports whether one of the months has one of the days.
func (s *Schedule) possible() bool {
	for _, m := range s.months.list() {
		for _, d := range s.days.list() {
			if d <= longest[m] {
				return true
			}
		}
	}
	return false
}

// either says what comes of it that both fields of days are restricted.
func (p *parser) either(s *Schedule, parts []part) {
	at := part{"", parts[2].start, parts[4].end}
	const rule = "either day field is enough"
	switch of, week := s.days.full(2), s.weekdays.full(4); {
	case of && week: // every day, however it is read
	case of:
		p.find(eitherDay, at, fmt.Sprintf("write `*` for the day of the month to fire only %s", s.weekdayWords()),
			"this fires every day: %s, and `%s` matches every day", rule, parts[2].text)
	case week:
		p.find(eitherDay, at, fmt.Sprintf("write `*` for the day of the week to fire only %s", s.dayWords()),
			"this fires every day: %s, and `%s` matches every day", rule, parts[4].text)
	default:
		p.find(eitherDay, at, "restrict one of them here and test the other in the workflow if both must match",
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
	return fmt.Sprintf("%s never %s a day %d", and(names), verb, day)
}

// and lists words.
func and(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
