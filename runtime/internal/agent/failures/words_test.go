package failures_test

import (
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
)

func TestMessage(t *testing.T) {
	for text, want := range map[string]string{
		"slow down": "slow down",
		`{"error": {"message": "bad thing happened", "type": "invalid_request_error", "param": null, "code": "invalid_request_error"}}`: "bad thing happened (invalid_request_error)",
		`{"error":{"code":400,"message":"bad thing","status":"INVALID"}}`:                                                               "bad thing (INVALID, code 400)",
		`unexpected status 400 Bad Request: {"error":{"message":"no"}}`:                                                                 "unexpected status 400 Bad Request: no",
		`{"error":"no such model"}`: "no such model",
		`{"detail":"not allowed"}`:  "not allowed",
		`{"message":"gone"}`:        "gone",
		`{"error":{"message":"{\"error\":{\"message\":\"inner\",\"code\":401}}","code":500}}`: "inner (code 401)",
		`{"type":"x"}`:        `{"type":"x"}`,
		`{"error":`:           `{"error":`,
		`use {braces} or {}`:  `use {braces} or {}`,
		``:                    ``,
		` {"error":{"a":1}} `: ` {"error":{"a":1}} `,
	} {
		if got := failures.Message(text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add(`{"error":{"message":"{\"error\":{\"message\":\"inner\"}}"}}`)
	f.Fuzz(func(_ *testing.T, text string) { failures.Message(text) })
}
