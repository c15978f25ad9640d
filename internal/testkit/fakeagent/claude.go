package fakeagent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	turn := Turn{Prompt: all(in), System: c.value("--system-prompt"), Model: c.value("--model"), Session: c.value("--resume"), Body: raw(files)}
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
	fmt.Fprintf(p.out, "%s\n", raw(f))
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

// claudeSpent is the cost of a session of the fake `claude`.
type claudeSpent struct {
	cost          float64
	input, output int64
}

// claudeVersion is the version that the fake `claude` says it is, and behaves as.
func claudeVersion(b *Behaviour) string { return cmp.Or(b.Version, "2.1.330") }

// before reports whether the program is older than 2.1.N.
func (p *claudeTurn) before(n int) bool {
	var patch int
	_, _ = fmt.Sscanf(claudeVersion(p.b), "2.1.%d", &patch)
	return patch < n
}

// transcript is the file that holds a session.
func transcript(session string) string {
	dir := cmp.Or(os.Getenv("CLAUDE_CONFIG_DIR"), filepath.Join(home(), "config"))
	return filepath.Join(dir, "projects", "fake", session+".jsonl")
}

// begin writes the prompt to the transcript, which a fork copies first, and reads
// the cost of the session: versions up to 2.1.197 neither write nor read it.
func (p *claudeTurn) begin() {
	if p.session == "" {
		return
	}
	old := ""
	if p.turn.Session != "" {
		if text, err := os.ReadFile(transcript(p.turn.Session)); err == nil {
			old = string(text)
		}
	}
	for line := range strings.Lines(old) {
		var state struct {
			Type   string                                               `json:"type"`
			Cost   float64                                              `json:"totalCostUSD"`
			Models map[string]struct{ InputTokens, OutputTokens int64 } `json:"modelUsage"`
		}
		if json.Unmarshal([]byte(line), &state) == nil && state.Type == "cost-state" && !p.before(198) {
			p.earlier = claudeSpent{cost: state.Cost}
			for _, m := range state.Models {
				p.earlier.input, p.earlier.output = m.InputTokens, m.OutputTokens
			}
		}
	}
	if p.session == p.turn.Session {
		old = ""
	} else if err := os.MkdirAll(filepath.Dir(transcript(p.session)), 0o700); err != nil {
		panic(err)
	}
	p.write(old)
	p.log(fields{"type": "user", "message": fields{"role": "user", "content": p.turn.Prompt}})
}

// write adds to the transcript, and log adds a line.
func (p *claudeTurn) write(text string) {
	f, err := os.OpenFile(transcript(p.session), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		_ = f.Close()
	}
	if err != nil {
		panic(err)
	}
}

func (p *claudeTurn) log(f fields) {
	if p.session == "" {
		return
	}
	p.write(string(raw(f)) + "\n")
}

// init prints the event that begins a turn.
func (p *claudeTurn) init() {
	p.say("system", fields{"subtype": "init", "model": p.model, "tools": []string{"Bash", "Edit", "Read"}, "permissionMode": "default",
		"claude_code_version": claudeVersion(p.b), "apiKeySource": "ANTHROPIC_API_KEY"})
}

// denied has a tool denied by a hook, and another one for want of permission.
func (p *claudeTurn) denied() {
	result := func(id, text string, meta []fields) {
		f := fields{"parent_tool_use_id": nil, "message": fields{"role": "user", "content": []fields{{"type": "tool_result", "content": text, "is_error": true, "tool_use_id": id}}}}
		if !p.before(330) {
			f["tool_result_meta"] = meta
		}
		p.say("user", f)
	}
	decision := func(id, source string) []fields {
		return []fields{{"id": id, "permission_decision": fields{"decision": "reject", "source": source}}}
	}
	if p.b.HookSays != "" {
		text := "PreToolUse:Write hook error: " + p.b.HookSays
		if p.before(330) {
			text = p.b.HookSays
		}
		result("toolu_hook", text, decision("toolu_hook", "hook"))
	}
	if p.b.Denied != "" {
		result("toolu_denied", "This command requires approval", decision("toolu_denied", "config"))
	}
}

// denials are the calls of tools that were denied.
func (p *claudeTurn) denials() []fields {
	list := []fields{}
	if p.b.HookSays != "" {
		list = append(list, fields{"tool_name": "Write", "tool_use_id": "toolu_hook", "tool_input": fields{"file_path": "hooked.txt"}})
	}
	if p.b.Denied != "" {
		list = append(list, fields{"tool_name": p.b.Denied, "tool_use_id": "toolu_denied", "tool_input": fields{"command": "make"}})
	}
	return list
}

// result prints the event that ends a turn. After a helper there are two events;
// the second describes the rest of the turn.
func (p *claudeTurn) result(subtype string, isError bool, f fields) {
	// A turn that fails before it begins costs only its configured cost.
	own := claudeSpent{p.b.CostUSD, p.b.InputTokens, p.b.OutputTokens}
	now := claudeSpent{p.earlier.cost + own.cost, p.earlier.input + own.input, p.earlier.output + own.output}
	models := func(s claudeSpent) fields {
		return fields{p.model: fields{"inputTokens": s.input, "outputTokens": s.output, "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "costUSD": s.cost}}
	}
	f["subtype"], f["is_error"], f["permission_denials"] = subtype, isError, p.denials()
	f["total_cost_usd"], f["modelUsage"] = now.cost, models(now)
	f["num_turns"], f["usage"] = 1, fields{"input_tokens": own.input, "output_tokens": own.output}
	if !p.before(330) {
		f["model_usage_since_last_result"] = models(own)
	}
	if p.b.Helper {
		f["num_turns"] = 2
		p.say("result", f)
		p.init()
		f["num_turns"], f["usage"] = 1, fields{"input_tokens": 0, "output_tokens": 0}
		if !p.before(330) {
			f["model_usage_since_last_result"] = fields{}
		}
	}
	if !p.before(198) {
		p.log(fields{"type": "cost-state", "totalCostUSD": now.cost, "modelUsage": models(now)})
	}
	p.say("result", f)
}
