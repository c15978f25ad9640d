package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/agent/schema"
	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
)

// turn is the state of a turn from its events.
type turn struct {
	request *agent.Request
	output  *stream.Output
	meta    flow.Meta
	// message is the one that comes in pieces, and streamed those that came so:
	// their text is not said again.
	message  string
	streamed map[string]bool
	// counted are the tokens of each message, and seen those of all.
	counted map[string]usage
	seen    spent
	// last is the last text that was said whole, and kind the sort of the
	// service's error that it is, or "".
	last, kind string
	// resets is when the service takes requests again that it refused, or zero.
	resets time.Time
	// version is the program's, and projects returns the folder of its transcripts.
	version  program.Version
	projects func() string
	// renewable says that the program may get another key by itself.
	renewable bool
	// thinking is the option, or nil.
	thinking *thinking
	// reasons are why the workflow's own hooks deny tools, and hooked the calls of
	// tools that a hook denied.
	reasons []string
	hooked  map[string]bool
	// result is the last one, and results what all of them say together: there is
	// one more when helpers worked in the background.
	result  *result
	results results
}

func newTurn(r *agent.Request, output *stream.Output) *turn {
	return &turn{request: r, output: output, streamed: map[string]bool{}, counted: map[string]usage{}, hooked: map[string]bool{}}
}

// handleEvent takes an event; see stream.Turn.
func (t *turn) handleEvent(line []byte) (last bool, err error) {
	e, err := decodeEvent[event](line, "")
	if err != nil {
		return false, err
	}
	if e.Type == "" {
		return false, errors.New("it has no `type`")
	}
	t.output.Alive()
	if e.Session != "" && e.Session != t.meta.Session {
		t.meta.Session = e.Session
		t.reportCost()
	}
	switch e.Type {
	case "system":
		err = t.handleSystem(e, line)
	case "assistant":
		err = t.handleAssistant(e, line)
	case "user":
		t.noteHookDenials(line)
	case "stream_event":
		err = t.handlePartial(e, line)
	case "rate_limit_event":
		err = t.handleRateLimit(line)
	case "result":
		t.result, err = decodeEvent[result](line, e.Type)
		if err == nil {
			t.addResult()
			t.reportCost()
		}
		return err == nil, err
	}
	return false, err
}

// reportCost reports the cost of the turn so far.
func (t *turn) reportCost() { t.output.Spent(t.meta) }

func (t *turn) handleSystem(e *event, line []byte) error {
	switch e.Subtype {
	case "init":
		begin, err := decodeEvent[initial](line, "system/init")
		if err != nil {
			return err
		}
		t.handleInit(begin)
		t.reportCost()
	case "api_retry":
		r, err := decodeEvent[retry](line, "system/api_retry")
		if err != nil {
			return err
		}
		t.output.Note("the service failed (status %s, %s); attempt %d of %d follows", unquoteJSON(r.Status), unquoteJSON(r.Error), r.Attempt, r.Most)
		return t.permanentFailure(r)
	}
	return nil
}

// unquoteJSON returns a JSON text without its quotes, and anything else as it is.
func unquoteJSON(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil && text != "" {
		return text
	}
	if len(value) == 0 || bytes.Equal(value, []byte("null")) {
		return "unknown"
	}
	return string(value)
}

func (t *turn) handleAssistant(e *event, line []byte) error {
	s, err := decodeEvent[said](line, e.Type)
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
	t.countTokens(m.ID, m.Usage)
	for _, b := range *m.Content {
		switch {
		case b.Type == "tool_use":
			t.output.ToolBegun(b.ID, b.Name)
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

// handlePartial takes a piece of a message.
func (t *turn) handlePartial(e *event, line []byte) error {
	p, err := decodeEvent[partial](line, e.Type)
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
		t.countTokens(t.message, p.Event.Message.Usage)
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
		t.countTokens(t.message, p.Event.Usage)
	}
	return nil
}

// noteHookDenials notes which calls of tools a hook denied.
func (t *turn) noteHookDenials(line []byte) {
	e, err := decodeEvent[done](line, "user")
	if err != nil {
		return // it is only shown in part, and versions differ in its form
	}
	for _, m := range e.Meta {
		if m.Decision.Source == "hook" {
			t.hooked[m.ID] = true
		}
	}
	var results []struct {
		ID      string          `json:"tool_use_id"`
		Content json.RawMessage `json:"content"`
		IsError bool            `json:"is_error"`
	}
	if json.Unmarshal(e.Message.Content, &results) != nil {
		return
	}
	for _, r := range results {
		t.output.ToolEnded(r.ID, r.IsError)
		if text := unquoteJSON(r.Content); r.IsError && t.byHook(text) {
			t.hooked[r.ID] = true
		}
	}
}

// byHook reports whether the result of a tool says that a hook denied it, as
// versions do that say so in no other way.
func (t *turn) byHook(text string) bool {
	return strings.HasPrefix(text, "PreToolUse:") || slices.ContainsFunc(t.reasons, func(reason string) bool { return strings.Contains(text, reason) })
}

func (t *turn) handleRateLimit(line []byte) error {
	l, err := decodeEvent[limited](line, "rate_limit_event")
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

// countTokens notes the tokens of a message.
func (t *turn) countTokens(id string, u usage) {
	if id == "" {
		return
	}
	before := t.counted[id]
	after := before.atLeast(u)
	if after == before {
		return
	}
	t.counted[id] = after
	t.seen.Input += after.totalInput() - before.totalInput()
	t.seen.Output += after.Output - before.Output
	// An interrupted turn may not have counted earlier tokens.
	t.meta.InputTokens, t.meta.OutputTokens = max(t.meta.InputTokens, t.seen.Input), max(t.meta.OutputTokens, t.seen.Output)
	t.reportCost()
}

// buildReply returns the reply so far. form is that of its schema.
func (t *turn) buildReply(form *schema.Form) *agent.Reply {
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
		reply.Structured = schema.Extract(reply.Text)
	}
	reply.Structured = form.Restore(reply.Structured)
	return reply
}

// handleInit takes what the program says of itself when it begins, and once more
// whenever helpers have come to their end.
func (t *turn) handleInit(begin *initial) {
	first := t.meta.Model == ""
	t.meta.Model = begin.Model
	if v, ok := program.ParseVersion(begin.Version); ok {
		t.version = v
	}
	t.renewable = slices.Contains(renewing, begin.KeySource)
	if first && t.thinking.ignoredBy(begin.Model) {
		t.output.Warn("the option `thinking` has no effect: the model %s decides by itself how much it thinks; `effort` changes that", begin.Model)
	}
}

// renewing are the sources of keys that the program can ask again when a key is
// refused: a script, and the account that is signed in.
var renewing = []string{"apiKeyHelper", "none", "oauth"}

// thinking is the option of the same name.
type thinking options.Thinking

// adaptive are the models whose thinking the program does not limit, whatever the options
// say.
var adaptive = []string{"claude-sonnet-5-5", "claude-opus-5-5"}

// ignoredBy reports whether the option changes nothing with a model.
func (k *thinking) ignoredBy(model string) bool {
	if k == nil || k.Type == "adaptive" || k.Type == "enabled" && k.BudgetTokens <= 0 {
		return false // that is their default
	}
	return slices.ContainsFunc(adaptive, func(name string) bool { return strings.HasPrefix(model, name) })
}

// permanentFailure returns the failure of a turn that the service will refuse again, or nil: the
// program would retry for minutes. A key that the program can renew gets one more chance.
func (t *turn) permanentFailure(r *retry) error {
	kind := unquoteJSON(r.Error)
	c, known := causes[kind]
	if !known || c.Class != flow.ClassFatal {
		return nil
	}
	if t.renewable && r.Attempt < 2 {
		return nil
	}
	return c.Fail(t.request, -1, "the service refuses its requests (status %s, %s)", unquoteJSON(r.Status), kind)
}
