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
		if s.bothMatter() {
			p.find(Either, part{"", parts[2].start, parts[4].end}, "if both must hold, restrict one of them here and decide the other within the workflow",
				"this fires %s as well as %s: when both days are restricted, either is enough", s.dayWords(), s.weekdayWords())
		}
	case !s.days.free && !s.possible():
		first := s.days.list()[0]
		p.find(Never, days, "", "this never fires: %s", noSuchDay(s.months.list(), first))
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

// bothMatter reports whether neither of the two fields of days takes in all days.
func (s *Schedule) bothMatter() bool {
	return s.days.bits != fields[2].everything() && s.weekdays.bits != fields[4].everything()
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
