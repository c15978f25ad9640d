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
// their results are part of the answer: see direct.

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

func acp(b *Behaviour, args []string, in io.Reader, out, errors io.Writer, note func(Turn) int) int {
	if slices.Contains(args, "--version") {
		fmt.Fprintln(out, "fake-acp", cmp.Or(b.Version, "1.2.3"))
		return 0
	}
	a := &acpAgent{b: b, args: args, out: out, note: note, model: b.Model, errors: errors, in: make(chan acpMessage)}
	switch {
	case a.has("--other"):
		fmt.Fprintln(out, "Welcome! Type /help.")
		return 0
	case a.has("--deaf"):
		time.Sleep(time.Hour)
	case a.has("--mute"):
		_, _ = io.Copy(io.Discard, in)
		time.Sleep(time.Hour)
	}
	go a.read(in)
	for m := range a.in {
		a.answer(m)
	}
	if a.has("--stay") {
		time.Sleep(time.Hour)
	}
	return 0
}

func (a *acpAgent) has(arg string) bool { return slices.Contains(a.args, arg) }

func (a *acpAgent) value(name string) string {
	for _, arg := range a.args {
		if value, ok := strings.CutPrefix(arg, name+"="); ok {
			return value
		}
	}
	return ""
}

func (a *acpAgent) read(in io.Reader) {
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

func (a *acpAgent) send(m acpMessage) {
	m.Version = "2.0"
	_, _ = a.out.Write(append(raw(m), '\n'))
}

func (a *acpAgent) refuse(m acpMessage, code int, message string, data any) {
	a.send(acpMessage{ID: m.ID, Error: &acpError{code, message, data}})
}

func (a *acpAgent) answer(m acpMessage) {
	if m.Method != "" && a.value("--stuck") == m.Method {
		fmt.Fprintln(a.errors, "stuck in "+m.Method)
		return
	}
	switch m.Method {
	case "initialize":
		a.initialize(m)
	case "authenticate":
		a.authenticate(m)
	case "session/new", "session/load", "session/resume":
		a.open(m)
	case "session/set_config_option":
		var p struct{ ConfigID, Value string }
		_ = json.Unmarshal(m.Params, &p)
		if a.model = p.Value; a.value("--models") == "stubborn" {
			a.model = "small"
		}
		a.send(acpMessage{ID: m.ID, Result: object{"configOptions": a.options()}})
	case "session/set_model":
		var p struct{ ModelID string }
		_ = json.Unmarshal(m.Params, &p)
		a.model = p.ModelID
		a.send(acpMessage{ID: m.ID, Result: object{}})
	case "session/prompt":
		a.prompt(m)
	case "session/close":
		fmt.Fprintln(a.errors, "closed")
		a.send(acpMessage{ID: m.ID, Result: object{}})
	case "session/cancel":
		a.cancelled = true
	default:
		if m.ID != nil {
			a.refuse(m, -32601, "Method not found", nil)
		}
	}
}

func (a *acpAgent) initialize(m acpMessage) {
	var p struct {
		ClientCapabilities struct{ Fs struct{ ReadTextFile bool } }
	}
	_ = json.Unmarshal(m.Params, &p)
	a.mayRead = p.ClientCapabilities.Fs.ReadTextFile
	version := 1
	if v := a.value("--protocol"); v != "" {
		version, _ = strconv.Atoi(v)
	}
	sessions := object{}
	if a.value("--sessions") == "resume" {
		sessions["resume"] = object{}
	}
	if a.has("--close") {
		sessions["close"] = object{}
	}
	var methods []object
	switch a.value("--auth") {
	case "key":
		methods = []object{{"id": "oauth-personal", "name": "Browser"}, {"id": "fake-api-key", "name": "A key"}}
	case "var":
		methods = []object{{"id": "v", "name": "A variable", "type": "env_var", "vars": []object{{"name": "FAKE_KEY"}}}}
	case "browser", "never":
		methods = []object{{"id": "oauth-personal", "name": "Browser", "description": "Run `fake login`"}}
	}
	a.send(acpMessage{ID: m.ID, Result: object{
		"protocolVersion": version,
		"agentInfo":       object{"name": a.info(), "version": "1.2.3"},
		"agentCapabilities": object{
			"loadSession":         a.value("--sessions") == "load",
			"mcpCapabilities":     object{"http": a.has("--mcp")},
			"sessionCapabilities": sessions,
			"somethingOfTomorrow": []int{1},
		},
		"authMethods": methods,
	}})
}

func (a *acpAgent) authenticate(m acpMessage) {
	var p struct{ MethodID string }
	_ = json.Unmarshal(m.Params, &p)
	if p.MethodID == "oauth-personal" || p.MethodID == "v" && os.Getenv("FAKE_KEY") == "" {
		a.refuse(m, -32603, "a person is needed", nil)
		return
	}
	a.signed = true
	a.send(acpMessage{ID: m.ID, Result: object{}})
}

func (a *acpAgent) open(m acpMessage) {
	if a.b.Fault == SignedOut || a.value("--auth") != "" && !a.signed {
		a.refuse(m, -32000, "Authentication required", nil)
		return
	}
	var p struct{ SessionID string }
	_ = json.Unmarshal(m.Params, &p)
	a.session, a.opened, a.earlier = cmp.Or(a.b.Session, "fake-session"), m.Params, p.SessionID != ""
	result := object{}
	if a.has("--greet") {
		defer a.say("Welcome! ")
	}
	switch m.Method {
	case "session/new":
		result["sessionId"] = a.session
		a.began()
	default:
		if why := a.lost(); why != "" {
			a.refuse(m, -32603, "Internal error", object{"details": why})
			return
		}
		if p.SessionID != a.session {
			a.refuse(m, -32002, "Resource not found: "+p.SessionID, nil)
			return
		}
	}
	if m.Method == "session/load" {
		// Loading replays the whole session.
		a.update(object{"sessionUpdate": "user_message_chunk", "content": object{"type": "text", "text": "old question"}})
		a.say("old answer")
		a.cost(1)
	}
	switch a.value("--models") {
	case "list":
		result["models"] = object{"currentModelId": "small", "availableModels": []object{
			{"modelId": "small", "name": "Small"}, {"modelId": "vendor/big", "name": "Big"}, {"modelId": "vendor/huge", "name": "Huge"}}}
	case "":
	default:
		a.model = cmp.Or(a.model, "small")
		result["configOptions"] = a.options()
	}
	a.send(acpMessage{ID: m.ID, Result: result})
}

func (a *acpAgent) options() []object {
	choices := []object{{"value": "small", "name": "Small"}, {"value": "vendor/big", "name": "Big"}, {"value": "vendor/huge", "name": "Huge"}}
	if a.value("--models") == "groups" {
		choices = []object{{"group": "g", "name": "All", "options": choices}}
	}
	return []object{
		{"id": "later", "type": "slider", "currentValue": 3, "options": "many"},
		{"id": "m", "category": "model", "type": "select", "name": "Model", "currentValue": a.model, "options": choices},
	}
}

func (a *acpAgent) update(u object) {
	a.send(acpMessage{Method: "session/update", Params: raw(object{"sessionId": a.session, "update": u})})
}

func (a *acpAgent) say(text string) {
	a.update(object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": text}})
}

func (a *acpAgent) cost(amount float64) {
	a.update(object{"sessionUpdate": "usage_update", "size": 1000, "used": 10, "cost": object{"amount": amount, "currency": "USD"}})
}

func (a *acpAgent) prompt(m acpMessage) {
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
	fault := a.b.now(a.note(turn))
	a.cancelled = false
	if fault != None {
		a.say("I begin. ")
	}
	if a.fail(fault, m) {
		return
	}
	for line := range strings.Lines(text) {
		if order, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok {
			if a.direct(order, m); a.over {
				a.over = false
				return
			}
		}
	}
	answer := a.b.Text
	if a.b.Structured != nil && strings.Contains(text, "JSON Schema") {
		answer = string(a.b.Structured)
	}
	a.finish(m, answer)
}

func (a *acpAgent) finish(m acpMessage, answer string) {
	a.asks()
	a.say(answer)
	a.end(m)
}

// end ends a turn.
func (a *acpAgent) end(m acpMessage) {
	if a.b.CostUSD > 0 {
		a.cost(a.total())
	}
	a.send(acpMessage{ID: m.ID, Result: a.ending()})
}

// fail goes wrong, and reports whether it did.
func (a *acpAgent) fail(f Fault, m acpMessage) bool {
	switch f {
	case Stalled:
		stall()
	case Killed:
		die()
	case Garbled:
		fmt.Fprintln(a.out, `{"jsonrpc":"2.0","method":"session/upd`+"\x00\xff"+`ate",,}`)
		a.wait(m)
	case Truncated:
		fmt.Fprintln(a.errors, "going away")
		fmt.Fprint(a.out, `{"jsonrpc":"2.0","method":"session/update","params":{"sess`)
		os.Exit(0)
	case RateLimited:
		a.refuse(m, -32603, "Internal error", object{"details": "429 Too Many Requests: slow down"})
	case OverBudget:
		a.cost(1000)
		a.wait(m)
	default:
		return false
	}
	return true
}

// wait waits for the turn to be cancelled.
func (a *acpAgent) wait(m acpMessage) {
	for next := range a.in {
		if a.answer(next); a.cancelled {
			fmt.Fprintln(a.errors, "cancelled")
			a.send(acpMessage{ID: m.ID, Result: object{"stopReason": "cancelled"}})
			return
		}
	}
	os.Exit(0)
}

// ask makes a request of the client and returns its answer.
func (a *acpAgent) ask(method string, params object) (json.RawMessage, *acpError) {
	params["sessionId"] = a.session
	a.next++
	id := raw(fmt.Sprint("q", a.next))
	a.send(acpMessage{ID: id, Method: method, Params: raw(params)})
	for m := range a.in {
		if m.Method != "" {
			a.answer(m)
			continue
		}
		if string(m.ID) == string(id) {
			return raw(m.Result), m.Error
		}
	}
	os.Exit(0)
	return nil, nil
}

// direct does what a line of the prompt says:
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
func (a *acpAgent) direct(order string, m acpMessage) {
	verb, rest, _ := strings.Cut(order, " ")
	words := strings.Fields(rest)
	switch verb {
	case "read":
		params := object{"path": words[0]}
		if len(words) == 3 {
			params["line"], params["limit"] = json.Number(words[1]), json.Number(words[2])
		}
		a.report(a.ask("fs/read_text_file", params))
	case "write":
		path, text, _ := strings.Cut(rest, " ")
		a.report(a.ask("fs/write_text_file", object{"path": path, "content": text}))
	case "permission":
		a.permission(words)
	case "title", "named", "create", "notice", "retry", "quit", "break", "refuse", "errors", "await":
		a.habit(verb, rest, m)
	case "run", "leave":
		a.run(verb, words)
	case "think":
		a.update(object{"sessionUpdate": "agent_thought_chunk", "content": object{"type": "text", "text": rest}})
	case "tool":
		a.update(object{"sessionUpdate": "tool_call", "toolCallId": rest, "title": rest, "kind": "execute", "status": "pending"})
	case "fail":
		a.update(object{"sessionUpdate": "tool_call_update", "toolCallId": rest, "status": "failed"})
	case "say":
		a.say(rest)
	case "flood":
		n, _ := strconv.Atoi(rest)
		for range n {
			a.update(object{"sessionUpdate": "update_of_tomorrow", "content": []int{1}})
		}
		for range n {
			a.say("x")
		}
	case "print", "send":
		fmt.Fprintln(a.out, rest)
	case "stop":
		a.send(acpMessage{ID: m.ID, Result: object{"stopReason": rest}})
	case "wait":
		a.wait(m)
	case "exit":
		code, _ := strconv.Atoi(rest)
		fmt.Fprintln(a.errors, "HTTP 503")
		os.Exit(code)
	case "answerAndExit":
		a.finish(m, a.b.Text)
		os.Exit(0)
	case "ask":
		a.report(a.ask(rest, object{}))
	case "environ":
		a.say(os.Getenv(rest))
	default:
		a.say("unknown order " + verb)
	}
}

func (a *acpAgent) report(result json.RawMessage, refusal *acpError) {
	if refusal != nil {
		a.say(fmt.Sprintf("[%d %s]", refusal.Code, refusal.Message))
		return
	}
	a.say("[" + string(result) + "]")
}

func (a *acpAgent) permission(words []string) {
	a.next++
	id := fmt.Sprint("tool", a.next)
	call := object{"sessionUpdate": "tool_call", "toolCallId": id, "title": "use " + words[0], "kind": words[0]}
	if len(words) > 1 {
		call["locations"] = []object{{"path": words[1]}}
	}
	a.update(call)
	a.report(a.ask("session/request_permission", object{"toolCall": object{"toolCallId": id}, "options": permissionOptions}))
}

// permissionOptions are the answers to the question whether a tool may be used.
var permissionOptions = []object{
	{"optionId": "always", "kind": "allow_always", "name": "Always"},
	{"optionId": "once", "kind": "allow_once", "name": "Once"},
	{"optionId": "no", "kind": "reject_once", "name": "No"},
}

func (a *acpAgent) run(verb string, words []string) {
	result, refusal := a.ask("terminal/create", object{"command": words[0], "args": words[1:], "outputByteLimit": 100})
	if refusal != nil || verb == "leave" {
		a.report(result, refusal)
		return
	}
	var created struct{ TerminalID string }
	_ = json.Unmarshal(result, &created)
	terminal := object{"terminalId": created.TerminalID}
	a.report(a.ask("terminal/wait_for_exit", terminal))
	a.report(a.ask("terminal/output", terminal))
	a.report(a.ask("terminal/release", terminal))
	a.report(a.ask("terminal/output", terminal))
}
