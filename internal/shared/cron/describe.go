package cron

import (
	"fmt"
	"strconv"
)

// Describe says in words when the schedule fires: "at 09:00 on Monday".
func (s *Schedule) Describe() string {
	text := s.clock()
	switch {
	case s.days.free && s.weekdays.free:
		if s.months.free && !s.hours.full(1) {
			text += " every day"
		}
	case s.weekdays.free || !s.days.free && s.weekdays.bits == fields[4].everything():
		text += " " + s.dayWords()
	case s.days.free:
		text += " " + s.weekdayWords()
	default:
		text += " " + s.dayWords() + " and " + s.weekdayWords()
	}
	if !s.months.free {
		text += " in " + spans(s.months.list(), func(n int) string { return longMonths[n-1] }, " to ")
	}
	if s.Zone != "" {
		text += " (" + s.Zone + ")"
	}
	return text
}

// full reports whether the set is all of field i of the expression.
func (s set) full(i int) bool { return s.bits == fields[i].everything() }

// fewTimes is how many times of a day are listed one by one.
const fewTimes = 6

// clock says the times of a day.
func (s *Schedule) clock() string {
	minutes, hours := s.minutes.list(), s.hours.list()
	switch step := evenly(minutes); {
	case s.hours.full(1) && s.minutes.full(0):
		return "every minute"
	case s.hours.full(1) && step > 0:
		return fmt.Sprintf("every %d minutes", step)
	case s.hours.full(1) && len(minutes) == 1 && minutes[0] == 0:
		return "every hour"
	case s.hours.full(1):
		return "every hour at minute " + spans(minutes, strconv.Itoa, " to ")
	case len(minutes)*len(hours) <= fewTimes:
		var times []string
		for _, h := range hours {
			for _, m := range minutes {
				times = append(times, fmt.Sprintf("%02d:%02d", h, m))
			}
		}
		return "at " + and(times)
	case s.minutes.full(0):
		return "every minute of the hours " + spans(hours, strconv.Itoa, " to ")
	case step > 0:
		return fmt.Sprintf("every %d minutes of the hours %s", step, spans(hours, strconv.Itoa, " to "))
	default:
		return fmt.Sprintf("at minute %s of the hours %s", spans(minutes, strconv.Itoa, " to "), spans(hours, strconv.Itoa, " to "))
	}
}

// evenly returns how far minutes are apart that part an hour evenly, from 0 on.
func evenly(minutes []int) int {
	if len(minutes) < 2 || minutes[0] != 0 {
		return 0
	}
	step := minutes[1]
	if 60%step != 0 || len(minutes) != 60/step {
		return 0
	}
	for i, m := range minutes {
		if m != i*step {
			return 0
		}
	}
	return step
}

func (s *Schedule) dayWords() string {
	list := s.days.list()
	word := "days"
	if len(list) == 1 {
		word = "day"
	}
	return fmt.Sprintf("on %s %s of the month", word, spans(list, strconv.Itoa, " to "))
}

func (s *Schedule) weekdayWords() string {
	list := s.weekdays.list()
	if len(list) > 1 && list[0] == 0 && list[1] != 1 {
		list = append(list[1:], sunday) // Saturday and Sunday, not Sunday and Saturday
	}
	return "on " + spans(list, func(n int) string { return longDays[n%sunday] }, " to ")
}

// spans lists numbers, three and more in a row as a span.
func spans(list []int, name func(int) string, to string) string {
	var words []string
	for i := 0; i < len(list); {
		end := i
		for end+1 < len(list) && list[end+1] == list[end]+1 {
			end++
		}
		if end-i < 2 {
			end = i
			words = append(words, name(list[i]))
		} else {
			words = append(words, name(list[i])+to+name(list[end]))
		}
		i = end + 1
	}
	return and(words)
}
