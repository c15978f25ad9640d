package claude_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
)

// A key that the service refuses fails the turn at once, although the program
// would ask for minutes.
func TestARefusedKeyFailsAtOnce(t *testing.T) {
	b := answers
	b.Fault = fakeagent.BadKey
	_, err := converse(t, fakeagent.Program(t, "claude", b)).ask()
	wantFailure(t, err, flow.ClassFatal, failures.ReasonAgent, "the service refuses its requests (status 401, authentication_failed); sign in with")
}

// What may pass is left to the program, and so is the first refusal of a key that
// it can get anew.
func TestRetries(t *testing.T) {
	retry := func(attempt, status int, kind string) string {
		return fmt.Sprintf(`{"type":"system","subtype":"api_retry","attempt":%d,"max_retries":10,"error_status":%d,"error":%q}`, attempt, status, kind)
	}
	from := func(source string) string {
		return fmt.Sprintf(`{"type":"system","subtype":"init","session_id":"s","model":"m","apiKeySource":%q}`, source)
	}
	done := result("success", false, `,"result":"done"`)
	for name, test := range map[string]struct {
		lines []string
		class flow.Class // "" when it succeeds
	}{
		"rate limit":     {[]string{begin, retry(1, 429, "rate_limit"), retry(2, 429, "rate_limit")}, ""},
		"overload":       {[]string{begin, retry(1, 529, "overloaded")}, ""},
		"a new sort":     {[]string{begin, retry(1, 418, "teapot")}, ""},
		"a key":          {[]string{from("ANTHROPIC_API_KEY"), retry(1, 401, "authentication_failed")}, flow.ClassFatal},
		"a model":        {[]string{begin, retry(1, 404, "model_not_found")}, flow.ClassFatal},
		"a bill":         {[]string{begin, retry(1, 402, "billing_error")}, flow.ClassFatal},
		"an account":     {[]string{from("none"), retry(1, 401, "authentication_failed")}, ""},
		"an old account": {[]string{from("none"), retry(1, 401, "authentication_failed"), retry(2, 401, "authentication_failed")}, flow.ClassFatal},
		"a script":       {[]string{from("apiKeyHelper"), retry(1, 401, "authentication_failed")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := "cat <<'END'\n" + strings.Join(test.lines, "\n") + "\nEND\n"
			if test.class != "" {
				text += "exec sleep 600" // it would ask again
			} else {
				text += "echo '" + done + "'"
			}
			c := converse(t, script(t, text))
			reply, err := c.ask()
			if test.class != "" {
				wantFailure(t, err, test.class, reasonOf(name), "the service refuses its requests")
			} else if err != nil || reply.Text != "done" {
				t.Errorf("got %+v, %v", reply, err)
			}
		})
	}
}

func reasonOf(name string) string {
	if name == "a bill" {
		return failures.ReasonCredit
	}
	return failures.ReasonAgent
}

// People are told of an option that changes nothing with the model.
func TestThinkingThatIsIgnored(t *testing.T) {
	for _, test := range []struct {
		model, option string
		told          bool
	}{
		{"claude-sonnet-5-5", `{"type":"disabled"}`, true}, {"claude-opus-5-5", `{"type":"enabled","budgetTokens":2048}`, true},
		{"claude-opus-5-5-20260901", `{"type":"disabled"}`, true}, {"claude-sonnet-5-5[1m]", `{"type":"disabled"}`, true},
		{"claude-sonnet-5-5", `{"type":"adaptive"}`, false}, {"claude-sonnet-5-5", `{"type":"enabled"}`, false},
		{"claude-haiku-4-5", `{"type":"disabled"}`, false}, {"claude-sonnet-4-6", `{"type":"enabled","budgetTokens":2048}`, false},
	} {
		b := answers
		b.Model, b.Helper = test.model, true
		c := converse(t, fakeagent.Program(t, "claude", b))
		c.request.Options = []flow.Option{{Name: "thinking", Value: test.option}}
		if _, err := c.ask(); err != nil {
			t.Fatal(err)
		}
		want := 0
		if test.told {
			want = 1
		}
		if n := strings.Count(c.warnings, "the option `thinking` has no effect: the model "+test.model); n != want {
			t.Errorf("%+v: warned of %q", test, c.warnings)
		}
	}
}

// What a hook denies is no matter of permissions; what has no permission is.
func TestDenialsOfHooks(t *testing.T) {
	for _, version := range []string{"2.1.197", "2.1.330"} {
		b := answers
		b.HookSays, b.Denied, b.Version = "not on Fridays", "Bash", version
		c := converse(t, fakeagent.Program(t, "claude", b))
		c.request.Options = []flow.Option{{Name: "hooks", Value: `{"PreToolUse":[{"matcher":"Write","response":{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"not on Fridays"}}}]}`}}
		if _, err := c.ask(); err != nil {
			t.Fatal(err)
		}
		want := "it was not allowed to use Bash {\"command\":\"make\"}. Set `permission: edit` or `permission: all` of agent `claude` in wfc.yaml, or name the tools under `allowed_tools`\n" +
			"a hook did not let it use Write {\"file_path\":\"hooked.txt\"}\n"
		if c.warnings != want {
			t.Errorf("%s: warned of %q, want %q", version, c.warnings, want)
		}
		b.Denied = ""
		c = converse(t, fakeagent.Program(t, "claude", b))
		c.request.Options = []flow.Option{{Name: "hooks", Value: `{"PreToolUse":[{"response":{"decision":"block","reason":"not on Fridays"}}]}`}}
		if _, err := c.ask(); err != nil || strings.Contains(c.warnings, "permission") {
			t.Errorf("%s: %v, warned of %q", version, err, c.warnings)
		}
	}
}
