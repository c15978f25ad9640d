package fakeagent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The flags of `codex exec` that the fake program knows; with any other one it
// fails as the real one does.
var (
	codexValues   = []string{"-c", "--model", "--output-schema", "--color", "--add-dir"}
	codexSwitches = []string{"--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--version"}
)

// codexDefaultSession is the session of a fake `codex` without a configured one.
const codexDefaultSession = "0199a213-81c0-7800-8aa1-bbab2a035a53"

// runCodex is the fake `codex`. The body of its turns is the list of its settings,
// and the system prompt that among them.
func runCodex(b *Behaviour, args []string, in io.Reader, out, errors io.Writer, note func(Turn) int) int {
	c, unknown := parseArgs(args, codexValues, codexSwitches)
	switch {
	case unknown != "":
		fmt.Fprintf(errors, "error: unexpected argument '%s' found\n", unknown)
		return 2
	case len(c.values["--version"]) > 0:
		fmt.Fprintln(out, "codex-cli "+cmp.Or(b.Version, "0.169.0"))
		return 0
	case strings.Join(c.words, " ") == "login status":
		return codexStatus(b, errors)
	case len(c.words) == 0 || c.words[0] != "exec" || len(c.values["--json"]) == 0 || c.words[len(c.words)-1] != "-":
		fmt.Fprintln(errors, "error: the fake program only does `exec --json … -`")
		return 2
	}
	turn := Turn{Prompt: readAll(in), Model: c.lastValue("--model")}
	if len(c.words) == 4 && c.words[1] == "resume" {
		turn.Session = c.words[2]
	}
	settings := c.values["-c"]
	for _, s := range settings {
		if text, ok := strings.CutPrefix(s, "developer_instructions="); ok {
			_ = json.Unmarshal([]byte(text), &turn.System)
		}
	}
	turn.Body = rawJSON(settings)
	if path := c.lastValue("--output-schema"); path != "" {
		turn.Schema = json.RawMessage(readFileOrExit(path))
	}
	p := &codexTurn{b: b, out: out, errors: errors, args: args, turn: turn}
	return p.answerPrompt(b.faultOfTurn(note(turn)))
}

func codexStatus(b *Behaviour, errors io.Writer) int {
	if b.Fault == SignedOut {
		fmt.Fprintln(errors, "Not logged in")
		return 1
	}
	fmt.Fprintln(errors, "Logged in using ChatGPT")
	return 0
}

// codexTurn is an answer of the fake `codex`.
type codexTurn struct {
	b           *Behaviour
	out, errors io.Writer
	args        []string
	turn        Turn
}

// printEvent prints an event.
func (p *codexTurn) printEvent(kind string, f fields) {
	f["type"] = kind
	fmt.Fprintf(p.out, "%s\n", rawJSON(f))
}

func (p *codexTurn) answerPrompt(fault Fault) int {
	p.printEvent("thread.started", fields{"thread_id": cmp.Or(p.turn.Session, p.b.Session, codexDefaultSession)})
	p.printEvent("turn.started", fields{})
	switch fault {
	case RateLimited:
		return p.answerRefused("exceeded retry limit, last status: 429 Too Many Requests, request id: r-1")
	case SignedOut:
		return p.answerRefused("unexpected status 401 Unauthorized: Missing bearer or basic authentication in header")
	}
	p.printEvent("item.completed", fields{"item": fields{"id": "item_0", "type": "reasoning", "text": "**Thinking**"}})
	command := fields{"id": "item_1", "type": "command_execution", "command": "bash -lc ls", "aggregated_output": "", "exit_code": nil, "status": "in_progress"}
	p.printEvent("item.started", fields{"item": command})
	switch fault {
	case Stalled:
		stallForever()
	case Killed:
		killSelf()
	case Garbled:
		fmt.Fprintln(p.out, `{"type":"item.completed","item":<<<garbled>>>`)
		return 0
	case Truncated:
		fmt.Fprint(p.out, `{"type":"item.completed","item":{"id":"item_1","ty`)
		return 0
	}
	command["status"], command["exit_code"] = "completed", 0
	p.printEvent("item.completed", fields{"item": command})
	p.useServerTools()
	if p.b.Denied != "" {
		// A patch that the sandbox rejects has no item.
		fmt.Fprintln(p.errors, "2026-11-22T09:42:49.218824Z ERROR codex_core::tools::router: error=patch rejected: "+p.b.Denied+"; rejected by user approval settings")
	}
	text := p.b.Text
	if p.turn.Schema != nil && p.b.Structured != nil {
		text = string(rawJSON(asObject(p.b.Structured)))
	}
	p.printEvent("item.completed", fields{"item": fields{"id": "item_2", "type": "agent_message", "text": text}})
	p.printEvent("turn.completed", fields{"usage": fields{"input_tokens": p.b.InputTokens, "cached_input_tokens": 0, "output_tokens": p.b.OutputTokens}})
	return 0
}

// useServerTools uses a tool of each MCP server, which is refused unless its server's table
// says that it needs no approval.
func (p *codexTurn) useServerTools() {
	var settings []string
	_ = json.Unmarshal(p.turn.Body, &settings)
	if slices.Contains(p.args, "--dangerously-bypass-approvals-and-sandbox") {
		settings = nil
	}
	for n, s := range settings {
		server, found := strings.CutPrefix(s, "mcp_servers.")
		if !found {
			continue
		}
		name, table, _ := strings.Cut(server, "=")
		call := fields{"id": fmt.Sprint("mcp_", n), "type": "mcp_tool_call", "server": name, "tool": "stamp", "arguments": fields{}, "status": "in_progress"}
		p.printEvent("item.started", fields{"item": call})
		call["status"], call["result"] = "completed", fields{"content": []fields{}}
		if !strings.Contains(table, `default_tools_approval_mode = "approve"`) {
			call["status"], call["result"] = "failed", nil
			call["error"] = fields{"message": "MCP tool call requires approval, but approval policy is never"}
		}
		p.printEvent("item.completed", fields{"item": call})
	}
}

// answerRefused is the answer to a request that the service refuses.
func (p *codexTurn) answerRefused(text string) int {
	for _, again := range slices.Repeat([]string{"Reconnecting... " + text}, 2) {
		p.printEvent("error", fields{"message": again})
	}
	p.printEvent("turn.failed", fields{"error": fields{"message": text}})
	return 1
}
