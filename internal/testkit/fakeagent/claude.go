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

// runClaude is the fake `claude`. The body of its turns has the contents of its files,
// by flag.
func runClaude(b *Behaviour, args []string, in io.Reader, out, errors io.Writer, note func(Turn) int) int {
	c, unknown := parseArgs(args, claudeValues, claudeSwitches)
	old := (&claudeTurn{b: b}).isOlderThan(198)
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
	case c.lastValue("--output-format") != "stream-json" || len(c.values["--verbose"]) == 0:
		fmt.Fprintln(errors, "Error: the fake program only streams, and that needs --verbose")
		return 1
	}
	files := map[string]json.RawMessage{}
	for _, flag := range []string{"--mcp-config", "--settings"} {
		if path := c.lastValue(flag); path != "" {
			files[flag] = json.RawMessage(readFileOrExit(path))
		}
	}
	turn := Turn{Prompt: readAll(in), System: c.lastValue("--system-prompt"), Model: c.lastValue("--model"), Session: c.lastValue("--resume"), Body: rawJSON(files)}
	if turn.Session != "" && !old && c.lastValue("--system-prompt-snapshot") != "off" {
		turn.System = "" // that of the session's first turn is kept
	}
	if schema := c.lastValue("--json-schema"); schema != "" {
		turn.Schema = json.RawMessage(schema)
	}
	p := &claudeTurn{b: b, out: out, turn: turn, session: cmp.Or(turn.Session, b.Session), model: cmp.Or(b.Model, "claude-fake-1")}
	n := note(turn)
	if len(c.values["--fork-session"]) > 0 && turn.Session != "" {
		p.session = fmt.Sprintf("%s-f%d", turn.Session, n)
	}
	p.beginTranscript()
	return p.answerPrompt(b.faultOfTurn(n))
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

// printEvent prints an event.
func (p *claudeTurn) printEvent(kind string, f fields) {
	f["type"], f["session_id"], f["uuid"] = kind, p.session, "u"
	fmt.Fprintf(p.out, "%s\n", rawJSON(f))
}

func (p *claudeTurn) answerPrompt(fault Fault) int {
	p.init()
	p.printEvent("system", fields{"subtype": "status", "status": "requesting"})
	switch fault {
	case RateLimited:
		return p.answerRefused("rate_limit", 429, "API Error: 429 rate limit exceeded, try again later")
	case SignedOut:
		return p.answerRefused("authentication_failed", 401, "Invalid API key · Please run /login")
	case BadKey:
		p.printEvent("system", fields{"subtype": "api_retry", "attempt": 1, "max_retries": 10, "error_status": 401, "error": "authentication_failed"})
		stallForever()
	case OverBudget:
		p.printResult("error_max_budget_usd", true, fields{"errors": []string{"Reached maximum budget"}})
		return 1
	}
	piece := func(event fields) { p.printEvent("stream_event", fields{"event": event, "parent_tool_use_id": nil}) }
	piece(fields{"type": "message_start", "message": fields{"id": "msg_1", "usage": fields{"input_tokens": p.b.InputTokens, "output_tokens": 1}}})
	piece(fields{"type": "content_block_start", "index": 0, "content_block": fields{"type": "text", "text": ""}})
	p.denyTools()
	for i, text := range splitInThree(p.b.Text) {
		piece(fields{"type": "content_block_delta", "index": 0, "delta": fields{"type": "text_delta", "text": text}})
		if i > 0 {
			continue
		}
		switch fault {
		case Stalled:
			stallForever()
		case Killed:
			killSelf()
		case Garbled:
			fmt.Fprintln(p.out, `{"type":"assistant","message":<<<garbled>>>`)
			return 0
		case Truncated:
			fmt.Fprint(p.out, `{"type":"assistant","message":{"id":"msg_1","conte`)
			return 0
		}
	}
	p.printEvent("assistant", fields{"parent_tool_use_id": nil, "message": fields{
		"id": "msg_1", "model": p.model, "content": []fields{{"type": "text", "text": p.b.Text}},
		"usage": fields{"input_tokens": p.b.InputTokens, "output_tokens": 1}}})
	piece(fields{"type": "message_delta", "usage": fields{"output_tokens": p.b.OutputTokens}})
	f := fields{"result": p.b.Text}
	if p.turn.Schema != nil && p.b.Structured != nil {
		f["structured_output"] = asObject(p.b.Structured)
	}
	p.printResult("success", false, f)
	return 0
}

// asObject wraps a value that is not an object in one, as the request asked.
func asObject(value json.RawMessage) any {
	if strings.HasPrefix(strings.TrimSpace(string(value)), "{") {
		return value
	}
	return fields{"value": value}
}

// answerRefused is the answer to a request that the service refuses.
func (p *claudeTurn) answerRefused(sort string, status int, text string) int {
	p.printEvent("assistant", fields{"parent_tool_use_id": nil, "error": sort, "message": fields{
		"id": "msg_0", "model": "<synthetic>", "content": []fields{{"type": "text", "text": text}}, "usage": fields{}}})
	p.printResult("success", true, fields{"result": text, "api_error_status": status})
	return 1
}

// claudeSpent is the cost of a session of the fake `claude`.
type claudeSpent struct {
	cost          float64
	input, output int64
}

// claudeVersion is the version that the fake `claude` says it is, and behaves as.
func claudeVersion(b *Behaviour) string { return cmp.Or(b.Version, "2.1.330") }

// isOlderThan reports whether the program is older than 2.1.N.
func (p *claudeTurn) isOlderThan(n int) bool {
	var patch int
	_, _ = fmt.Sscanf(claudeVersion(p.b), "2.1.%d", &patch)
	return patch < n
}

// transcriptPath is the file that holds a session.
func transcriptPath(session string) string {
	dir := cmp.Or(os.Getenv("CLAUDE_CONFIG_DIR"), filepath.Join(programHome(), "config"))
	return filepath.Join(dir, "projects", "fake", session+".jsonl")
}

// beginTranscript writes the prompt to the transcript, which a fork copies first, and reads
// the cost of the session: versions up to 2.1.197 neither write nor read it.
func (p *claudeTurn) beginTranscript() {
	if p.session == "" {
		return
	}
	old := ""
	if p.turn.Session != "" {
		if text, err := os.ReadFile(transcriptPath(p.turn.Session)); err == nil {
			old = string(text)
		}
	}
	for line := range strings.Lines(old) {
		var state struct {
			Type   string                                               `json:"type"`
			Cost   float64                                              `json:"totalCostUSD"`
			Models map[string]struct{ InputTokens, OutputTokens int64 } `json:"modelUsage"`
		}
		if json.Unmarshal([]byte(line), &state) == nil && state.Type == "cost-state" && !p.isOlderThan(198) {
			p.earlier = claudeSpent{cost: state.Cost}
			for _, m := range state.Models {
				p.earlier.input, p.earlier.output = m.InputTokens, m.OutputTokens
			}
		}
	}
	if p.session == p.turn.Session {
		old = ""
	} else if err := os.MkdirAll(filepath.Dir(transcriptPath(p.session)), 0o700); err != nil {
		panic(err)
	}
	p.appendTranscript(old)
	p.logEvent(fields{"type": "user", "message": fields{"role": "user", "content": p.turn.Prompt}})
}

// appendTranscript adds to the transcript, and log adds a line.
func (p *claudeTurn) appendTranscript(text string) {
	f, err := os.OpenFile(transcriptPath(p.session), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		_ = f.Close()
	}
	if err != nil {
		panic(err)
	}
}

func (p *claudeTurn) logEvent(f fields) {
	if p.session == "" {
		return
	}
	p.appendTranscript(string(rawJSON(f)) + "\n")
}

// init prints the event that begins a turn.
func (p *claudeTurn) init() {
	p.printEvent("system", fields{"subtype": "init", "model": p.model, "tools": []string{"Bash", "Edit", "Read"}, "permissionMode": "default",
		"claude_code_version": claudeVersion(p.b), "apiKeySource": "ANTHROPIC_API_KEY"})
}

// denyTools has a tool denied by a hook, and another one for want of permission.
func (p *claudeTurn) denyTools() {
	result := func(id, text string, meta []fields) {
		f := fields{"parent_tool_use_id": nil, "message": fields{"role": "user", "content": []fields{{"type": "tool_result", "content": text, "is_error": true, "tool_use_id": id}}}}
		if !p.isOlderThan(330) {
			f["tool_result_meta"] = meta
		}
		p.printEvent("user", f)
	}
	decision := func(id, source string) []fields {
		return []fields{{"id": id, "permission_decision": fields{"decision": "reject", "source": source}}}
	}
	if p.b.HookSays != "" {
		text := "PreToolUse:Write hook error: " + p.b.HookSays
		if p.isOlderThan(330) {
			text = p.b.HookSays
		}
		result("toolu_hook", text, decision("toolu_hook", "hook"))
	}
	if p.b.Denied != "" {
		result("toolu_denied", "This command requires approval", decision("toolu_denied", "config"))
	}
}

// deniedCalls are the calls of tools that were denied.
func (p *claudeTurn) deniedCalls() []fields {
	list := []fields{}
	if p.b.HookSays != "" {
		list = append(list, fields{"tool_name": "Write", "tool_use_id": "toolu_hook", "tool_input": fields{"file_path": "hooked.txt"}})
	}
	if p.b.Denied != "" {
		list = append(list, fields{"tool_name": p.b.Denied, "tool_use_id": "toolu_denied", "tool_input": fields{"command": "make"}})
	}
	return list
}

// printResult prints the event that ends a turn. After a helper there are two events;
// the second describes the rest of the turn.
func (p *claudeTurn) printResult(subtype string, isError bool, f fields) {
	// A turn that fails before it begins costs only its configured cost.
	own := claudeSpent{p.b.CostUSD, p.b.InputTokens, p.b.OutputTokens}
	now := claudeSpent{p.earlier.cost + own.cost, p.earlier.input + own.input, p.earlier.output + own.output}
	models := func(s claudeSpent) fields {
		return fields{p.model: fields{"inputTokens": s.input, "outputTokens": s.output, "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0, "costUSD": s.cost}}
	}
	f["subtype"], f["is_error"], f["permission_denials"] = subtype, isError, p.deniedCalls()
	f["total_cost_usd"], f["modelUsage"] = now.cost, models(now)
	f["num_turns"], f["usage"] = 1, fields{"input_tokens": own.input, "output_tokens": own.output}
	if !p.isOlderThan(330) {
		f["model_usage_since_last_result"] = models(own)
	}
	if p.b.Helper {
		f["num_turns"] = 2
		p.printEvent("result", f)
		p.init()
		f["num_turns"], f["usage"] = 1, fields{"input_tokens": 0, "output_tokens": 0}
		if !p.isOlderThan(330) {
			f["model_usage_since_last_result"] = fields{}
		}
	}
	if !p.isOlderThan(198) {
		p.logEvent(fields{"type": "cost-state", "totalCostUSD": now.cost, "modelUsage": models(now)})
	}
	p.printEvent("result", f)
}
