package acp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// A garbledError says that what a program printed is not of the protocol.
type garbledError struct{ text string }

func (e *garbledError) Error() string { return e.text }

func garbled(format string, args ...any) error { return &garbledError{fmt.Sprintf(format, args...)} }

func failure(class flow.Class, reason, format string, args ...any) *flow.Failure {
	return &flow.Failure{Message: fmt.Sprintf(format, args...), Class: class, Reason: reason, ExitCode: -1}
}

func fatal(reason, format string, args ...any) *flow.Failure {
	return failure(flow.ClassFatal, reason, format, args...)
}

// text returns an error's message with what its data adds.
func (e *rpcError) text() string {
	text := strings.TrimSpace(agent.Words(e.Message))
	if text == "" {
		text = fmt.Sprintf("error %d", e.Code)
	}
	if more := details(e.Data); more != "" && !strings.Contains(text, more) {
		text += ": " + more
	}
	return text
}

// details returns what the data of an error says, in words where it has them.
func details(data json.RawMessage) string {
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
	text := strings.ToLower(e.text())
	for _, words := range []string{"authentication required", "auth_required", "not authenticated", "not logged in", "please log in", "please sign in"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return e.Code == codeAuthRequired && agent.ClassifyText(e.text()) != flow.ClassTransient
}

// refusesKey reports whether an error says that a service refuses the key that it
// was given. One that somebody may not do is another matter (403).
func (e *rpcError) refusesKey() bool {
	return agent.RefusesKey(e.text())
}

// explain turns what went wrong in a conversation into a failure of the step,
// with what became of the process.
func (t *turn) explain(err error, end *process.End) error {
	var known *flow.Failure
	var bad *garbledError
	var refused *rpcError
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(end.Consumed, &bad), errors.As(err, &bad):
		return t.failure(flow.ClassUnknown, agent.ReasonOutput, end, "%s", bad.text)
	case errors.As(err, &refused) && agent.Exhaustion(refused.text()) != "":
		return t.failure(flow.ClassFatal, agent.ReasonCredit, end, "failed: %s [error %d]; go on with the run when there is credit again", refused.text(), refused.Code)
	case errors.As(err, &refused):
		return t.failure(agent.ClassifyText(refused.text()), agent.ReasonAgent, end, "failed: %s [error %d]", refused.text(), refused.Code)
	case errors.Is(err, errGone):
		return t.ended(end)
	}
	return err
}

// ended tells of a program that ended before the turn was over.
func (t *turn) ended(end *process.End) error {
	switch {
	case end.Signal != "":
		return t.failure(flow.ClassUnknown, process.ReasonSignal, end, "was ended by %s %s", end.Signal, t.stage)
	case end.ExitCode != 0:
		f := t.failure(agent.ClassifyText(end.Stderr), process.ReasonExit, end, "failed [exit %d] %s", end.ExitCode, t.stage)
		f.ExitCode = end.ExitCode
		return f
	}
	if t.start.ProtocolVersion == nil {
		return t.failure(flow.ClassUnknown, agent.ReasonOutput, end, "ended %s", t.stage)
	}
	if part := t.conn.lines.unfinished(); part != "" {
		return t.failure(flow.ClassTransient, agent.ReasonOutput, end, "ended in the middle of a message, %s: %s", t.stage, excerpt(part))
	}
	return t.failure(flow.ClassTransient, agent.ReasonOutput, end, "ended without an answer, %s", t.stage)
}

// failure returns a failure of the program, with the end of what it printed
// beside the protocol. Secrets are masked: what is quoted may hold any of them.
func (t *turn) failure(class flow.Class, reason string, end *process.End, format string, args ...any) *flow.Failure {
	text := "the agent program `" + t.name + "` " + fmt.Sprintf(format, args...)
	switch {
	case end.Stderr != "":
		if said := telling(end.Stderr, text); said != "" {
			text += "; the end of what it printed on standard error: " + said
		}
	case t.firstNoise != "":
		text += "; it printed " + excerpt(t.firstNoise)
	}
	return failure(class, reason, "%s", process.Mask(t.request.Environ, text))
}

// mostTelling is how many lines of standard error are quoted, and longestTelling
// the number of characters of each.
const (
	mostTelling    = 3
	longestTelling = 300
)

// telling returns the last lines of what was printed on standard error that tell
// something beside the text: none of a stack, of an object that was printed, or
// that came before.
func telling(stderr, text string) string {
	var lines []string
	for line := range strings.Lines(stderr) {
		line = strings.TrimRight(line, "\r\n")
		words := strings.TrimSpace(line)
		switch {
		case words == "":
		case strings.HasPrefix(words, "at "), line != strings.TrimLeft(line, " \t"): // a part of what is above it
		case strings.HasSuffix(words, "{"), strings.HasSuffix(words, "["), strings.Trim(words, "{}[](),;^") == "":
		case strings.Contains(text, words), slices.Contains(lines, words):
		default:
			lines = append(lines, shorten(words, longestTelling))
		}
	}
	return strings.Join(lines[max(0, len(lines)-mostTelling):], "\n")
}
