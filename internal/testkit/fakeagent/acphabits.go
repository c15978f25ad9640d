package fakeagent

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Habits of programs, as observed in gemini 0.61.0, opencode 1.18.33, copilot 1.0.102,
// claude-agent-acp 0.49.0 and codex-acp 0.16.0:
//
//   - gemini first checks whether the file that it is to make exists, through the client
//     if that reads files, and fails on any error; it writes a session to a file named by
//     the minute, which loading within that minute overwrites; it reports tokens outside
//     the protocol. Its minute is the number in the file `minute` of its working
//     directory.
//   - opencode reports the cost of the session only at the end of a turn, and the tokens
//     of its last request; it ends the turn when something is refused, unless it is
//     configured to continue.
//   - copilot reports its usage before each answer of its model, and in between sends
//     notices of its tools as if they were part of the reply; it ends the turn with such
//     a notice when something is refused, or when its model cannot be asked; it reports
//     the tokens of the answers before.
//   - claude-agent-acp reports the cost of its process, and never before a turn.
//   - codex-acp cancels the turn when something is refused.

// imitatedProgram returns the program whose habits the fake one has.
func (a *acpAgent) imitatedProgram() string { return a.argValue("--as") }

// agentName are the name and version of the program.
func (a *acpAgent) agentName() string {
	if name, ok := map[string]string{"gemini": "gemini-cli", "opencode": "OpenCode", "copilot": "Copilot"}[a.imitatedProgram()]; ok {
		return name
	}
	return "fake"
}

// sessionFile is the file of a session that is opened now.
func (a *acpAgent) sessionFile() string {
	now, _ := os.ReadFile("minute")
	return filepath.Join(programHome(), "minute-"+strings.TrimSpace(string(now)))
}

// writeSessionFile writes the file of a session.
func (a *acpAgent) writeSessionFile() {
	if a.imitatedProgram() == "gemini" {
		if err := os.WriteFile(a.sessionFile(), nil, 0o600); err != nil {
			panic(err)
		}
	}
}

// whySessionLost returns why a session cannot be loaded, or "".
func (a *acpAgent) whySessionLost() string {
	if a.imitatedProgram() != "gemini" {
		return ""
	}
	if _, err := os.Stat(a.sessionFile()); err == nil {
		return "Invalid session identifier \"" + a.session + "\".\n  Searched for sessions in chats."
	}
	return ""
}

// sessionCost is the cost of the session by the end of this turn.
func (a *acpAgent) sessionCost() float64 {
	if a.imitatedProgram() == "opencode" {
		path := filepath.Join(programHome(), "spent-"+a.session)
		var before float64
		if text, err := os.ReadFile(path); err == nil {
			_, _ = fmt.Sscan(string(text), &before)
		}
		total := before + a.b.CostUSD
		if err := os.WriteFile(path, []byte(fmt.Sprint(total)), 0o600); err != nil {
			panic(err)
		}
		return total
	}
	if a.imitatedProgram() == "claude-agent-acp" {
		return a.b.CostUSD
	}
	if a.earlier {
		return a.b.CostUSD + 1 // the earlier cost is part of it
	}
	return a.b.CostUSD
}

// promptResult is the answer to a prompt.
func (a *acpAgent) promptResult() object {
	if a.imitatedProgram() == "gemini" {
		return object{"stopReason": "end_turn", "_meta": object{"quota": object{
			"token_count": object{"input_tokens": a.b.InputTokens, "output_tokens": a.b.OutputTokens}, "model_usage": []object{}}}}
	}
	return object{"stopReason": "end_turn", "usage": object{
		"inputTokens": a.b.InputTokens, "outputTokens": a.b.OutputTokens, "totalTokens": a.b.InputTokens + a.b.OutputTokens}}
}

// reportUsage reports, as copilot does, the usage when the model is asked.
func (a *acpAgent) reportUsage() {
	if a.imitatedProgram() == "copilot" {
		a.sendUpdate(object{"sessionUpdate": "usage_update", "used": 8813, "size": 64000})
	}
}

// runHabit obeys a line of the prompt about habits.
func (a *acpAgent) runHabit(verb, rest string, m acpMessage) {
	first, more, _ := strings.Cut(rest, " ")
	switch verb {
	case "title":
		a.useTool(m, object{"kind": first, "title": more})
	case "named":
		a.useTool(m, object{"kind": first, "title": "Calling it", "_meta": object{"claudeCode": object{"toolName": more}}})
	case "create":
		a.createFile(m, first, more)
	case "notice":
		a.sendUpdate(object{"sessionUpdate": "tool_call", "toolCallId": rest, "title": "Creating it", "kind": "edit", "status": "pending"})
		a.sendText("Info: " + rest)
		a.sendUpdate(object{"sessionUpdate": "tool_call_update", "toolCallId": rest, "status": "completed"})
	case "retry":
		a.reportUsage()
		a.sendText("Info: Request failed due to a transient API error. Retrying...")
		a.reportUsage()
	case "quit", "break":
		a.reportUsage()
		a.sendText("Error: " + strings.ReplaceAll(rest, `\n`, "\n"))
		if a.over = true; verb == "break" {
			a.endTurn(m)
			return
		}
		a.sendMessage(acpMessage{ID: m.ID, Result: object{"stopReason": "end_turn"}})
	case "refuse":
		a.sendError(m, 400, rest, nil)
		a.over = true
	case "await":
		for _, err := os.Stat(rest); err != nil; _, err = os.Stat(rest) {
			time.Sleep(time.Millisecond)
		}
	case "errors":
		fmt.Fprintln(a.errors, strings.ReplaceAll(rest, `\n`, "\n"))
	}
}

// useTool asks whether a tool may be used, and reports the answer or the result.
func (a *acpAgent) useTool(m acpMessage, call object) {
	a.next++
	id := fmt.Sprint("tool", a.next)
	call["sessionUpdate"], call["toolCallId"], call["status"] = "tool_call", id, "pending"
	a.sendUpdate(call)
	result, refusal := a.callClient("session/request_permission", object{"toolCall": object{"toolCallId": id, "rawInput": "any"}, "options": permissionOptions})
	if strings.Contains(string(result), `"once"`) || a.imitatedProgram() == "" {
		a.reportResult(result, refusal)
		return
	}
	a.sendUpdate(object{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "failed"})
	switch a.imitatedProgram() {
	case "opencode":
		var settings struct {
			Experimental struct {
				GoOn bool `json:"continue_loop_on_deny"`
			}
		}
		_ = json.Unmarshal([]byte(os.Getenv("OPENCODE_CONFIG_CONTENT")), &settings)
		a.over = !settings.Experimental.GoOn
	case "copilot":
		a.sendText("Info: Operation cancelled by user")
		a.over = true
	case "codex-acp":
		a.sendMessage(acpMessage{ID: m.ID, Result: object{"stopReason": "cancelled"}})
		a.over = true
		return
	}
	if a.over {
		a.endTurn(m)
	}
}

// createFile makes a file.
func (a *acpAgent) createFile(m acpMessage, path, text string) {
	if a.imitatedProgram() == "gemini" && a.mayRead {
		if _, refusal := a.callClient("fs/read_text_file", object{"path": path}); refusal != nil {
			a.sendUpdate(object{"sessionUpdate": "tool_call", "toolCallId": path, "title": "Writing to " + path, "kind": "edit", "status": "in_progress"})
			a.sendUpdate(object{"sessionUpdate": "tool_call_update", "toolCallId": path, "status": "failed"})
			a.sendText("[Error checking existing file: " + refusal.Message + "]")
			return
		}
	}
	a.useTool(m, object{"kind": "edit", "title": "Writing to " + path, "locations": []object{{"path": path}}})
	a.reportResult(a.callClient("fs/write_text_file", object{"path": path, "content": text}))
}
