package codex_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
)

func TestFaults(t *testing.T) {
	for fault, want := range map[fakeagent.Fault]struct {
		class  flow.Class
		reason string
		words  []string
	}{
		fakeagent.Killed:      {flow.ClassUnknown, "signal", []string{"agent `codex`: the program `", "was ended by SIGKILL"}},
		fakeagent.Garbled:     {flow.ClassUnknown, "output", []string{"printed something that cannot be read: it is not valid JSON: {\"type\":\"item.completed\",\"item\":<<<garbled>>>"}},
		fakeagent.Truncated:   {flow.ClassTransient, "agent", []string{"ended in the middle of its turn, without the event that ends one"}},
		fakeagent.RateLimited: {flow.ClassTransient, "quota", []string{"agent `codex`: exceeded retry limit, last status: 429 Too Many Requests"}},
		fakeagent.SignedOut:   {flow.ClassFatal, "agent", []string{"unexpected status 401 Unauthorized", "; sign in with `codex login`, or set CODEX_API_KEY"}},
	} {
		t.Run(string(fault), func(t *testing.T) {
			b := answers
			b.Fault = fault
			reply, err := converse(t, fakeagent.Program(t, "codex", b)).ask()
			wantFailure(t, err, want.class, want.reason, want.words...)
			if reply == nil || reply.Meta.Session != answers.Session {
				t.Errorf("reply %+v", reply)
			}
		})
	}
}

// The program knows no budget: a turn just costs what it costs, and says so.
func TestOverBudget(t *testing.T) {
	b := answers
	b.Fault = fakeagent.OverBudget
	c := converse(t, fakeagent.Program(t, "codex", b))
	c.request.Model = "gpt-5.5"
	if reply, err := c.ask(); err != nil || reply.Meta.CostUSD != 18 || c.spent.CostUSD != 18 {
		t.Errorf("got %+v, %v", reply, err)
	}
}

const begin = `{"type":"thread.started","thread_id":"s"}`

func failed(message string) string {
	return fmt.Sprintf(`{"type":"turn.failed","error":{"message":"%s"}}`, message)
}

func TestFailures(t *testing.T) {
	for _, test := range []struct {
		name   string
		exit   string
		lines  []string
		class  flow.Class
		reason string
		want   string
	}{
		{"a plan's limit", "1", []string{failed("You've hit your usage limit. Try again at 3pm.")}, flow.ClassFatal, "quota", "agent `codex`: You've hit your usage limit. Try again at 3pm.; resume the run when"},
		{"quota", "1", []string{failed("Quota exceeded. Check your plan and billing details.")}, flow.ClassFatal, "credit", "Quota exceeded"},
		{"tokens", "1", []string{failed("Your access token could not be refreshed because your refresh token was already used.")}, flow.ClassFatal, "agent", "sign in with"},
		{"disconnected", "1", []string{failed("stream disconnected before completion: x")}, flow.ClassTransient, "agent", "stream disconnected"},
		{"capacity", "1", []string{failed("Selected model is at capacity. Please try a different model.")}, flow.ClassTransient, "agent", "at capacity"},
		{"model", "1", []string{failed("The 'x' model is not supported when using Codex with a ChatGPT account.")}, flow.ClassFatal, "agent", "not supported"},
		{"without words", "1", []string{failed("")}, flow.ClassUnknown, "agent", "the turn failed without a message"},
		{"only an error", "1", []string{`{"type":"error","message":"unexpected status 503 Service Unavailable"}`}, flow.ClassTransient, "agent", "agent `codex`: unexpected status 503"},
		{"an error and exit 0", "0", []string{`{"type":"error","message":"Not logged in"}`}, flow.ClassFatal, "agent", "sign in with"},
		{"exit code", "3", []string{`{"type":"turn.started"}`}, flow.ClassUnknown, "exit", "failed in the middle of its turn [exit 3]"},
		{"a secret", "1", []string{failed("no secret-value")}, flow.ClassUnknown, "agent", ": no ***"},
		{"no session", "0", []string{`{"type":"thread.started"}`}, flow.ClassUnknown, "output", "it is an event `thread.started` without `thread_id`"},
		{"no item", "0", []string{`{"type":"item.completed","item":{}}`}, flow.ClassUnknown, "output", "without `item.type`"},
		{"no error", "0", []string{`{"type":"turn.failed"}`}, flow.ClassUnknown, "output", "without `error`"},
		{"an item of another shape", "0", []string{`{"type":"item.completed","item":{"type":"agent_message","text":1}}`}, flow.ClassUnknown, "output", "`item.text` is a number"},
		{"no type", "0", []string{`{"x":1}`}, flow.ClassUnknown, "output", "it has no `type`"},
		{"no event", "0", []string{`Hello there`}, flow.ClassUnknown, "output", "it is not a JSON object, and the event that ends a turn is missing: Hello there"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := converse(t, prints(t, test.exit, append([]string{begin}, test.lines...)...))
			c.request.Environ = append(c.request.Environ, "MY_TOKEN=secret-value")
			_, err := c.ask()
			wantFailure(t, err, test.class, test.reason, test.want)
		})
	}
}

// What is not known is passed over; what may interest people is noted.
func TestNotes(t *testing.T) {
	c := converse(t, prints(t, "0", "a warning", begin, `{"type":"new","item":3}`, `{"type":"item.completed","item":{"type":"new","text":"x"}}`,
		`{"type":"item.completed","item":{"id":"1","type":"file_change","status":"completed","changes":[{"path":"a.go","kind":"add"},{"path":"b.go","kind":"update"}]}}`,
		`{"type":"item.started","item":{"id":"2","type":"mcp_tool_call","server":"s","tool":"t","arguments":{}}}`,
		`{"type":"item.completed","item":{"id":"2","type":"mcp_tool_call","server":"s","tool":"t","error":{"message":"no"}}}`,
		`{"type":"item.completed","item":{"id":"3","type":"web_search","query":"q"}}`,
		`{"type":"item.completed","item":{"id":"4","type":"error","message":"old model"}}`,
		`{"type":"error","message":"Reconnecting... 1/5"}`,
		`{"type":"item.completed","item":{"id":"5","type":"agent_message","text":"done"}}`, `{"type":"turn.completed"}`))
	var calls []string
	c.request.ToolCall = func(call agent.ToolCall) { calls = append(calls, fmt.Sprint(call.Name, " ", call.Failed)) }
	reply, err := c.ask()
	if err != nil || reply.Text != "done" {
		t.Errorf("got %+v, %v", reply, err)
	}
	if want := []string{"apply_patch false", "s.t true", "web_search false"}; !slices.Equal(calls, want) {
		t.Errorf("calls of tools: %q, want %q", calls, want)
	}
	if want := "a warning\nchanged a.go, b.go\nuses t of s\nt of s failed: no\nsearches the web for q\nold model\nReconnecting... 1/5\n"; c.notes != want {
		t.Errorf("notes %q", c.notes)
	}
}

func TestDenials(t *testing.T) {
	lines := []string{begin,
		`{"type":"item.completed","item":{"id":"1","type":"file_change","status":"failed","changes":[{"path":"a.go","kind":"add"}]}}`,
		`{"type":"item.completed","item":{"id":"2","type":"command_execution","command":["rm","x"],"status":"declined"}}`,
		`{"type":"item.completed","item":{"id":"3","type":"command_execution","command":"touch b","status":"failed","aggregated_output":"touch: b: Read-only file system"}}`,
		`{"type":"item.completed","item":{"id":"4","type":"command_execution","command":"false","status":"failed","aggregated_output":""}}`,
		`{"type":"item.completed","item":{"id":"5","type":"agent_message","text":"I may not."}}`, `{"type":"turn.completed","usage":{}}`}
	for permission, want := range map[string]string{
		"safe": "it was not allowed to change a.go, run [\"rm\",\"x\"], run touch b. Set `permission: edit` or `permission: all` of agent `codex` in wfc.yaml\n",
		"edit": "it was not allowed to run [\"rm\",\"x\"]. Set `permission: all` of agent `codex` in wfc.yaml\n",
	} {
		c := converse(t, prints(t, "0", lines...))
		c.choice.Permission = permission
		reply, err := c.ask()
		if err != nil || reply.Text != "I may not." || !strings.Contains(c.warnings, want) {
			t.Errorf("%s: %+v, %v, notes %q", permission, reply, err, c.notes)
		}
	}
}

func TestBeforeTheProgram(t *testing.T) {
	c := converse(t, filepath.Join(t.TempDir(), "none"))
	_, err := c.ask()
	wantFailure(t, err, flow.ClassFatal, "start", "agent `codex`: the program `", "does not exist; install it with `npm install -g @openai/codex`")

	b := answers
	b.Version = "0.46.0"
	c = converse(t, fakeagent.Program(t, "codex", b))
	_, err = c.ask()
	wantFailure(t, err, flow.ClassFatal, "start", "is version 0.46.0, and wfc needs 0.100.0 or newer; update it with `npm install -g @openai/codex`")

	c = converse(t, fakeagent.Program(t, "codex", answers))
	c.choice.Args = []string{"--nonsense"}
	_, err = c.ask()
	wantFailure(t, err, flow.ClassFatal, "exit", "refuses the arguments of wfc", "[exit 2]: error: unexpected argument '--nonsense' found")
}

// A performer sees an answer as that of any other agent.
func TestPerformed(t *testing.T) {
	b := answers
	b.Fault, b.Times = fakeagent.RateLimited, 1
	c := converse(t, fakeagent.Program(t, "codex", b))
	if r := c.perform(0, 0); r.Status != flow.Failed || r.Failure.Class != flow.ClassTransient || r.Failure.Reason != failures.ReasonQuota {
		t.Errorf("got %+v %v", r, r.Failure)
	}
	if r := c.perform(0, 0); r.Status != flow.Completed || r.Text != answers.Text || r.Meta.OutputTokens != 100_000 {
		t.Errorf("got %+v %v", r, r.Failure)
	}
}
