package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

const closed = `{"type":"object","properties":{"kind":{"type":"string"}},"required":["kind"],"additionalProperties":false}`

// TestManners shows how servers are spoken to that refuse something.
func TestManners(t *testing.T) {
	for _, test := range []struct {
		name    string
		refuses []string
		prompt  flow.Prompt
		// turns is how many requests the first prompt takes; the next one takes one.
		turns      int
		has, hasNo []string
	}{
		{name: "new limit", refuses: []string{`"max_tokens"`}, turns: 2, has: []string{`"max_completion_tokens":50`}, hasNo: []string{`"max_tokens"`}},
		{name: "usage", refuses: []string{"stream_options"}, turns: 2, hasNo: []string{"stream_options"}},
		{name: "effort", refuses: []string{`"reasoning_effort":"max"`, `"reasoning_effort":"xhigh"`},
			prompt: flow.Prompt{Options: []flow.Option{option("effort", "max")}}, turns: 3, has: []string{`"reasoning_effort":"high"`}},
		{name: "least effort", refuses: []string{`"reasoning_effort":"minimal"`},
			prompt: flow.Prompt{Options: []flow.Option{option("modelReasoningEffort", "minimal"), option("effort", "high")}}, turns: 2,
			has: []string{`"reasoning_effort":"low"`}},
		{name: "no schemas", refuses: []string{"json_schema"}, prompt: flow.Prompt{Schema: json.RawMessage(closed)}, turns: 3,
			has: []string{`"response_format":{"type":"json_object"}`, "It must satisfy this JSON Schema"}},
		{name: "no formats", refuses: []string{"response_format"}, prompt: flow.Prompt{Schema: json.RawMessage(closed)}, turns: 4,
			has: []string{"It must satisfy this JSON Schema"}, hasNo: []string{"response_format"}},
		{name: "everything", refuses: []string{"response_format", `"max_tokens"`, "stream_options"}, prompt: flow.Prompt{Schema: json.RawMessage(closed)}, turns: 6,
			hasNo: []string{"response_format", "stream_options", `"max_tokens"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := fakeagent.OpenAI(t, fakeagent.Behaviour{Text: `Here: {"kind": "bug"}`, Structured: json.RawMessage(`{"kind":"bug"}`)}, test.refuses...)
			c := at(server)
			c.MaxTokens = 50
			s := newStage(t, c)
			test.prompt.Text = "x"
			for range 2 {
				reply := s.must(test.prompt)
				if len(test.prompt.Schema) > 0 && strings.ReplaceAll(string(reply.Structured), " ", "") != `{"kind":"bug"}` {
					t.Errorf("the structured reply is %s", reply.Structured)
				}
			}
			turns := server.Turns()
			if len(turns) != test.turns+1 {
				t.Fatalf("%d requests, want %d", len(turns), test.turns+1)
			}
			last := turns[len(turns)-1].Body
			expect(t, last, test.has...)
			for _, text := range test.hasNo {
				if strings.Contains(string(last), text) {
					t.Errorf("there is %s in %s", text, last)
				}
			}
		})
	}
}

// TestRefusedForGood shows that what cannot be said otherwise is a failure.
func TestRefusedForGood(t *testing.T) {
	server := fakeagent.OpenAI(t, fakeagent.Behaviour{Text: "x"}, "max_tokens", "max_completion_tokens")
	c := at(server)
	c.MaxTokens = 50
	s := newStage(t, c)
	_, err := s.turn(t.Context(), flow.Prompt{Text: "x"})
	var f *flow.Failure
	if !errors.As(err, &f) || f.Class != flow.ClassFatal || !strings.Contains(err.Error(), "'max_completion_tokens' is not supported") || len(server.Turns()) != 2 {
		t.Errorf("got %v after %d requests", err, len(server.Turns()))
	}
}

func TestUncountedBudget(t *testing.T) {
	server := fakeagent.OpenAI(t, fakeagent.Behaviour{Text: "x"}, "stream_options")
	c := at(server)
	c.Price = &settings.Price{Input: 1, Output: 1}
	_, err := newStage(t, c).turn(t.Context(), flow.Prompt{Text: "x", Options: []flow.Option{option("maxBudgetUsd", 1)}})
	var f *flow.Failure
	if !errors.As(err, &f) || f.Class != flow.ClassFatal || !strings.Contains(err.Error(), "does not report the tokens of an answer") {
		t.Errorf("got %v", err)
	}
}

// raw is a server that answers every request with the same.
func raw(t *testing.T, status int, kind, body string) settings.Agent {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Retry-After-Ms", "0")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(s.Close)
	return settings.Agent{BaseURL: s.URL + "/v1"}
}

// A service that asks for a long wait is asked once: the retries of the step wait for it.
func TestRetryAfter(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("X-RateLimit-Remaining-Tokens", "0")
		w.Header().Set("X-RateLimit-Reset-Tokens", "6m0s")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	t.Cleanup(s.Close)
	_, err := newStage(t, settings.Agent{BaseURL: s.URL + "/v1"}).turn(t.Context(), flow.Prompt{Text: "x"})
	var f *flow.Failure
	if !errors.As(err, &f) || f.RetryAfter != 6*time.Minute || asked != 1 {
		t.Errorf("got %+v after %d requests", f, asked)
	}
}

// TestForeignMessages shows that messages are found wherever servers put them.
func TestForeignMessages(t *testing.T) {
	for _, test := range []struct {
		status     int
		kind, body string
		class      flow.Class
		want       string
	}{
		{400, "application/json", `{"error":"model is busy with itself"}`, flow.ClassFatal, "[400]: model is busy with itself"},
		{400, "application/json", `{"object":"error","message":"too long a prompt","code":400}`, flow.ClassFatal, "too long a prompt"},
		{422, "application/json", `{"detail":[{"loc":["body","seed"],"msg":"no"}]}`, flow.ClassFatal, `[422]: [{"loc":["body","seed"],"msg":"no"}]`},
		{404, "application/json", `{"detail":"Not Found"}`, flow.ClassFatal, "[404]: Not Found"},
		{400, "application/json", `[{"error":{"code":400,"message":"listed","status":"INVALID_ARGUMENT"}}]`, flow.ClassFatal, "[400]: listed"},
		{429, "application/json", `{"error":{"message":"You exceeded your current quota.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`, flow.ClassFatal,
			"[429]: insufficient_quota: You exceeded your current quota."},
		{502, "text/html", "<html>Bad\nGateway</html>", flow.ClassTransient, "[502]: <html>Bad Gateway</html>"},
		{403, "text/plain", "", flow.ClassFatal, "[403]: Forbidden"},
		{200, "text/html", "<html>welcome</html>", flow.ClassFatal, "not an event stream; check `base_url`, which usually ends in /v1 (text/html)"},
		{200, "text/event-stream", "data: {\"error\":{\"message\":\"too much to do\",\"type\":\"server_error\"}}\n\n", flow.ClassTransient, "[500]: server_error: too much to do"},
		{200, "text/event-stream", "data: {\"error\":{\"message\":\"slow down\",\"code\":429}}\n\n", flow.ClassTransient, "[429]: slow down"},
		{200, "text/event-stream", "data: {\"error\":{\"message\":\"what?\"}}\n\n", flow.ClassUnknown, "what?"},
		{200, "text/event-stream", "", flow.ClassTransient, "ended its answer in the middle"},
	} {
		_, err := newStage(t, raw(t, test.status, test.kind, test.body)).turn(t.Context(), flow.Prompt{Text: "x"})
		var f *flow.Failure
		if !errors.As(err, &f) || f.Class != test.class || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d %s: got %v (%+v), want class %q and %q", test.status, test.body, err, f, test.class, test.want)
		}
	}
}

// TestStops shows what becomes of answers that are not whole.
func TestStops(t *testing.T) {
	for _, test := range []struct{ delta, finish, want string }{
		{`{"content":"half"}`, "length", "the limit of 9 tokens was reached"},
		{`{"content":"half"}`, "content_filter", "content filter"},
		{`{"content":""}`, "tool_calls", "called a tool"},
		{`{"content":"half"}`, "lunch", "`lunch`"},
		{`{"refusal":"I will not."}`, "stop", "the model refused to answer: I will not."},
		{`{"content":"whole"}`, "stop", ""},
		{`{"content":"whole"}`, "end_turn", ""},
	} {
		c := raw(t, 200, "text/event-stream", `data: {"id":"1","model":"m","choices":[{"index":0,"delta":`+test.delta+`,"finish_reason":"`+test.finish+`"}],`+
			`"usage":{"prompt_tokens":10,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4,"cache_write_tokens":2}}}`+"\n\ndata: [DONE]\n\n")
		c.MaxTokens, c.Price = 9, &settings.Price{Input: 1e6, CachedInput: 2e6, CacheWrite: 3e6, Output: 4e6}
		reply, err := newStage(t, c).turn(t.Context(), flow.Prompt{Text: "x"})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s: got %v", test.delta, test.finish, err)
		}
		// 4 of input, 4 cached, 2 written, 3 of output.
		if m := reply.Meta; m.InputTokens != 10 || m.OutputTokens != 3 || m.CostUSD != 4+8+6+12 {
			t.Errorf("%s: meta %+v", test.finish, m)
		}
	}
}

// TestUnheld shows that a model which nothing holds to a schema is asked again.
func TestUnheld(t *testing.T) {
	for _, refuses := range [][]string{{"json_schema"}, nil} {
		server := fakeagent.OpenAI(t, fakeagent.Behaviour{Text: "no JSON", Structured: json.RawMessage(`{"kind":7}`)}, refuses...)
		got := newStage(t, at(server)).perform(flow.Prompt{Schema: json.RawMessage(closed)})
		want := "satisfies its output_format: `kind`"
		if refuses != nil {
			want = "satisfies its output_format in 4 answers: `kind`"
		}
		if got.Status != flow.Failed || !strings.Contains(got.Failure.Message, want) {
			t.Errorf("%q: got %+v, %v", refuses, got, got.Failure)
		}
	}
}
