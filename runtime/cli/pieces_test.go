package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// What an agent says in many pieces is the line of which they are, not the last
// of them.
func TestTheLineOfARunningStep(t *testing.T) {
	var r running
	for _, test := range []struct{ stream, piece, want string }{
		{"agent", "I ", "I"}, {"agent", "look", "I look"}, {"agent", " at it.\n", "I look at it."}, {"agent", "\n", "I look at it."},
		{"agent", "Then", "Then"}, {"stderr", "uses a tool\n", "uses a tool"}, {"agent", " more", "more"}, {"agent", " words\nand a", "and a"},
		{"agent", " line", "and a line"}, {"stdout", "50%\r60%\r", "60%"}, {"stdout", "70", "70"}, {"stdout", "%", "70%"},
	} {
		if r.addPiece(test.stream, []byte(test.piece)); r.last != test.want {
			t.Errorf("after %q of %s it is %q, want %q", test.piece, test.stream, r.last, test.want)
		}
	}
	for range 10_000 {
		r.addPiece("agent", []byte("a word "))
	}
	if len(r.tail) > longestTail || !strings.HasPrefix(r.last, "a word a word ") {
		t.Errorf("%d bytes are kept, and %d shown", len(r.tail), len(r.last))
	}
	if r.addPiece("agent", []byte("end\nnew")); r.last != "new" {
		t.Errorf("it is %q", r.last)
	}
}

// The log of what came in pieces has the lines that they make, with the time at
// which each began, and in the order of what happened beside.
func TestLogsJoinPieces(t *testing.T) {
	start := time.Date(2026, 11, 22, 9, 0, 0, 0, time.Local)
	var out strings.Builder
	p := &logPrinter{out: &out}
	for i, l := range []logLine{
		{Type: "step_started", Node: "a"},
		{Type: "output", Node: "a", Stream: "agent", Text: "one "},
		{Type: "output", Node: "b", Stream: "agent", Text: "beside "},
		{Type: "output", Node: "a", Stream: "agent", Text: "two "},
		{Type: "output", Node: "a", Stream: "agent", Text: "three\n\nfour"},
		{Type: "output", Node: "a", Stream: "stderr", Text: "uses a tool\n"},
		{Type: "output", Node: "b", Stream: "agent", Text: "it"},
		{Type: "output", Node: "a", Stream: "agent", Text: "five"},
		{Type: "step_completed", Node: "a"},
	} {
		l.Time = start.Add(time.Duration(i) * time.Second)
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = p.Write(text)
	}
	p.flushNode("")
	want := `09:00:00.000 [a] started
09:00:01.000 [a] │ one two three
09:00:01.000 [a] │ 
09:00:01.000 [a] │ four
09:00:05.000 [a] │ uses a tool
09:00:07.000 [a] │ five
09:00:08.000 [a] completed
09:00:02.000 [b] │ beside it
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// TestAFailureIsSaidOnce checks that a node whose part failed does not repeat why.
func TestAFailureIsSaidOnce(t *testing.T) {
	var out strings.Builder
	p := &progress{out: &out}
	for _, key := range []string{"a@1", "a", "b"} {
		p.showStep(flow.Record{Key: key, Status: flow.Failed, Failure: &flow.Failure{Message: "boom"}})
	}
	if got, want := out.String(), "✗ a@1: boom\n✗ a: its part a@1 failed\n✗ b: boom\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
