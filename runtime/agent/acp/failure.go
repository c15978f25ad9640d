package acp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// A garbledError says that a program's output does not follow the protocol.
type garbledError struct{ text string }

func (e *garbledError) Error() string { return e.text }

func newGarbledError(format string, args ...any) error {
	return &garbledError{fmt.Sprintf(format, args...)}
}

// fullMessage returns an error's message with what its data adds.
func (e *rpcError) fullMessage() string {
	text := cmp.Or(strings.TrimSpace(failures.Message(e.Message)), fmt.Sprintf("error %d", e.Code))
	if more := errorDetails(e.Data); more != "" && !strings.Contains(text, more) {
		text += ": " + more
	}
	return text
}

// errorDetails returns what the data of an error says, in words where it has them.
func errorDetails(data json.RawMessage) string {
	data = bytes.TrimSpace(data)
	if len(data) == 0 || string(data) == "null" || string(data) == "{}" {
		return ""
	}
	var text string
	if json.Unmarshal(data, &text) == nil {
		return strings.TrimSpace(text)
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) == nil {
		// claude-agent-acp has the program's name of the cause, such as "server_error".
		if json.Unmarshal(object["errorKind"], &text) == nil {
			return strings.ReplaceAll(text, "_", " ")
		}
		for _, key := range []string{"details", "message", "error", "reason", "errorName"} {
			if json.Unmarshal(object[key], &text) == nil && strings.TrimSpace(text) != "" {
				return strings.TrimSpace(text)
			}
		}
	}
	return string(data)
}

// wantsSignIn reports whether an error says that somebody has to sign in first.
// The protocol's code for it is also the first of those that are free for
// anything, so an error with the code that speaks of something that passes is
// taken by its words.
func (e *rpcError) wantsSignIn() bool {
	text := strings.ToLower(e.fullMessage())
	words := []string{"authentication required", "auth_required", "not authenticated", "not logged in", "please log in", "please sign in"}
	if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) }) {
		return true
	}
	return e.Code == codeAuthRequired && e.failureClass() != flow.ClassTransient
}

// failureClass says whether a retry can help. Some programs, such as gemini, give the HTTP status
// of the service's answer as the code, and 500 if there was no answer.
func (e *rpcError) failureClass() flow.Class {
	if class := failures.ClassifyService(e.fullMessage()); class != flow.ClassUnknown {
		return class
	}
	return failures.ClassifyStatus(e.Code)
}

// classify returns the class and the reason of the failure, and a hint for the reader.
func (e *rpcError) classify() (class flow.Class, reason, hint string) {
	return classifyRefusal(e.fullMessage(), e.failureClass(), e.Code)
}

// classifyRefusal returns the class and the reason of a refusal, and a hint for the reader. class
// is that of its words alone; status is an HTTP status or another number.
func classifyRefusal(message string, class flow.Class, status int) (_ flow.Class, reason, hint string) {
	f := failures.Exhaustion(message)
	switch {
	case f != nil && f.Reason == failures.ReasonCredit:
		return f.Class, f.Reason, "; resume the run when there is credit again"
	case f != nil || failures.ReachesLimit(message):
		return flow.ClassFatal, failures.ReasonQuota, "; resume the run when the limit is reset"
	case class == flow.ClassTransient && (status == http.StatusTooManyRequests || failures.LimitsRate(message)):
		return class, failures.ReasonQuota, ""
	}
	return class, failures.ReasonAgent, ""
}

// refusesKey reports whether an error says that a service refuses the key that it
// was given. One that somebody may not do is another matter (403).
func (e *rpcError) refusesKey() bool {
	return failures.RefusesKey(e.fullMessage())
}

// explainError turns an error of a conversation into a failure of the step that also says how
// the process ended.
func (t *turn) explainError(err error, end *process.End) error {
	var known *flow.Failure
	var bad *garbledError
	var refused *rpcError
	switch {
	case errors.As(err, &known) && known.Reason == failures.ReasonTimeout:
		return t.newFailure(known.Class, known.Reason, end, "%s", strings.TrimPrefix(known.Message, "the agent program `"+t.name+"` "))
	case known != nil:
		return err
	case errors.As(end.Consumed, &bad), errors.As(err, &bad):
		return t.newFailure(flow.ClassUnknown, failures.ReasonOutput, end, "%s", bad.text)
	case errors.As(err, &refused):
		class, reason, hint := refused.classify()
		f := t.newFailure(class, reason, end, "failed: %s [error %d]%s", refused.fullMessage(), refused.Code, hint)
		reset, wait := failures.ResetFields(refused.Message, string(refused.Data))
		if f.RetryAfter = wait; reason == failures.ReasonQuota {
			failures.OutOfQuota(f, reset)
		}
		return f
	case errors.Is(err, errGone):
		return t.prematureEndError(end)
	}
	return err
}

// prematureEndError is the failure of a program that ended before the turn was over.
func (t *turn) prematureEndError(end *process.End) error {
	switch {
	case end.Signal != "":
		return t.newFailure(flow.ClassUnknown, process.ReasonSignal, end, "was ended by %s %s", end.Signal, t.stage)
	case end.ExitCode != 0:
		f := t.newFailure(failures.ClassifyText(end.Stderr), process.ReasonExit, end, "failed [exit %d] %s", end.ExitCode, t.stage)
		f.ExitCode = end.ExitCode
		return f
	}
	if t.start.ProtocolVersion == nil {
		return t.newFailure(flow.ClassUnknown, failures.ReasonOutput, end, "ended %s", t.stage)
	}
	if part := t.conn.lines.Rest(4 * longestExcerpt); part != "" {
		return t.newFailure(flow.ClassTransient, failures.ReasonOutput, end, "ended in the middle of a message, %s: %s", t.stage, t.conn.maskedExcerpt([]byte(part)))
	}
	return t.newFailure(flow.ClassTransient, failures.ReasonOutput, end, "ended without an answer, %s", t.stage)
}

// newFailure returns a failure of the program, with the end of its output outside the
// protocol. It masks secrets, which the quoted output may contain.
func (t *turn) newFailure(class flow.Class, reason string, end *process.End, format string, args ...any) *flow.Failure {
	text := "the agent program `" + t.name + "` " + fmt.Sprintf(format, args...)
	switch {
	case end.Stderr != "":
		if said := tellingLines(t.maskSecrets(end.Stderr), t.maskSecrets(text)); said != "" {
			text += "; the end of what it printed on standard error: " + said
		}
	case t.firstNoise != "":
		text += "; it printed " + quotedExcerpt(t.firstNoise)
	}
	return failures.New(class, reason, "%s", process.Mask(t.request.Environ, text))
}

// maskSecrets masks secrets in a text, which may be cut only after that.
func (t *turn) maskSecrets(text string) string { return process.Mask(t.request.Environ, text) }

// mostTelling is how many lines of standard error are quoted, and longestTelling
// the number of characters of each.
const (
	mostTelling    = 3
	longestTelling = 300
)

// tellingLines returns the last lines of standard error with information that is not in the
// text: no lines of a stack or of a printed object, and no repetitions.
func tellingLines(stderr, text string) string {
	var lines []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimRight(line, "\r\n")
		words := strings.TrimSpace(line)
		switch {
		case words == "":
		case strings.HasPrefix(words, "at "), line != strings.TrimLeft(line, " \t"): // a part of the line above
		case strings.HasSuffix(words, "{"), strings.HasSuffix(words, "["), strings.Trim(words, "{}[](),;^") == "":
		case strings.Contains(text, words), slices.Contains(lines, words):
		default:
			lines = append(lines, shortenLine(words, longestTelling))
		}
	}
	return strings.Join(lines[max(0, len(lines)-mostTelling):], "\n")
}

// authMethod is a way of signing in that a program offers.
type authMethod struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// Type is "env_var", "terminal", or "" if the program signs in by itself, perhaps by
	// opening a browser.
	Type string `json:"type"`
	Vars []struct {
		Name     string `json:"name"`
		Optional bool   `json:"optional"`
	} `json:"vars"`
}

// signIn signs in by the ways that need no person. The error says that there is
// none, or the last one's refusal.
func (t *turn) signIn(ctx context.Context, why *rpcError) error {
	for _, m := range t.start.AuthMethods {
		if !m.isUnattended(t.request.Environ) {
			continue
		}
		t.report.passNote("signing in: %s", m.displayTitle())
		_, err := callInTime[struct{}](ctx, t, sdk.AgentMethodAuthenticate, sdk.AuthenticateRequest{MethodId: m.ID})
		if err == nil {
			return nil
		}
		var refused *rpcError
		if !errors.As(err, &refused) {
			return err
		}
		why = refused
	}
	return t.signedOut(why)
}

// isUnattended reports whether a way of signing in needs nobody: its variables are
// set, or it says of itself that it is by a key and there is one.
func (m *authMethod) isUnattended(environ []string) bool {
	set := func(name string) bool { return process.Variable(environ, name) != "" }
	switch m.Type {
	case "env_var":
		return !slices.ContainsFunc(m.Vars, func(v struct {
			Name     string `json:"name"`
			Optional bool   `json:"optional"`
		}) bool {
			return !v.Optional && !set(v.Name)
		})
	case "":
		if id := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(m.ID)); !strings.Contains(id, "apikey") {
			return false
		}
		return slices.ContainsFunc(environ, func(entry string) bool {
			name, value, _ := strings.Cut(entry, "=")
			return value != "" && strings.HasSuffix(strings.ToUpper(name), "API_KEY")
		})
	}
	return false
}

func (m *authMethod) displayTitle() string {
	if m.Name != "" {
		return shortenLine(m.Name, 60)
	}
	return shortenLine(m.ID, 60)
}

// signedOut says that somebody has to sign in, and how the program says that
// this is done.
func (t *turn) signedOut(why *rpcError) error {
	text := "is not signed in: " + why.fullMessage()
	if list := describeSignIn(t.start.AuthMethods); list != "" {
		text += "; it offers: " + list
	}
	return t.needsSignIn(text)
}

const waysToSignIn = "Sign in with the program itself, or set the variable with its key; list a variable that wfc withholds under `environment` of the agent in wfc.yaml"

// keyRefused says that the service refuses the program's key, and how to sign in.
func (t *turn) keyRefused(why *rpcError) error {
	return t.needsSignIn("failed because its key was refused: " + why.fullMessage())
}

func (t *turn) needsSignIn(why string) error {
	text := process.Mask(t.request.Environ, "the agent program `"+t.name+"` "+why)
	return &signedOutError{failures.Fatal("%s. %s", text, waysToSignIn)}
}

// signedOutError is a failure that is mended by signing in.
type signedOutError struct{ *flow.Failure }

// Unwrap returns the failure.
func (e *signedOutError) Unwrap() error { return e.Failure }

// describeSignIn names the ways of signing in.
func describeSignIn(methods []authMethod) string {
	var list []string
	for _, m := range methods {
		text := m.displayTitle()
		if m.Description != "" && m.Description != m.Name {
			text += " (" + shortenLine(m.Description, 120) + ")"
		}
		for _, v := range m.Vars {
			text += " $" + shortenLine(v.Name, 60)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}
