package reply_test

import (
	"fmt"
	"testing"

	"github.com/wfc-lang/wfc/runtime/reply"
)

func TestNumber(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"score", "8", "8"},
		{"score", " 8.5\n", "8.5"},
		{"score", "-3", "-3"},
		{"score", "87%", "87"},
		{"score", "8/10", "8"},
		{"score", "8 / 10", "8"},
		{"score", "Score: 8/10, and 3 faults", "8"},
		{"review_score", "After 12 minutes the review score is 7.", "7"},
		{"review_score", "After 12 minutes: score = 7", "7"},
		{"review_score", "review_score=9 coverage=40", "9"},
		{"test_coverage", "12 tests, **Coverage:** 81.5%", "81.5"},
		{"test_coverage", "12 tests, coverage 81", "error: several numbers"},
		{"test_coverage", "discoverage: 3, 4", "error: several numbers"},
		{"count", "there are 3 of them", "3"},
		{"count", "v2 has 3", "3"},
		{"count", "2nd, 3", "3"},
		{"count", "none", "error: has no number"},
		{"count", "", "error: an empty string has no number"},
		{"", "1 2", "error: several numbers"},
		{"count", "1e5", "error: has no number"},
	} {
		got, err := reply.Read[float64](tt.name, tt.text)
		text := fmt.Sprint(got)
		if err != nil {
			text = ""
		}
		check(t, tt.name+" of "+tt.text, tt.want, text, err)
	}
}

func TestTruth(t *testing.T) {
	for text, want := range map[string]string{
		"yes": "true", "TRUE": "true", " Pass.\n": "true", "no": "false", "Failed!": "false", "0": "false",
		"maybe": "error: neither yes nor no", "": "error: an empty string", "yes and no": "error: neither",
	} {
		got, err := reply.Read[bool]("", text)
		said := fmt.Sprint(got)
		if err != nil {
			said = ""
		}
		check(t, text, want, said, err)
	}
}

type warnings []string

func (w *warnings) Warn(format string, args ...any) { *w = append(*w, fmt.Sprintf(format, args...)) }

func TestSetKeepsWhatItCannotTell(t *testing.T) {
	var w warnings
	n, f, b := int64(3), 0.5, true
	var optional *int64
	reply.ReadInto(&n, "n", "4", w.Warn)
	reply.ReadInto(&f, "f", "f: 2.5 of 7", w.Warn)
	reply.ReadInto(&b, "b", "no", w.Warn)
	reply.ReadInto(&optional, "o", "o is 9 not 8", w.Warn)
	if n != 4 || f != 2.5 || b || optional == nil || *optional != 9 || len(w) > 0 {
		t.Errorf("%v %v %v %v, %q", n, f, b, optional, w)
	}
	reply.ReadInto(&n, "n", "4.5", w.Warn)
	reply.ReadInto(&f, "f", "lots", w.Warn)
	reply.ReadInto(&b, "b", "perhaps", w.Warn)
	reply.ReadInto(&optional, "o", "1 2", w.Warn)
	if n != 4 || f != 2.5 || b || *optional != 9 {
		t.Errorf("%v %v %v %v", n, f, b, *optional)
	}
	want := []string{
		"variable `n` keeps its value: 4.5 is not an integer",
		"variable `f` keeps its value: \"lots\" has no number",
		"variable `b` keeps its value: \"perhaps\" says neither yes nor no",
		"variable `o` keeps its value: \"1 2\" has several numbers, and none of them follows `o`",
	}
	if fmt.Sprint([]string(w)) != fmt.Sprint(want) {
		t.Errorf("%q", w)
	}
}

func TestJSON(t *testing.T) {
	if got := string(reply.ReadAny(" <a> \"b\" ")); got != `"<a> \"b\""` {
		t.Errorf("%s", got)
	}
}
