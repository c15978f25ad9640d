//go:build unix

package examples

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A replacement is a part of an output that differs from run to run, and its fixed form.
type replacement struct {
	pattern *regexp.Regexp
	fixed   string
}

// varying are the parts that pages show in a fixed form.
var varying = []replacement{
	{regexp.MustCompile(`until \d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?`), "until 2026-11-23 12:00"},
	{regexp.MustCompile(`since \d{4}-\d\d-\d\d \d\d:\d\d\b`), "since 2026-11-23 09:00"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`), "2026-11-23 09:00:00"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d (\d\d:\d\d) (Mon|Tue|Wed|Thu|Fri|Sat|Sun) [+-]\d{4} CES?T`), "2026-11-23 $1 Mon +0100 CET"},
	{regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d\.\d{3}`), "09:00:00.000"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "5a7f74e78daf275723865dd0429004ab0cab28b55f7b7b16ceb42a260548e6a3"},
	{regexp.MustCompile(`index [0-9a-f]{7}\.\.[0-9a-f]{7}`), "index 1c2d3e4..5f6a7b8"},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:4000"},
	{regexp.MustCompile(`/wfc/([a-z_-]+)-[0-9a-f]{10}\b`), "/wfc/$1-39dc33ae19"},
	{regexp.MustCompile(`~/tmp/tmp\.\w+`), "~/work"},
	{regexp.MustCompile(` by \S+ from \S+, `), " by ann from laptop, "},
	{regexp.MustCompile(`(?m), (\w+) by \S+$`), ", $1 by ann"},
}

// measured are the parts that pages show as they were measured, and that any other values match.
var measured = []replacement{
	{regexp.MustCompile(`(\(|took |after |completed +|failed +|skipped +)\d+(\.\d+)?(ms|s)\b`), "${1}1ms"},
	{regexp.MustCompile(`(  | 09:00:00 )\d+(\.\d+)?(ms|s)\b`), "${1}1ms"},
	{regexp.MustCompile(`\b\d+(\.\d)? (M|k)B\b`), "1 ${2}B"},
}

// progress is what a build prints when it takes long.
var progress = regexp.MustCompile(`(?m)^(compiling shared packages once: |downloading |  (\d+ of )?\d+ packages|  building the [a-z ]+ for ).*\n`)

// ids are shown in place of the random ends of run ids.
var ids = []string{"k3x9aa", "m4w2pq", "t7r5nd", "b2z8he", "g9v4js", "c6f3ku", "d8m2wx", "h4q7ty", "n9c3lb", "p6s5zr"}

var runID = regexp.MustCompile(`\b[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*-([a-z0-9]{6})\b`)

// named is where an output names a run for the first time.
var named = regexp.MustCompile(`(?m)(?:\b(?:run|removed?|kept) |"run_id": ?")([a-z][a-z0-9_-]*-[a-z0-9]{6})\b|^([a-z][a-z0-9_-]*-[a-z0-9]{6}) {2,}`)

// stable returns an output with fixed values in place of those that vary. The
// names of runs that it has given before are in shown, which it extends.
func stable(text string, shown map[string]string) string {
	for _, v := range varying {
		text = v.pattern.ReplaceAllString(text, v.fixed)
	}
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		id := m[1] + m[2] // one of them is empty
		if _, ok := shown[id]; !ok {
			shown[id] = id[:len(id)-6] + ids[len(shown)%len(ids)]
		}
	}
	return runID.ReplaceAllStringFunc(text, func(id string) string {
		if name, ok := shown[id]; ok {
			return name
		}
		return id
	})
}

// matches reports whether an output is the expected one, apart from what varies.
// Steps that run side by side may be reported in any order. In the expected
// output `…` is any text of a line, or any lines if it is alone.
func matches(want, got string) bool {
	want, got = comparable(want), comparable(got)
	if !strings.Contains(want, "…") {
		return want == got
	}
	var pattern strings.Builder
	for line := range strings.Lines(want) {
		if strings.TrimSpace(line) == "…" {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), "…", `.*`))
	}
	return regexp.MustCompile(`^` + pattern.String() + `$`).MatchString(got)
}

// columns separates the columns of a table, whose widths differ from run to run.
var columns = regexp.MustCompile(` {2,}`)

// comparable returns an output with fixed values in place of those that vary, run
// ids included, in narrow columns, and with the reports of successive steps in
// alphabetical order.
func comparable(text string) string {
	text = stable(text, map[string]string{})
	for _, m := range measured {
		text = m.pattern.ReplaceAllString(text, m.fixed)
	}
	text = runID.ReplaceAllStringFunc(text, func(id string) string {
		for _, shown := range ids {
			if strings.HasSuffix(id, "-"+shown) {
				return id[:len(id)-len(shown)] + ids[0]
			}
		}
		return id
	})
	lines := strings.Split(columns.ReplaceAllString(text, "  "), "\n")
	for from := 0; from < len(lines); from++ {
		to := from
		for to < len(lines) && reportsStep(lines[to]) {
			to++
		}
		slices.Sort(lines[from:to])
		from = max(from, to-1)
	}
	return strings.Join(lines, "\n")
}

// reportsStep reports whether a line reports how a step ended.
func reportsStep(line string) bool {
	mark, _, _ := strings.Cut(line, " ")
	return slices.Contains([]string{"✓", "✗", "○", "?", "!"}, mark)
}

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		name, want, got string
		equal           bool
	}{
		{"durations and ids", "run a-k3x9aa\n✓ x (5ms)\n", "run a-q1w2e3\n✓ x (1.2s)\n", true},
		{"ids of several runs", "run a-k3x9aa\nrun a-m4w2pq\n", "run a-q1w2e3\nrun a-aaaaaa\n", true},
		{"steps side by side", "✓ x (5ms)\n✓ y (5ms)\n", "✓ y (1ms)\n✓ x (1ms)\n", true},
		{"another step", "✓ x (5ms)\n", "✓ z (5ms)\n", false},
		{"another text", "one\n", "two\n", false},
		{"any lines", "one\n…\nfour\n", "one\ntwo\nthree\nfour\n", true},
		{"any lines, another end", "one\n…\nfour\n", "one\ntwo\nthree\n", false},
		{"any text", "one … three\n", "one two three\n", true},
	} {
		if matches(test.want, test.got) != test.equal {
			t.Errorf("%s: matches is %v", test.name, !test.equal)
		}
	}
}
