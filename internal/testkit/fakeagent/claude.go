package fakeagent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// The flags of `claude -p` that the fake program knows; with any other one it
// fails as the real one does.
var (
	claudeValues = []string{"--output-format", "--permission-mode", "--model", "--fallback-model", "--system-prompt", "--effort", "--betas", "--setting-sources", "--plugin-dir",
		"--thinking", "--max-thinking-tokens", "--max-budget-usd", "--resume", "--json-schema", "--agents", "--mcp-config", "--allowedTools",
		"--disallowedTools", "--tools", "--settings", "--system-prompt-snapshot"}
	claudeSwitches = []string{"-p", "--verbose", "--include-partial-messages", "--dangerously-skip-permissions", "--fork-session", "--version"}
)

// claude is the fake `claude`. The body of its turns has the contents of its files,
// by flag.
func claude(b *Behaviour, args []string, in io.Reader, out, errors io.Writer, note func(Turn) int) int {
	c, unknown := parse(args, claudeValues, claudeSwitches)
	old := (&claudeTurn{b: b}).before(198)
	if old && len(c.values["--system-prompt-snapshot"]) > 0 {
		unknown = "--system-prompt-snapshot"
	}
	switch {
	case unknown != "":
		fmt.Fprintf(errors, "error: unknown option '%s'\n", unknown)
		return 1
	case len(c.values["--version"]) > 0:
		fmt.Fprintln(out, claudeVersion(b)+" (Claude Code)")
		return 0
	case strings.Join(c.words, " ") == "auth status":
		return claudeStatus(b, out)
	case c.value("--output-format") != "stream-json" || len(c.values["--verbose"]) == 0:
		fmt.Fprintln(errors, "Error: the fake program only streams, and that needs --verbose")
		return 1
	}
	files := map[string]json.RawMessage{}
	for _, flag := range []string{"--mcp-config", "--settings"} {
		if path := c.value(flag); path != "" {
			files[flag] = json.RawMessage(content(path))
		}
	}
	body, _ := json.Marshal(files)
	turn := Turn{Prompt: all(in), System: c.value("--system-prompt"), Model: c.value("--model"), Session: c.value("--resume"), Body: body}
	if turn.Session != "" && !old && c.value("--system-prompt-snapshot") != "off" {
		turn.System = "" // that of the session's first turn is kept
	}
	if schema := c.value("--json-schema"); schema != "" {
		turn.Schema = json.RawMessage(schema)
	}
	p := &claudeTurn{b: b, out: out, turn: turn, session: cmp.Or(turn.Session, b.Session), model: cmp.Or(b.Model, "claude-fake-1")}
	n := note(turn)
	if len(c.values["--fork-session"]) > 0 && turn.Session != "" {
		p.session = fmt.Sprintf("%s-f%d", turn.Session, n)
	}
	p.begin()
	return p.answer(b.now(n))
}

func claudeStatus(b *Behaviour, out io.Writer) int {
	if b.Fault == SignedOut {
		fmt.Fprintln(out, `{"loggedIn": false, "authMethod": "none"}`)
		return 1
	}
	fmt.Fprintln(out, `{"loggedIn": true, "authMethod": "claude.ai"}`)
	return 0
}

// claudeTurn is an answer of the fake `claude`.
type claudeTurn struct {
	b              *Behaviour
	out            io.Writer
	turn           Turn
	session, model string
	// earlier is the earlier cost of the session, as the version counts it.
	earlier claudeSpent
}

// fields are the fields of an event.
type fields map[string]any

// say prints an event.
func (p *claudeTurn) say(kind string, f fields) {
	f["type"], f["session_id"], f["uuid"] = kind, p.session, "u"
	text, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(p.out, "%s\n", text)
}

func (p *claudeTurn) answer(fault Fault) int {
	p.init()
	p.say("system", fields{"subtype": "status", "status": "requesting"})
	switch fault {
	case RateLimited:
		return p.refused("rate_limit", 429, "API Error: 429 rate limit exceeded, try again later")
	case SignedOut:
		return p.refused("authentication_failed", 401, "Invalid API key · Please run /login")
	case BadKey:
		p.say("system", fields{"subtype": "api_retry", "attempt": 1, "max_retries": 10, "error_status": 401, "error": "authentication_failed"})
		stall()
	case OverBudget:
		p.result("error_max_budget_usd", true, fields{"errors": []string{"Reached maximum budget"}})
		return 1
	}
	piece := func(event fields) { p.say("stream_event", fields{"event": event, "parent_tool_use_id": nil}) }
	piece(fields{"type": "message_start", "message": fields{"id": "msg_1", "usage": fields{"input_tokens": p.b.InputTokens, "output_tokens": 1}}})
	piece(fields{"type": "content_block_start", "index": 0, "content_block": fields{"type": "text", "text": ""}})
	p.denied()
	for i, text := range pieces(p.b.Text) {
		piece(fields{"type": "content_block_delta", "index": 0, "delta": fields{"type": "text_delta", "text": text}})
		if i > 0 {
			continue
		}
		switch fault {
		case Stalled:
			stall()
		case Killed:
			die()
		case Garbled:
			fmt.Fprintln(p.out, `{"type":"assistant","message":<<<garbled>>>`)
			return 0
		case Truncated:
			fmt.Fprint(p.out, `{"type":"assistant","message":{"id":"msg_1","conte`)
			return 0
		}
	}
	p.say("assistant", fields{"parent_tool_use_id": nil, "message": fields{
		"id": "msg_1", "model": p.model, "content": []fields{{"type": "text", "text": p.b.Text}},
		"usage": fields{"input_tokens": p.b.InputTokens, "output_tokens": 1}}})
	piece(fields{"type": "message_delta", "usage": fields{"output_tokens": p.b.OutputTokens}})
	f := fields{"result": p.b.Text}
	if p.turn.Schema != nil && p.b.Structured != nil {
		f["structured_output"] = asObject(p.b.Structured)
	}
	p.result("success", false, f)
	return 0
}

// asObject wraps a value that is not an object in one, as the request asked.
func asObject(value json.RawMessage) any {
	if strings.HasPrefix(strings.TrimSpace(string(value)), "{") {
		return value
	}
	return fields{"value": value}
}

// refused is the answer to a request that the service refuses.
func (p *claudeTurn) refused(sort string, status int, text string) int {
	p.say("assistant", fields{"parent_tool_use_id": nil, "error": sort, "message": fields{
		"id": "msg_0", "model": "<synthetic>", "content": []fields{{"type": "text", "text": text}}, "usage": fields{}}})
	p.result("success", true, fields{"result": text, "api_error_status": status})
	return 1
}
