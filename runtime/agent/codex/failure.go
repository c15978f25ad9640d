package codex

import (
	"bytes"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
)

// signIn is what to do when there is no account.
const signIn = "sign in with `codex login`, or set CODEX_API_KEY"

// causes are the causes of failures by the words of the program, in lower case;
// the first that fits counts. The program gives no other sign.
var causes = []struct {
	phrases []string
	cause   stream.Cause
}{
	{[]string{"quota exceeded", "insufficient_quota", "out of credits", "spend cap"},
		stream.Because(flow.ClassFatal, failures.ReasonCredit, "resume the run when there is credit again")},
	{[]string{"401 unauthorized", "not logged in", "please log in", "sign in again", "log in again", "refresh token", "invalid api key", "incorrect api key", "missing bearer"},
		stream.Because(flow.ClassFatal, failures.ReasonAgent, signIn)},
	{[]string{"429 too many requests", "rate limit"}, stream.Because(flow.ClassTransient, failures.ReasonQuota, "")},
	{[]string{"at capacity", "high demand", "overloaded", "stream disconnected", "stream closed", "connection failed",
		"error sending request", "500 internal server error", "502 bad gateway", "503 service unavailable", "504 gateway"},
		stream.Because(flow.ClassTransient, failures.ReasonAgent, "")},
	{[]string{"403 forbidden", "400 bad request", "invalid_request_error", "model is not supported", "model does not exist", "model_not_found", "context window"},
		stream.Because(flow.ClassFatal, failures.ReasonAgent, "")},
}

func causeOf(words string) stream.Cause {
	lower := strings.ToLower(words)
	for i, c := range causes {
		if i == 1 && failures.ReachesLimit(words) { // an empty account is another matter
			return stream.Because(flow.ClassFatal, failures.ReasonQuota, "resume the run when the limit is reset")
		}
		for _, phrase := range c.phrases {
			if strings.Contains(lower, phrase) {
				return c.cause
			}
		}
	}
	return stream.Because(failures.ClassifyText(words), failures.ReasonAgent, "")
}

// longestWords is how many characters of a failure's message are shown.
const longestWords = 2000

// turnFailure returns why the turn failed, or nil.
func (t *turn) turnFailure(exit int) error {
	if t.failed == "" {
		return nil
	}
	words := t.output.Quote(failures.Message(t.failed), longestWords)
	return causeOf(words).Fail(t.request, exit, "%s", words)
}

// The program reports denials in several ways, none of them complete: an item
// that was declined or failed, the output of a command that the sandbox stopped,
// and for a patch a line on standard error. A command that hides its errors goes
// unnoticed.

// readOnly are the words of the system when the sandbox keeps a command from
// writing, and stops those of one that failed for it.
const readOnly = "Read-only file system"

var stops = []string{readOnly, "Operation not permitted", "Permission denied"}

// isStoppedBySandbox reports whether the output of a failed command says that the sandbox kept it
// from writing. A command whose last part succeeds counts as completed.
func (i *item) isStoppedBySandbox() bool {
	if i.Status != "failed" {
		return i.Status == "completed" && slices.ContainsFunc(strings.Split(i.Output, "\n"), func(line string) bool {
			return strings.HasSuffix(strings.TrimRight(line, "\r '\""), readOnly)
		})
	}
	return slices.ContainsFunc(stops, func(words string) bool { return strings.Contains(i.Output, words) })
}

// noteDenial notes a denied request, once.
func (t *turn) noteDenial(what string) {
	t.denied = plain.AddNew(t.denied, what)
}

// longestLine limits how many bytes of a line of standard error are searched.
const longestLine = 4 << 10

// handleStderr searches standard error for rejected patches.
func (t *turn) handleStderr(piece []byte) {
	for {
		line, rest, found := bytes.Cut(piece, []byte{'\n'})
		t.line = append(t.line, line[:min(len(line), max(0, longestLine-len(t.line)))]...)
		if !found {
			return
		}
		t.handleRejection(string(t.line))
		t.line, piece = t.line[:0], rest
	}
}

// handleRejection takes a line such as "… error=patch rejected: writing is blocked by
// read-only sandbox; rejected by user approval settings".
func (t *turn) handleRejection(line string) {
	_, why, found := strings.Cut(line, "patch rejected: ")
	if !found {
		return
	}
	why, _, _ = strings.Cut(why, ";")
	t.noteDenial("change files by a patch (" + t.output.Quote(why, longestInput) + ")")
}

// warnOfDenials says what the agent was not allowed to do.
func (t *turn) warnOfDenials() {
	t.handleRejection(string(t.line))
	if len(t.denied) == 0 {
		return
	}
	t.output.Warn("it was not allowed to %s. %s", stream.Some(t.denied), program.Allow(t.request.Agent, t.permission, ""))
}
