package build

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A clocked output is one whose time the test sets.
func clocked(live bool) (o *output, printed *bytes.Buffer, pass func(time.Duration)) {
	printed = &bytes.Buffer{}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	o = &output{progress: printed, live: live, began: now, now: func() time.Time { return now }}
	pass = func(d time.Duration) {
		now = now.Add(d)
		o.mu.Lock()
		defer o.mu.Unlock()
		o.showProgress()
	}
	return o, printed, pass
}

func packages(n int) []string {
	list := []string{"modernc.org/libc", "modernc.org/sqlite/lib"}
	for i := range n {
		list = append(list, fmt.Sprintf("example.com/p%d", i))
	}
	return list
}

// A first build that says nothing for a long time is seen to go on: with the
// package that it compiles, and how long that takes yet.
func TestHeartbeat(t *testing.T) {
	o, printed, pass := clocked(false)
	o.expectPackages(packages(100))
	for i := range 60 {
		fmt.Fprintf(o, "example.com/p%d\n", i)
		pass(100 * time.Millisecond)
	}
	first, _, _ := strings.Cut(printed.String(), "\n")
	if want := headline + "8 of 102 packages: example.com/p7"; first != want {
		t.Errorf("the first line is %q, want %q", first, want)
	}
	fmt.Fprintln(o, "modernc.org/sqlite/lib")
	printed.Reset()
	for range 30 {
		pass(time.Second)
	}
	lines := strings.Split(strings.TrimSpace(printed.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines in 30 seconds:\n%s", len(lines), printed.String())
	}
	for _, line := range lines {
		if !strings.Contains(line, "61 of 102 packages, about ") || !strings.HasSuffix(line, " left: modernc.org/sqlite/lib") {
			t.Errorf("%q", line)
		}
	}
}

// On a terminal it is one line, drawn anew, and away in the end.
func TestHeartbeatOnATerminal(t *testing.T) {
	o, printed, pass := clocked(true)
	fmt.Fprint(o, "a\nb\nc\n")
	if text := clipText(strings.Repeat("x", 100), lineWidth); len([]rune(text)) != lineWidth {
		t.Errorf("%q does not fit", text)
	}
	pass(time.Second)
	pass(time.Second)
	o.flush()
	if got := printed.String(); strings.Contains(got, "\n") || strings.Count(got, "\r\x1b[Kfirst build: 3 packages: c") != 2 || !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("%q", got)
	}
}

// A build after an edit says nothing, unless even that is slow.
func TestQuietBuild(t *testing.T) {
	o, printed, pass := clocked(false)
	o.program = "the pages"
	fmt.Fprintln(o, "github.com/wfc-lang/wfc/workflow/called")
	fmt.Fprintln(o, "github.com/wfc-lang/wfc/workflow")
	pass(9 * time.Second)
	if printed.Len() > 0 {
		t.Errorf("%q", printed)
	}
	pass(3 * time.Second)
	if got := printed.String(); got != "  building the pages for 12s\n" {
		t.Errorf("%q", got)
	}
}

// The guess of the rest is right when costs are, whatever the machine's speed, and
// gets smaller while nothing is printed.
func TestEstimate(t *testing.T) {
	for _, perCost := range []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, time.Second} {
		began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		var started []startedPackage
		at := began
		for i := range 40 {
			started = append(started, startedPackage{fmt.Sprintf("example.com/p%d", i), at})
			at = at.Add(perCost)
		}
		started = append(started, startedPackage{"modernc.org/sqlite/lib", at})
		total := 40 + compileCost("modernc.org/sqlite/lib") + 20
		last := time.Duration(1 << 62)
		for part := range 10 {
			now := at.Add(time.Duration(part*compileCost("modernc.org/sqlite/lib")/10) * perCost)
			g := estimateBuild(started, total, began, now)
			real := began.Add(time.Duration(total) * perCost).Sub(now)
			if g.current != "modernc.org/sqlite/lib" || g.rest < real*8/10 || g.rest > real*12/10 || g.rest > last {
				t.Errorf("at %v a package, part %d: %s, %v left, and really %v", perCost, part, g.current, g.rest, real)
			}
			last = g.rest
		}
	}
	now := time.Now()
	if g := estimateBuild([]startedPackage{{"a", now}, {"b", now}}, 0, now, now); g.rest != 0 || g.current != "b" {
		t.Errorf("at once: %+v", g)
	}
}

func TestRoughly(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "1s", 4400 * time.Millisecond: "4s", 23 * time.Second: "25s", 100 * time.Second: "2 min"} {
		if got := roughDuration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
