package claude

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/schema"
	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
)

// No stream makes a turn panic, end without a result, or lose what it cost.
func FuzzEvents(f *testing.F) {
	f.Add([]byte(`{"type":"system","subtype":"init","session_id":"s","model":"m"}
{"type":"stream_event","event":{"type":"message_start","message":{"id":"a","usage":{"input_tokens":3}}}}
{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"hi"}}}
{"type":"assistant","error":"rate_limit","message":{"id":"a","content":[{"type":"text","text":"hi"},{"type":"tool_use","name":"Bash","input":{}}]}}
{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1e99}}
{"type":"result","subtype":"success","is_error":true,"result":"","structured_output":{"value":1},"permission_denials":[{"tool_name":"x","tool_input":[1]}]}`), true)
	f.Add([]byte(`{"type":"result","subtype":"error_during_execution","errors":["No conversation found"],"modelUsage":{"m":{"inputTokens":-1}}}`), false)
	f.Add([]byte(`{"type":"assistant","message":{"content":[null]},"parent_tool_use_id":""}`), false)
	f.Fuzz(func(t *testing.T, text []byte, structured bool) {
		r := &agent.Request{Prompt: flow.Prompt{Agent: "a"}, Output: func([]byte) {}, ReportCost: func(flow.Meta) {}}
		r.Notes = func(piece []byte) {
			if !utf8.Valid(piece) || bytes.IndexByte(piece, '\n') != len(piece)-1 {
				t.Errorf("note %q", piece)
			}
		}
		form := &schema.Form{}
		if structured {
			r.Schema = json.RawMessage(`{}`)
			form, _ = schema.Claude.Narrow(r.Schema)
		}
		turn := newTurn(r, stream.NewOutput(r))
		ended := false
		for line := range bytes.Lines(text) {
			if line = bytes.TrimSpace(line); len(line) == 0 || line[0] != '{' || !json.Valid(line) {
				continue
			}
			last, err := turn.handleEvent(line)
			if err != nil {
				break
			}
			ended = ended || last
		}
		if ended != (turn.result != nil) {
			t.Error("a result that is none, or is not told")
		}
		reply := turn.buildReply(form)
		if reply.Structured != nil && !json.Valid(reply.Structured) {
			t.Errorf("reply %q", reply.Structured)
		}
		if ended {
			if err := turn.turnFailure(1, "safe"); err != nil && err.Error() == "" {
				t.Error("a failure without words")
			}
		}
	})
}
