package reply_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/reply"
)

func TestLabel(t *testing.T) {
	all := []string{"P0", "P1", "P2", "clean", "done", "failure", "needs_work", "x"}
	for _, tt := range []struct {
		text   string
		labels []string
		want   string // what it is, or "error: " and a part of the message
	}{
		{"[OUTPUT:needs_work]", all, "needs_work"},
		{"[OUTPUT: x ]", all, "x"},
		{"```\n[OUTPUT:x]\n```", all, "x"},
		{"critical! [OUTPUT:clean]", all, "clean"},
		{"[OUTPUT:x] and then [OUTPUT:done]", all, "done"},
		{"[OUTPUT:x] and then [OUTPUT:", all, "x"},
		{"[OUTPUT:x] and then [OUTPUT:]", all, "x"},
		{"[OUTPUT:x] [OUTPUT:a\nb]", all, "x"},
		{"[OUTPUT:X]", all, "error: `X` is not one of its outputs"},
		{"done [OUTPUT:nope]", []string{"done"}, "error: `nope` is not one"},
		{"anything", []string{"done"}, "done"},
		{"", []string{"done"}, "done"},
		{"No issues found", all, "clean"},
		{"no-issues", all, "clean"},
		{"no  issues", all, "error: names none"},
		{"Should not fix", all, "error: names none"},
		{"should fix this", all, "P1"},
		{"LGTM", all, "clean"},
		{"P2 and P1", all, "P1"},
		{"clean but P2", all, "P2"},
		{"a nice-to-have", all, "P2"},
		{"nicetohave", all, "P2"},
		{"failed: no issues", all, "clean"},
		{"incomplete", all, "error: names none"},
		{"completed", all, "done"},
		{"unsuccessful", all, "done"},
		{"it is unfailing", all, "error: names none"},
		{"blocked by CI", []string{"done", "blocked"}, "blocked"},
		{"it failed", []string{"pass", "fail"}, "fail"},
		{"success", []string{"pass", "fail"}, "pass"},
		{"Still working...", all, "error: names none"},
		{"XP0Y critically", []string{"P0", "x"}, "P0"},
		{"this is scored", []string{"scored", "skipped"}, "scored"},
		{"it needs_work", []string{"good", "needs_work"}, "needs_work"},
		{"it Needs_Work", []string{"good", "needs_work"}, "error: names none"},
		{"good, but needs_work", []string{"good", "needs_work"}, "error: several of its outputs: `good`, `needs_work`"},
		{"a goodness", []string{"good", "needs_work"}, "error: names none"},
		{"critical", []string{"clean", "x"}, "error: names none"},
		{"ein Fehler: P0ß", []string{"P0", "P1"}, "error: names none"},
		{"", all, "error: names none"},
		{"", nil, "error: names none"},
	} {
		got, err := reply.Label(tt.text, tt.labels)
		check(t, tt.text, tt.want, got, err)
	}
}

func check(t *testing.T, name, want, got string, err error) {
	t.Helper()
	if message, fails := strings.CutPrefix(want, "error: "); fails {
		if err == nil || !strings.Contains(err.Error(), message) || got != "" {
			t.Errorf("%q: %q, %v, want an error with %q", name, got, err, message)
		}
		return
	}
	if got != want || err != nil {
		t.Errorf("%q: %q, %v, want %q", name, got, err, want)
	}
}

func TestScriptLabel(t *testing.T) {
	for _, tt := range []struct {
		printed string
		exit    int
		labels  string
		want    string
	}{
		{"error error", 0, "pass fail", "pass"},
		{"", 1, "pass fail", "fail"},
		{"", 0, "fail pass", "pass"},
		{"", 2, "success failure", "failure"},
		{"", 0, "done", "done"},
		{"", 1, "done", "error: no output of the node means a failure"},
		{"", 1, "low high", "high"},
		{"", 0, "low high", "low"},
		{"[OUTPUT:high]", 0, "low high", "high"},
		{"[OUTPUT:low]", 1, "low high", "high"},
		{"[OUTPUT:fail]", 0, "pass fail", "pass"},
		{"[OUTPUT:pass]", 1, "pass fail", "fail"},
		{"[OUTPUT:blocked]", 1, "done fail blocked", "blocked"},
		{"[OUTPUT:nope]", 0, "pass fail", "pass"},
		{"", 1, "done timeout", "error: no output of the node means a failure"},
		{"", 1, "yes no", "error: no output of the node means a failure"},
		{"[OUTPUT:no]", 1, "yes no", "no"},
		{"", 0, "fail error", "error: all its outputs mean failure"},
		{"", -1, "ok error", "error"},
	} {
		got, err := reply.ScriptLabel(tt.printed, tt.exit, strings.Fields(tt.labels))
		check(t, tt.printed+" "+tt.labels, tt.want, got, err)
	}
}

// The recorded cases of output detection: what wfc is to do.
func TestRecordedDetection(t *testing.T) {
	content, err := os.ReadFile("../../../shared/conformance/graphloop/cases.json")
	if err != nil {
		t.Skipf("the recorded cases are not there: %v", err)
	}
	var cases []struct {
		Group string
		Name  string
		Input struct {
			Text     string   `json:"agent_text"`
			Declared []string `json:"declared"`
		}
		Expect struct {
			Output string
		}
	}
	if err := json.Unmarshal(content, &cases); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range cases {
		if c.Group != "recorded/detection" {
			continue
		}
		ran++
		want := c.Expect.Output
		if want == "error:undetermined" {
			want = "error: names none"
		}
		got, err := reply.Label(c.Input.Text, c.Input.Declared)
		check(t, c.Name, want, got, err)
	}
	if ran == 0 {
		t.Error("there are no recorded cases of detection")
	}
	t.Logf("%d cases", ran)
}

func FuzzLabel(f *testing.F) {
	for _, text := range []string{"[OUTPUT:a]", "[OUTPUT:[OUTPUT:b]", "no issues", "should\xfffix", "nice to have", "a b"} {
		f.Add(text)
	}
	labels := []string{"a", "b", "P1", "clean", "done", "fail"}
	f.Fuzz(func(t *testing.T, text string) {
		label, err := reply.Label(text, labels)
		if (err == nil) == (label == "") || label != "" && !strings.Contains(strings.Join(labels, " "), label) {
			t.Errorf("%q: %q, %v", text, label, err)
		}
	})
}
