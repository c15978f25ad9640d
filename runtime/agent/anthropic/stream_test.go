package anthropic_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/anthropic"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/settings"
)

const (
	start = `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"claude-opus-5-5","content":[],"usage":{"input_tokens":10,"cache_creation_input_tokens":20,"cache_read_input_tokens":30,"output_tokens":1}}}`
	begin = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	words = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}`
	stop  = `{"type":"message_stop"}`
)

// ending is the event that says why an answer ends.
func ending(reason string) string {
	return `{"type":"message_delta","delta":{"stop_reason":` + reason + `},"usage":{"output_tokens":40}}`
}

// turn has the agent ask a server that sends these events, each named as its
// type says.
func turn(t *testing.T, status int, body string) (*agent.Reply, error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Retry-After-Ms", "0")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	defer server.Close()
	a, err := anthropic.Kind().Open(settings.Agent{BaseURL: server.URL, Model: "claude-opus-5-5"})
	if err != nil {
		t.Fatal(err)
	}
	return a.Turn(t.Context(), &agent.Request{
		Prompt:  flow.Prompt{Agent: "bot", Text: "x"},
		Environ: []string{"ANTHROPIC_API_KEY=k"}, RunDir: t.TempDir(), WorkDir: t.TempDir(),
	})
}

// A service that asks for a long wait is asked once: the retries of the step wait for it.
func TestRetryAfter(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Retry-After", "120")
		w.WriteHeader(529)
		_, _ = io.WriteString(w, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
	}))
	t.Cleanup(server.Close)
	a, err := anthropic.Kind().Open(settings.Agent{BaseURL: server.URL, Model: "claude-opus-5-5"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = a.Turn(t.Context(), &agent.Request{
		Prompt: flow.Prompt{Agent: "bot", Text: "x"}, Environ: []string{"ANTHROPIC_API_KEY=k"}, RunDir: t.TempDir(), WorkDir: t.TempDir(),
	})
	var f *flow.Failure
	if !errors.As(err, &f) || f.RetryAfter != 2*time.Minute || f.Class != flow.ClassTransient || asked != 1 {
		t.Errorf("got %+v after %d requests", f, asked)
	}
}

func events(list ...string) string {
	var b strings.Builder
	for _, e := range list {
		_, kind, _ := strings.Cut(e, `"type":"`)
		kind, _, _ = strings.Cut(kind, `"`)
		b.WriteString("event: " + kind + "\ndata: " + e + "\n\n")
	}
	return b.String()
}

func TestUsageOfCaches(t *testing.T) {
	reply, err := turn(t, 200, events(start, begin, words, ending(`"end_turn"`), stop))
	if err != nil || reply.Text != "hi" {
		t.Fatalf("%+v, %v", reply, err)
	}
	want := (10*4.0 + 20*5.0 + 30*0.20 + 40*20.0) / 1e6
	if m := reply.Meta; m.InputTokens != 60 || m.OutputTokens != 40 || m.CostUSD != want {
		t.Errorf("%+v, want the cost %v", m, want)
	}
}

func TestStops(t *testing.T) {
	for reason, want := range map[string]string{
		`"stop_sequence"`: "",
		`"max_tokens"`:    "the limit of 32000 tokens was reached; `max_tokens` in wfc.yaml raises it",
		`"refusal","stop_details":{"type":"refusal","category":"bio","explanation":"too risky"}`: "the model declined to answer: too risky",
		`"refusal"`:                       "the model declined to answer",
		`"model_context_window_exceeded"`: "the conversation is longer than the model's context",
		`"pause_turn"`:                    "the service ended it with `pause_turn`",
		`null`:                            "the service did not report its end",
	} {
		reply, err := turn(t, 200, events(start, begin, words, ending(reason), stop))
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", reason, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), "is incomplete: "+want)):
			t.Errorf("%s: %v, want %q", reason, err, want)
		case reply == nil || reply.Meta.OutputTokens != 40:
			t.Errorf("%s: cost %+v", reason, reply)
		}
	}
}

func TestStreamsThatAreNone(t *testing.T) {
	long := "event: content_block_delta\ndata: " + strings.Repeat("x", 64<<20) + "\n\n"
	for _, test := range []struct {
		name   string
		status int
		body   string
		want   string
		class  flow.Class
	}{
		{"a page", 200, "<html>hello</html>", "ended its answer in the middle", flow.ClassTransient},
		{"nothing", 200, "", "ended its answer in the middle", flow.ClassTransient},
		{"an end without a beginning", 200, events(stop), "ended its answer in the middle", flow.ClassTransient},
		{"another type", 200, events(start) + "event: message_delta\ndata: [1]\n\n", "", flow.ClassTransient},
		{"an endless line", 200, events(start) + long, "cannot be read", flow.ClassTransient},
		{"an error that is none", 200, events(start) + "event: error\ndata: oops\n\n", "cannot be read", flow.ClassTransient},
		{"an unknown error", 200, events(start, `{"type":"error","error":{"type":"odd_error","message":"odd"}}`), "refused the request: odd_error: odd", flow.ClassUnknown},
		{"a late authentication", 200, events(start, `{"type":"error","error":{"type":"authentication_error","message":"expired"}}`), "[401]: authentication_error: expired; check the key", flow.ClassFatal},
		{"no money", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}`, "[400]: invalid_request_error: Your credit", flow.ClassFatal},
		{"a proxy's page", 502, "<html>\n<h1>Bad gateway</h1></html>", "[502]: <html> <h1>Bad gateway</h1></html>", flow.ClassTransient},
		{"an empty refusal", 500, "", "[500]: internal server error", flow.ClassTransient},
		{"somewhere else", 307, "", "[421]: the server redirects to another server", flow.ClassFatal},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := turn(t, test.status, test.body)
			if err == nil || !strings.Contains(err.Error(), test.want) || failures.Classify(err) != test.class {
				t.Errorf("%v of class %q, want %q of %q", err, failures.Classify(err), test.want, test.class)
			}
		})
	}
}
