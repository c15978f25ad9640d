package cron

import (
	"fmt"
	"strconv"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// Describe says in words when the schedule fires: "at 09:00 on Monday".
func (s *Schedule) Describe() string {
	text := s.describeTimes()
	switch {
	case s.days.free && s.weekdays.free:
		if s.months.free && !s.hours.isFull(1) {
			text += " every day"
		}
	case s.weekdays.free || !s.days.free && s.weekdays.bits == fields[4].allBits():
		text += " " + s.dayWords()
	case s.days.free:
		text += " " + s.weekdayWords()
	default:
		text += " " + s.dayWords() + " and " + s.weekdayWords()
	}
	if !s.months.free {
		text += " in " + joinSpans(s.months.numbers(), func(n int) string { return longMonths[n-1] }, " to ")
	}
	if s.Zone != "" {
		text += " (" + s.Zone + ")"
	}
	return text
}

// isFull reports whether the set is all of field i of the expression.
func (s set) isFull(i int) bool { return s.bits == fields[i].allBits() }

// fewTimes is how many times of a day are listed one by one.
const fewTimes = 6

// describeTimes says the times of a day.
func (s *Schedule) describeTimes() string {
	minutes, hours := s.minutes.numbers(), s.hours.numbers()
	switch step := evenStep(minutes); {
	case s.hours.isFull(1) && s.minutes.isFull(0):
		return "every minute"
	case s.hours.isFull(1) && step > 0:
		return fmt.Sprintf("every %d minutes", step)
	case s.hours.isFull(1) && len(minutes) == 1 && minutes[0] == 0:
		return "every hour"
	case s.hours.isFull(1):
		return "every hour at minute " + joinSpans(minutes, strconv.Itoa, " to ")
	case len(minutes)*len(hours) <= fewTimes:
		var times []string
		for _, h := range hours {
			for _, m := range minutes {
				times = append(times, fmt.Sprintf("%02d:%02d", h, m))
			}
		}
		return "at " + plain.JoinAnd(times)
	case s.minutes.isFull(0):
		return "every minute of the hours " + joinSpans(hours, strconv.Itoa, " to ")
	case step > 0:
		return fmt.Sprintf("every %d minutes of the hours %s", step, joinSpans(hours, strconv.Itoa, " to "))
	default:
		return fmt.Sprintf("at minute %s of the hours %s", joinSpans(minutes, strconv.Itoa, " to "), joinSpans(hours, strconv.Itoa, " to "))
	}
}

// evenStep returns how far minutes are apart that part an hour evenly, from 0 on.
func evenStep(minutes []int) int {
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
	list := s.days.numbers()
	word := "days"
	if len(list) == 1 {
		word = "day"
	}
	return fmt.Sprintf("on %s %s of the month", word, joinSpans(list, strconv.Itoa, " to "))
}

func (s *Schedule) weekdayWords() string {
	list := s.weekdays.numbers()
	if len(list) > 1 && list[0] == 0 && list[1] != 1 {
		list = append(list[1:], sunday) // Saturday and Sunday, not Sunday and Saturday
	}
	return "on " + joinSpans(list, func(n int) string { return longDays[n%sunday] }, " to ")
}

// joinSpans lists numbers, three and more in a row as a span.
func joinSpans(list []int, name func(int) string, to string) string {
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
	return plain.JoinAnd(words)
}
