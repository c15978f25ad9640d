package claude

import (
	"fmt"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/program"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
)

// signIn is what to do when there is no account.
const signIn = "sign in with `claude auth login`, or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN"

// A sort is what a sort of the service's errors means.
type sort struct {
	class  flow.Class
	reason string
	// hint says what to do, or "".
	hint string
}

// sorts are the sorts of errors that events name.
var sorts = map[string]sort{
	"authentication_failed":  {flow.ClassFatal, agent.ReasonAgent, signIn},
	"oauth_org_not_allowed":  {flow.ClassFatal, agent.ReasonAgent, signIn},
	"cloud_credential_error": {flow.ClassFatal, agent.ReasonAgent, "renew the credentials of the cloud that serves the model"},
	"account_on_hold":        {flow.ClassFatal, agent.ReasonAgent, ""},
	"billing_error":          {flow.ClassFatal, agent.ReasonCredit, ""},
	"model_not_found":        {flow.ClassFatal, agent.ReasonAgent, "name another model"},
	"invalid_request":        {flow.ClassFatal, agent.ReasonAgent, ""},
	"max_output_tokens":      {flow.ClassUnknown, agent.ReasonAgent, ""},
	"rate_limit":             {flow.ClassTransient, agent.ReasonAgent, ""},
	"overloaded":             {flow.ClassTransient, agent.ReasonAgent, ""},
	"server_error":           {flow.ClassTransient, agent.ReasonAgent, ""},
}

// failure returns why the turn failed by its result, or nil; and says what it
// was not allowed to do.
func (t *turn) failure(exit int, permission string) error {
	t.denials(permission)
	r := t.result
	if !r.IsError && r.Subtype == "success" {
		return nil
	}
	words := t.words()
	fail := func(s sort, format string, args ...any) error { return t.fail(s, exit, format, args...) }
	switch r.Subtype {
	case "error_max_budget_usd":
		return fail(sort{flow.ClassFatal, agent.ReasonBudget, ""}, "the turn cost %.4f dollars and was ended: that is what `maxBudgetUsd` lets it cost", t.meta.CostUSD)
	case "error_max_turns":
		return fail(sort{flow.ClassFatal, agent.ReasonAgent, ""}, "it was ended after %d turns, the most that its arguments allow", t.meta.Turns)
	case "error_max_structured_output_retries":
		return fail(sort{flow.ClassUnknown, agent.ReasonOutput, ""}, "it gave no answer that satisfies the schema, however often it was asked%s", after(words))
	}
	if strings.Contains(words, "No conversation found") {
		return stream.Gone(t.request, exit)
	}
	s := t.sort(words)
	if words == "" {
		words = "it failed without a word (" + r.Subtype + ")"
	}
	return fail(s, "%s", words)
}

// fail returns a failure of a sort.
func (t *turn) fail(s sort, exit int, format string, args ...any) error {
	message := "agent `" + t.request.Agent + "`: " + fmt.Sprintf(format, args...)
	if s.hint != "" {
		message += "; " + s.hint
	}
	return &flow.Failure{Message: message, Class: s.class, Reason: s.reason, ExitCode: exit}
}

func after(words string) string {
	if words == "" {
		return ""
	}
	return ": " + words
}

const (
	// longestWords is the number of characters of what a failure says, and
	// longestInput of what a tool is given.
	longestWords = 2000
	longestInput = 80
)

// words are what the program says of its failure.
func (t *turn) words() string {
	text := strings.TrimSpace(strings.Join(t.result.Errors, "; "))
	if text == "" {
		text = strings.TrimSpace(t.result.Text)
	}
	if text == "" && t.kind != "" {
		text = strings.TrimSpace(t.last)
	}
	return t.output.Quote(text, longestWords)
}

// limitWords are in what the program says when a plan's limit is reached, which
// waiting for a while does not help.
var limitWords = []string{"usage limit reached", "hour limit reached", "session limit reached", "weekly limit reached",
	"hit your limit", "hit your usage limit", "hit your session limit", "hit your weekly limit"}

// sort returns what a failure means: what the event names counts first, then the
// status, then the words.
func (t *turn) sort(words string) sort {
	lower := strings.ToLower(words)
	for _, phrase := range limitWords {
		if strings.Contains(lower, phrase) {
			s := sort{flow.ClassFatal, agent.ReasonCredit, "go on with the run when the limit is reset"}
			if !t.resets.IsZero() {
				s.hint += ", at " + t.resets.UTC().Format(time.RFC3339)
			}
			return s
		}
	}
	if s, ok := sorts[t.kind]; ok {
		return s
	}
	switch status := t.result.Status; {
	case status == 401 || status == 403:
		return sorts["authentication_failed"]
	case status == 402:
		return sorts["billing_error"]
	case status == 404:
		return sorts["model_not_found"]
	case status == 429 || status >= 500:
		return sorts["server_error"]
	}
	switch {
	case strings.Contains(lower, "/login"), strings.Contains(lower, "invalid api key"), strings.Contains(lower, "not logged in"):
		return sorts["authentication_failed"]
	case strings.Contains(lower, "credit balance"):
		return sorts["billing_error"]
	}
	return sort{agent.ClassifyText(words), agent.ReasonAgent, ""}
}

// denials says what the agent was not allowed to do. What a hook denied is no
// matter of permissions.
func (t *turn) denials(permission string) {
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
		t.output.Warn("it was not allowed to use %s. %s", some(refused), program.Allow(t.request.Agent, permission, "name the tools under `allowed_tools`"))
	}
	if len(hooked) > 0 {
		t.output.Warn("a hook did not let it use %s", some(hooked))
	}
}

// some names the first of a list, and says how many more there are.
func some(list []string) string {
	const most = 3
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}
