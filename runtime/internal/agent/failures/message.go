package failures

import (
	"encoding/json"
	"strings"
)

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
