package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/stream"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// turn is what is known of a turn from its events.
type turn struct {
	request *agent.Request
	output  *stream.Output
	meta    flow.Meta
	// message is the one that comes in pieces, and streamed those that came so:
	// their text is not said again.
	message  string
	streamed map[string]bool
	// spent are the tokens of each message.
	spent map[string]usage
	// last is the last text that was said whole, and kind the sort of the
	// service's error that it is, or "".
	last, kind string
	// resets is when the service takes requests again that it refused, or zero.
	resets time.Time
	result *result
}

func newTurn(r *agent.Request, output *stream.Output) *turn {
	return &turn{request: r, output: output, streamed: map[string]bool{}, spent: map[string]usage{}}
}

// event takes an event; see stream.Turn.
func (t *turn) event(line []byte) (last bool, err error) {
	e, err := read[event](line, "")
	if err != nil {
		return false, err
	}
	if e.Type == "" {
		return false, errors.New("it has no `type`")
	}
	t.output.Alive()
	if e.Session != "" && e.Session != t.meta.Session {
		t.meta.Session = e.Session
		t.report()
	}
	switch e.Type {
	case "system":
		err = t.system(e, line)
	case "assistant":
		err = t.assistant(e, line)
	case "stream_event":
		err = t.partial(e, line)
	case "rate_limit_event":
		err = t.limited(line)
	case "result":
		t.result, err = read[result](line, e.Type)
		if err == nil {
			t.meta = t.total()
			t.report()
		}
		return err == nil, err
	}
	return false, err
}

// report tells what the turn has cost so far.
func (t *turn) report() {
	if t.request.Spent != nil {
		t.request.Spent(t.meta)
	}
}

func (t *turn) system(e *event, line []byte) error {
	switch e.Subtype {
	case "init":
		begin, err := read[initial](line, "system/init")
		if err != nil {
			return err
		}
		t.meta.Model = begin.Model
		t.report()
	case "api_retry":
		again, err := read[retry](line, "system/api_retry")
		if err != nil {
			return err
		}
		t.output.Note("the service failed (status %s, %s); attempt %d of %d follows", plain(again.Status), plain(again.Error), again.Attempt, again.Most)
	}
	return nil
}

// plain returns a JSON text without its quotes, and anything else as it is.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil && text != "" {
		return text
	}
	if len(value) == 0 || bytes.Equal(value, []byte("null")) {
		return "unknown"
	}
	return string(value)
}

func (t *turn) assistant(e *event, line []byte) error {
	s, err := read[said](line, e.Type)
	if err != nil {
		return err
	}
	if s.Message == nil || s.Message.Content == nil {
		return errors.New("it is an event `assistant` without `message.content`")
	}
	m := s.Message
	if e.Parent == nil {
		t.kind = s.Error
		if m.Model != "" && t.meta.Model == "" {
			t.meta.Model = m.Model
		}
	}
	t.count(m.ID, m.Usage)
	for _, b := range *m.Content {
		switch {
		case b.Type == "tool_use":
			t.output.Note("uses %s %s", b.Name, t.output.Quote(string(b.Input), longestInput))
		case b.Type == "text" && e.Parent == nil:
			t.last = b.Text
			if !t.streamed[m.ID] {
				t.output.Break()
				t.output.Text(b.Text)
			}
		}
	}
	return nil
}

// partial takes a piece of a message.
func (t *turn) partial(e *event, line []byte) error {
	p, err := read[partial](line, e.Type)
	if err != nil {
		return err
	}
	if p.Event == nil {
		return errors.New("it is an event `stream_event` without `event`")
	}
	if e.Parent != nil {
		return nil
	}
	switch p.Event.Type {
	case "message_start":
		t.message = p.Event.Message.ID
		t.count(t.message, p.Event.Message.Usage)
	case "content_block_start":
		if p.Event.Block.Type == "text" {
			t.output.Break()
		}
	case "content_block_delta":
		if p.Event.Delta.Type == "text_delta" {
			t.streamed[t.message] = true
			t.output.Text(p.Event.Delta.Text)
		}
	case "message_delta":
		t.count(t.message, p.Event.Usage)
	}
	return nil
}

func (t *turn) limited(line []byte) error {
	l, err := read[limited](line, "rate_limit_event")
	if err != nil {
		return err
	}
	if l.Info.Status == "rejected" {
		if l.Info.Resets > 0 {
			t.resets = time.Unix(int64(l.Info.Resets), 0)
		}
		t.output.Note("the service refuses requests: its limit %s is reached", l.Info.Kind)
	}
	return nil
}

// count notes the tokens of a message.
func (t *turn) count(id string, u usage) {
	if id == "" {
		return
	}
	before := t.spent[id]
	after := before.atLeast(u)
	if after == before {
		return
	}
	t.spent[id] = after
	t.meta.InputTokens += after.Input + after.CacheRead + after.CacheWrite - before.Input - before.CacheRead - before.CacheWrite
	t.meta.OutputTokens += after.Output - before.Output
	t.report()
}

// total returns what the turn cost by its result.
func (t *turn) total() flow.Meta {
	r, m := t.result, t.meta
	m.CostUSD, m.Turns = r.CostUSD, r.Turns
	var input, output int64
	for _, u := range r.Models {
		input += u.Input + u.CacheRead + u.CacheWrite
		output += u.Output
	}
	if len(r.Models) == 0 {
		input, output = r.Usage.Input+r.Usage.CacheRead+r.Usage.CacheWrite, r.Usage.Output
	}
	// A turn that was broken off may not have counted what came before.
	m.InputTokens, m.OutputTokens = max(m.InputTokens, input), max(m.OutputTokens, output)
	return m
}

// reply returns what is known of the answer. wrapped says that the schema was
// put into an object.
func (t *turn) reply(wrapped bool) *agent.Reply {
	reply := &agent.Reply{Text: t.last, Meta: t.meta}
	if t.result == nil {
		return reply
	}
	if t.result.Text != "" {
		reply.Text = t.result.Text
	}
	if s := t.result.Structured; len(s) > 0 && !bytes.Equal(s, []byte("null")) {
		reply.Structured = s
	} else if len(t.request.Schema) > 0 {
		reply.Structured = agent.Extract(reply.Text)
	}
	if wrapped && reply.Structured != nil {
		reply.Structured = stream.Unwrap(reply.Structured)
	}
	return reply
}
