package acp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/agent/acp"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// as returns a world whose program is the fake one under a name that is known,
// with the quirks of that program.
func as(t *testing.T, name string, b fakeagent.Behaviour, args ...string) *world {
	t.Helper()
	w := newWorld(t, b, append([]string{"--as=" + name}, args...)...)
	program := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(program, []byte("#!/bin/sh\nexec "+w.program+" \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.choice.Program = program
	return w
}

// Gemini makes files that are not there yet, and asks about them.
func TestGeminiMakesFiles(t *testing.T) {
	for _, permission := range policies {
		w := as(t, "gemini", fakeagent.Behaviour{Text: "done"})
		w.choice.Permission = permission
		path := filepath.Join(w.request.WorkDir, "new.txt")
		text := w.ask("!create " + path + " words")
		content, _ := os.ReadFile(path)
		if made := string(content) == "words"; made != (permission != "safe") || strings.Contains(text, "Error checking") {
			t.Errorf("with %s: made %v: %s", permission, made, text)
		}
	}
	// A program that is not known is told that files can be read, and so is one
	// that is started by another program and is no gemini.
	w := newWorld(t, fakeagent.Behaviour{Text: "done"}, "--as=gemini", "some/other@1")
	w.choice.Permission = "edit"
	if text := w.ask("!create new.txt words"); !strings.Contains(text, "Error checking existing file") {
		t.Errorf("got %s", text)
	}
	w = newWorld(t, fakeagent.Behaviour{Text: "done"}, "--as=gemini", "@google/gemini-cli@0.61.0")
	w.choice.Permission = "edit"
	if text := w.ask("!create new.txt words"); strings.Contains(text, "Error checking existing file") {
		t.Errorf("started by another program: %s", text)
	}
}

func TestGeminiTrustsTheWorkspace(t *testing.T) {
	w := as(t, "gemini", fakeagent.Behaviour{Text: "."})
	if got := w.ask("!environ GEMINI_CLI_TRUST_WORKSPACE"); got != "true." {
		t.Errorf("got %q", got)
	}
	w.request.Environ = append(w.request.Environ, "GEMINI_CLI_TRUST_WORKSPACE=false")
	if got := w.ask("!environ GEMINI_CLI_TRUST_WORKSPACE"); got != "false." {
		t.Errorf("got %q", got)
	}
}

// Gemini tells its tokens beside the protocol.
func TestGeminiTokens(t *testing.T) {
	w := as(t, "gemini", fakeagent.Behaviour{Text: ".", InputTokens: 1200, OutputTokens: 540})
	reply, err := w.turn()
	if err != nil || reply.Meta.InputTokens != 1200 || reply.Meta.OutputTokens != 540 {
		t.Errorf("got %+v, %v", reply, err)
	}
}

// wall is a clock that moves when somebody waits, and the program's with it. A
// limit is over when the program has said that it is stuck.
type wall struct {
	t    *testing.T
	w    *world
	now  time.Time
	wait []time.Duration
	err  error
	// limit is the last one that was set, and end ends it.
	limit time.Duration
	end   context.CancelFunc
}

func (c *wall) Limit(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancel(ctx)
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.limit, c.end = d, end
	return ctx, end
}

// stuck ends the limit when the program says so.
func (c *wall) stuck(piece []byte) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if strings.Contains(string(piece), "stuck in ") {
		c.end()
	}
}

var _ acp.Timer = (*wall)(nil)

func (c *wall) Now() time.Time { return c.now }

func (c *wall) Sleep(_ context.Context, d time.Duration) error {
	c.wait = append(c.wait, d)
	c.now = c.now.Add(d)
	c.show()
	return c.err
}

func (c *wall) show() { c.w.file("minute", c.now.UTC().Format("15-04")) }

// A session of gemini goes on in a later minute than that in which it began, and
// no later than that.
func TestGeminiSessionsGoOnInTheNextMinute(t *testing.T) {
	w := as(t, "gemini", fakeagent.Behaviour{Text: "done", Session: "s1"}, "--sessions=load")
	clock := &wall{t: t, w: w, now: time.Date(2026, 11, 22, 9, 39, 31, 0, time.FixedZone("half", 5*3600+1800))}
	turn := func() {
		t.Helper()
		clock.show()
		a := w.agent()
		a.Clock = clock
		reply, err := a.Turn(t.Context(), w.request)
		if err != nil || reply.Text != "done" {
			t.Fatalf("got %+v, %v", reply, err)
		}
		w.request.Session = "s1"
	}
	turn()
	turn()
	turn() // in the same minute as the one before: the session is older
	if len(clock.wait) != 1 || clock.wait[0] != 29*time.Second || !strings.Contains(w.notes.String(), "waits 29s, because ") {
		t.Errorf("waited %v, notes %q", clock.wait, w.notes.String())
	}
	// Of a session of another run it is not known when it began.
	w.request.RunDir = t.TempDir()
	clock.now, clock.wait = clock.now.Add(40*time.Second), nil
	turn()
	turn()
	if len(clock.wait) != 1 || clock.wait[0] != 20*time.Second {
		t.Errorf("waited %v", clock.wait)
	}
	// Nobody waits for a program that has no such habit, nor longer than the turn
	// may last.
	w.request.RunDir = t.TempDir()
	clock.wait, clock.err = nil, context.DeadlineExceeded
	a := w.agent()
	a.Clock = clock
	if _, err := a.Turn(t.Context(), w.request); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	other := newWorld(t, fakeagent.Behaviour{Text: "done", Session: "s1"}, "--sessions=load")
	other.request.Session = "s1"
	b := other.agent()
	b.Clock = clock
	if _, err := b.Turn(t.Context(), other.request); err != nil || len(clock.wait) != 1 {
		t.Errorf("waited %v: %v", clock.wait, err)
	}
}

// A turn that ends with what was not permitted has failed, whatever was said
// before it; one that goes on has not.
func TestARefusalThatEndsTheTurn(t *testing.T) {
	for _, test := range []struct {
		name, as, set, prompt string
		fails                 bool
	}{
		{"copilot", "copilot", "", "!title execute ls", true},
		{"copilot, after words", "copilot", "", "!say I start. \n!title execute ls", true},
		{"copilot, what is permitted", "copilot", "", "!title read look", false},
		{"opencode goes on", "opencode", "", "!title execute ls", false},
		{"opencode goes on with other settings", "opencode", `{"model":"x/y","experimental":{"other":1}}`, "!title execute ls", false},
		{"opencode as its owner wants it", "opencode", `{"experimental":{"continue_loop_on_deny":false}}`, "!say Before. \n!title execute ls", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := as(t, test.as, fakeagent.Behaviour{Text: "Done.", CostUSD: 0.5})
			var warned []string
			w.request.Warn = func(message string) { warned = append(warned, message) }
			if test.set != "" {
				w.request.Environ = append(w.request.Environ, "OPENCODE_CONFIG_CONTENT="+test.set)
			}
			w.request.Text = test.prompt
			reply, err := w.turn()
			if !test.fails {
				if err != nil || !strings.HasSuffix(reply.Text, "Done.") || strings.Contains(reply.Text, "Info:") {
					t.Errorf("got %+v, %v", reply, err)
				}
				return
			}
			fails(t, err, flow.ClassFatal, "agent", "ended its turn when it was not permitted to use ls [execute]. Set `permission: all` of agent `tester` in wfc.yaml")
			if len(warned) > 0 || strings.Contains(reply.Text, "Operation cancelled") || reply.Meta.CostUSD != 0.5 {
				t.Errorf("got %+v, warned of %q", reply, warned)
			}
		})
	}
	// The settings of the owner stay.
	w := as(t, "opencode", fakeagent.Behaviour{Text: "."})
	w.request.Environ = append(w.request.Environ, `OPENCODE_CONFIG_CONTENT={"model":"x/y","experimental":{"other":1}}`)
	if got := w.ask("!environ OPENCODE_CONFIG_CONTENT"); got != `{"experimental":{"continue_loop_on_deny":true,"other":1},"model":"x/y"}.` {
		t.Errorf("got %s", got)
	}
	for _, set := range []string{"{ // a comment\n}", `{"experimental":1}`} {
		w = as(t, "opencode", fakeagent.Behaviour{Text: "."})
		w.request.Environ = append(w.request.Environ, "OPENCODE_CONFIG_CONTENT="+set)
		if got := w.ask("!environ OPENCODE_CONFIG_CONTENT"); got != set+"." {
			t.Errorf("got %s", got)
		}
	}
	w = as(t, "opencode", fakeagent.Behaviour{Text: "."})
	w.choice.Permission = "all"
	if got := w.ask("!environ OPENCODE_CONFIG_CONTENT"); got != "." {
		t.Errorf("got %s", got)
	}
}

// Notices of copilot's tools are no part of the reply; words of the model are,
// whatever they begin with.
func TestNoticesOfCopilot(t *testing.T) {
	w := as(t, "copilot", fakeagent.Behaviour{Text: "Info: this is the answer."})
	if text := w.ask("!say I begin.\n!notice c1.txt\n!notice c2.txt"); text != "I begin.\n\nInfo: this is the answer." {
		t.Errorf("the reply is %q", text)
	}
	if !strings.Contains(w.notes.String(), "Info: c1.txt\n") || strings.Contains(w.shown.String(), "c1.txt") {
		t.Errorf("shown %q, notes %q", w.shown.String(), w.notes.String())
	}
	w = newWorld(t, fakeagent.Behaviour{Text: "."})
	if text := w.ask("!notice c1.txt"); text != "Info: c1.txt\n\n." && text != "Info: c1.txt." {
		t.Errorf("the reply of another program is %q", text)
	}
}

// A service that refuses the key is told with the ways to give another one.
func TestRefusedKey(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "x"})
	for _, words := range []string{
		"API key not valid. Please pass a valid API key.", "Internal error: unexpected status 401 Unauthorized: invalid x-api-key, url: http://h/v1",
	} {
		w.request.Text = "!refuse " + words
		_, err := w.turn()
		fails(t, err, flow.ClassFatal, "agent", words+". Sign in with the program itself, or set the variable with its key")
	}
	w.request.Text = "!refuse HTTP 403 Forbidden"
	if _, err := w.turn(); err == nil || strings.Contains(err.Error(), "Sign in") {
		t.Errorf("got %v", err)
	}
}

// Codex-acp cancels its turn when something is refused; the failure says what
// would permit it.
func TestCodexCancelsWhenRefused(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "x"}, "--as=codex-acp")
	w.request.Text = "!title execute ls"
	_, err := w.turn()
	fails(t, err, flow.ClassFatal, "agent", "ended its turn when it was not permitted to use ls [execute]. Set `permission: all` of agent `tester` in wfc.yaml")
}

// Copilot ends a turn as if all was well when its model cannot be asked.
func TestCopilotFailsQuietly(t *testing.T) {
	w := as(t, "copilot", fakeagent.Behaviour{Text: "Error: none was found.", InputTokens: 10})
	w.request.Text = "!retry\n!retry\n!quit Authentication failed with provider at http://h/v1 (HTTP 401).\\n  Check your KEY."
	_, err := w.turn()
	fails(t, err, flow.ClassFatal, "agent", "failed: Authentication failed with provider at http://h/v1 (HTTP 401). Check your KEY.")
	w.request.Text = "!quit Rate limit: 429 Too Many Requests"
	_, err = w.turn()
	fails(t, err, flow.ClassTransient, "quota", "429 Too Many Requests")
	// Also when the model had answered before, and tools were used.
	for text, class := range map[string]flow.Class{
		"Authentication failed with provider at http://h/v1 (HTTP 401).":                         flow.ClassFatal,
		"400 The model does not exist":                                                           flow.ClassUnknown,
		"Failed to get response from the AI model; retried 5 times Last error: 503 no: HTTP 503": flow.ClassTransient,
	} {
		w.request.Text = "!say I begin.\n!notice c1.txt\n!break " + text
		_, err = w.turn()
		fails(t, err, class, "agent", "copilot` failed: "+text)
	}
	// An answer of the model is one, whatever it begins with, and retries are no
	// part of it.
	if text := w.ask("!retry\ngo"); text != "Error: none was found." || !strings.Contains(w.notes.String(), "Retrying...\n") {
		t.Errorf("the reply is %q, notes %q", text, w.notes.String())
	}
	other := newWorld(t, fakeagent.Behaviour{Text: "."})
	if text := other.ask("!quit it"); text != "Error: it" {
		t.Errorf("the reply of another program is %q", text)
	}
}

// Gemini replaces variables in what servers are given once more.
func TestGeminiExpandsValuesOfServers(t *testing.T) {
	for name, want := range map[string]string{"gemini": `the \$value \\$x`, "opencode": `the $value \$x`} {
		w := as(t, name, fakeagent.Behaviour{Text: "."}, "--mcp")
		w.request.Environ = append(w.request.Environ, `V=the $value \$x`)
		setOption(w.request, "mcp", `{"a":{"command":"sh","env":{"K":"$V"}},"b":{"type":"http","url":"http://localhost/x","headers":{"H":"$V"}}}`)
		w.ask("go")
		var opened struct {
			MCPServers []struct {
				Env     []struct{ Value string } `json:"env"`
				Headers []struct{ Value string } `json:"headers"`
			} `json:"mcpServers"`
		}
		if err := json.Unmarshal(fakeagent.Turns(t, w.program)[0].Body, &opened); err != nil {
			t.Fatal(err)
		}
		if s := opened.MCPServers; len(s) != 2 || s[0].Env[0].Value != want || s[1].Headers[0].Value != want {
			t.Errorf("%s: got %+v, want %q", name, s, want)
		}
	}
}

func TestCopilotLeavesOutServers(t *testing.T) {
	w := as(t, "copilot", fakeagent.Behaviour{Text: "."}, "--mcp")
	var warned []string
	w.request.Warn = func(message string) { warned = append(warned, message) }
	setOption(w.request, "mcp", `{"local":{"command":"sh"},"web":{"url":"http://127.0.0.1:1"}}`)
	w.ask("hello")
	if len(warned) != 1 || !strings.Contains(warned[0], "ignores the MCP servers local: it supports only the types `http` and `sse`") {
		t.Errorf("warned of %q", warned)
	}
}

// Opencode tells the cost of the session, and never before a turn.
func TestCostOfContinuedTurns(t *testing.T) {
	w := as(t, "opencode", fakeagent.Behaviour{Text: ".", Session: "s1", CostUSD: 0.25, InputTokens: 10}, "--sessions=resume")
	for turn := 1; turn <= 3; turn++ {
		reply, err := w.turn()
		if err != nil || math.Abs(reply.Meta.CostUSD-0.25) > 1e-9 || w.spent[len(w.spent)-1] != reply.Meta {
			t.Fatalf("turn %d: got %+v, %v", turn, reply, err)
		}
		w.request.Session = "s1"
	}
	// What the session had cost in another run is not known; in the next turn it is.
	w.request.RunDir = t.TempDir()
	if reply, err := w.turn(); err != nil || reply.Meta.CostUSD != 0 || !strings.Contains(w.notes.String(), "the cost is not counted") {
		t.Errorf("got %+v, %v", reply, err)
	}
	if reply, err := w.turn(); err != nil || math.Abs(reply.Meta.CostUSD-0.25) > 1e-9 {
		t.Errorf("got %+v, %v", reply, err)
	}
	w.ask("!tool look")
	if !strings.Contains(w.notes.String(), "the turn's tokens are those of its last request") {
		t.Errorf("notes %q", w.notes.String())
	}
}

// Claude-agent-acp tells the cost of its process. Of a program that is not known
// that shows when it tells less than before, and is remembered.
func TestCostsOfProcesses(t *testing.T) {
	for _, test := range []struct {
		as    string
		costs []float64
	}{
		{"claude-agent-acp", []float64{0.25, 0.5, 0.01, 0.01, 0.25}},
		{"", []float64{0.25, 0.01, 0.01, 0.5}},
	} {
		dir := t.TempDir()
		for i, cost := range test.costs {
			b := fakeagent.Behaviour{Text: ".", Session: "s1", CostUSD: cost}
			w := newWorld(t, b, "--sessions=resume", "--as=claude-agent-acp")
			if test.as != "" {
				w = as(t, test.as, b, "--sessions=resume")
			}
			w.request.RunDir = dir
			if i > 0 {
				w.request.Session = "s1"
			}
			if reply, err := w.turn(); err != nil || math.Abs(reply.Meta.CostUSD-cost) > 1e-9 {
				t.Errorf("%q, turn %d: got %+v, %v, want $%v", test.as, i+1, reply, err, cost)
			}
		}
	}
}

// The tools of the workflow's own MCP servers may be used, by whatever name the
// program has for them; no others.
func TestToolsOfTheWorkflowsServers(t *testing.T) {
	tests := []struct {
		order string
		may   bool
	}{
		{"title other mcp__stamper__stamp", true},
		{"title other mcp_stamper_stamp", true},
		{"title other stamp (stamper MCP Server)", true},
		{"title other Tool: stamper/stamp", true},
		{"title other stamper_stamp", true},
		{"title other stamper-stamp", true},
		{"named other mcp__stamper__stamp", true},
		{"title other mcp__other__stamp", false},
		{"title other stamp (other MCP Server)", false},
		{"title other stamper", false},
		{"title other stamper_ and more words", false},
		{"title execute mcp__stamper__stamp", false},
		{"title execute stamp (stamper MCP Server)", false},
		{"title fetch stamper_stamp", false},
		{"named execute mcp__stamper__stamp", false},
		{"title other mcp__stamperx__stamp", false},
	}
	for _, permission := range policies[:2] {
		w := permitted(t, permission)
		setOption(w.request, "mcp", `{"stamper":{"command":"sh"}}`)
		orders := make([]string, len(tests))
		for i, test := range tests {
			orders[i] = test.order
		}
		answers, notes := w.orders(orders)
		for i, test := range tests {
			if strings.Contains(answers[i], allowed) != test.may || strings.Contains(notes[i], "not permitted") == test.may {
				t.Errorf("%s with %s: %s, notes %q", test.order, permission, answers[i], notes[i])
			}
		}
	}
	// Without the server nothing is of it.
	w := permitted(t, "edit")
	if text := w.ask("!title other mcp__stamper__stamp"); !strings.Contains(text, denied) {
		t.Errorf("got %s", text)
	}
}

// Each request but the prompt has a limit.
func TestEveryRequestHasALimit(t *testing.T) {
	for method, args := range map[string][]string{
		"session/new": nil, "session/load": {"--sessions=load"}, "session/resume": {"--sessions=resume"},
		"session/set_config_option": {"--models=options"}, "session/set_model": {"--models=list"}, "authenticate": {"--auth=key"},
	} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, fakeagent.Behaviour{Text: "x", Session: "s1"}, append(args, "--stuck="+method)...)
			w.request.Environ = append(w.request.Environ, "FAKE_API_KEY=k")
			if strings.Contains(method, "set_") {
				w.request.Model = "huge"
			}
			if method == "session/load" || method == "session/resume" {
				w.request.Session = "s1"
			}
			clock := &wall{t: t, w: w}
			w.request.Notes = clock.stuck
			a := w.agent()
			a.Clock = clock
			_, err := a.Turn(t.Context(), w.request)
			fails(t, err, flow.ClassTransient, "timeout", "did not answer `"+method+"` within 2m0s")
			if clock.limit != 2*time.Minute {
				t.Errorf("the limit is %v", clock.limit)
			}
			w.gone()
		})
	}
}

// What a program said in an answer of its model that broke off is not in the reply, nor is
// the notice of it. The program asks again and says the whole answer.
func TestAnswersThatBreakOff(t *testing.T) {
	piece := func(text string) string {
		return fmt.Sprintf(`!send {"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}}}`, text)
	}
	const usage = `!send {"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"usage_update","used":1,"size":2}}}`
	const notice = "Info: Response was interrupted due to a server error. Retrying..."
	for _, test := range []struct {
		name, program string
		prompt        []string
		want          string
	}{
		{"at the start", "copilot", []string{usage, piece("half"), piece(notice), usage}, "whole"},
		{"before its first word", "copilot", []string{usage, piece(notice), usage, piece(notice), usage}, "whole"},
		{"twice, after a tool", "copilot", []string{usage, piece("I look."), "!tool look", usage, piece("ha"), piece("lf"), piece(notice), usage, piece("half"), piece(notice), usage}, "I look.\n\nwhole"},
		{"when the history is too long", "copilot", []string{usage, piece("I look."), "!tool look", usage, piece("Info: The conversation exceeded the model's context limit. Compacting history and retrying..."), usage}, "I look.\n\nwhole"},
		{"words about it", "copilot", []string{usage, piece(notice + "\nis what it said. ")}, notice + "\nis what it said. whole"},
		{"of pi", "pi-acp", []string{piece("I look."), "!tool look", usage, piece("half"), piece("Retrying (attempt 1/3, waiting 2s)..."), piece("Retry finished, resuming.")}, "I look.\n\nwhole"},
		{"another program", "opencode", []string{usage, piece(notice)}, notice + "whole"},
		{"on standard error", "codex-acp", []string{piece("I look."), "!tool look", usage, piece("half"), "!errors ERROR codex_acp::thread: Handled error during turn: Reconnecting... 1/5 Some(ResponseStreamDisconnected)", "!await noted"}, "I look.\n\nwhole"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := as(t, test.program, fakeagent.Behaviour{Text: "whole"})
			w.request.Notes = func(piece []byte) {
				if strings.Contains(string(piece), "Reconnecting") {
					w.file("noted", "")
				}
			}
			if got := w.ask(strings.Join(test.prompt, "\n")); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Of what a program prints on standard error only what tells something is quoted,
// and errors in JSON are told in their words.
func TestFailuresWithoutStacks(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "x"})
	stack := `Ripgrep is not available.\nRipgrep is not available.\nError when talking to the API: _ApiError\n    at throwErrorIfNotOK (file:///x/chunk.js:267833:24)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)` +
		`\nat async Turn.run (file:///x/chunk.js:1:1) {\n  status: 400\n}\nError handling request {\n  jsonrpc: '2.0',\n  id: 3,\n} {\n  code: 400,\n}`
	text, err := json.Marshal(map[string]any{"error": map[string]any{"code": 400, "message": "bad thing", "status": "INVALID"}})
	if err != nil {
		t.Fatal(err)
	}
	w.request.Text = "!errors " + stack + "\n!refuse " + string(text)
	_, err = w.turn()
	fails(t, err, flow.ClassFatal, "agent", "failed: bad thing (INVALID, code 400) [error 400]; the end of what it printed on standard error: Ripgrep is not available.\nError when talking to the API: _ApiError")
	if err == nil || strings.Contains(err.Error(), "chunk.js") || strings.Contains(err.Error(), "jsonrpc") || strings.Count(err.Error(), "\n") > 2 {
		t.Errorf("got %v", err)
	}
}
