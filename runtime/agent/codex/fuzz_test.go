package codex

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// No stream makes a turn panic, nor say anything after its end.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(`{"type":"thread.started","thread_id":"s"}
{"type":"item.updated","item":{"id":"a","type":"agent_message","text":"hi"}}
{"type":"item.completed","item":{"id":"a","type":"agent_message","text":"h"}}
{"type":"item.completed","item":{"id":"b","type":"command_execution","command":[1],"status":"declined"}}
{"type":"item.completed","item":{"id":"c","type":"file_change","status":"failed","changes":[{}]}}
{"type":"turn.completed","usage":{"input_tokens":-1}}`))
	f.Add([]byte(`{"type":"error"}
{"type":"turn.failed","error":{"message":"401 unauthorized"}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := &agent.Request{Prompt: flow.Prompt{Agent: "a", Schema: json.RawMessage(`{}`)}, RunDir: t.TempDir(), Output: func([]byte) {}, ReportCost: func(flow.Meta) {}}
		r.Notes = func(piece []byte) {
			if !utf8.Valid(piece) || bytes.IndexByte(piece, '\n') != len(piece)-1 {
				t.Errorf("note %q", piece)
			}
		}
		turn := &turn{request: r, output: stream.NewOutput(r), price: &settings.Price{Input: 1}, said: map[string]int{}}
		for line := range bytes.Lines(text) {
			if line = bytes.TrimSpace(line); len(line) == 0 || line[0] != '{' || !json.Valid(line) {
				continue
			}
			if last, err := turn.handleEvent(line); last || err != nil {
				break
			}
		}
		turn.warnOfDenials()
		if reply := turn.buildReply(); reply.Structured != nil && !json.Valid(reply.Structured) {
			t.Errorf("reply %q", reply.Structured)
		}
		if err := turn.turnFailure(1); err != nil && err.Error() == "" {
			t.Error("a failure without words")
		}
	})
}

// A text is one line, and none of it leaves its quotes.
func FuzzTOMLText(f *testing.F) {
	f.Add("a\"b\\\n\x7f\u2028<&>")
	f.Fuzz(func(t *testing.T, text string) {
		got := tomlText(text)
		var back string
		if err := json.Unmarshal([]byte(got), &back); err != nil || back != strings.ToValidUTF8(text, "\uFFFD") && utf8.ValidString(text) {
			t.Errorf("%q became %s", text, got)
		}
		if strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
