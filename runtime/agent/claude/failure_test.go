package claude_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
)

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestFaults(t *testing.T) {
	for fault, want := range map[fakeagent.Fault]struct {
		class  flow.Class
		reason string
		words  []string
	}{
		fakeagent.Killed:      {flow.ClassUnknown, "signal", []string{"agent `claude`: the program `", "was ended by SIGKILL"}},
		fakeagent.Garbled:     {flow.ClassUnknown, "output", []string{"printed something that cannot be read: it is not valid JSON: {\"type\":\"assistant\",\"message\":<<<garbled>>>"}},
		fakeagent.Truncated:   {flow.ClassTransient, "agent", []string{"ended in the middle of its turn, without the event that ends one"}},
		fakeagent.RateLimited: {flow.ClassTransient, "quota", []string{"agent `claude`: API Error: 429 rate limit exceeded"}},
		fakeagent.OverBudget:  {flow.ClassFatal, "budget", []string{"the turn reached its limit `maxBudgetUsd`: it cost $0.25"}},
		fakeagent.SignedOut:   {flow.ClassFatal, "agent", []string{"Invalid API key · Please run /login; sign in with `claude auth login`, or set ANTHROPIC_API_KEY"}},
	} {
		t.Run(string(fault), func(t *testing.T) {
			b := answers
			b.Fault = fault
			reply, err := converse(t, fakeagent.Program(t, "claude", b)).ask()
			wantFailure(t, err, want.class, want.reason, want.words...)
			if reply == nil || reply.Meta.Session != answers.Session {
				t.Errorf("reply %+v", reply)
			}
			if fault == fakeagent.OverBudget && reply.Meta.CostUSD != 0.25 {
				t.Errorf("the cost is %v", reply.Meta.CostUSD)
			}
		})
	}
}

const begin = `{"type":"system","subtype":"init","session_id":"s","model":"m"}`

// result returns an event that ends a turn.
func result(subtype string, isError bool, more string) string {
	return fmt.Sprintf(`{"type":"result","subtype":"%s","is_error":%t,"session_id":"s","total_cost_usd":0.5,"num_turns":2%s}`, subtype, isError, more)
}

// refused returns the event of a service's error.
func refused(sort, text string) string {
	return fmt.Sprintf(`{"type":"assistant","error":"%s","message":{"id":"m","content":[{"type":"text","text":"%s"}]}}`, sort, text)
}

func TestFailures(t *testing.T) {
	for _, test := range []struct {
		name   string
		lines  []string
		class  flow.Class
		reason string
		want   string
	}{
		{"turns", []string{result("error_max_turns", true, "")}, flow.ClassFatal, "agent", "it reached the maximum of 2 turns"},
		{"schema", []string{result("error_max_structured_output_retries", true, `,"errors":["no a"]`)}, flow.ClassUnknown, "output", "no answer that satisfies the schema, even after retries: no a"},
		{"execution", []string{result("error_during_execution", true, `,"errors":["socket hang up","b"]`)}, flow.ClassTransient, "agent", "agent `claude`: socket hang up; b"},
		{"without words", []string{result("error_new", true, "")}, flow.ClassUnknown, "agent", "it failed without a message (error_new)"},
		{"overloaded", []string{refused("overloaded", "x"), result("success", true, `,"result":"it is busy"`)}, flow.ClassTransient, "agent", "it is busy"},
		{"status 529", []string{result("success", true, `,"result":"x","api_error_status":529`)}, flow.ClassTransient, "agent", ": x"},
		{"status 403", []string{result("success", true, `,"result":"x","api_error_status":403`)}, flow.ClassFatal, "agent", "sign in with"},
		{"status null", []string{result("success", true, `,"result":"x","api_error_status":null`)}, flow.ClassUnknown, "agent", ": x"},
		{"billing", []string{refused("billing_error", "x"), result("success", true, `,"result":"Credit balance is too low"`)}, flow.ClassFatal, "credit", "Credit balance is too low"},
		{"credit", []string{result("success", true, `,"result":"Credit balance is too low"`)}, flow.ClassFatal, "credit", "Credit balance is too low"},
		{"a plan's limit", []string{`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1790000000,"rateLimitType":"five_hour"}}`,
			refused("rate_limit", "x"), result("success", true, `,"result":"You've hit your limit · resets 3pm"`)}, flow.ClassFatal, "quota", "resume the run when the limit is reset, at 2026-09-21T14:13:20Z"},
		{"an error that passed before", []string{refused("overloaded", "x"), `{"type":"assistant","message":{"id":"n","content":[]}}`, result("success", true, `,"result":"it broke"`)}, flow.ClassUnknown, "agent", ": it broke"},
		{"a secret", []string{result("success", true, `,"result":"no secret-value"`)}, flow.ClassUnknown, "agent", ": no ***"},
		{"no message", []string{`{"type":"assistant"}`}, flow.ClassUnknown, "output", "it is an event `assistant` without `message.content`: {\"type\":\"assistant\"}"},
		{"a message of another shape", []string{`{"type":"assistant","message":{"content":"x"}}`}, flow.ClassUnknown, "output", "it is not a valid event `assistant`: `message.content` is a string"},
		{"a result of another shape", []string{`{"type":"result","subtype":"success","result":{}}`}, flow.ClassUnknown, "output", "`result` is a object"},
		{"no type", []string{`{"x":1}`}, flow.ClassUnknown, "output", "it has no `type`"},
		{"no event", []string{`Hello there`, `{"type":"new"}`}, flow.ClassUnknown, "exit", "failed in the middle of its turn [exit 1]: Hello there"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := converse(t, prints(t, "1", append([]string{begin}, test.lines...)...))
			c.request.Environ = append(c.request.Environ, "MY_TOKEN=secret-value")
			_, err := c.ask()
			wantFailure(t, err, test.class, test.reason, test.want)
		})
	}
}

// What is not known is passed over, and so are messages to people in between.
func TestWhatIsNotKnown(t *testing.T) {
	c := converse(t, prints(t, "0", "[SandboxDebug] on", begin, `{"type":"new","message":3}`, `{"type":"system","subtype":"new","model":7}`, "",
		`{"type":"assistant","message":{"id":"a","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"one"}],"usage":{"input_tokens":3,"cache_read_input_tokens":4,"output_tokens":1,"new":{}}}}`,
		`{"type":"assistant","parent_tool_use_id":"t","message":{"id":"b","content":[{"type":"text","text":"a helper"}],"usage":{"output_tokens":10}}}`,
		`{"type":"user","message":{"role":"user","content":"text"}}`,
		`{"type":"assistant","message":{"id":"c","content":[{"type":"text","text":"two"},{"type":"tool_use","name":"Bash","input":{"command":"ls"}}]}}`,
		result("success", false, `,"result":"two","usage":{"input_tokens":1,"output_tokens":5}`)))
	reply, err := c.ask()
	if err != nil || reply.Text != "two" || c.output != "one\ntwo" {
		t.Errorf("got %+v, %v; said %q", reply, err, c.output)
	}
	if want := (flow.Meta{CostUSD: 0.5, InputTokens: 7, OutputTokens: 11, Turns: 2, Session: "s", Model: "m"}); reply.Meta != want {
		t.Errorf("cost %+v", reply.Meta)
	}
	for _, want := range []string{"[SandboxDebug] on\n", "uses Bash {\"command\":\"ls\"}\n"} {
		if !strings.Contains(c.notes, want) {
			t.Errorf("notes %q", c.notes)
		}
	}
}

// The calls of tools are reported when they have ended, those of helpers too.
func TestToolCalls(t *testing.T) {
	c := converse(t, prints(t, "0", begin,
		`{"type":"assistant","message":{"id":"a","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}},{"type":"tool_use","id":"t2","name":"Read","input":{}},{"type":"tool_use","id":"t3","name":"Edit","input":{}}]}}`,
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"x"}]}}`,
		`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"no","is_error":true},{"type":"tool_result","tool_use_id":"unknown"}]}}`,
		result("success", false, `,"result":"done"`)))
	var calls []string
	c.request.ToolCall = func(call agent.ToolCall) {
		if calls = append(calls, fmt.Sprint(call.Name, " ", call.Failed)); call.Begun.IsZero() || call.Took < 0 {
			t.Errorf("%+v", call)
		}
	}
	if _, err := c.ask(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"Read false", "Bash true"}; !slices.Equal(calls, want) {
		t.Errorf("calls of tools: %q, want %q", calls, want)
	}
}

// An answer that only the last event has is said then.
func TestOnlyAResult(t *testing.T) {
	c := converse(t, prints(t, "0", result("success", false, `,"result":"done"`)))
	if reply, err := c.ask(); err != nil || reply.Text != "done" || c.output != "done" {
		t.Errorf("got %+v, %v; said %q", reply, err, c.output)
	}
}

func TestTokensByModel(t *testing.T) {
	c := converse(t, prints(t, "0", begin, result("success", false, `,"result":"x","usage":{"input_tokens":1},"modelUsage":{"a":{"inputTokens":10,"outputTokens":2,"cacheReadInputTokens":5,"cacheCreationInputTokens":1},"b":{"inputTokens":100}}`)))
	reply, err := c.ask()
	if err != nil || reply.Meta.InputTokens != 116 || reply.Meta.OutputTokens != 2 {
		t.Errorf("got %+v, %v", reply, err)
	}
}

func TestDenials(t *testing.T) {
	denied := result("success", false, `,"result":"I may not.","permission_denials":[{"tool_name":"Bash","tool_input":{"command":"rm x"}},{"tool_name":"Edit","tool_input":{}}]`)
	for permission, want := range map[string]string{
		"safe": `it was not allowed to use Bash {"command":"rm x"}, Edit {}. Set ` + "`permission: edit` or `permission: all` of agent `claude` in wfc.yaml, or name the tools under `allowed_tools`\n",
		"edit": "Set `permission: all` of agent `claude` in wfc.yaml, or name the tools",
		"all":  "Its own settings deny it, or name the tools",
	} {
		c := converse(t, prints(t, "0", begin, denied))
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
	wantFailure(t, err, flow.ClassFatal, "start", "agent `claude`: the program `", "does not exist; install it with `npm install -g @anthropic-ai/claude-code`")

	b := answers
	b.Version = "1.0.58"
	c = converse(t, fakeagent.Program(t, "claude", b))
	_, err = c.ask()
	wantFailure(t, err, flow.ClassFatal, "start", "is version 1.0.58, and wfc needs 2.1.0 or newer; update it with `npm install -g @anthropic-ai/claude-code`")

	c = converse(t, fakeagent.Program(t, "claude", answers))
	c.choice.Args = []string{"--nonsense"}
	_, err = c.ask()
	wantFailure(t, err, flow.ClassFatal, "exit", "refuses the arguments of wfc", "[exit 1]: error: unknown option '--nonsense'")

	c = converse(t, script(t, "echo 'cannot be used with root privileges' >&2; exit 1"))
	_, err = c.ask()
	wantFailure(t, err, flow.ClassUnknown, "exit", "failed before it began [exit 1]: cannot be used with root privileges")
}

// A performer sees an answer as that of any other agent.
func TestPerformed(t *testing.T) {
	c := converse(t, fakeagent.Program(t, "claude", answers))
	if r := c.perform(0, 0); r.Status != flow.Completed || r.Text != answers.Text || r.Meta.CostUSD != 0.25 {
		t.Errorf("got %+v %v", r, r.Failure)
	}
	b := answers
	b.Fault, b.Times = fakeagent.RateLimited, 1
	c = converse(t, fakeagent.Program(t, "claude", b))
	if r := c.perform(0, 0); r.Status != flow.Failed || r.Failure.Class != flow.ClassTransient || r.Failure.Reason != failures.ReasonQuota || r.Meta.CostUSD != 0.25 {
		t.Errorf("got %+v %v", r, r.Failure)
	}
	if r := c.perform(0, 0); r.Status != flow.Completed {
		t.Errorf("got %+v %v", r, r.Failure)
	}
}
