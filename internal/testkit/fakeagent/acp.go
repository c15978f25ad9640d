package fakeagent

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The program "acp" speaks the Agent Client Protocol, written by hand from its
// documentation: a library that the agent under test uses as well would be wrong
// in the same way. Arguments make it another program:
//
//	--protocol=N    it speaks this version of the protocol
//	--auth=KIND     sessions need signing in: by a key ("key"), a variable
//	                FAKE_KEY ("var"), a browser ("browser"), or in vain ("never")
//	--models=WAY    it offers the models small, vendor/big and vendor/huge as
//	                "options", "groups" or "list", or answers for another one
//	                ("stubborn")
//	--sessions=WAY  it can "load" or "resume" sessions; only that of the behaviour
//	                is known
//	--greet         it greets in every session, a little after it is opened
//	--mcp           it knows MCP servers over HTTP
//	--close         it can close sessions
//	--stuck=METHOD  it never answers this request, and says so on standard error
//	--as=PROGRAM    it has the habits of "gemini", "opencode", "copilot",
//	                "claude-agent-acp" or "codex-acp": see acphabits.go
//	--stay          it continues when its input ends
//	--deaf          it reads nothing, and says nothing
//	--mute          it reads, and says nothing
//	--other         it speaks no protocol: it prints a greeting and ends
//
// Lines of a prompt that begin with ! are instructions that it follows before it answers;
// their results are part of the answer: see runDirective.

type acpMessage struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *acpError       `json:"error,omitempty"`
}

type acpError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

type acpAgent struct {
	b    *Behaviour
	args []string
	out  io.Writer
	in   chan acpMessage
	note func(Turn) int
	next int
	// session is the session that is open, and earlier says that it was
	// continued; opened are the params with which.
	session string
	earlier bool
	opened  json.RawMessage
	model   string
	signed  bool
	// cancelled says that the turn was, and over that it has ended early.
	cancelled, over bool
	// mayRead says that the client reads files for it.
	mayRead bool
	errors  io.Writer
}

func runACP(b *Behaviour, args []string, in io.Reader, out, errors io.Writer, note func(Turn) int) int {
	if slices.Contains(args, "--version") {
		fmt.Fprintln(out, "fake-acp", cmp.Or(b.Version, "1.2.3"))
		return 0
	}
	a := &acpAgent{b: b, args: args, out: out, note: note, model: b.Model, errors: errors, in: make(chan acpMessage)}
	switch {
	case a.hasArg("--other"):
		fmt.Fprintln(out, "Welcome! Type /help.")
		return 0
	case a.hasArg("--deaf"):
		time.Sleep(time.Hour)
	case a.hasArg("--mute"):
		_, _ = io.Copy(io.Discard, in)
		time.Sleep(time.Hour)
	}
	go a.readMessages(in)
	for m := range a.in {
		a.handleMessage(m)
	}
	if a.hasArg("--stay") {
		time.Sleep(time.Hour)
	}
	return 0
}

func (a *acpAgent) hasArg(arg string) bool { return slices.Contains(a.args, arg) }

func (a *acpAgent) argValue(name string) string {
	for _, arg := range a.args {
		if value, ok := strings.CutPrefix(arg, name+"="); ok {
			return value
		}
	}
	return ""
}

func (a *acpAgent) readMessages(in io.Reader) {
	defer close(a.in)
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		var m acpMessage
		if json.Unmarshal(line, &m) != nil || m.Version != "2.0" {
			fmt.Fprintf(a.errors, "no message: %s", line)
			os.Exit(70)
		}
		a.in <- m
	}
}

func (a *acpAgent) sendMessage(m acpMessage) {
	m.Version = "2.0"
	_, _ = a.out.Write(append(rawJSON(m), '\n'))
}

func (a *acpAgent) sendError(m acpMessage, code int, message string, data any) {
	a.sendMessage(acpMessage{ID: m.ID, Error: &acpError{code, message, data}})
}

func (a *acpAgent) handleMessage(m acpMessage) {
	if m.Method != "" && a.argValue("--stuck") == m.Method {
		fmt.Fprintln(a.errors, "stuck in "+m.Method)
		return
	}
	switch m.Method {
	case "initialize":
		a.handleInitialize(m)
	case "authenticate":
		a.handleAuthenticate(m)
	case "session/new", "session/load", "session/resume":
		a.openSession(m)
	case "session/set_config_option":
		var p struct{ ConfigID, Value string }
		_ = json.Unmarshal(m.Params, &p)
		if a.model = p.Value; a.argValue("--models") == "stubborn" {
			a.model = "small"
		}
		a.sendMessage(acpMessage{ID: m.ID, Result: object{"configOptions": a.configOptions()}})
	case "session/set_model":
		var p struct{ ModelID string }
		_ = json.Unmarshal(m.Params, &p)
		a.model = p.ModelID
		a.sendMessage(acpMessage{ID: m.ID, Result: object{}})
	case "session/prompt":
		a.handlePrompt(m)
	case "session/close":
		fmt.Fprintln(a.errors, "closed")
		a.sendMessage(acpMessage{ID: m.ID, Result: object{}})
	case "session/cancel":
		a.cancelled = true
	default:
		if m.ID != nil {
			a.sendError(m, -32601, "Method not found", nil)
		}
	}
}

func (a *acpAgent) handleInitialize(m acpMessage) {
	var p struct {
		ClientCapabilities struct{ Fs struct{ ReadTextFile bool } }
	}
	_ = json.Unmarshal(m.Params, &p)
	a.mayRead = p.ClientCapabilities.Fs.ReadTextFile
	version := 1
	if v := a.argValue("--protocol"); v != "" {
		version, _ = strconv.Atoi(v)
	}
	sessions := object{}
	if a.argValue("--sessions") == "resume" {
		sessions["resume"] = object{}
	}
	if a.hasArg("--close") {
		sessions["close"] = object{}
	}
	var methods []object
	switch a.argValue("--auth") {
	case "key":
		methods = []object{{"id": "oauth-personal", "name": "Browser"}, {"id": "fake-api-key", "name": "A key"}}
	case "var":
		methods = []object{{"id": "v", "name": "A variable", "type": "env_var", "vars": []object{{"name": "FAKE_KEY"}}}}
	case "browser", "never":
		methods = []object{{"id": "oauth-personal", "name": "Browser", "description": "Run `fake login`"}}
	}
	a.sendMessage(acpMessage{ID: m.ID, Result: object{
		"protocolVersion": version,
		"agentInfo":       object{"name": a.agentName(), "version": "1.2.3"},
		"agentCapabilities": object{
			"loadSession":         a.argValue("--sessions") == "load",
			"mcpCapabilities":     object{"http": a.hasArg("--mcp")},
			"sessionCapabilities": sessions,
			"somethingOfTomorrow": []int{1},
		},
		"authMethods": methods,
	}})
}

func (a *acpAgent) handleAuthenticate(m acpMessage) {
	var p struct{ MethodID string }
	_ = json.Unmarshal(m.Params, &p)
	if p.MethodID == "oauth-personal" || p.MethodID == "v" && os.Getenv("FAKE_KEY") == "" {
		a.sendError(m, -32603, "a person is needed", nil)
		return
	}
	a.signed = true
	a.sendMessage(acpMessage{ID: m.ID, Result: object{}})
}

func (a *acpAgent) openSession(m acpMessage) {
	if a.b.Fault == SignedOut || a.argValue("--auth") != "" && !a.signed {
		a.sendError(m, -32000, "Authentication required", nil)
		return
	}
	var p struct{ SessionID string }
	_ = json.Unmarshal(m.Params, &p)
	a.session, a.opened, a.earlier = cmp.Or(a.b.Session, "fake-session"), m.Params, p.SessionID != ""
	result := object{}
	if a.hasArg("--greet") {
		defer a.sendText("Welcome! ")
	}
	switch m.Method {
	case "session/new":
		result["sessionId"] = a.session
		a.writeSessionFile()
	default:
		if why := a.whySessionLost(); why != "" {
			a.sendError(m, -32603, "Internal error", object{"details": why})
			return
		}
		if p.SessionID != a.session {
			a.sendError(m, -32002, "Resource not found: "+p.SessionID, nil)
			return
		}
	}
	if m.Method == "session/load" {
		// Loading replays the whole session.
		a.sendUpdate(object{"sessionUpdate": "user_message_chunk", "content": object{"type": "text", "text": "old question"}})
		a.sendText("old answer")
		a.sendCost(1)
	}
	switch a.argValue("--models") {
	case "list":
		result["models"] = object{"currentModelId": "small", "availableModels": []object{
			{"modelId": "small", "name": "Small"}, {"modelId": "vendor/big", "name": "Big"}, {"modelId": "vendor/huge", "name": "Huge"}}}
	case "":
	default:
		a.model = cmp.Or(a.model, "small")
		result["configOptions"] = a.configOptions()
	}
	a.sendMessage(acpMessage{ID: m.ID, Result: result})
}

func (a *acpAgent) configOptions() []object {
	choices := []object{{"value": "small", "name": "Small"}, {"value": "vendor/big", "name": "Big"}, {"value": "vendor/huge", "name": "Huge"}}
	if a.argValue("--models") == "groups" {
		choices = []object{{"group": "g", "name": "All", "options": choices}}
	}
	return []object{
		{"id": "later", "type": "slider", "currentValue": 3, "options": "many"},
		{"id": "m", "category": "model", "type": "select", "name": "Model", "currentValue": a.model, "options": choices},
	}
}

func (a *acpAgent) sendUpdate(u object) {
	a.sendMessage(acpMessage{Method: "session/update", Params: rawJSON(object{"sessionId": a.session, "update": u})})
}

func (a *acpAgent) sendText(text string) {
	a.sendUpdate(object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": text}})
}

func (a *acpAgent) sendCost(amount float64) {
	a.sendUpdate(object{"sessionUpdate": "usage_update", "size": 1000, "used": 10, "cost": object{"amount": amount, "currency": "USD"}})
}

func (a *acpAgent) handlePrompt(m acpMessage) {
	var p struct {
		Prompt []struct{ Type, Text, URI string }
	}
	_ = json.Unmarshal(m.Params, &p)
	var words []string
	for _, block := range p.Prompt {
		if block.Type == "resource_link" {
			block.Text = "<" + block.URI + ">"
		}
		words = append(words, block.Text)
	}
	text := strings.Join(words, "\n")
	turn := Turn{Prompt: text, Model: a.model, Body: a.opened}
	if a.earlier {
		turn.Session = a.session
	}
	fault := a.b.faultOfTurn(a.note(turn))
	a.cancelled = false
	if fault != None {
		a.sendText("I begin. ")
	}
	if a.applyFault(fault, m) {
		return
	}
	for line := range strings.Lines(text) {
		if order, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok {
			if a.runDirective(order, m); a.over {
				a.over = false
				return
			}
		}
	}
	answer := a.b.Text
	if a.b.Structured != nil && strings.Contains(text, "JSON Schema") {
		answer = string(a.b.Structured)
	}
	a.finishTurn(m, answer)
}

func (a *acpAgent) finishTurn(m acpMessage, answer string) {
	a.reportUsage()
	a.sendText(answer)
	a.endTurn(m)
}

// endTurn ends a turn.
func (a *acpAgent) endTurn(m acpMessage) {
	if a.b.CostUSD > 0 {
		a.sendCost(a.sessionCost())
	}
	a.sendMessage(acpMessage{ID: m.ID, Result: a.promptResult()})
}

// applyFault goes wrong, and reports whether it did.
func (a *acpAgent) applyFault(f Fault, m acpMessage) bool {
	switch f {
	case Stalled:
		stallForever()
	case Killed:
		killSelf()
	case Garbled:
		fmt.Fprintln(a.out, `{"jsonrpc":"2.0","method":"session/upd`+"\x00\xff"+`ate",,}`)
		a.waitForCancel(m)
	case Truncated:
		fmt.Fprintln(a.errors, "going away")
		fmt.Fprint(a.out, `{"jsonrpc":"2.0","method":"session/update","params":{"sess`)
		os.Exit(0)
	case RateLimited:
		a.sendError(m, -32603, "Internal error", object{"details": "429 Too Many Requests: slow down"})
	case OverBudget:
		a.sendCost(1000)
		a.waitForCancel(m)
	default:
		return false
	}
	return true
}

// waitForCancel waits for the turn to be cancelled.
func (a *acpAgent) waitForCancel(m acpMessage) {
	for next := range a.in {
		if a.handleMessage(next); a.cancelled {
			fmt.Fprintln(a.errors, "cancelled")
			a.sendMessage(acpMessage{ID: m.ID, Result: object{"stopReason": "cancelled"}})
			return
		}
	}
	os.Exit(0)
}

// callClient makes a request of the client and returns its answer.
func (a *acpAgent) callClient(method string, params object) (json.RawMessage, *acpError) {
	params["sessionId"] = a.session
	a.next++
	id := rawJSON(fmt.Sprint("q", a.next))
	a.sendMessage(acpMessage{ID: id, Method: method, Params: rawJSON(params)})
	for m := range a.in {
		if m.Method != "" {
			a.handleMessage(m)
			continue
		}
		if string(m.ID) == string(id) {
			return rawJSON(m.Result), m.Error
		}
	}
	os.Exit(0)
	return nil, nil
}

// runDirective does what a line of the prompt says:
//
//	!read PATH [LINE LIMIT]         read a file
//	!write PATH TEXT                write one
//	!permission KIND [PATH]         ask whether a tool may be used
//	!title KIND TITLE               the same for a tool that is called so
//	!named KIND NAME                the same for one that has a name beside its title
//	!create PATH TEXT               make a file as the program --as does
//	!notice TEXT                    tell of a tool as copilot does
//	!retry                          tell as copilot does that the model is asked again
//	!quit TEXT                      end the turn with an error as copilot does
//	!break TEXT                     the same, and tell tokens
//	!refuse TEXT                    fail with an error that has the text as message
//	!errors TEXT                    print on standard error; \n is a newline
//	!await PATH                     wait until a file exists
//	!run PROGRAM ARGUMENT…          run a command to its end
//	!leave PROGRAM ARGUMENT…        run a command and leave it
//	!think TEXT, !tool TITLE, !fail TITLE, !say TEXT
//	!flood N                        N updates that say nothing, then N of one letter
//	!print TEXT                     a line that is not a message
//	!send JSON                      a line as it is
//	!stop REASON                    end the turn so
//	!wait                           wait to be cancelled
//	!exit CODE                      end
//	!answerAndExit                  answer, and end at once
//	!ask METHOD                     make a request
//	!environ NAME                   say a variable
func (a *acpAgent) runDirective(order string, m acpMessage) {
	verb, rest, _ := strings.Cut(order, " ")
	words := strings.Fields(rest)
	switch verb {
	case "read":
		params := object{"path": words[0]}
		if len(words) == 3 {
			params["line"], params["limit"] = json.Number(words[1]), json.Number(words[2])
		}
		a.reportResult(a.callClient("fs/read_text_file", params))
	case "write":
		path, text, _ := strings.Cut(rest, " ")
		a.reportResult(a.callClient("fs/write_text_file", object{"path": path, "content": text}))
	case "permission":
		a.askPermission(words)
	case "title", "named", "create", "notice", "retry", "quit", "break", "refuse", "errors", "await":
		a.runHabit(verb, rest, m)
	case "run", "leave":
		a.runTerminal(verb, words)
	case "think":
		a.sendUpdate(object{"sessionUpdate": "agent_thought_chunk", "content": object{"type": "text", "text": rest}})
	case "tool":
		a.sendUpdate(object{"sessionUpdate": "tool_call", "toolCallId": rest, "title": rest, "kind": "execute", "status": "pending"})
	case "fail":
		a.sendUpdate(object{"sessionUpdate": "tool_call_update", "toolCallId": rest, "status": "failed"})
	case "say":
		a.sendText(rest)
	case "flood":
		n, _ := strconv.Atoi(rest)
		for range n {
			a.sendUpdate(object{"sessionUpdate": "update_of_tomorrow", "content": []int{1}})
		}
		for range n {
			a.sendText("x")
		}
	case "print", "send":
		fmt.Fprintln(a.out, rest)
	case "stop":
		a.sendMessage(acpMessage{ID: m.ID, Result: object{"stopReason": rest}})
	case "wait":
		a.waitForCancel(m)
	case "exit":
		code, _ := strconv.Atoi(rest)
		fmt.Fprintln(a.errors, "HTTP 503")
		os.Exit(code)
	case "answerAndExit":
		a.finishTurn(m, a.b.Text)
		os.Exit(0)
	case "ask":
		a.reportResult(a.callClient(rest, object{}))
	case "environ":
		a.sendText(os.Getenv(rest))
	default:
		a.sendText("unknown order " + verb)
	}
}

func (a *acpAgent) reportResult(result json.RawMessage, refusal *acpError) {
	if refusal != nil {
		a.sendText(fmt.Sprintf("[%d %s]", refusal.Code, refusal.Message))
		return
	}
	a.sendText("[" + string(result) + "]")
}

func (a *acpAgent) askPermission(words []string) {
	a.next++
	id := fmt.Sprint("tool", a.next)
	call := object{"sessionUpdate": "tool_call", "toolCallId": id, "title": "use " + words[0], "kind": words[0]}
	if len(words) > 1 {
		call["locations"] = []object{{"path": words[1]}}
	}
	a.sendUpdate(call)
	a.reportResult(a.callClient("session/request_permission", object{"toolCall": object{"toolCallId": id}, "options": permissionOptions}))
}

// permissionOptions are the answers to the question whether a tool may be used.
var permissionOptions = []object{
	{"optionId": "always", "kind": "allow_always", "name": "Always"},
	{"optionId": "once", "kind": "allow_once", "name": "Once"},
	{"optionId": "no", "kind": "reject_once", "name": "No"},
}

func (a *acpAgent) runTerminal(verb string, words []string) {
	result, refusal := a.callClient("terminal/create", object{"command": words[0], "args": words[1:], "outputByteLimit": 100})
	if refusal != nil || verb == "leave" {
		a.reportResult(result, refusal)
		return
	}
	var created struct{ TerminalID string }
	_ = json.Unmarshal(result, &created)
	terminal := object{"terminalId": created.TerminalID}
	a.reportResult(a.callClient("terminal/wait_for_exit", terminal))
	a.reportResult(a.callClient("terminal/output", terminal))
	a.reportResult(a.callClient("terminal/release", terminal))
	a.reportResult(a.callClient("terminal/output", terminal))
}
