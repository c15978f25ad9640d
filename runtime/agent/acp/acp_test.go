package acp_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/acp"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

func TestATurn(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "Hello, you.", Session: "s1", CostUSD: 0.25, InputTokens: 7, OutputTokens: 3}, "--close")
	setOption(w.request, "systemPrompt", `"Be brief."`)
	w.request.Files = []string{"docs/a b.md"}
	reply, err := w.turn()
	if err != nil {
		t.Fatal(err)
	}
	want := flow.Meta{Session: "s1", CostUSD: 0.25, InputTokens: 7, OutputTokens: 3, Turns: 1}
	if reply.Text != "Hello, you." || reply.Meta != want || reply.Structured != nil {
		t.Errorf("got %+v", reply)
	}
	if w.shown.String() != "Hello, you." {
		t.Errorf("shown %q", w.shown.String())
	}
	if last := w.spent[len(w.spent)-1]; last != want || w.spent[0].Session != "s1" || w.spent[0].CostUSD != 0 {
		t.Errorf("spent %+v", w.spent)
	}
	turns := fakeagent.Turns(t, w.program)
	prompt := "--- SYSTEM PROMPT ---\nBe brief.\n--- END OF SYSTEM PROMPT ---\n\nhello\n<file://" + filepath.ToSlash(w.request.WorkDir) + "/docs/a%20b.md>"
	if len(turns) != 1 || turns[0].Prompt != prompt {
		t.Errorf("the program was asked %+v, want %q", turns, prompt)
	}
	environ := strings.Join(turns[0].Environ, "\n")
	if !strings.Contains(environ, "WFC_RUN_ID=w-abc123") || !strings.Contains(environ, "WFC_STEP_KEY=fix#1") {
		t.Errorf("the program's environment is %s", environ)
	}
	if !strings.Contains(w.notes.String(), "closed") {
		t.Errorf("the session was not closed: %q", w.notes.String())
	}
}

func TestASchemaIsPutInWords(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "no", Structured: json.RawMessage(`{"b":1}`)})
	if w.agent().Capabilities().Structured {
		t.Error("the protocol knows nothing of schemas")
	}
	w.request.Schema = json.RawMessage(`{"type":"object"}`)
	if text := w.ask("give"); text != `{"b":1}` {
		t.Errorf("got %q", text)
	}
}

// The reply is put together in the order in which its pieces came, and what else
// happens is noted in between.
func TestWhatHappensIsToldInOrder(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "Done."})
	var order []string
	w.request.Output = func(piece []byte) {
		if len(piece) > 0 {
			order = append(order, string(piece))
		}
	}
	w.request.Notes = func(piece []byte) { order = append(order, "# "+strings.TrimSpace(string(piece))) }
	w.request.ToolCall = func(c agent.ToolCall) {
		order = append(order, fmt.Sprintf("# called %s, failed: %v", c.Name, c.Failed))
	}
	text := w.ask("!think first I\n!think  look\n!say I look. \n!say Really.\n!tool ls\n!fail ls\n!print a line that is no message\n!print {\"level\":\"info\"}")
	if text != "I look.Really.\n\nDone." {
		t.Errorf("the reply is %q", text)
	}
	want := []string{"# thinks: first I look", "I look.", "Really.", "# uses a tool: ls [execute]", "# called execute, failed: true", "# a tool failed: ls [execute]",
		"# a line that is no message", `# {"level":"info"}`, "\n\nDone."}
	if strings.Join(order, "|") != strings.Join(want, "|") {
		t.Errorf("told\n%s\nwant\n%s", strings.Join(order, "\n"), strings.Join(want, "\n"))
	}
}

func TestPartsThatAreNoText(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "end"})
	send := func(content string) string {
		return `!send {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"fake-session","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":` + content + `}}}` + "\n"
	}
	text := w.ask(send(`{"type":"text","text":"a"}`) + send(`{"type":"image","data":"AAAA","mimeType":"image/png"}`) + "!tool t\n" + send(`{"type":"text","text":"b"}`) +
		strings.ReplaceAll(send(`{"type":"text","text":"of a helper"}`), "fake-session", "another") + strings.ReplaceAll(send(`{"type":"text","text":"c"}`), "m1", "m2"))
	if text != "ab\n\ncend" {
		t.Errorf("the reply is %q", text)
	}
	if !strings.Contains(w.notes.String(), "a part of the reply, of type image") {
		t.Errorf("notes %q", w.notes.String())
	}
}

// A piece of the reply is passed on while the program still works.
func TestThereIsAReplyBeforeTheEnd(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: " world"})
	w.choice.Permission = "all"
	mark := filepath.Join(w.request.WorkDir, "mark")
	saw := false
	w.request.Output = func(piece []byte) {
		if strings.Contains(string(piece), "hello") {
			// The program reads this before it goes on.
			saw = true
			w.file("mark", "seen")
		}
	}
	if text := w.ask("!say hello\n!ask unknown/method\n!read " + mark); !saw || !strings.Contains(text, `{"content":"seen"}`) || !strings.Contains(text, "[-32601 unknown method `unknown/method`]") {
		t.Errorf("got %q, seen early: %v", text, saw)
	}
}

// Neither many updates nor an answer right before the end lose anything.
func TestNothingIsLost(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "end"})
	if text := w.ask("!flood 5000"); text != strings.Repeat("x", 5000)+"end" {
		t.Errorf("%d characters came", len(text))
	}
	for range 5 {
		if text := w.ask("!flood 100\n!answerAndExit"); text != strings.Repeat("x", 100)+"end" {
			t.Errorf("got %q", text)
		}
	}
}

func TestSecretsAreMaskedInWhatIsShown(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "ok"})
	w.request.Environ = append(w.request.Environ, "MY_TOKEN=hunter2-hunter2")
	text := w.ask("!say the token is hunter2-\n!say hunter2\n!tool cat hunter2-hunter2")
	if !strings.HasPrefix(text, "the token is hunter2-hunter2") {
		t.Errorf("the reply is %q", text)
	}
	if shown := w.shown.String() + w.notes.String(); strings.Contains(shown, "hunter2-hunter2") || !strings.Contains(shown, "***") {
		t.Errorf("shown %q", shown)
	}
}

// Secrets are masked before a text is cut, so that no cut leaves half of one.
func TestCutsLeaveNoHalfSecret(t *testing.T) {
	secret := "hunter2-" + strings.Repeat("s", 40)
	for _, length := range []int{150, 175, 185, 190, 195, 585, 595} {
		w := newWorld(t, fakeagent.Behaviour{Text: "ok"})
		w.request.Environ = append(w.request.Environ, "MY_TOKEN="+secret)
		w.ask("!tool " + strings.Repeat("x", length) + secret + " and more")
		if shown := w.shown.String() + w.notes.String(); strings.Contains(shown, "hunter2") {
			t.Errorf("after %d characters: %q", length, shown)
		}
	}
}

func TestSessionsGoOn(t *testing.T) {
	for _, way := range []string{"load", "resume"} {
		t.Run(way, func(t *testing.T) {
			w := newWorld(t, fakeagent.Behaviour{Text: "again", Session: "s7", CostUSD: 0.5}, "--sessions="+way)
			w.request.Session = "s7"
			reply, err := w.turn()
			if err != nil {
				t.Fatal(err)
			}
			if reply.Text != "again" || reply.Meta.Session != "s7" || w.shown.String() != "again" {
				t.Errorf("got %+v, shown %q", reply, w.shown.String())
			}
			// What the session had cost before is known only after loading.
			cost := map[string]float64{"load": 0.5, "resume": 0}[way]
			if reply.Meta.CostUSD != cost || strings.Contains(w.notes.String(), "not counted") != (way == "resume") {
				t.Errorf("it cost %v, with the notes %q", reply.Meta.CostUSD, w.notes.String())
			}
			if turns := fakeagent.Turns(t, w.program); turns[0].Session != "s7" {
				t.Errorf("the program was asked %+v", turns[0])
			}
			w.request.FreshSession = true
			if reply, err := w.turn(); err != nil || fakeagent.Turns(t, w.program)[1].Session != "" || reply.Meta.Session != "s7" {
				t.Errorf("a fresh session: %+v %v", reply, err)
			}
			w.request.FreshSession, w.request.Session = false, "s8"
			_, err = w.turn()
			fails(t, err, flow.ClassFatal, "agent", "cannot resume the session `s8`", "Resource not found: s8")
		})
	}
	w := newWorld(t, fakeagent.Behaviour{Text: "x"})
	w.request.Session = "s7"
	_, err := w.turn()
	fails(t, err, flow.ClassFatal, "agent", "cannot resume the session `s7`: it can neither load nor resume sessions")
	w.request.Persist = true
	var warned string
	w.request.Warn = func(message string) { warned = message }
	if reply, err := w.turn(); err != nil || reply.Text != "x" || !strings.HasSuffix(warned, "neither load nor resume sessions; use a fresh session or another agent; a new session starts") {
		t.Errorf("a step that only likes to remember: %+v %v, warned %q", reply, err, warned)
	}
}

func TestMCPServersAreHandedOver(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "x"}, "--mcp")
	tool := w.file("tool", "")
	chmod(t, tool)
	w.request.Environ = append(w.request.Environ, "KEY_OF_IT=k1")
	setOption(w.request, "mcp", `{"b":{"command":"./tool","args":["a b"],"env":{"K":"${KEY_OF_IT}!"}},"a":{"type":"http","url":"http://localhost/x","headers":{"A":"$NONE"}}}`)
	w.ask("go")
	var opened struct {
		CWD        string          `json:"cwd"`
		MCPServers json.RawMessage `json:"mcpServers"`
	}
	if err := json.Unmarshal(fakeagent.Turns(t, w.program)[0].Body, &opened); err != nil {
		t.Fatal(err)
	}
	var got, want any
	_ = json.Unmarshal(opened.MCPServers, &got)
	path, _ := json.Marshal(tool)
	_ = json.Unmarshal([]byte(`[{"type":"http","name":"a","url":"http://localhost/x","headers":[{"name":"A","value":""}]},
		{"name":"b","command":`+string(path)+`,"args":["a b"],"env":[{"name":"K","value":"k1!"}]}]`), &want)
	if g, _ := json.Marshal(got); string(g) != string(marshal(t, want)) || opened.CWD != w.request.WorkDir {
		t.Errorf("got %s in %s, want %s", g, opened.CWD, marshal(t, want))
	}
	if !strings.Contains(w.notes.String(), "the variable NONE, which is not set") {
		t.Errorf("notes %q", w.notes.String())
	}
}

func TestMCPServersThatCannotBeUsed(t *testing.T) {
	for option, want := range map[string]string{
		`{"a":{"url":"http://localhost/"}}`:              "does not support servers of type `http`",
		`{"a":{"type":"sse","url":"http://localhost/"}}`: "does not support servers of type `sse`",
		`{"a":{"command":"no-such-server"}}`:             "the MCP server `a`: cannot start `no-such-server`",
		`{"a":{}}`:                                       "the MCP server `a`: it needs",
	} {
		w := newWorld(t, fakeagent.Behaviour{Text: "x"})
		setOption(w.request, "mcp", option)
		if _, err := w.turn(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", option, err)
		}
	}
}

func TestChoices(t *testing.T) {
	for want, c := range map[string]settings.Agent{
		"missing program":           {Name: "x", Kind: "acp"},
		"unknown permission `most`": {Name: "x", Kind: "acp", Program: "y", Permission: "most"},
	} {
		if _, err := acp.Kind().Open(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	kind, ok := catalog.KindNamed(acp.Kind().Name)
	if !ok {
		t.Fatal("the kind is not in the catalog")
	}
	for _, name := range kind.Permissions {
		if _, err := acp.New(settings.Agent{Name: "x", Kind: "acp", Program: "y", Permission: name}); err != nil {
			t.Error(err)
		}
	}
	a, _ := acp.New(settings.Agent{Name: "x", Kind: "acp", Program: "y"})
	if got := strings.Join(a.Capabilities().Options, " "); got != strings.Join(kind.Options, " ") {
		t.Errorf("the agent takes %s, and the catalog says %v", got, kind.Options)
	}
	for _, known := range catalog.Agents() {
		if known.Kind != "acp" {
			continue
		}
		if _, err := acp.New(settings.Agent{Name: known.Name, Kind: "acp"}); err != nil || known.Install == "" {
			t.Errorf("%s: %v, installed by %q", known.Name, err, known.Install)
		}
	}
}
