package cron_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/cron"
)

func TestDescribe(t *testing.T) {
	for text, want := range map[string]string{
		"0 9 * * MON":                     "at 09:00 on Monday",
		"0 9 * * *":                       "at 09:00 every day",
		"@daily":                          "at 00:00 every day",
		"@hourly":                         "every hour",
		"* * * * *":                       "every minute",
		"*/15 * * * *":                    "every 15 minutes",
		"*/7 * * * *":                     "every hour at minute 0, 7, 14, 21, 28, 35, 42, 49 and 56",
		"5 * * * *":                       "every hour at minute 5",
		"0,30 9-17 * * 1-5":               "every 30 minutes of the hours 9 to 17 on Monday to Friday",
		"0 9,17 * * 1-5":                  "at 09:00 and 17:00 on Monday to Friday",
		"30 8 1 * *":                      "at 08:30 on day 1 of the month",
		"30 8 1-7,15 3-5,12 *":            "at 08:30 on days 1 to 7 and 15 of the month in March to May and December",
		"0 0 1 1 ?":                       "at 00:00 on day 1 of the month in January",
		"0 0 * * 0,6":                     "at 00:00 on Saturday and Sunday",
		"0 0 * * SAT-SUN":                 "at 00:00 on Saturday and Sunday",
		"0 0 * * 5-7":                     "at 00:00 on Friday to Sunday",
		"0 0 13 * FRI":                    "at 00:00 on day 13 of the month and on Friday",
		"CRON_TZ=Europe/Berlin 0 9 * * *": "at 09:00 every day (Europe/Berlin)",
		"  TZ=UTC\t0 9 29 FEB * ":         "at 09:00 on day 29 of the month in February (UTC)",
		"* 2 * * *":                       "every minute of the hours 2 every day",
		"@weekly":                         "at 00:00 on Sunday",
		"7/20 1,2,3,4 * * *":              "at minute 7, 27 and 47 of the hours 1 to 4 every day",
	} {
		s, findings := cron.Parse(text)
		if s == nil {
			t.Errorf("%q: %v", text, findings)
			continue
		}
		if got := s.Describe(); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
		if s.Text != strings.TrimSpace(text) {
			t.Errorf("%q is kept as %q", text, s.Text)
		}
	}
}

// Each fault is marked with `[` and `]`; what follows " => " is the fix.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		marked string
		kind   string
		fix    string
		says   string
	}{
		{"[]", "shape", "", "the schedule is empty"},
		{"[tomorrow]", "shape", "", "invalid schedule `tomorrow`"},
		{"[0 9 * *]", "shape", "", "must have five fields, got 4; write"},
		{"[0 0 9 * * MON]", "shape", "", "seconds and years are not supported"},
		{"[@dayly]", "shape", "", "use @yearly"},
		{"[@Daily]", "shape", "@daily", "did you mean `@daily`?"},
		{"[@every 15m]", "shape", "*/15 * * * *", "write `*/15 * * * *`"},
		{"[@every 2h]", "shape", "0 */2 * * *", "write"},
		{"[@every 1h]", "shape", "0 * * * *", "write"},
		{"[@every 24h]", "shape", "0 0 * * *", "write"},
		{"[@every 7m]", "shape", "", "write five fields"},
		{"[@reboot]", "shape", "", "it is not a time"},
		{"[@daily 5]", "shape", "@daily", "nothing may follow it"},
		{"[60] 9 * * *", "value", "", "invalid minute `60`; write a number from 0 to 59"},
		{"0 [24] * * *", "value", "", "invalid hour `24`"},
		{"0 9 [0] * *", "value", "", "invalid day-of-month `0`; write a number from 1 to 31"},
		{"0 9 * [13] *", "value", "", "write a number from 1 to 12 or a name from JAN to DEC"},
		{"0 9 * * [8]", "value", "", "0 and 7 are Sunday"},
		{"0 9 * * [MONDAY]", "value", "MON", "did you mean `MON`?"},
		{"0 9 * [sept] *", "value", "SEP", "did you mean `SEP`?"},
		{"0 9 * * MON,[XYZ]", "value", "", "invalid day-of-week `XYZ`"},
		{"[99999999999999999999] 9 * * *", "value", "", "invalid minute"},
		{"[-5] * * * *", "value", "", "missing number in `-5`"},
		{"0 [22-2] * * *", "value", "22-23,0-2", "runs backwards; write `22-23,0-2`"},
		{"0 0 * * [FRI-MON]", "value", "5-6,0-1", "runs backwards"},
		{"0 0 * * [5-0]", "value", "5-7", "runs backwards"},
		{"0 0 * [NOV-FEB]/2 *", "value", "", "write two ranges"},
		{"0 0 * * [7-1]", "value", "0-1", "runs backwards; write `0-1`"},
		{"0 0 * * [7-0]", "value", "0", "runs backwards; write `0`"},
		{"0 0 * * [7-6]", "value", "0-6", "runs backwards; write `0-6`"},
		{"0 0 * * [7-SAT]", "value", "0-6", "runs backwards; write `0-6`"},
		{"0 0 * * [6-1]", "value", "6,0-1", "runs backwards; write `6,0-1`"},
		{"0 0 * * [7-3]/2", "value", "", "write `0-3`"},
		{"[59/5] * * * *", "value", "", "step 5 is wider than the range 59-59 of the minute; write `59` if that is the intent"},
		{"[58/5] * * * *", "value", "", "write `58` if that is the intent, or a step of at most 1"},
		{"0 [23/2] * * *", "value", "", "write `23` if that is the intent"},
		{"0 0 * * [6/2]", "value", "", "write `6` if that is the intent"},
		{"[5-5/3] * * * *", "value", "", "write `5` if that is the intent"},
		{"TZ=[Local] 0 9 * * *", "zone", "", "remove it"},
		{"CRON_TZ=[localtime] 0 9 * * *", "zone", "", "remove it"},
		{"TZ=[posixrules] 0 9 * * *", "zone", "", "remove it"},
		{"TZ=[posix/Europe/Berlin] 0 9 * * *", "zone", "Europe/Berlin", "write `Europe/Berlin`"},
		{"TZ=[right/Europe/Berlin] 0 9 * * *", "zone", "Europe/Berlin", "write `Europe/Berlin`"},
		{"TZ=[right] 0 9 * * *", "zone", "", "is a folder"},
		{"*/[0] * * * *", "value", "", "a step must not be 0"},
		{"[*/] * * * *", "value", "", "missing step after `/`"},
		{"*/[x] * * * *", "value", "", "invalid step `x`"},
		{"[*/90] * * * *", "value", "", "step 90 is wider than the range 0-59 of the minute"},
		{"*/[5/5] * * * *", "value", "", "invalid step `5/5`"},
		{"[1,,2] * * * *", "value", "", "a comma without an item"},
		{"[?] * * * *", "value", "*", "use `?` only for a day"},
		{"1-[2-3] * * * *", "value", "", "invalid minute `2-3`"},
		{"0 0 [L] * *", "value", "", "cron has no `L`"},
		{"0 0 * * [FRI#2]", "value", "", "cron has no `L`"},
		{"[**] * * * *", "value", "", "invalid minute `**`"},
		{"0 9 [31 2] *", "never", "", "this never fires: February never has a day 31"},
		{"0 9 [30 FEB] ?", "never", "", "February never has a day 30"},
		{"0 9 [31 2,4,6,9,11] *", "never", "", "February, April, June, September and November never have a day 31"},
		{"CRON_TZ[=] 0 9 * * *", "zone", "", "missing time zone"},
		{"TZ=[../etc] 0 9 * * *", "zone", "", "unknown time zone"},
		{"[CRON_TZ=UTC]", "shape", "", "missing schedule after the time zone"},
		{"[é] * * * *", "value", "", "invalid minute `é`"},
	} {
		text := strings.NewReplacer("[", "", "]", "").Replace(c.marked)
		start := strings.Index(c.marked, "[")
		end := strings.Index(c.marked, "]") - 1
		s, findings := cron.Parse(text)
		if s != nil || len(findings) != 1 {
			t.Errorf("%q: %v %v", text, s, findings)
			continue
		}
		f := findings[0]
		if f.Kind != c.kind || f.Start != start || f.End != end || f.Fix != c.fix || !strings.Contains(f.String(), c.says) {
			t.Errorf("%q: kind %s at %d-%d, fix %q: %v", text, f.Kind, f.Start, f.End, f.Fix, f)
		}
		if f.Fix == "" {
			continue
		}
		if s, findings := cron.Parse(text[:f.Start] + f.Fix + text[f.End:]); s == nil {
			t.Errorf("%q is not fixed by %q: %v", text, f.Fix, findings)
		}
	}
}

// Every field is read, whatever is wrong with those before it.
func TestAllFaultsAreFound(t *testing.T) {
	_, findings := cron.Parse("TZ=a!b 60 24 0 13 8")
	if len(findings) != 6 {
		t.Errorf("%v", findings)
	}
	if _, err := must("60 24 * * *"); err == nil || !strings.Contains(err.Error(), "minute") || !strings.Contains(err.Error(), "hour") {
		t.Errorf("%v", err)
	}
}

func TestEitherDay(t *testing.T) {
	s, findings := cron.Parse("0 9 1-7 * MON")
	if s == nil || len(findings) != 1 || findings[0].Kind != "either" || findings[0].Fault() {
		t.Fatalf("%v %v", s, findings)
	}
	if f := findings[0]; f.Start != 4 || f.End != 13 || !strings.Contains(f.Message, "on days 1 to 7 of the month and also on Monday") {
		t.Errorf("%d-%d %v", f.Start, f.End, f)
	}
	// A fault comes before the warning.
	if s, findings := cron.Parse("TZ=a!b 0 9 1-7 * MON"); s != nil || len(findings) != 2 || !findings[0].Fault() || findings[1].Kind != "either" {
		t.Errorf("%v %v", s, findings)
	}
	// 31 February never comes, but Mondays do.
	if s, findings := cron.Parse("0 9 31 2 MON"); s == nil || len(findings) != 1 {
		t.Errorf("%v", findings)
	}
	for text, want := range map[string]string{
		"0 9 */1 * MON":      "",
		"0 9 1-31 * 0-6":     "",
		"0 9 ? * MON":        "",
		"0 0 1-31 * MON":     "`1-31` matches every day; write `*` for the day of the month to fire only on Monday",
		"0 0 1/1 * MON":      "`1/1` matches every day",
		"0 0 1-15,16-31 * 1": "`1-15,16-31` matches every day",
		"0 9 1 * 0-6":        "`0-6` matches every day; write `*` for the day of the week to fire only on day 1 of the month",
		"0 9 1 * SUN-SAT":    "`SUN-SAT` matches every day",
		"0 9 1 * 1-7":        "`1-7` matches every day",
	} {
		_, findings := cron.Parse(text)
		if want == "" && len(findings) != 0 || want != "" && (len(findings) != 1 || findings[0].Kind != "either" || !strings.Contains(findings[0].String(), want)) {
			t.Errorf("%q: %v", text, findings)
		}
	}
}

// Whatever range runs backwards, its fix is read, is the days or hours that were
// meant, and takes nothing else in.
func TestFixesOfRanges(t *testing.T) {
	for i, of := range []struct{ low, high, size int }{{0, 59, 60}, {0, 23, 24}, {1, 31, 31}, {1, 12, 12}, {0, 7, 7}} {
		for first := of.low; first <= of.high; first++ {
			for last := of.low; last < first; last++ {
				fields := []string{"0", "0", "*", "*", "*"}
				fields[i] = fmt.Sprintf("%d-%d", first, last)
				s, findings := cron.Parse(strings.Join(fields, " "))
				if s != nil {
					continue // 5-0 as FRI-SUN is not backwards
				}
				f := findings[0]
				if f.Fix == "" {
					t.Fatalf("%v has no fix", fields)
				}
				meant := map[int]bool{}
				for n := first % of.size; ; n = (n + 1) % of.size {
					meant[n] = true
					if n == last%of.size {
						break
					}
				}
				got := map[int]bool{}
				for item := range strings.SplitSeq(f.Fix, ",") {
					var a, b int
					if _, err := fmt.Sscanf(item, "%d-%d", &a, &b); err != nil {
						if _, err := fmt.Sscanf(item, "%d", &a); err != nil {
							t.Fatal(err)
						}
						b = a
					}
					for n := a; n <= b; n++ {
						got[n%of.size] = true
					}
				}
				fields[i] = f.Fix
				if s, findings := cron.Parse(strings.Join(fields, " ")); s == nil || !maps.Equal(got, meant) {
					t.Errorf("field %d, %d-%d: the fix `%s` is %v, want %v: %v", i, first, last, f.Fix, got, meant, findings)
				}
			}
		}
	}
}

func TestLocation(t *testing.T) {
	s, _ := must("CRON_TZ=Nowhere/Land 0 9 * * *")
	if _, err := s.Location(); err == nil || !strings.Contains(err.Error(), "`Nowhere/Land`") {
		t.Errorf("%v", err)
	}
	if _, err := s.Next(time.Now(), 1); err == nil {
		t.Error("times in a zone that is not there")
	}
	s, _ = must("0 9 * * *")
	if loc, err := s.Location(); loc != time.Local || err != nil {
		t.Errorf("%v %v", loc, err)
	}
}

// must is Parse with the faults as one error.
func must(text string) (*cron.Schedule, error) {
	s, findings := cron.Parse(text)
	var faults []error
	for _, f := range findings {
		if f.Fault() {
			faults = append(faults, errors.New(f.String()))
		}
	}
	return s, errors.Join(faults...)
}
