package failures_test

import (
	"testing"
	"time"
	_ "time/tzdata" // the machine may have no zones

	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// Each message has the form of one that an agent program or a service prints.
func TestParseReset(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	now := time.Date(2026, 11, 26, 22, 30, 0, 0, berlin)
	at := func(month time.Month, day, hour, minute int) time.Time {
		return time.Date(2026, month, day, hour, minute, 0, 0, berlin)
	}
	for message, want := range map[string]time.Time{
		"You've hit your limit · resets 3am":                                                      at(11, 27, 3, 0),
		"You've hit your session limit · resets 11:15pm (Europe/Berlin)":                          at(11, 26, 23, 15),
		"5-hour limit reached ∙ resets 1am (America/New_York)":                                    at(11, 27, 7, 0),
		"Weekly limit reached ∙ resets Dec 1, 9am (UTC)":                                          at(12, 1, 10, 0),
		"You've hit your weekly limit · resets Nov 29 at 5pm":                                     at(11, 29, 17, 0),
		"Claude AI usage limit reached|1795755600":                                                time.Unix(1795755600, 0),
		"usage limit reached|1795755600123":                                                       time.UnixMilli(1795755600123),
		"You've hit your usage limit. Upgrade to Pro, or try again at 3:05 PM.":                   at(11, 27, 15, 5),
		"You've hit your usage limit. Try again at Nov 30th, 2026 3:05 AM.":                       at(11, 30, 3, 5),
		"You've hit your usage limit. Try again in 2 days 3 hours 5 minutes.":                     now.Add(51*time.Hour + 5*time.Minute),
		"Try again in 23 hours and 1 minute":                                                      now.Add(23*time.Hour + time.Minute),
		"You have exhausted your capacity on this model. Your quota will reset after 7h12m3s.":    now.Add(7*time.Hour + 12*time.Minute + 3*time.Second),
		"Rate limit reached for requests. Please try again in 20s.":                               now.Add(20 * time.Second),
		"Rate limit reached on tokens per min. Please try again in 1.5s. Visit …":                 now.Add(1500 * time.Millisecond),
		"Please retry in 34.5s.":                                                                  now.Add(34500 * time.Millisecond),
		"429 Too Many Requests, retry after 120 seconds":                                          now.Add(2 * time.Minute),
		"Sorry, you have been rate-limited. Please wait a moment; resets at 2026-11-27T04:00:00Z": at(11, 27, 5, 0),
		"limit resets on 2026-11-27 04:00":                                                        at(11, 27, 4, 0),
		"resets Jan 2, 9am":                                                                       time.Date(2027, 1, 2, 9, 0, 0, 0, berlin),
		"your limit resets 21:00":                                                                 at(11, 27, 21, 0),
	} {
		if got := failures.ParseReset(message, now); !got.Equal(want) {
			t.Errorf("%s\ngot  %v\nwant %v", message, got, want)
		}
	}
	for _, message := range []string{
		"", "You've hit your limit", "resets soon", "try again later", "resets 3am (Nowhere/Atall)", "resets 25:00", "resets 13pm", "resets Foo 3, 5pm",
		"try again in a few minutes", "the variable resets in 3 places", "issue #3 resets at the end", "try again in 99999999999999 days", "resets in 5 miles",
		"the build took 5 minutes",
	} {
		if got := failures.ParseReset(message, now); !got.IsZero() {
			t.Errorf("%q: %v", message, got)
		}
	}
}

// A time of day is the wall clock's, also on the day on which clocks change.
func TestParseResetAcrossAClockChange(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	for now, want := range map[time.Time]time.Duration{
		time.Date(2026, 3, 28, 23, 0, 0, 0, berlin):  3 * time.Hour, // there is no 2am
		time.Date(2026, 10, 24, 23, 0, 0, 0, berlin): 5 * time.Hour,
	} {
		if got := failures.ParseReset("resets 3am", now).Sub(now); got != want {
			t.Errorf("%v: %v, want %v", now, got, want)
		}
	}
}

func FuzzParseReset(f *testing.F) {
	for _, seed := range []string{"resets 3am (UTC)", "try again in 2 days 3 hours", "|1795755600", "resets Nov 30th, 2026 3:05 AM", "retry after 1h2m3s"} {
		f.Add(seed)
	}
	now := time.Date(2026, 11, 26, 22, 30, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, message string) { failures.ParseReset(message, now) })
}
