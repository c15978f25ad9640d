package codex

import (
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// signIn is what to do when there is no account.
const signIn = "sign in with `codex login`, or set CODEX_API_KEY"

// A sort is what a sort of failures means.
type sort struct {
	class  flow.Class
	reason string
	hint   string
}

// sorts are the sorts of failures by what the program says, in lower case; the
// first that fits counts. It has no other sign for them.
var sorts = []struct {
	phrases []string
	sort    sort
}{
	{[]string{"usage limit", "quota exceeded", "insufficient_quota", "out of credits", "spend cap", "usage_limit_reached"},
		sort{flow.ClassFatal, agent.ReasonCredit, "go on with the run when the limit is reset"}},
	{[]string{"401 unauthorized", "not logged in", "please log in", "sign in again", "log in again", "refresh token", "invalid api key", "incorrect api key", "missing bearer"},
		sort{flow.ClassFatal, agent.ReasonAgent, signIn}},
	{[]string{"429 too many requests", "rate limit", "at capacity", "high demand", "overloaded", "stream disconnected", "stream closed", "connection failed",
		"error sending request", "500 internal server error", "502 bad gateway", "503 service unavailable", "504 gateway"},
		sort{flow.ClassTransient, agent.ReasonAgent, ""}},
	{[]string{"403 forbidden", "400 bad request", "invalid_request_error", "model is not supported", "model does not exist", "model_not_found", "context window"},
		sort{flow.ClassFatal, agent.ReasonAgent, ""}},
}

func sortOf(words string) sort {
	lower := strings.ToLower(words)
	for _, s := range sorts {
		for _, phrase := range s.phrases {
			if strings.Contains(lower, phrase) {
				return s.sort
			}
		}
	}
	return sort{agent.ClassifyText(words), agent.ReasonAgent, ""}
}

// longestWords is the number of characters of what a failure says.
const longestWords = 2000

// failure returns why the turn failed, or nil.
func (t *turn) failure(exit int) error {
	if t.failed == "" {
		return nil
	}
	words := t.output.Quote(agent.Words(t.failed), longestWords)
	s := sortOf(words)
	message := "agent `" + t.request.Agent + "`: " + words
	if s.hint != "" {
		message += "; " + s.hint
	}
	return &flow.Failure{Message: message, Class: s.class, Reason: s.reason, ExitCode: exit}
}
