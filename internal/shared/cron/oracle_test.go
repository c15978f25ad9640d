package cron_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/cron"
)

// What docs/guide/schedules.md says about when a schedule fires, followed minute
// by minute by somebody who knows nothing but what the clocks show. It shares no
// code with the package: expressions are drawn together with what they mean.

var draws = flag.Int("draws", 400, "how many expressions are compared with the guide; `make test-schedules` compares 20,000")

// The time zones are Go's own, so that the tests say the same everywhere; with
// -zones=system they are the machine's.
var zonesFrom = flag.String("zones", "go", "whose time zones: go or system")

func TestMain(m *testing.M) {
	flag.Parse()
	if *zonesFrom == "go" {
		if out, err := exec.Command("go", "env", "GOROOT").Output(); err == nil {
			file := filepath.Join(strings.TrimSpace(string(out)), "lib", "time", "zoneinfo.zip")
			if _, err := os.Stat(file); err == nil {
				_ = os.Setenv("ZONEINFO", file)
			}
		}
	}
	os.Exit(m.Run())
}

// An expression is a schedule and what its fields mean.
type expression struct {
	text                                   string
	minutes, hours, days, months, weekdays map[int]bool
	// anyDay and anyWeekday say that the field is `*`.
	anyDay, anyWeekday bool
}

// drawField draws a field of numbers from low to high.
func drawField(r *rand.Rand, low, high, star int) (text string, numbers map[int]bool) {
	numbers = map[int]bool{}
	number := func() int { return low + r.IntN(high-low+1) }
	if r.IntN(100) < star {
		for n := low; n <= high; n++ {
			numbers[n] = true
		}
		return "*", numbers
	}
	var items []string
	for range 1 + r.IntN(3) {
		switch a, b := number(), number(); r.IntN(6) {
		case 0, 1, 2:
			items = append(items, strconv.Itoa(a))
			numbers[a] = true
		case 3:
			a, b = min(a, b), max(a, b)
			items = append(items, fmt.Sprintf("%d-%d", a, b))
			for n := a; n <= b; n++ {
				numbers[n] = true
			}
		case 4:
			a, b = min(a, b), max(a, b)
			step := 1 + r.IntN(max(1, b-a))
			items = append(items, fmt.Sprintf("%d-%d/%d", a, b, step))
			for n := a; n <= b; n += step {
				numbers[n] = true
			}
		default:
			step := 2 + r.IntN((high-low)/2)
			items = append(items, fmt.Sprintf("*/%d", step))
			for n := low; n <= high; n += step {
				numbers[n] = true
			}
		}
	}
	return strings.Join(items, ","), numbers
}

func drawExpression(r *rand.Rand) expression {
	var e expression
	var texts [5]string
	texts[0], e.minutes = drawField(r, 0, 59, 10)
	texts[1], e.hours = drawField(r, 0, 23, 30)
	texts[2], e.days = drawField(r, 1, 31, 55)
	texts[3], e.months = drawField(r, 1, 12, 75)
	texts[4], e.weekdays = drawField(r, 0, 6, 55)
	e.anyDay, e.anyWeekday = texts[2] == "*", texts[4] == "*"
	e.text = strings.Join(texts[:], " ")
	return e
}

// shows reports whether a date and time of day is one of the expression's.
func (e *expression) shows(at time.Time) bool {
	return e.minutes[at.Minute()] && e.hours[at.Hour()] && e.onDate(at)
}

func (e *expression) onDate(at time.Time) bool {
	if !e.months[int(at.Month())] {
		return false
	}
	switch day, weekday := e.days[at.Day()], e.weekdays[int(at.Weekday())]; {
	case e.anyDay && e.anyWeekday:
		return true
	case e.anyDay:
		return weekday
	case e.anyWeekday:
		return day
	default:
		return day || weekday // either is enough
	}
}

// walk follows the clocks of a zone from a moment on and returns the first n
// moments at which the expression fires until a moment.
func (e *expression) walk(loc *time.Location, after time.Time, n int, until time.Time) []time.Time {
	var fired []time.Time
	everyHour := len(e.hours) == 24
	after = after.Truncate(time.Minute)
	// The clocks are followed from two days before, to know what they have shown.
	seen := map[time.Time]bool{}
	var before time.Time
	for at := after.Add(-48 * time.Hour); len(fired) < n && !at.After(until); at = at.Add(time.Minute) {
		shown := onClock(at, loc)
		fires := false
		switch {
		case everyHour:
			fires = e.shows(shown)
		default:
			fires = e.shows(shown) && !seen[shown]
			if !before.IsZero() && shown.After(before.Add(time.Minute)) {
				// The clocks left something out.
				for missing := before.Add(time.Minute); missing.Before(shown); missing = missing.Add(time.Minute) {
					fires = fires || e.shows(missing) && !seen[missing]
					seen[missing] = true // it has come now
				}
			}
		}
		if fires && at.After(after) {
			fired = append(fired, at)
		}
		seen[shown] = true
		before = shown
		// Where nothing can fire for days there is nothing to follow.
		if at.After(after) && shown.Hour() == 12 && shown.Minute() == 0 {
			if days := e.idle(shown); days > 6 {
				at = at.Add(time.Duration(days-5) * 24 * time.Hour)
				if !at.After(until) {
					return append(fired, e.walk(loc, at, n-len(fired), until)...)
				}
			}
		}
	}
	return fired
}

// idle is for how many days, at most 400, no date is the expression's.
func (e *expression) idle(from time.Time) int {
	for days := range 400 {
		if e.onDate(from.AddDate(0, 0, days)) {
			return days
		}
	}
	return 400
}

// onClock is what the clocks of a zone show at a moment.
func onClock(at time.Time, loc *time.Location) time.Time {
	_, ahead := at.In(loc).Zone()
	return at.UTC().Add(time.Duration(ahead) * time.Second)
}

// zoneNames are the zones that the compiler knows.
func zoneNames(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "compiler", "internal", "cron", "zones.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

// changesIn are the moments, to the hour, at which the clocks of a zone are set in
// a year.
func changesIn(loc *time.Location, year int) []time.Time {
	var list []time.Time
	at := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
	_, before := at.In(loc).Zone()
	for ; at.Year() == year; at = at.Add(time.Hour) {
		_, ahead := at.In(loc).Zone()
		if ahead != before {
			list = append(list, at)
		}
		before = ahead
	}
	return list
}

// drawBegin draws when to begin: near a change of clocks, at the end of a
// year, or anywhere from 1975 to 2060.
func drawBegin(r *rand.Rand, loc *time.Location) time.Time {
	year := 1975 + r.IntN(86)
	around := func(at time.Time, by time.Duration) time.Time {
		return at.Add(time.Duration(r.Int64N(int64(2*by))) - by).Truncate(time.Second)
	}
	switch r.IntN(8) {
	case 0:
		return around(time.Date(year, 7, 1, 0, 0, 0, 0, time.UTC), 180*24*time.Hour)
	case 1:
		return around(time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC), 3*24*time.Hour)
	}
	for range 5 {
		if list := changesIn(loc, year); len(list) > 0 {
			return around(list[r.IntN(len(list))], 36*time.Hour)
		}
		year = 1975 + r.IntN(86)
	}
	return around(time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC), 3*24*time.Hour)
}

// The next 20 times of drawn expressions, in all zones, are those that the guide
// says.
func TestNextAgainstTheGuide(t *testing.T) {
	const times = 20
	if testing.Short() {
		*draws = min(*draws, 60)
	}
	names := zoneNames(t)
	workers := runtime.GOMAXPROCS(0)
	var wait sync.WaitGroup
	compared := make([]int, workers)
	for w := range workers {
		wait.Go(func() {
			for i := w; i < *draws && !t.Failed(); i += workers {
				r := rand.New(rand.NewPCG(20281230, uint64(i)))
				name := names[i%len(names)]
				if *draws < len(names) {
					name = names[r.IntN(len(names))]
				}
				loc, err := time.LoadLocation(name)
				if err != nil {
					continue // the machine is older than the list
				}
				e := drawExpression(r)
				s, findings := cron.Parse(e.text)
				if s == nil {
					if findings[0].Kind != "never" && !strings.Contains(findings[0].Message, "wider") {
						t.Errorf("%q: %v", e.text, findings)
					}
					continue
				}
				after := drawBegin(r, loc)
				got, err := s.Next(after.In(loc), times)
				if err != nil || len(got) != times {
					t.Errorf("%q in %s after %s: %d times, %v", e.text, name, after, len(got), err)
					continue
				}
				until := got[times-1]
				if far := after.AddDate(3, 0, 0); *draws < 20000 && until.After(far) {
					until = far // the rest is for those who compare them all
				}
				got = slices.DeleteFunc(got, func(at time.Time) bool { return at.After(until) })
				want := e.walk(loc, after, times, until)
				compared[w] += len(want)
				if !slices.EqualFunc(got, want, time.Time.Equal) {
					t.Errorf("%q in %s after %s:\n%s\nwant\n%s", e.text, name, after.In(loc), shownTimes(got, loc), shownTimes(want, loc))
				}
			}
		})
	}
	wait.Wait()
	total := 0
	for _, n := range compared {
		total += n
	}
	t.Logf("%d times compared", total)
	if total < *draws {
		t.Errorf("only %d times were compared", total)
	}
}

func shownTimes(list []time.Time, loc *time.Location) string {
	var b strings.Builder
	for _, at := range list {
		b.WriteString(at.In(loc).Format(form) + "  ")
	}
	return b.String()
}

// Years with a leap day end a day later. Every zone that follows a yearly rule
// goes on behind it.
func TestNextInLeapYears(t *testing.T) {
	for i, name := range zoneNames(t) {
		loc, err := time.LoadLocation(name)
		if err != nil || testing.Short() && i%20 != 0 {
			continue
		}
		for _, year := range []int{2028, 2040, 2096} {
			for _, text := range []string{"0 9 * * *", "30 * * * *"} {
				s, err := must(text)
				if err != nil {
					t.Fatal(err)
				}
				const many = 72
				before := time.Date(year, 12, 29, 22, 0, 0, 0, time.UTC)
				times, err := s.Next(before.In(loc), many)
				if err != nil || len(times) != many {
					t.Fatalf("%s in %s: %d times after 29 December %d, %v", text, name, len(times), year, err)
				}
				for _, at := range times {
					if gap := at.Sub(before); gap <= 0 || gap > 25*time.Hour+30*time.Minute {
						t.Fatalf("%s in %s: %s comes after %s", text, name, at, before)
					}
					before = at
				}
			}
		}
	}
}
