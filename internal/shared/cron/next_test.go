package cron_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	_ "time/tzdata" // the zones of these tests, whatever the machine has

	"github.com/wfc-lang/wfc/internal/shared/cron"
)

const form = "2006-01-02 15:04 -0700"

func next(t *testing.T, text, zone, after string, n int) []string {
	t.Helper()
	s, err := must(text)
	if err != nil {
		t.Fatal(err)
	}
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse(form, after)
	if err != nil {
		t.Fatal(err)
	}
	times, err := s.Next(at.In(loc), n)
	if err != nil {
		t.Fatal(err)
	}
	list := make([]string, len(times))
	for i, at := range times {
		list[i] = at.Format(form)
	}
	return list
}

func TestNext(t *testing.T) {
	for _, c := range []struct {
		name, text, zone, after string
		want                    []string
	}{
		{"Monday", "0 9 * * MON", "UTC", "2026-11-21 10:00 +0000", []string{"2026-11-23 09:00 +0000", "2026-11-30 09:00 +0000"}},
		{"behind its own time", "0 9 * * *", "UTC", "2026-11-21 09:00 +0000", []string{"2026-11-22 09:00 +0000"}},
		{"a zone of its own", "CRON_TZ=Asia/Tokyo 0 9 * * *", "UTC", "2026-11-21 10:00 +0000", []string{"2026-11-22 09:00 +0900"}},
		{"7 is Sunday", "0 0 * * 7", "UTC", "2026-11-21 10:00 +0000", []string{"2026-11-22 00:00 +0000"}},
		{"either day", "0 0 1 * SUN", "UTC", "2026-11-21 10:00 +0000", []string{"2026-11-22 00:00 +0000", "2026-11-29 00:00 +0000", "2026-12-01 00:00 +0000"}},
		{"leap days", "0 0 29 2 *", "UTC", "2096-03-01 00:00 +0000", []string{"2104-02-29 00:00 +0000"}},
		{"the 31st", "0 0 31 * *", "UTC", "2026-03-31 00:00 +0000", []string{"2026-05-31 00:00 +0000", "2026-07-31 00:00 +0000"}},

		{"in a gap: once right after it", "30 2 * * *", "Europe/Berlin", "2026-03-28 12:00 +0100", []string{"2026-03-29 03:00 +0200", "2026-03-30 02:30 +0200"}},
		{"several in a gap: once", "*/10 2 * * *", "America/New_York", "2026-03-08 01:00 -0500", []string{"2026-03-08 03:00 -0400", "2026-03-09 02:00 -0400"}},
		{"in a gap and at its end: once", "0 2,3 * * *", "America/New_York", "2026-03-08 01:00 -0500", []string{"2026-03-08 03:00 -0400", "2026-03-09 02:00 -0400"}},
		{"from the end of a gap", "30 2 * * *", "Europe/Berlin", "2026-03-29 03:00 +0200", []string{"2026-03-30 02:30 +0200"}},
		{"a gap at midnight", "0 0 * * *", "America/Santiago", "2026-09-05 12:00 -0400", []string{"2026-09-06 01:00 -0300", "2026-09-07 00:00 -0300"}},
		{"a day that was left out", "0 9 30 12 *", "Pacific/Apia", "2011-12-29 12:00 -1000", []string{"2011-12-31 00:00 +1400", "2012-12-30 09:00 +1400"}},
		{"a gap of half an hour", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03 12:00 +1030", []string{"2026-10-04 02:30 +1100", "2026-10-05 02:15 +1100"}},
		{"every hour has no gap", "30 * * * *", "Europe/Berlin", "2026-03-29 00:45 +0100", []string{"2026-03-29 01:30 +0100", "2026-03-29 03:30 +0200"}},

		{"twice: the first time", "30 2 * * *", "Europe/Berlin", "2026-10-24 12:00 +0200", []string{"2026-10-25 02:30 +0200", "2026-10-26 02:30 +0100"}},
		{"from the second time", "30 2 * * *", "Europe/Berlin", "2026-10-25 02:10 +0100", []string{"2026-10-26 02:30 +0100"}},
		{"at the end of a repetition", "0 3 * * *", "Europe/Berlin", "2026-10-25 02:10 +0200", []string{"2026-10-25 03:00 +0100"}},
		{"every hour comes twice, too", "30 * * * *", "Europe/Berlin", "2026-10-25 01:30 +0200", []string{"2026-10-25 02:30 +0200", "2026-10-25 02:30 +0100", "2026-10-25 03:30 +0100"}},
		{"every two hours does not", "0 */2 * * *", "Europe/Berlin", "2026-10-25 00:30 +0200", []string{"2026-10-25 02:00 +0200", "2026-10-25 04:00 +0100"}},
		{"half an hour twice", "45 1 * * *", "Australia/Lord_Howe", "2026-04-04 12:00 +1100", []string{"2026-04-05 01:45 +1100", "2026-04-06 01:45 +1030"}},
	} {
		if got := next(t, c.text, c.zone, c.after, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Whatever the schedule and the zone, times come in order, and each is the first
// one after any moment between it and the one before.
func TestNextIsTheFirst(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Santiago", "Asia/Kathmandu"}
	texts := []string{"*/7 * * * *", "30 2 * * *", "0 0 * * SUN", "15,45 1-3 * * *", "0 12 1,15 * MON", "0 */3 * * 1-5", "59 23 31 * *"}
	for range 60 {
		text, zone := texts[random.IntN(len(texts))], zones[random.IntN(len(zones))]
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		from := time.Date(2026, 1, 1, 0, random.IntN(365*24*60), 0, 0, loc)
		s, _ := must(text)
		times, err := s.Next(from, 5)
		if err != nil || len(times) != 5 {
			t.Fatalf("%s in %s from %s: %v %v", text, zone, from, times, err)
		}
		before := from
		for _, at := range times {
			if !at.After(before) {
				t.Fatalf("%s in %s from %s: %v", text, zone, from, times)
			}
			between := before.Add(time.Duration(random.Int64N(int64(at.Sub(before)))))
			if again, _ := s.Next(between, 1); !again[0].Equal(at) {
				t.Errorf("%s in %s: %s comes after %s, but %s after %s between", text, zone, at, before, again[0], between)
			}
			before = at
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"0 9 * * MON", "@hourly", "CRON_TZ=Europe/Berlin */5 1-3,7 ? JAN-MAR/2 5-7", "0 0 31 2 *", "TZ=0", "@every 5m", "1-,/ * * * *", "29 2 29 2 ?"} {
		f.Add(text)
	}
	from := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, text string) {
		s, findings := cron.Parse(text)
		for _, found := range findings {
			if found.Start < 0 || found.End > len(text) || found.Start > found.End {
				t.Fatalf("%q: %d-%d of %d bytes", text, found.Start, found.End, len(text))
			}
			if found.Message == "" {
				t.Fatalf("%q: nothing is said", text)
			}
		}
		if s == nil {
			return
		}
		if s.Describe() == "" {
			t.Fatalf("%q has no description", text)
		}
		// What is not refused fires, and the library reads it as it is meant.
		times, err := s.Next(from, 2)
		if _, unknown := s.Location(); unknown != nil {
			return
		}
		if err != nil || len(times) != 2 || !times[0].After(from) || !times[1].After(times[0]) {
			t.Fatalf("%q: %v %v", text, times, err)
		}
	})
}
