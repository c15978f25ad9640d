package claude_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/agent/claude"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/settings"
)

var answers = fakeagent.Behaviour{
	Text: "Hi there, all is well.", Session: "5c9f0e0e-0000-4000-8000-000000000001", Model: "claude-fake-2",
	CostUSD: 0.25, InputTokens: 30, OutputTokens: 12,
}

func TestAnswer(t *testing.T) {
	path := fakeagent.Program(t, "claude", answers)
	c := converse(t, path)
	c.request.Files = []string{"docs/a.md", "b.md"}
	reply, err := c.ask()
	if err != nil {
		t.Fatal(err)
	}
	want := flow.Meta{CostUSD: 0.25, InputTokens: 30, OutputTokens: 12, Turns: 1, Session: answers.Session, Model: "claude-fake-2"}
	if reply.Text != answers.Text || reply.Structured != nil || reply.Meta != want {
		t.Errorf("got %+v", reply)
	}
	if c.output != answers.Text || len(c.pieces) != 3 {
		t.Errorf("said %q in pieces %q", c.output, c.pieces)
	}
	if c.spent != want {
		t.Errorf("spent %+v", c.spent)
	}
	turns := fakeagent.Turns(t, path)
	if len(turns) != 1 || turns[0].Prompt != "Files to read first: docs/a.md, b.md\n\nsay hi" || turns[0].Session != "" {
		t.Errorf("turns %+v", turns)
	}
	for _, entry := range []string{"WFC_RUN_ID=w-abc123", "WFC_STEP_KEY=fix#3"} {
		if !slices.Contains(turns[0].Environ, entry) {
			t.Errorf("%s is not in the environment", entry)
		}
	}
}

// What the agent says is seen before it ends, and its session is known.
func TestOutputComesAtOnce(t *testing.T) {
	b := answers
	b.Fault = fakeagent.Stalled
	c := converse(t, fakeagent.Program(t, "claude", b))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	say := c.request.Output
	c.request.Output = func(piece []byte) {
		say(piece)
		if len(piece) > 0 {
			cancel()
		}
	}
	reply, err := c.askIn(ctx)
	if !errors.Is(err, context.Canceled) || !strings.HasPrefix(answers.Text, c.output) || c.output == "" {
		t.Errorf("said %q: %v", c.output, err)
	}
	if reply == nil || reply.Meta.Session != answers.Session || c.spent.Session != answers.Session {
		t.Errorf("reply %+v, spent %+v", reply, c.spent)
	}
}

// The program does not refuse to start within a session of its own.
func TestInsideASession(t *testing.T) {
	path := fakeagent.Program(t, "claude", answers)
	c := converse(t, path)
	c.request.Environ = append(c.request.Environ, "CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli")
	if _, err := c.ask(); err != nil {
		t.Fatal(err)
	}
	for _, entry := range fakeagent.Turns(t, path)[0].Environ {
		if strings.HasPrefix(entry, "CLAUDECODE=") || strings.HasPrefix(entry, "CLAUDE_CODE_ENTRYPOINT=") {
			t.Errorf("%s is in the environment", entry)
		}
	}
}

func TestSchema(t *testing.T) {
	for name, test := range map[string]struct{ schema, given, answer, want string }{
		"an object": {`{"type":"object","properties":{"b":{},"a":{}}}`, `{"type":"object","properties":{"b":{},"a":{}}}`, `{"b":1,"a":"x"}`, `{"b":1,"a":"x"}`},
		"a list": {`{"$schema":"s","type":"array","items":{"$ref":"#/$defs/x"},"$defs":{"x":{"type":"string"}}}`,
			`{"type":"object","properties":{"value":{"type":"array","items":{"$ref":"#/$defs/x"}}},"required":["value"],"additionalProperties":false,"$defs":{"x":{"type":"string"}}}`,
			`["x","y"]`, `["x","y"]`},
		"no type":       {`{"properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}}}`, `{"a":1}`, `{"a":1}`},
		"only in words": {`{"type":"object"}`, `{"type":"object"}`, ``, `{"in":"words"}`},
	} {
		b := answers
		b.Text = "Here it is: {\"in\":\"words\"}"
		b.Structured = json.RawMessage(test.answer)
		if test.answer == "" {
			b.Structured = nil
		}
		path := fakeagent.Program(t, "claude", b)
		c := converse(t, path)
		c.request.Schema = json.RawMessage(test.schema)
		reply, err := c.ask()
		if err != nil || string(reply.Structured) != test.want {
			t.Errorf("%s: got %+v, %v", name, reply, err)
			continue
		}
		if got := string(fakeagent.Turns(t, path)[0].Schema); got != test.given {
			t.Errorf("%s: the schema was %s", name, got)
		}
	}
}

func TestSessions(t *testing.T) {
	path := fakeagent.Program(t, "claude", answers)
	c := converse(t, path)
	for _, test := range []struct {
		session string
		fresh   bool
		want    string
	}{{"s-1", false, "s-1"}, {"s-1", true, ""}, {"-p", false, "-p"}} {
		c.request.Session, c.request.FreshSession = test.session, test.fresh
		reply, err := c.ask()
		turns := fakeagent.Turns(t, path)
		if got := turns[len(turns)-1].Session; err != nil || got != test.want {
			t.Errorf("%+v: continued %q, %v", test, got, err)
		}
		// The session that goes on stays as it is; the turn has one of its own.
		if test.want != "" && (reply.Meta.Session == test.want || !strings.HasPrefix(reply.Meta.Session, test.want+"-f")) {
			t.Errorf("%+v: the session is %q", test, reply.Meta.Session)
		}
	}
}

// Each turn has the system prompt that it is asked with, also in a session that
// began with another one.
func TestSystemPromptOfAContinuedTurn(t *testing.T) {
	for _, version := range []string{"2.1.0", "2.1.197", "2.1.283", "2.1.330"} {
		b := answers
		b.Version = version
		path := fakeagent.Program(t, "claude", b)
		c := converse(t, path)
		for _, prompt := range []string{"be brief", "be verbose"} {
			c.request.Options = []flow.Option{{Name: "systemPrompt", Value: `"` + prompt + `"`}}
			reply, err := c.ask()
			if err != nil {
				t.Fatal(version, err)
			}
			turns := fakeagent.Turns(t, path)
			if got := turns[len(turns)-1].System; got != prompt {
				t.Errorf("%s: the system prompt is %q, want %q", version, got, prompt)
			}
			c.request.Session = reply.Meta.Session
		}
	}
}

const gone = `{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,"session_id":"s-1","errors":["No conversation found with session ID: s-1"]}`

// A session that is gone is an error, unless the step only goes on with that of
// the last run.
func TestASessionThatIsGone(t *testing.T) {
	path := script(t, `case "$*" in *--resume*) echo '`+gone+`'; exit 1;; esac
echo '{"type":"system","subtype":"init","session_id":"s-2","model":"m"}'
echo '{"type":"result","subtype":"success","is_error":false,"session_id":"s-2","result":"anew"}'`)
	c := converse(t, path)
	c.request.Session = "s-1"
	_, err := c.ask()
	wantFailure(t, err, flow.ClassFatal, failures.ReasonAgent, "agent `claude`: its session `s-1` no longer exists")

	c.request.Persist = true
	reply, err := c.ask()
	if err != nil || reply.Text != "anew" || reply.Meta.Session != "s-2" {
		t.Errorf("got %+v, %v", reply, err)
	}
	if !strings.Contains(c.warnings, "the session s-1 of the last run is gone; a new one starts") {
		t.Errorf("notes %q", c.notes)
	}
}

func TestPermissionsThatAreNone(t *testing.T) {
	_, err := claude.Kind().Open(settings.Agent{Name: "claude", Permission: "root"})
	if err == nil || err.Error() != "unknown permission `root`: use one of `safe`, `edit`, `all`" {
		t.Errorf("got %v", err)
	}
}
