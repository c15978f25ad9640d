package cli

import (
	"strings"
	"testing"
	"time"
)

func TestLastLine(t *testing.T) {
	for piece, want := range map[string]string{
		"a\nb\n": "b", "a\r\nb\r\n\r\n": "b", "50%\r60%\r": "60%", "": "", "\n\n": "",
		"\x1b[31mred\x1b[0m \x1b[1mtext": "red text", "bell\a and tab\t.": "bell and tab.", "cut \x1b[3": "cut ",
	} {
		if got := lastLine([]byte(piece)); got != want {
			t.Errorf("%q gives %q, want %q", piece, got, want)
		}
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"short", 10, "short"}, {"exactly", 7, "exactly"}, {"too long", 5, "too …"}, {"日本語", 5, "日本…"}, {"日本語", 6, "日本語"}, {"日本", 4, "日本"}, {"", 5, ""},
	} {
		if got := truncateToWidth(c.text, c.width); got != c.want {
			t.Errorf("%q in %d gives %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestRunningLines(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	p := &progress{out: &strings.Builder{}, live: true}
	p.running = append(p.running,
		running{key: "a", since: now.Add(-90 * time.Second), last: "compiling"},
		running{key: "b", attempt: 2, since: now, due: now.Add(3 * time.Second)},
		running{key: "c", attempt: 3, since: now.Add(-time.Second), due: now.Add(-time.Second)})
	want := "● a 1m30s  compiling|◌ b (attempt 2) in 3s|● c (attempt 3) 1s  "
	if got := strings.Join(p.runningLines(now), "|"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for range 20 {
		p.running = append(p.running, running{key: "x", since: now})
	}
	lines := p.runningLines(now)
	if len(lines) != mostRunning+1 || lines[mostRunning] != "  and 11 more" {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
}
