package failures_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/acp"
	"github.com/wfc-lang/wfc/runtime/agent/anthropic"
	"github.com/wfc-lang/wfc/runtime/agent/claude"
	"github.com/wfc-lang/wfc/runtime/agent/codex"
	"github.com/wfc-lang/wfc/runtime/agent/google"
	"github.com/wfc-lang/wfc/runtime/agent/openai"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/settings"
)

func TestMain(m *testing.M) { fakeagent.Main(m) }

// A refusal is one that was recorded in a public thread, with what wfc makes of it.
type refusal struct {
	// Agent is claude, codex, gemini, copilot, opencode, anthropic, openai or google.
	Agent string
	// Source is the thread; Said is when the refusal was read.
	Source string
	Said   time.Time
	// Text is the message of a program; Kind is the name of the error that Claude Code gives
	// beside it, and Resets the reset in seconds since 1970; Code and Data are those of an error
	// of the Agent Client Protocol.
	Text   string
	Kind   string
	Resets int64
	Code   int
	Data   json.RawMessage
	// Status, Headers and Body are the answer of a service.
	Status  int
	Headers map[string]string
	Body    json.RawMessage
	// Want is plan (a quota, which no retry within minutes passes), rate, credit, outage or
	// failure, and Reset is when the refusal says that it is over.
	Want  string
	Reset time.Time
}

// Recorded refusals are quotas, outages or failures, with the reset that they name. Each passes
// through the classification of its kind of agent.
func TestRefusals(t *testing.T) {
	text, err := os.ReadFile("testdata/refusals.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []refusal
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Errorf("%d refusals", len(all))
	}
	agents := map[string]int{}
	for i, r := range all {
		if !strings.HasPrefix(r.Source, "https://") || r.Said.IsZero() {
			t.Errorf("no source: %+v", r)
		}
		agents[r.Agent]++
		t.Run(fmt.Sprint(r.Agent, i), func(t *testing.T) {
			a, prompt, err := r.open(t)
			if err != nil {
				t.Fatal(err)
			}
			_, err = a.Turn(t.Context(), &agent.Request{
				Prompt: flow.Prompt{Agent: r.Agent, Text: prompt}, RunID: "w-abc123", Key: "fix#3", Attempt: 1, RunDir: t.TempDir(), WorkDir: t.TempDir(),
				Environ: []string{"PATH=" + os.Getenv("PATH"), "ANTHROPIC_API_KEY=k", "OPENAI_API_KEY=k", "GEMINI_API_KEY=k"},
				Output:  func([]byte) {}, Notes: func([]byte) {}, Warn: func(string) {}, ReportCost: func(flow.Meta) {},
			})
			r.check(t, err)
		})
	}
	if len(agents) != 8 {
		t.Errorf("refusals of %v", agents)
	}
}

// open opens the agent of a refusal, which will refuse so, and returns what to send it.
func (r *refusal) open(t *testing.T) (a agent.Agent, prompt string, err error) {
	switch r.Agent {
	case "anthropic":
		a, err = anthropic.Kind().Open(settings.Agent{BaseURL: r.service(t), Model: "claude-opus-5-5"})
	case "openai":
		a, err = openai.Kind().Open(settings.Agent{BaseURL: r.service(t) + "/v1"})
	case "google":
		a, err = google.Kind().Open(settings.Agent{BaseURL: r.service(t)})
	case "codex":
		a, err = codex.Kind().Open(settings.Agent{Name: r.Agent, Args: []string{}, Program: prints(t, `{"type":"thread.started","thread_id":"s"}`,
			fmt.Sprintf(`{"type":"turn.failed","error":{"message":%s}}`, toJSON(t, r.Text)))})
	case "claude":
		lines := []string{`{"type":"system","subtype":"init","session_id":"s","model":"m"}`}
		if r.Resets != 0 {
			lines = append(lines, fmt.Sprintf(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%d,"rateLimitType":"five_hour"}}`, r.Resets))
		}
		if r.Kind != "" {
			lines = append(lines, fmt.Sprintf(`{"type":"assistant","error":"%s","message":{"id":"m","content":[{"type":"text","text":"x"}]}}`, r.Kind))
		}
		lines = append(lines, fmt.Sprintf(`{"type":"result","subtype":"success","is_error":true,"session_id":"s","num_turns":2,"result":%s}`, toJSON(t, r.Text)))
		a, err = claude.Kind().Open(settings.Agent{Name: r.Agent, Args: []string{}, Program: prints(t, lines...)})
	default:
		answer := toJSON(t, map[string]any{"jsonrpc": "2.0", "id": 3, "error": map[string]any{"code": r.Code, "message": r.Text, "data": r.Data}})
		prompt = "!send " + answer + "\n!wait"
		a, err = acp.Kind().Open(settings.Agent{Name: r.Agent, Kind: "acp", Args: []string{}, Program: fakeagent.Program(t, "acp", fakeagent.Behaviour{Text: "x"})})
	}
	return a, prompt, err
}

// service returns the address of a service that answers with the refusal.
func (r *refusal) service(t *testing.T) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for name, value := range r.Headers {
			w.Header().Set(name, value)
		}
		w.WriteHeader(r.Status)
		_, _ = w.Write(r.Body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// prints returns a program that prints lines and fails.
func prints(t *testing.T, lines ...string) string {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("the test's program is a shell script")
	}
	path := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n[ \"$1\" = --version ] && exit\ncat >/dev/null\ncat <<'END'\n"+strings.Join(lines, "\n")+"\nEND\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func toJSON(t *testing.T, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// check compares the error of an agent that refused with what the table wants.
func (r *refusal) check(t *testing.T, err error) {
	t.Helper()
	var f *flow.Failure
	if !errors.As(err, &f) {
		t.Fatalf("%s: no failure: %v", r.Source, err)
	}
	got := "failure"
	switch {
	case f.Reason == failures.ReasonCredit:
		got = "credit"
	case f.Reason == failures.ReasonQuota && f.Class == flow.ClassTransient:
		got = "rate"
	case f.Reason == failures.ReasonQuota:
		got = "plan"
	case f.Class == flow.ClassTransient:
		got = "outage"
	}
	if got != r.Want {
		t.Errorf("%s: %s, want %s: %+v", r.Source, got, r.Want, f)
	}
	if reset := failures.ResetOf(f, r.Said); reset.Sub(r.Reset).Abs() > time.Second {
		t.Errorf("%s: the reset is %v, want %v: %+v", r.Source, reset, r.Reset, f)
	}
	if message := r.quoted(); message != "" && !strings.Contains(f.Message, message) {
		t.Errorf("%s: %q does not say %q", r.Source, f.Message, message)
	}
}

// quoted is a part of the refusal that its failure must quote: its first words.
func (r *refusal) quoted() string {
	words := r.Text
	if i := strings.IndexAny(words, "{[|\n"); i >= 0 {
		words = words[:i]
	}
	return strings.TrimSpace(words[:min(len(words), 25)])
}
