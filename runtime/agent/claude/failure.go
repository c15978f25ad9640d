package claude

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
)

// signIn is what to do when there is no account.
const signIn = "sign in with `claude auth login`, or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN"

// causes are the causes by the names in events.
var causes = map[string]stream.Cause{
	"authentication_failed":  stream.Because(flow.ClassFatal, failures.ReasonAgent, signIn),
	"oauth_org_not_allowed":  stream.Because(flow.ClassFatal, failures.ReasonAgent, signIn),
	"cloud_credential_error": stream.Because(flow.ClassFatal, failures.ReasonAgent, "renew the credentials of the cloud that serves the model"),
	"account_on_hold":        stream.Because(flow.ClassFatal, failures.ReasonAgent, ""),
	"billing_error":          stream.Because(flow.ClassFatal, failures.ReasonCredit, ""),
	"model_not_found":        stream.Because(flow.ClassFatal, failures.ReasonAgent, "name another model"),
	"invalid_request":        stream.Because(flow.ClassFatal, failures.ReasonAgent, ""),
	"max_output_tokens":      stream.Because(flow.ClassUnknown, failures.ReasonAgent, ""),
	"rate_limit":             stream.Because(flow.ClassTransient, failures.ReasonQuota, ""),
	"overloaded":             stream.Because(flow.ClassTransient, failures.ReasonAgent, ""),
	"server_error":           stream.Because(flow.ClassTransient, failures.ReasonAgent, ""),
}

// turnFailure returns why the turn failed by its result, or nil; and reports denied requests.
func (t *turn) turnFailure(exit int, permission string) error {
	t.warnOfDenials(permission)
	r := t.result
	if !r.IsError && r.Subtype == "success" {
		return nil
	}
	words := t.failureText()
	fail := func(c stream.Cause, format string, args ...any) error {
		return c.Fail(t.request, exit, format, args...)
	}
	switch r.Subtype {
	case "error_max_budget_usd":
		return fail(stream.Because(flow.ClassFatal, failures.ReasonBudget, ""), "the turn reached its limit `maxBudgetUsd`: it cost %s", plain.Dollars(t.meta.CostUSD))
	case "error_max_turns":
		return fail(stream.Because(flow.ClassFatal, failures.ReasonAgent, ""), "it reached the maximum of %d turns that its arguments set", t.meta.Turns)
	case "error_max_structured_output_retries":
		return fail(stream.Because(flow.ClassUnknown, failures.ReasonOutput, ""), "it gave no answer that satisfies the schema, even after retries%s", afterColon(words))
	}
	if strings.Contains(words, "No conversation found") {
		return stream.Gone(t.request, exit)
	}
	s := t.failureCause(words)
	words = cmp.Or(words, "it failed without a message ("+r.Subtype+")")
	return fail(s, "%s", words)
}

func afterColon(words string) string {
	if words == "" {
		return ""
	}
	return ": " + words
}

const (
	// longestWords is how many characters of a failure's message are shown, and
	// longestInput of a tool's input.
	longestWords = 2000
	longestInput = 80
)

// failureText are what the program says of its failure.
func (t *turn) failureText() string {
	text := strings.TrimSpace(strings.Join(t.result.Errors, "; "))
	if text == "" {
		text = strings.TrimSpace(t.result.Text)
	}
	if text == "" && t.kind != "" {
		text = strings.TrimSpace(t.last)
	}
	return t.output.Quote(text, longestWords)
}

// failureCause returns the cause of a failure: by the name in the event, else by the
// status, else by the words.
func (t *turn) failureCause(words string) stream.Cause {
	if failures.ReachesLimit(words) {
		s := stream.Because(flow.ClassFatal, failures.ReasonQuota, "resume the run when the limit is reset")
		if s.Reset = t.resets; !t.resets.IsZero() {
			s.Hint += ", at " + t.resets.UTC().Format(time.RFC3339)
		}
		return s
	}
	lower := strings.ToLower(words)
	if s, ok := causes[t.kind]; ok {
		if s.Reason == failures.ReasonQuota {
			s.Reset = t.resets
		}
		return s
	}
	switch status := t.result.Status; {
	case status == 401 || status == 403:
		return causes["authentication_failed"]
	case status == 402:
		return causes["billing_error"]
	case status == 404:
		return causes["model_not_found"]
	case status == 429:
		return causes["rate_limit"]
	case status >= 500:
		return causes["server_error"]
	}
	switch {
	case strings.Contains(lower, "/login"), strings.Contains(lower, "invalid api key"), strings.Contains(lower, "not logged in"):
		return causes["authentication_failed"]
	case strings.Contains(lower, "credit balance"):
		return causes["billing_error"]
	}
	return stream.Because(failures.ClassifyText(words), failures.ReasonAgent, "")
}

// warnOfDenials warns of denied actions. The denials of hooks are not a matter of
// permissions.
func (t *turn) warnOfDenials(permission string) {
	var refused, hooked []string
	for _, d := range t.result.Denials {
		what := fmt.Sprintf("%s %s", d.Tool, t.output.Quote(string(d.Input), longestInput))
		if t.hooked[d.ID] {
			hooked = append(hooked, what)
			continue
		}
		refused = append(refused, what)
	}
	if len(refused) > 0 {
		t.output.Warn("it was not allowed to use %s. %s", stream.Some(refused), program.Allow(t.request.Agent, permission, "name the tools under `allowed_tools`"))
	}
	if len(hooked) > 0 {
		t.output.Warn("a hook did not let it use %s", stream.Some(hooked))
	}
}
