package failures_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
)

func TestClassify(t *testing.T) {
	for _, test := range []struct {
		err  error
		want flow.Class
	}{
		{&flow.Failure{Message: "401", Class: flow.ClassTransient}, flow.ClassTransient},
		{fmt.Errorf("wrapped: %w", &flow.Failure{Message: "x", Class: flow.ClassFatal}), flow.ClassFatal},
		{&flow.Failure{Message: "HTTP 503"}, flow.ClassTransient},
		{fmt.Errorf("dial: %w", syscall.ECONNREFUSED), flow.ClassTransient},
		{context.DeadlineExceeded, flow.ClassTransient},
		{fmt.Errorf("start: %w", exec.ErrNotFound), flow.ClassFatal},
		{errors.New("who knows"), flow.ClassUnknown},
	} {
		if got := failures.Classify(test.err); got != test.want {
			t.Errorf("%v: got %q, want %q", test.err, got, test.want)
		}
	}
	for message, want := range map[string]flow.Class{
		"issue #4013 not found": flow.ClassUnknown, "PR 401 not found": flow.ClassUnknown, "took 503 seconds": flow.ClassUnknown,
		"exited with code 401": flow.ClassTransient, "timeouts are configurable": flow.ClassUnknown, "": flow.ClassUnknown,
		"HTTP/1.1 503": flow.ClassTransient, "status code: 403": flow.ClassFatal, `API Error: 529 {"type":"x"}`: flow.ClassTransient,
		"503 files were read, then it broke": flow.ClassUnknown, "429, 430 and 431 do not match": flow.ClassUnknown, "401k plan": flow.ClassUnknown,
		"line 403 is wrong": flow.ClassUnknown, "expected 200, got 503 rows": flow.ClassUnknown, "5031: x": flow.ClassUnknown, "exit code 429": flow.ClassUnknown,
		"503": flow.ClassTransient, " 401: no": flow.ClassFatal, `529 {"type":"error"}`: flow.ClassTransient, "403 status code (no body)": flow.ClassFatal,
		"error code 502": flow.ClassTransient, "HTTP 401": flow.ClassFatal,
		"the request timed out": flow.ClassTransient, "Permission denied (publickey)": flow.ClassFatal, "HTTP 401 rate limit": flow.ClassFatal,
		"API key not valid. Please pass a valid API key.": flow.ClassFatal, "invalid x-api-key": flow.ClassFatal, "Incorrect API key provided": flow.ClassFatal,
		"the API key is fine": flow.ClassUnknown,
	} {
		if got := failures.ClassifyText(message); got != want {
			t.Errorf("%q: got %q, want %q", message, got, want)
		}
	}
}

func TestRefusesKey(t *testing.T) {
	for message, want := range map[string]bool{
		"API key not valid. Please pass a valid API key.":                            true,
		"unexpected status 401 Unauthorized: no, url: http://127.0.0.1/v1/responses": true,
		"401 status code (no body)":                                                  true,
		"invalid x-api-key":                                                          true,
		"HTTP 403 Forbidden":                                                         false,
		"issue #401 is about an API key":                                             false,
		"permission denied":                                                          false,
		"HTTP 429":                                                                   false,
	} {
		if got := failures.RefusesKey(message); got != want {
			t.Errorf("%q: got %v", message, got)
		}
	}
}

func TestExhaustionIsANoticeAndNoTopic(t *testing.T) {
	for text, want := range map[string]bool{
		"You are out of credits":                                      true,
		"work so far\n\nYou've hit your session limit · resets 3am":   true,
		"When users are out of credits\nthe page shows a button.":     false,
		"out of credits " + strings.Repeat("is what we discuss ", 20): false,
		"": false,
	} {
		if got := failures.Exhaustion(text); (got != nil) != want {
			t.Errorf("%.40q: got %v", text, got)
		}
	}
}

// differs are recorded cases in which wfc does otherwise, each with why.
var differs = map[string]string{
	"issue #4013 not found": "digits inside other text are no status",
}

// TestRecordedCases compares with what the original engine was seen to do.
func TestRecordedCases(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "..", "shared", "conformance", "archon", "cases.json"))
	if err != nil {
		t.Skip("the recorded cases are not there: ", err)
	}
	var cases []struct {
		Op, Name string
		Input    json.RawMessage
		Expect   json.RawMessage
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range cases {
		var input struct{ Message, Text string }
		var got string
		switch c.Op {
		case "classify":
			must(t, json.Unmarshal(c.Input, &input))
			if got = strings.ToUpper(string(failures.ClassifyText(input.Message))); got == "" {
				got = "UNKNOWN"
			}
		case "credit":
			must(t, json.Unmarshal(c.Input, &input))
			if f := failures.Exhaustion(input.Text); f != nil {
				got = f.Message
			}
		default:
			continue
		}
		ran++
		var want string
		must(t, json.Unmarshal(c.Expect, &want))
		if (got == want) == (differs[c.Name] != "") {
			t.Errorf("%s %q: got %q, recorded %q", c.Op, c.Name, got, want)
		}
	}
	t.Logf("compared %d cases", ran)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
