package codex_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/agent/codex"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/settings"
)

var answers = fakeagent.Behaviour{
	Text: "Hi there, all is well.", Session: "0199a213-0000-7800-8aa1-000000000001", InputTokens: 3_000_000, OutputTokens: 100_000,
}

func TestAnswer(t *testing.T) {
	path := fakeagent.Program(t, "codex", answers)
	c := converse(t, path)
	c.request.Model = "gpt-5.1-codex-2026-01-31"
	c.request.Files = []string{"a.md"}
	reply, err := c.ask()
	if err != nil {
		t.Fatal(err)
	}
	want := flow.Meta{CostUSD: 4.75, InputTokens: 3_000_000, OutputTokens: 100_000, Turns: 1, Session: answers.Session, Model: "gpt-5.1-codex-2026-01-31"}
	if reply.Text != answers.Text || reply.Structured != nil || reply.Meta != want || c.spent != want {
		t.Errorf("got %+v, spent %+v", reply, c.spent)
	}
	if c.output != answers.Text || !strings.Contains(c.notes, "runs bash -lc ls\n") {
		t.Errorf("said %q, notes %q", c.output, c.notes)
	}
	if turn := fakeagent.Turns(t, path)[0]; turn.Prompt != "Files to read first: a.md\n\nsay hi" || turn.Session != "" {
		t.Errorf("turn %+v", turn)
	}
}

func TestPrices(t *testing.T) {
	for _, test := range []struct {
		model string
		price *settings.Price
		want  float64
	}{
		{"gpt-5.1-codex", nil, 4.75},
		{"gpt-5.5", nil, 18},
		{"gpt-6.1-sol", nil, 7},
		{"gpt-5.5-of-mine", nil, 0},
		{"", nil, 0},
		{"mine", &settings.Price{Input: 1, Output: 10}, 4},
		{"gpt-5.5", &settings.Price{Input: 1, Output: 10}, 4},
	} {
		c := converse(t, fakeagent.Program(t, "codex", answers))
		c.request.Model, c.choice.Price = test.model, test.price
		if reply, err := c.ask(); err != nil || reply.Meta.CostUSD != test.want || reply.Meta.InputTokens != 3_000_000 {
			t.Errorf("%+v: %+v, %v", test, reply, err)
		}
	}
}

func TestCachedTokens(t *testing.T) {
	for _, test := range []struct {
		price settings.Price
		want  float64
	}{{settings.Price{Input: 10, CachedInput: 1, Output: 100}, 10*.6 + .4 + 100}, {settings.Price{Input: 10, Output: 100}, 110}} {
		c := converse(t, prints(t, "0", begin, `{"type":"turn.completed","usage":{"input_tokens":1000000,"cached_input_tokens":400000,"output_tokens":1000000}}`))
		c.choice.Price = &test.price
		if reply, err := c.ask(); err != nil || reply.Meta.CostUSD != test.want {
			t.Errorf("%+v: %+v, %v", test, reply, err)
		}
	}
}

// The program counts the tokens of a session; a turn's are the difference.
func TestTokensOfASession(t *testing.T) {
	b := answers
	c := converse(t, fakeagent.Program(t, "codex", b))
	if _, err := c.ask(); err != nil {
		t.Fatal(err)
	}
	b.InputTokens, b.OutputTokens = 3_000_010, 100_001
	second := converse(t, fakeagent.Program(t, "codex", b))
	second.request.RunDir, second.request.Session = c.request.RunDir, answers.Session
	reply, err := second.ask()
	if err != nil || reply.Meta.InputTokens != 10 || reply.Meta.OutputTokens != 1 {
		t.Errorf("got %+v, %v", reply, err)
	}
	// Of a session that another run began, nobody knows.
	other := converse(t, fakeagent.Program(t, "codex", b))
	other.request.Session = answers.Session
	reply, err = other.ask()
	if err != nil || reply.Meta.InputTokens != 0 || !strings.Contains(other.warnings, "the tokens of this turn are unknown") {
		t.Errorf("got %+v, %v; notes %q", reply, err, other.notes)
	}
	// From then on, somebody does.
	reply, err = other.ask()
	if err != nil || reply.Meta.Turns != 1 || reply.Meta.InputTokens != 0 {
		t.Errorf("got %+v, %v", reply, err)
	}
}

// What the agent does is seen before it ends, and its session is known.
func TestOutputComesAtOnce(t *testing.T) {
	b := answers
	b.Fault = fakeagent.Stalled
	c := converse(t, fakeagent.Program(t, "codex", b))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c.request.Notes = func(piece []byte) {
		c.notes += string(piece)
		cancel()
	}
	reply, err := c.askIn(ctx)
	if !errors.Is(err, context.Canceled) || c.notes != "runs bash -lc ls\n" {
		t.Errorf("notes %q: %v", c.notes, err)
	}
	if reply == nil || reply.Meta.Session != answers.Session || c.spent.Session != answers.Session {
		t.Errorf("reply %+v, spent %+v", reply, c.spent)
	}
}

func TestMessages(t *testing.T) {
	message := func(kind, id, text string) string {
		m, _ := json.Marshal(map[string]any{"type": kind, "item": map[string]string{"id": id, "type": "agent_message", "text": text}})
		return string(m)
	}
	c := converse(t, prints(t, "0", begin, message("item.completed", "a", "First."), message("item.started", "b", ""), message("item.updated", "b", "Sec"),
		message("item.updated", "b", "Second"), message("item.completed", "b", "Second."), `{"type":"turn.completed","usage":{}}`))
	reply, err := c.ask()
	if err != nil || reply.Text != "Second." || c.output != "First.\nSecond." || len(c.pieces) != 5 {
		t.Errorf("got %+v, %v; said %q", reply, err, c.pieces)
	}
}

func TestSchema(t *testing.T) {
	for name, test := range map[string]struct{ schema, given, answer, want string }{
		"strict already": {`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`,
			`{"additionalProperties":false,"properties":{"a":{"type":"string"}},"required":["a"],"type":"object"}`, `{"a":"x"}`, `{"a":"x"}`},
		"optional keys": {`{"type":"object","properties":{"b":{"type":"string","enum":["x"]},"a":{"type":["integer","null"]},"c":{"$ref":"#/$defs/c"}},"$defs":{"c":{"type":"object","properties":{"d":{"type":"number"}}}}}`,
			`{"$defs":{"c":{"additionalProperties":false,"properties":{"d":{"type":["number","null"]}},"required":["d"],"type":"object"}},"additionalProperties":false,` +
				`"properties":{"a":{"type":["integer","null"]},"b":{"enum":["x",null],"type":["string","null"]},"c":{"anyOf":[{"$ref":"#/$defs/c"},{"type":"null"}]}},"required":["a","b","c"],"type":"object"}`,
			`{"c":{"d":null},"b":null,"a":null}`, `{"c":{},"a":null}`},
		"a list of objects": {`{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},"b":{"const":1}},"required":["a"]}}`,
			`{"additionalProperties":false,"properties":{"value":{"items":{"additionalProperties":false,"properties":{"a":{"type":"string"},"b":{"anyOf":[{"const":1},{"type":"null"}]}},` +
				`"required":["a","b"],"type":"object"},"type":"array"}},"required":["value"],"type":"object"}`,
			`[{"b":null,"a":"x"},{"a":"null","b":1}]`, `[{"a":"x"},{"a":"null","b":1}]`},
	} {
		b := answers
		b.Structured = json.RawMessage(test.answer)
		path := fakeagent.Program(t, "codex", b)
		c := converse(t, path)
		c.request.Schema = json.RawMessage(test.schema)
		reply, err := c.ask()
		if err != nil || string(reply.Structured) != test.want {
			t.Errorf("%s: got %s, %v", name, reply.Structured, err)
			continue
		}
		if got := string(fakeagent.Turns(t, path)[0].Schema); got != test.given {
			t.Errorf("%s: the schema was\n%s", name, got)
		}
		if r := c.perform(0, 0); r.Status != flow.Completed || r.Text != test.want {
			t.Errorf("%s: performed %+v %v", name, r, r.Failure)
		}
	}
}

func TestSessions(t *testing.T) {
	path := fakeagent.Program(t, "codex", answers)
	c := converse(t, path)
	c.request.Schema = json.RawMessage(`{"type":"object"}`)
	for _, test := range []struct {
		session string
		fresh   bool
		want    string
	}{{"s-1", false, "s-1"}, {"s-1", true, ""}} {
		c.request.Session, c.request.FreshSession = test.session, test.fresh
		_, err := c.ask()
		turns := fakeagent.Turns(t, path)
		if got := turns[len(turns)-1].Session; err != nil || got != test.want {
			t.Errorf("%+v: continued %q, %v", test, got, err)
		}
	}
	c.request.Session, c.request.FreshSession = "--last", false
	_, err := c.ask()
	wantFailure(t, err, flow.ClassFatal, failures.ReasonAgent, "`--last` cannot be a session")
}

// A session keeps the system prompt that it began with, so another one comes with
// the prompt, once.
func TestSystemPromptOfAContinuedTurn(t *testing.T) {
	path := fakeagent.Program(t, "codex", answers)
	c := converse(t, path)
	const terse = "--- SYSTEM PROMPT ---\nbe terse\n--- END OF SYSTEM PROMPT ---\n\nsay hi"
	for i, test := range []struct{ system, prompt string }{
		{"", "say hi"}, {"be terse", terse}, {"be terse", "say hi"}, {"", "say hi"}, {"be terse", "say hi"},
		{"be kind", strings.ReplaceAll(terse, "terse", "kind")}, {"be terse", terse},
	} {
		c.request.Options = []flow.Option{{Name: "systemPrompt", Value: `"` + test.system + `"`}}
		reply, err := c.ask()
		if err != nil {
			t.Fatal(err)
		}
		turns := fakeagent.Turns(t, path)
		if got := turns[len(turns)-1]; got.Prompt != test.prompt || got.System != test.system {
			t.Errorf("turn %d: the prompt is %q", i+1, got.Prompt)
		}
		c.request.Session = reply.Meta.Session
	}
	c.request.FreshSession = true
	if _, err := c.ask(); err != nil || fakeagent.Turns(t, path)[7].Prompt != "say hi" {
		t.Errorf("a fresh session: %v", err)
	}
}

// A session that is gone is an error, unless the step only goes on with that of
// the last run; also when the program begins another one by itself.
func TestASessionThatIsGone(t *testing.T) {
	for name, lost := range map[string]string{
		"said so":       `echo 'Error: thread/resume: thread/resume failed: no rollout found for thread id s-1 (code -32600)' >&2; exit 1`,
		"began another": `echo '{"type":"thread.started","thread_id":"s-9"}'; sleep 1000`,
	} {
		path := script(t, `case "$*" in *resume*) `+lost+`;; esac
echo '{"type":"thread.started","thread_id":"s-2"}'
echo '{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"anew"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":2}}'`)
		c := converse(t, path)
		c.request.Session = "s-1"
		_, err := c.ask()
		wantFailure(t, err, flow.ClassFatal, failures.ReasonAgent, "agent `codex`: its session `s-1` no longer exists")

		c.request.Persist = true
		reply, err := c.ask()
		if err != nil || reply.Text != "anew" || reply.Meta.Session != "s-2" || reply.Meta.OutputTokens != 2 {
			t.Errorf("%s: got %+v, %v", name, reply, err)
		}
		if !strings.Contains(c.warnings, "the session s-1 of the last run is gone; a new one starts") {
			t.Errorf("%s: notes %q", name, c.notes)
		}
	}
}

func TestPermissionsThatAreNone(t *testing.T) {
	_, err := codex.Kind().Open(settings.Agent{Name: "codex", Permission: "root"})
	if err == nil || err.Error() != "unknown permission `root`: use one of `safe`, `edit`, `all`" {
		t.Errorf("got %v", err)
	}
}
