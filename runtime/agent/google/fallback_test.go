package google_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// TestStructured shows what the service is given for a schema.
func TestStructured(t *testing.T) {
	server := fakeagent.Google(t, fakeagent.Behaviour{Structured: json.RawMessage(`{"z":"why","a":[1]}`)})
	schema := `{"$schema":"x","type":"object","properties":{"z":{"type":"string","minLength":2},"a":{"type":"array","items":{"$ref":"#/definitions/n"}},"c":{"const":"k"}},` +
		`"required":["z","a"],"additionalProperties":false,"definitions":{"n":{"type":"integer","minimum":0}}}`
	reply := newStage(t, at(server)).must(flow.Prompt{Text: "x", Schema: json.RawMessage(schema)})
	if string(reply.Structured) != `{"z":"why","a":[1]}` {
		t.Errorf("the structured reply is %s", reply.Structured)
	}
	turn := server.Turns()[0]
	want := `{"$defs":{"n":{"minimum":0,"type":"integer"}},"additionalProperties":false,"properties":{"a":{"items":{"$ref":"#/$defs/n"},"type":"array"},` +
		`"c":{"enum":["k"]},"z":{"type":"string"}},"propertyOrdering":["z","a","c"],"required":["z","a"],"type":"object"}`
	if string(turn.Schema) != want {
		t.Errorf("the service was given %s\nwant %s", turn.Schema, want)
	}
	expect(t, turn.Body, `"responseMimeType":"application/json"`)
}

// picky is a service that refuses requests that hold one of the texts.
func picky(t *testing.T, answer string, refuses ...string) (c settings.Agent, bodies *[]string) {
	t.Helper()
	bodies = &[]string{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		*bodies = append(*bodies, string(body))
		for _, text := range refuses {
			if strings.Contains(string(body), text) {
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprintf(w, `{"error":{"code":400,"message":"Invalid value: %s","status":"INVALID_ARGUMENT"}}`, strings.ReplaceAll(text, `"`, "'"))
				return
			}
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\n", answer)
	}))
	t.Cleanup(s.Close)
	return settings.Agent{BaseURL: s.URL}, bodies
}

const whole = `{"candidates":[{"content":{"parts":[{"text":"{\"kind\":\"bug\"}"}]},"finishReason":"STOP"}]}`

// TestManners shows how the service is asked again for what it refuses.
func TestManners(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"kind":{"type":"string"}}}`)
	for _, test := range []struct {
		name, model string
		refuses     []string
		options     []flow.Option
		requests    int
		want        string
	}{
		{"schema", "gemini-3.5-flash", []string{`responseJsonSchema`}, nil, 2, "It must satisfy this JSON Schema"},
		{"medium", "gemini-3-pro", []string{`"thinkingLevel":"MEDIUM"`}, []flow.Option{option("effort", "medium")}, 2, `"thinkingLevel":"HIGH"`},
		{"max", "gemini-3-pro", nil, []flow.Option{option("effort", "max")}, 1, `"thinkingLevel":"HIGH"`},
		{"max of tokens", "models/gemini-2.5-pro", nil, []flow.Option{option("effort", "max")}, 1, `"thinkingBudget":24576`},
		{"disabled", "gemini-3-pro", []string{`"thinkingLevel":"MINIMAL"`}, []flow.Option{option("thinking", map[string]any{"type": "disabled"})}, 2, `"thinkingLevel":"LOW"`},
		{"disabled in tokens", "gemini-2.5-pro", []string{`"thinkingBudget":0`}, []flow.Option{option("thinking", map[string]any{"type": "disabled"})}, 2, `"thinkingBudget":128`},
		{"adaptive", "gemini-2.5-pro", nil, []flow.Option{option("thinking", map[string]any{"type": "adaptive"})}, 1, `"thinkingBudget":-1`},
		{"enabled", "gemini-3-pro", nil, []flow.Option{option("thinking", map[string]any{"type": "enabled", "budgetTokens": 500}), option("effort", "high")}, 1, `"thinkingBudget":500`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, bodies := picky(t, whole, test.refuses...)
			reply := newStage(t, c).must(flow.Prompt{Text: "x", Model: test.model, Schema: schema, Options: test.options})
			if string(reply.Structured) != `{"kind":"bug"}` {
				t.Errorf("the structured reply is %s", reply.Structured)
			}
			if len(*bodies) != test.requests {
				t.Fatalf("%d requests, want %d", len(*bodies), test.requests)
			}
			last := (*bodies)[test.requests-1]
			expect(t, json.RawMessage(last), test.want)
			if strings.Contains(last, "thinkingLevel") && strings.Contains(last, "thinkingBudget") {
				t.Errorf("both ways at once: %s", last)
			}
		})
	}
}

// TestUnheld shows that a model which nothing holds to a schema is asked again.
func TestUnheld(t *testing.T) {
	for refused, requests := range map[string]int{"no such text": 1, "responseJsonSchema": 8} {
		c, bodies := picky(t, strings.Replace(whole, "bug", "", 1), refused)
		got := newStage(t, c).perform(flow.Prompt{Schema: json.RawMessage(`{"type":"object","properties":{"kind":{"enum":["bug"]}}}`)})
		if got.Status != flow.Failed || len(*bodies) != requests {
			t.Errorf("%s: got %+v after %d requests, want %d", refused, got, len(*bodies), requests)
		}
	}
}

// TestRefusedForGood shows that what cannot be said otherwise is a failure.
func TestRefusedForGood(t *testing.T) {
	c, bodies := picky(t, whole, "contents")
	_, err := newStage(t, c).turn(t.Context(), flow.Prompt{Text: "x"})
	var f *flow.Failure
	if !errors.As(err, &f) || f.Class != flow.ClassFatal || !strings.Contains(err.Error(), "INVALID_ARGUMENT: Invalid value: contents") || len(*bodies) != 1 {
		t.Errorf("got %v after %d requests", err, len(*bodies))
	}
}

// TestStops shows what becomes of answers that are not whole.
func TestStops(t *testing.T) {
	for _, test := range []struct{ answer, want string }{
		{`{"candidates":[{"content":{"parts":[{"text":"half"}]},"finishReason":"MAX_TOKENS"}]}`, "the limit of 9 tokens, thoughts included, was reached"},
		{`{"candidates":[{"finishReason":"SAFETY"}]}`, "safety filter"},
		{`{"candidates":[{"finishReason":"RECITATION"}]}`, "it copied a known work"},
		{`{"candidates":[{"finishReason":"IMAGE_SAFETY"}]}`, "(image_safety)"},
		{`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`, "blocked the prompt (prohibited_content)"},
		{`{"candidates":[{"content":{"parts":[{"text":"whole"}]},"finishReason":"STOP"}]}`, ""},
	} {
		usage := `,"usageMetadata":{"promptTokenCount":10,"cachedContentTokenCount":4,"candidatesTokenCount":2,"thoughtsTokenCount":1}}`
		c, _ := picky(t, strings.TrimSuffix(test.answer, "}")+usage)
		c.MaxTokens, c.Price = 9, &settings.Price{Input: 1e6, CachedInput: 2e6, Output: 4e6}
		reply, err := newStage(t, c).turn(t.Context(), flow.Prompt{Text: "x"})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v", test.answer, err)
		}
		// 6 of input, 4 cached, 3 of output.
		if m := reply.Meta; m.InputTokens != 10 || m.OutputTokens != 3 || m.CostUSD != 6+8+12 {
			t.Errorf("%s: meta %+v", test.answer, m)
		}
	}
}

// TestErrorInTheStream shows an error that comes after the answer has begun: it
// is not asked again, for what was shown cannot be taken back.
func TestErrorInTheStream(t *testing.T) {
	for _, test := range []struct {
		begun    string
		requests int
	}{{`{"candidates":[{"content":{"parts":[{"text":"half"}]}}]}` + "\n\ndata: ", 1}, {"", 5}} {
		c, bodies := picky(t, test.begun+`{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE",`+
			`"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"0s"}]}}`)
		_, err := newStage(t, c).turn(t.Context(), flow.Prompt{Text: "x"})
		var f *flow.Failure
		if !errors.As(err, &f) || f.Class != flow.ClassTransient || !strings.Contains(err.Error(), "[503]: UNAVAILABLE: The model is overloaded.") || len(*bodies) != test.requests {
			t.Errorf("got %v after %d requests", err, len(*bodies))
		}
	}
}

// TestAdvice shows that a wait which takes too long is not waited for, and that
// one of a longer way to say no time is.
func TestAdvice(t *testing.T) {
	for delay, requests := range map[string]int{"86400s": 1, "0.0s": 5} {
		asked := 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked++
			w.WriteHeader(http.StatusTooManyRequests)
			fmt.Fprintf(w, `{"error":{"code":429,"message":"Quota exceeded.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.Help"},`+
				`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"%s"}]}}`, delay)
		}))
		t.Cleanup(s.Close)
		wait, _ := time.ParseDuration(delay)
		_, err := newStage(t, settings.Agent{BaseURL: s.URL}).turn(t.Context(), flow.Prompt{Text: "x"})
		var f *flow.Failure
		if !errors.As(err, &f) || f.RetryAfter != wait || asked != requests {
			t.Errorf("%s: got %v after %d requests, want %d", delay, err, asked, requests)
		}
	}
}
