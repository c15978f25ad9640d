package google_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/google"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// stage is an agent, and what it says.
type stage struct {
	t       *testing.T
	agent   agent.Agent
	environ []string
	dir     string
	said    strings.Builder
	spent   []int64
}

func newStage(t *testing.T, c settings.Agent) *stage {
	t.Helper()
	c.Name = "bot"
	a, err := google.Kind().Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return &stage{t: t, agent: a, dir: t.TempDir(), environ: []string{"GEMINI_API_KEY=" + fakeagent.Key}}
}

func at(s *fakeagent.Server) settings.Agent { return settings.Agent{BaseURL: s.URL} }

func (s *stage) turn(ctx context.Context, p flow.Prompt) (*agent.Reply, error) {
	s.t.Helper()
	s.said.Reset()
	p.Agent = "bot"
	return s.agent.Turn(ctx, &agent.Request{
		Prompt: p, Environ: s.environ, RunDir: s.dir, WorkDir: s.dir,
		Output:     func(piece []byte) { s.said.Write(piece) },
		Notes:      func([]byte) {},
		ReportCost: func(m flow.Meta) { s.spent = append(s.spent, m.OutputTokens) },
	})
}

// must takes a turn that answers.
func (s *stage) must(p flow.Prompt) *agent.Reply {
	s.t.Helper()
	reply, err := s.turn(s.t.Context(), p)
	if err != nil {
		s.t.Fatal(err)
	}
	return reply
}

// perform asks the agent as a run does.
func (s *stage) perform(p flow.Prompt) flow.Result {
	s.t.Helper()
	p.Agent, p.Text = "bot", "x"
	return agent.New(agent.Options{
		Agents: map[string]agent.Agent{"bot": s.agent}, CheckReply: structured.Check,
		Environ: func(_ string, environ []string) (given, withheld []string) { return environ, nil },
	}).Perform(s.t.Context(), &engine.Attempt{
		Info: &flow.RunInfo{ID: "r"}, RunDir: s.dir, Environ: s.environ, Log: slog.New(slog.DiscardHandler),
		Action: flow.Action{Key: "n", Payload: p},
	})
}

func option(name string, v any) flow.Option {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return flow.Option{Name: name, Value: string(text)}
}

func expect(t *testing.T, body json.RawMessage, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(string(body), text) {
			t.Errorf("there is no %s in %s", text, body)
		}
	}
}

func TestAnswers(t *testing.T) {
	server := fakeagent.Google(t, fakeagent.Behaviour{Text: "It is öld.", InputTokens: 1000, OutputTokens: 100})
	c := at(server)
	c.MaxTokens = 77
	s := newStage(t, c)
	reply := s.must(flow.Prompt{Text: "How old?", Model: "gemini-2.5-flash", Options: []flow.Option{option("systemPrompt", "Be brief."), option("effort", "low")}})
	if reply.Text != "It is öld." || s.said.String() != reply.Text {
		t.Errorf("the text is %q, the pieces make %q", reply.Text, s.said.String())
	}
	m := reply.Meta
	if m.InputTokens != 1000 || m.OutputTokens != 100 || math.Abs(m.CostUSD-0.00055) > 1e-9 || m.Model != "gemini-2.5-flash" || m.Turns != 1 {
		t.Errorf("meta: %+v", m)
	}
	if len(s.spent) < 3 || s.spent[1] != 50 || s.spent[2] != 100 {
		t.Errorf("spent: %v", s.spent)
	}
	s.must(flow.Prompt{Text: "And now?", Session: m.Session})

	turns := server.Turns()
	first := turns[0]
	if first.Prompt != "How old?" || first.System != "Be brief." || first.Model != "gemini-2.5-flash" {
		t.Errorf("asked %+v", first)
	}
	expect(t, first.Body, `"maxOutputTokens":77`, `"thinkingBudget":1024`)
	expect(t, turns[1].Body, `{"parts":[{"text":"How old?"}],"role":"user"},{"parts":[{"text":"It is öld."}],"role":"model"},{"parts":[{"text":"And now?"}],"role":"user"}`)
	if strings.Contains(string(turns[1].Body), "thinking") {
		t.Error("an effort that nobody asked for")
	}
}

// TestEnvironment shows that nothing of the process's environment is used, and
// that the SDK says nothing of it either.
func TestEnvironment(t *testing.T) {
	for name, v := range map[string]string{
		"GEMINI_API_KEY": "of-the-process", "GOOGLE_API_KEY": "of-the-process-too", "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:1",
		"GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "l",
	} {
		t.Setenv(name, v)
	}
	var logged bytes.Buffer
	before := log.Writer()
	log.SetOutput(&logged)
	t.Cleanup(func() { log.SetOutput(before) })

	server := fakeagent.Google(t, fakeagent.Behaviour{Text: "hi"})
	s := newStage(t, settings.Agent{})
	s.environ = append(s.environ, "GOOGLE_GEMINI_BASE_URL="+server.URL)
	s.must(flow.Prompt{Text: "x", Model: "gemini-2.5-flash"})
	if got := server.Headers()[0].Get("X-Goog-Api-Key"); got != fakeagent.Key {
		t.Errorf("the key is %q", got)
	}
	broken := fakeagent.Google(t, fakeagent.Behaviour{Text: "some words", Fault: fakeagent.Killed})
	s = newStage(t, at(broken))
	if _, err := s.turn(t.Context(), flow.Prompt{Text: "x"}); err == nil {
		t.Error("a broken connection gave an answer")
	}
	if log.Print("mine"); !strings.HasSuffix(logged.String(), " mine\n") || strings.Count(logged.String(), "\n") != 1 {
		t.Errorf("logged %q", logged.String())
	}
}

func TestFaults(t *testing.T) {
	for _, test := range []struct {
		fault   fakeagent.Fault
		class   flow.Class
		message string
		turns   int
		// answers is how many of them began to answer.
		answers int
	}{
		{fakeagent.Killed, flow.ClassTransient, "the connection to the server at ", 1, 1},
		{fakeagent.Garbled, flow.ClassTransient, "cannot be read", 1, 1},
		{fakeagent.Truncated, flow.ClassTransient, "ended its answer in the middle", 1, 1},
		{fakeagent.RateLimited, flow.ClassTransient, "[429]: RESOURCE_EXHAUSTED: You exceeded your current quota", 5, 0},
		{fakeagent.Overloaded, flow.ClassTransient, "[503]: UNAVAILABLE: The model is overloaded", 1, 1},
		{fakeagent.SignedOut, flow.ClassFatal, "[401]: INVALID_ARGUMENT: API key not valid: ***.", 1, 0},
	} {
		t.Run(string(test.fault), func(t *testing.T) {
			server := fakeagent.Google(t, fakeagent.Behaviour{Text: "some words", Fault: test.fault})
			s := newStage(t, at(server))
			reply, err := s.turn(t.Context(), flow.Prompt{Text: "x"})
			if reply.Meta.Turns != test.answers {
				t.Errorf("%d turns, want %d", reply.Meta.Turns, test.answers)
			}
			var f *flow.Failure
			if !errors.As(err, &f) || f.Class != test.class || !strings.Contains(err.Error(), test.message) {
				t.Errorf("got %v (%+v), want class %q and %q", err, f, test.class, test.message)
			}
			if strings.Contains(err.Error(), fakeagent.Key) {
				t.Error("the message shows the key")
			}
			if got := len(server.Turns()); got != test.turns {
				t.Errorf("the service was asked %d times, want %d", got, test.turns)
			}
		})
	}
}

// TestUnreachable shows that the key is not part of what the connection says.
func TestUnreachable(t *testing.T) {
	s := newStage(t, settings.Agent{BaseURL: "http://127.0.0.1:1"})
	_, err := s.turn(t.Context(), flow.Prompt{Text: "x"})
	var f *flow.Failure
	if !errors.As(err, &f) || f.Class != flow.ClassTransient || strings.Contains(err.Error(), fakeagent.Key) {
		t.Errorf("got %v", err)
	}
}

func TestRateLimitThatPasses(t *testing.T) {
	server := fakeagent.Google(t, fakeagent.Behaviour{Text: "well", Fault: fakeagent.RateLimited, Times: 3})
	if reply := newStage(t, at(server)).must(flow.Prompt{Text: "x"}); reply.Text != "well" || len(server.Turns()) != 4 {
		t.Errorf("got %q after %d requests", reply.Text, len(server.Turns()))
	}
}

func TestFallbackModel(t *testing.T) {
	server := fakeagent.Google(t, fakeagent.Behaviour{Text: "well"})
	s := newStage(t, at(server))
	reply := s.must(flow.Prompt{Text: "x", Model: fakeagent.MissingModel, Options: []flow.Option{option("fallbackModel", "gemini-2.5-pro")}})
	if reply.Meta.Model != "gemini-2.5-pro" {
		t.Errorf("the model is %q", reply.Meta.Model)
	}
	_, err := s.turn(t.Context(), flow.Prompt{Text: "x", Model: fakeagent.MissingModel})
	if err == nil || !strings.Contains(err.Error(), "NOT_FOUND: models/no-such-model is not found") || failures.Classify(err) != flow.ClassFatal {
		t.Errorf("got %v", err)
	}
}

// TestStalled shows that the end of a context ends a turn in which nothing comes.
func TestStalled(t *testing.T) {
	server := fakeagent.Google(t, fakeagent.Behaviour{Text: "some words", Fault: fakeagent.Stalled})
	ctx, cancel := context.WithCancel(t.Context())
	s := newStage(t, at(server))
	_, err := s.agent.Turn(ctx, &agent.Request{
		Prompt: flow.Prompt{Agent: "bot", Text: "x"}, Environ: s.environ, RunDir: s.dir,
		Output: func(piece []byte) {
			if len(piece) > 0 {
				cancel()
			}
		},
	})
	if err == nil {
		t.Error("it answered")
	}
}

// TestIdle shows that the limit of idle time is kept, through the performer.
func TestIdle(t *testing.T) {
	server := fakeagent.Google(t, fakeagent.Behaviour{Text: "some words", Fault: fakeagent.Stalled})
	s := newStage(t, at(server))
	got := s.perform(flow.Prompt{IdleTimeout: 200 * time.Millisecond})
	if got.Status != flow.Failed || got.Failure.Reason != failures.ReasonTimeout || got.Text != "some " {
		t.Errorf("got %+v, %+v", got, got.Failure)
	}
}

func TestInspect(t *testing.T) {
	server := fakeagent.Google(t, fakeagent.Behaviour{})
	for key, want := range map[string]engine.Verdict{fakeagent.Key: engine.Yes, "AIza-wrong": engine.No} {
		s := newStage(t, at(server))
		var state engine.AgentState
		s.agent.(agent.Inspector).Inspect(t.Context(), &engine.Inspection{Environ: []string{"GOOGLE_API_KEY=" + key}, Thorough: true}, &state)
		if state.SignedIn != want || strings.Contains(state.Problem+state.Hint, key) {
			t.Errorf("%s: %+v", key, state)
		}
	}
	if paths := server.Paths(); len(paths) != 2 || paths[0] != http.MethodGet+" /v1beta/models" {
		t.Errorf("asked %q", paths)
	}
}

func TestOverBudget(t *testing.T) {
	server := fakeagent.Google(t, fakeagent.Behaviour{Text: "some words", Fault: fakeagent.OverBudget})
	got := newStage(t, at(server)).perform(flow.Prompt{Model: "gemini-2.5-pro", Options: []flow.Option{option("maxBudgetUsd", 0.5)}})
	if got.Status != flow.Failed || got.Failure.Class != flow.ClassFatal || !strings.Contains(got.Failure.Message, "exceeded cost cap of $0.50: its agent has spent $125.00") || got.Meta.CostUSD != 125 {
		t.Errorf("got %+v, %+v", got, got.Failure)
	}
}
