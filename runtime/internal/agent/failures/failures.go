// Package failures says why a turn of an agent failed and whether a retry can
// help.
//
// Agents fail in the words of other programs and services. The package
// classifies such errors ([Classify], [ClassifyText]), reads the messages that
// services wrap into JSON ([Message]), and recognises replies that are only a
// notice of an empty account ([Exhaustion]).
package failures

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// The reasons of failures of agents, for programs.
const (
	ReasonAgent   = "agent"
	ReasonOutput  = "output"
	ReasonCredit  = "credit"
	ReasonTimeout = kernel.FailureTimeout
	// ReasonOutage: the agent was not asked, because its service is down.
	ReasonOutage = "outage"
	// ReasonBudget: the turn cost more than its limit.
	ReasonBudget = "budget"
	// ReasonReplay: the recording lacks the turn, or the turn differs from it.
	ReasonReplay = "replay"
)

// New returns a failure without an exit code.
func New(class flow.Class, reason, format string, args ...any) *flow.Failure {
	return &flow.Failure{Message: fmt.Sprintf(format, args...), Class: class, Reason: reason, ExitCode: -1}
}

// Fatal returns a failure of the agent that lasts until somebody acts.
func Fatal(format string, args ...any) *flow.Failure {
	return New(flow.ClassFatal, ReasonAgent, format, args...)
}

// SessionGone is the failure to continue a session that does not exist any more.
type SessionGone struct{ *flow.Failure }

// Unwrap returns the failure.
func (e *SessionGone) Unwrap() error { return e.Failure }

// Message returns the message of a service's error that a program passed on as
// JSON: `{"error":{"message":"no such model","type":"…"}}` says "no such model
// (…)". Words before the JSON stay. Any other text is returned unchanged.
func Message(text string) string {
	const deepest = 3 // some services put one error into another's message
	trimmed := strings.TrimSpace(text)
	for range deepest {
		at := strings.IndexByte(trimmed, '{')
		if at < 0 || !strings.HasSuffix(trimmed, "}") {
			break
		}
		message := messageOf(trimmed[at:])
		if message == "" {
			break
		}
		trimmed = strings.TrimSpace(trimmed[:at] + message)
	}
	if trimmed == strings.TrimSpace(text) {
		return text
	}
	return trimmed
}

// messageOf returns the message of an error in JSON with its type, or "".
func messageOf(text string) string {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  string          `json:"detail"`
	}
	if json.Unmarshal([]byte(text), &outer) != nil {
		return ""
	}
	var inner struct {
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Status  string          `json:"status"`
		Code    json.RawMessage `json:"code"`
	}
	var words string
	switch {
	case json.Unmarshal(outer.Error, &inner) == nil && inner.Message != "":
	case json.Unmarshal(outer.Error, &words) == nil && words != "":
		return words
	case outer.Message != "":
		return outer.Message
	default:
		return outer.Detail
	}
	if strings.HasSuffix(strings.TrimSpace(inner.Message), "}") {
		return inner.Message // its own sort is in there
	}
	var sorts []string
	var code string
	if json.Unmarshal(inner.Code, &code) != nil {
		if code = string(inner.Code); code != "" && code != "null" {
			code = "code " + code // a number
		}
	}
	for _, sort := range []string{inner.Type, inner.Status, code} {
		if sort != "" && sort != "null" && (len(sorts) == 0 || sorts[0] != sort) {
			sorts = append(sorts, sort)
		}
	}
	if len(sorts) == 0 {
		return inner.Message
	}
	return inner.Message + " (" + strings.Join(sorts, ", ") + ")"
}
