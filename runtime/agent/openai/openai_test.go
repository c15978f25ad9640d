package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/openai"
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
	spent   flow.Meta
}

func newStage(t *testing.T, c settings.Agent) *stage {
	t.Helper()
	c.Name = "bot"
	a, err := openai.Kind().Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return &stage{t: t, agent: a, dir: t.TempDir(), environ: []string{"OPENAI_API_KEY=" + fakeagent.Key}}
}

func at(s *fakeagent.Server) settings.Agent { return settings.Agent{BaseURL: s.URL + "/v1"} }

func (s *stage) turn(ctx context.Context, p flow.Prompt) (*agent.Reply, error) {
	s.t.Helper()
	s.said.Reset()
	p.Agent = "bot"
	return s.agent.Turn(ctx, &agent.Request{
		Prompt: p, Environ: s.environ, RunDir: s.dir, WorkDir: s.dir,
		Output:     func(piece []byte) { s.said.Write(piece) },
		Notes:      func([]byte) {},
		ReportCost: func(m flow.Meta) { s.spent = m },
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

func TestAnswers(t *testing.T) {
	server := fakeagent.OpenAI(t, fakeagent.Behaviour{Text: "It is öld.", Model: "gpt-4.1-2025-04-14", InputTokens: 1000, OutputTokens: 100})
	c := at(server)
	c.MaxTokens = 77
	s := newStage(t, c)
	reply := s.must(flow.Prompt{Text: "How old?", Model: "gpt-4.1", Options: []flow.Option{option("systemPrompt", "Be brief."), option("effort", "high")}})
	if reply.Text != "It is öld." || s.said.String() != reply.Text {
		t.Errorf("the text is %q, the pieces make %q", reply.Text, s.said.String())
	}
	m := reply.Meta
	if m.InputTokens != 1000 || m.OutputTokens != 100 || math.Abs(m.CostUSD-0.0028) > 1e-9 || m.Model != "gpt-4.1-2025-04-14" || m.Turns != 1 {
		t.Errorf("meta: %+v", m)
	}
	if s.spent.OutputTokens != 100 {
		t.Errorf("spent: %+v", s.spent)
	}
	s.must(flow.Prompt{Text: "And now?", Session: m.Session})

	turns := server.Turns()
	first := turns[0]
	if first.Prompt != "How old?" || first.System != "Be brief." || first.Model != "gpt-4.1" {
		t.Errorf("asked %+v", first)
	}
	expect(t, first.Body, `"max_tokens":77`, `"reasoning_effort":"high"`, `"role":"system"`, `"include_usage":true`, `"stream":true`)
	expect(t, turns[1].Body, `"content":"How old?","role":"user"`, `"content":"It is öld.","role":"assistant"`, `"content":"And now?","role":"user"`)
	if strings.Contains(string(turns[1].Body), "reasoning_effort") {
		t.Error("an effort that nobody asked for")
	}
}

func expect(t *testing.T, body json.RawMessage, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(string(body), text) {
			t.Errorf("there is no %s in %s", text, body)
		}
	}
}

// TestEnvironment shows that nothing of the process's environment is used.
func TestEnvironment(t *testing.T) {
	for name, v := range map[string]string{
		"OPENAI_API_KEY": "of-the-process", "OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_ORG_ID": "process-org",
		"OPENAI_PROJECT_ID": "process-project", "OPENAI_ADMIN_KEY": "process-admin", "OPENAI_CUSTOM_HEADERS": "X-Process: yes",
	} {
		t.Setenv(name, v)
	}
	server := fakeagent.OpenAI(t, fakeagent.Behaviour{Text: "hi"})
	s := newStage(t, settings.Agent{})
	s.environ = append(s.environ, "OPENAI_BASE_URL="+server.URL+"/v1", "OPENAI_ORG_ID=org-1", "OPENAI_PROJECT_ID=proj-1")
	s.must(flow.Prompt{Text: "x"})

	c := at(server)
	c.KeyVariable = "OTHER_KEY"
	s = newStage(t, c)
	s.environ = append(s.environ, "OTHER_KEY="+fakeagent.Key, "OPENAI_ORG_ID=org-1")
	s.must(flow.Prompt{Text: "x"})

	headers := server.Headers()
	for i, want := range []map[string]string{
		{"Openai-Organization": "org-1", "Openai-Project": "proj-1", "X-Process": "", "Authorization": "Bearer " + fakeagent.Key},
		{"Openai-Organization": "", "Openai-Project": "", "X-Process": "", "Authorization": "Bearer " + fakeagent.Key},
	} {
		for name, value := range want {
			if got := headers[i].Get(name); got != value {
				t.Errorf("request %d: %s is %q, want %q", i+1, name, got, value)
			}
		}
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
		{fakeagent.RateLimited, flow.ClassTransient, "[429]: rate_limit_exceeded: Rate limit reached for requests (request req_openai)", 5, 0},
		{fakeagent.Overloaded, flow.ClassTransient, "[500]: server_error: The server had an error", 1, 1},
		{fakeagent.SignedOut, flow.ClassFatal, "invalid_api_key: Incorrect API key provided: ***.", 1, 0},
	} {
		t.Run(string(test.fault), func(t *testing.T) {
			server := fakeagent.OpenAI(t, fakeagent.Behaviour{Text: "some words", Fault: test.fault})
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

func TestRateLimitThatPasses(t *testing.T) {
	server := fakeagent.OpenAI(t, fakeagent.Behaviour{Text: "well", Fault: fakeagent.RateLimited, Times: 3})
	if reply := newStage(t, at(server)).must(flow.Prompt{Text: "x"}); reply.Text != "well" || len(server.Turns()) != 4 {
		t.Errorf("got %q after %d requests", reply.Text, len(server.Turns()))
	}
}

func TestFallbackModel(t *testing.T) {
	server := fakeagent.OpenAI(t, fakeagent.Behaviour{Text: "well"})
	s := newStage(t, at(server))
	reply := s.must(flow.Prompt{Text: "x", Model: fakeagent.MissingModel, Options: []flow.Option{option("fallbackModel", "gpt-5")}})
	if reply.Meta.Model != "gpt-5" {
		t.Errorf("the model is %q", reply.Meta.Model)
	}
	_, err := s.turn(t.Context(), flow.Prompt{Text: "x", Model: fakeagent.MissingModel})
	if err == nil || !strings.Contains(err.Error(), "model_not_found: The model `no-such-model` does not exist") || failures.Classify(err) != flow.ClassFatal {
		t.Errorf("got %v", err)
	}
}

// TestStalled shows that the end of a context ends a turn in which nothing comes.
func TestStalled(t *testing.T) {
	server := fakeagent.OpenAI(t, fakeagent.Behaviour{Text: "some words", Fault: fakeagent.Stalled})
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
	if !errors.Is(err, context.Canceled) && ctx.Err() == nil {
		t.Errorf("got %v", err)
	}
}

// TestIdle shows that the limit of idle time is kept, through the performer.
func TestIdle(t *testing.T) {
	server := fakeagent.OpenAI(t, fakeagent.Behaviour{Text: "some words", Fault: fakeagent.Stalled})
	s := newStage(t, at(server))
	got := s.perform(flow.Prompt{IdleTimeout: 200 * time.Millisecond})
	if got.Status != flow.Failed || got.Failure.Reason != failures.ReasonTimeout || got.Text != "some " {
		t.Errorf("got %+v, %+v", got, got.Failure)
	}
}

func TestInspect(t *testing.T) {
	server := fakeagent.OpenAI(t, fakeagent.Behaviour{})
	for key, want := range map[string]engine.Verdict{fakeagent.Key: engine.Yes, "sk-wrong": engine.No} {
		s := newStage(t, at(server))
		var state engine.AgentState
		s.agent.(agent.Inspector).Inspect(t.Context(), &engine.Inspection{Environ: []string{"OPENAI_API_KEY=" + key}, Thorough: true}, &state)
		if state.SignedIn != want || strings.Contains(state.Problem+state.Hint, key) {
			t.Errorf("%s: %+v", key, state)
		}
	}
	if paths := server.Paths(); len(paths) != 2 || paths[0] != http.MethodGet+" /v1/models" {
		t.Errorf("asked %q", paths)
	}
}

func TestOverBudget(t *testing.T) {
	server := fakeagent.OpenAI(t, fakeagent.Behaviour{Text: "some words", Fault: fakeagent.OverBudget})
	got := newStage(t, at(server)).perform(flow.Prompt{Model: "gpt-5", Options: []flow.Option{option("maxBudgetUsd", 0.5)}})
	if got.Status != flow.Failed || got.Failure.Class != flow.ClassFatal || !strings.Contains(got.Failure.Message, "exceeded cost cap of $0.50: its agent has spent $125.00") || got.Meta.CostUSD != 125 {
		t.Errorf("got %+v, %+v", got, got.Failure)
	}
}
