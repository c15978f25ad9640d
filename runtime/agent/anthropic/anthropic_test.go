package anthropic_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/anthropic"
	"github.com/wfc-lang/wfc/runtime/agent/prompts"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/api"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/settings"
)

const schema = `{"type":"object","properties":{"verdict":{"type":"string","enum":["yes","no"]},"score":{"type":"integer","minimum":1}},"required":["verdict"]}`

// stage performs prompts with the agent on a fake service.
type stage struct {
	t      *testing.T
	server *fakeagent.Server
	choice settings.Agent
	kind   agent.Kind
	dir    string
	// environ is the run's environment.
	environ []string
	said    strings.Builder
	log     strings.Builder
}

func newStage(t *testing.T, b fakeagent.Behaviour, c settings.Agent) *stage {
	t.Helper()
	// The process's own settings must not count.
	t.Setenv("ANTHROPIC_API_KEY", "of-the-process")
	t.Setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
	t.Setenv("ANTHROPIC_CUSTOM_HEADERS", "X-Of-The-Process: 1")
	s := &stage{t: t, server: fakeagent.Anthropic(t, b), dir: filepath.Join(t.TempDir(), "w-abc123"), environ: []string{"ANTHROPIC_API_KEY=" + fakeagent.Key}, choice: c, kind: anthropic.Kind()}
	s.choice.Name, s.choice.Kind, s.choice.BaseURL = "bot", s.kind.Name, s.server.URL
	return s
}

func (s *stage) perform(prompt flow.Prompt) flow.Result { return s.performIn(s.t.Context(), prompt) }

func (s *stage) performIn(ctx context.Context, prompt flow.Prompt) flow.Result {
	s.t.Helper()
	prompt.Agent = "bot"
	if prompt.Text == "" {
		prompt.Text = "judge"
	}
	p, err := prompts.Opener(structured.Check, s.kind)(engine.Agents{List: []settings.Agent{s.choice}})
	if err != nil {
		s.t.Fatal(err)
	}
	return p.Perform(ctx, &engine.Attempt{
		Info: &flow.RunInfo{ID: "w-abc123", WorkDir: s.t.TempDir()}, Action: flow.Action{Key: "a", Payload: prompt}, Number: 1,
		RunDir: s.dir, Environ: s.environ, Log: slog.New(slog.NewTextHandler(io.MultiWriter(&s.log), nil)),
		Output: func(stream string, piece []byte) { s.said.WriteString(stream + ":" + string(piece) + "|") },
	})
}

func option(name, value string) flow.Option {
	return flow.Option{Name: name, Value: value}
}

func TestAnswer(t *testing.T) {
	s := newStage(t, fakeagent.Behaviour{Text: "good day", Model: "claude-sonnet-5-5-20260901", InputTokens: 1000, OutputTokens: 100}, settings.Agent{})
	got := s.perform(flow.Prompt{Options: []flow.Option{option(options.SystemPrompt, `"be brief"`), option("effort", `"high"`),
		option("thinking", `{"type":"enabled","budgetTokens":2048}`), option("betas", `["one","two"]`)}})
	if got.Status != flow.Completed || got.Text != "good day" {
		t.Fatalf("%+v, %+v", got, got.Failure)
	}
	m := got.Meta
	if m.InputTokens != 1000 || m.OutputTokens != 100 || m.Turns != 1 || m.Model != "claude-sonnet-5-5-20260901" || m.Session == "" {
		t.Errorf("meta %+v", m)
	}
	if want := (1000*2.0 + 100*10.0) / 1e6; m.CostUSD != want {
		t.Errorf("cost %v, want %v", m.CostUSD, want)
	}
	if s.said.String() != "agent:good|agent: day|" {
		t.Errorf("said %q", s.said.String())
	}
	turns := s.server.Turns()
	if len(turns) != 1 || turns[0].Prompt != "judge" || turns[0].System != "be brief" || turns[0].Model != "claude-sonnet-5-5" || turns[0].Schema != nil {
		t.Fatalf("turns %+v", turns)
	}
	var body struct {
		MaxTokens    int64           `json:"max_tokens"`
		Thinking     json.RawMessage `json:"thinking"`
		OutputConfig json.RawMessage `json:"output_config"`
	}
	if err := json.Unmarshal(turns[0].Body, &body); err != nil {
		t.Fatal(err)
	}
	if body.MaxTokens != 34048 || string(body.Thinking) != `{"budget_tokens":2048,"type":"enabled"}` || string(body.OutputConfig) != `{"effort":"high"}` {
		t.Errorf("sent %d, %s, %s", body.MaxTokens, body.Thinking, body.OutputConfig)
	}
	h := s.server.Headers()[0]
	if h.Get("Anthropic-Beta") != "one,two" || h.Get("X-Api-Key") != fakeagent.Key || h.Get("Authorization") != "" || h.Get("X-Of-The-Process") != "" {
		t.Errorf("headers %v", h)
	}
}

func TestThinking(t *testing.T) {
	for setting, want := range map[string]string{
		`{"type":"adaptive"}`: `{"type":"adaptive"}`,
		`{"type":"disabled"}`: `{"type":"disabled"}`,
		`{"type":"enabled"}`:  `{"budget_tokens":2000,"type":"enabled"}`,
	} {
		s := newStage(t, fakeagent.Behaviour{Text: "hi"}, settings.Agent{MaxTokens: 4000})
		if got := s.perform(flow.Prompt{Options: []flow.Option{option("thinking", setting)}}); got.Status != flow.Completed {
			t.Fatalf("%s: %+v", setting, got.Failure)
		}
		var body struct {
			MaxTokens int64           `json:"max_tokens"`
			Thinking  json.RawMessage `json:"thinking"`
		}
		if err := json.Unmarshal(s.server.Turns()[0].Body, &body); err != nil || body.MaxTokens != 4000 || string(body.Thinking) != want {
			t.Errorf("%s: sent %+v, %v", setting, body, err)
		}
	}
}

func TestKeys(t *testing.T) {
	for _, test := range []struct {
		choice  settings.Agent
		environ string
		header  string
		want    string
	}{
		{settings.Agent{}, "ANTHROPIC_AUTH_TOKEN=" + fakeagent.Key, "Authorization", "Bearer " + fakeagent.Key},
		{settings.Agent{KeyVariable: "TEAM_KEY"}, "TEAM_KEY=" + fakeagent.Key, "X-Api-Key", fakeagent.Key},
		{settings.Agent{KeyVariable: "Gateway_Token"}, "Gateway_Token=" + fakeagent.Key, "Authorization", "Bearer " + fakeagent.Key},
	} {
		s := newStage(t, fakeagent.Behaviour{Text: "hi"}, test.choice)
		s.environ = []string{test.environ}
		if got := s.perform(flow.Prompt{}); got.Status != flow.Completed {
			t.Errorf("%s: %+v", test.environ, got.Failure)
			continue
		}
		h := s.server.Headers()[0]
		if h.Get(test.header) != test.want || h.Get("Authorization") != "" && h.Get("X-Api-Key") != "" {
			t.Errorf("%s: headers %v", test.environ, h)
		}
	}
}

func TestStructured(t *testing.T) {
	b := fakeagent.Behaviour{Text: "so: {\"verdict\":\"no\"}", Structured: json.RawMessage(`{"verdict":"yes","score":3}`)}
	prompt := flow.Prompt{Schema: json.RawMessage(schema)}
	s := newStage(t, b, settings.Agent{})
	if got := s.perform(prompt); got.Text != `{"verdict":"yes","score":3}` {
		t.Errorf("native: %+v, %+v", got, got.Failure)
	}
	const want = `{"type":"object","properties":{"verdict":{"type":"string","enum":["yes","no"]},"score":{"type":"integer","description":"(minimum: 1)"}},"required":["verdict"],"additionalProperties":false}`
	if turn := s.server.Turns()[0]; string(turn.Schema) != want || turn.Prompt != "judge" {
		t.Errorf("native: sent %s\nwith %q", turn.Schema, turn.Prompt)
	}

	// What the service does not know is checked here, and the model asked again.
	s = newStage(t, fakeagent.Behaviour{Structured: json.RawMessage(`{"verdict":"yes","score":0}`)}, settings.Agent{})
	if got := s.perform(prompt); got.Failure == nil || got.Failure.Reason != failures.ReasonOutput || len(s.server.Turns()) != 4 {
		t.Errorf("below the minimum: asked %d times: %+v", len(s.server.Turns()), got)
	}
	// What it knows it holds to, so that asking again is no use.
	s = newStage(t, fakeagent.Behaviour{Structured: json.RawMessage(`{"verdict":"maybe"}`)}, settings.Agent{})
	if got := s.perform(flow.Prompt{Schema: json.RawMessage(`{"properties":{"verdict":{"enum":["yes","no"]}}}`)}); got.Failure == nil || len(s.server.Turns()) != 1 {
		t.Errorf("no verdict: asked %d times: %+v", len(s.server.Turns()), got)
	}

	// A model that cannot be held to it gets it in words, and is asked again.
	s = newStage(t, b, settings.Agent{Model: "claude-3-7-sonnet-20250219"})
	if got := s.perform(prompt); got.Text != `{"verdict":"no"}` {
		t.Errorf("in words: %+v, %+v", got, got.Failure)
	}
	if turn := s.server.Turns()[0]; turn.Schema != nil || !strings.HasSuffix(turn.Prompt, schema) {
		t.Errorf("in words: %+v", turn)
	}
	s = newStage(t, fakeagent.Behaviour{Text: "never"}, settings.Agent{Model: "other-maker"})
	if got := s.perform(prompt); got.Failure == nil || len(s.server.Turns()) != 4 {
		t.Errorf("in words: asked %d times: %+v", len(s.server.Turns()), got)
	}

	// So does one whose schema is of no form that the service takes.
	s = newStage(t, b, settings.Agent{})
	prompt.Schema = json.RawMessage(`{"type":"object"}`)
	if got := s.perform(prompt); got.Text != `{"verdict":"no"}` || s.server.Turns()[0].Schema != nil {
		t.Errorf("an open schema: %+v, %+v", got, got.Failure)
	}
}

func TestConversation(t *testing.T) {
	s := newStage(t, fakeagent.Behaviour{Text: "aha"}, settings.Agent{})
	first := s.perform(flow.Prompt{Text: "one"})
	second := s.perform(flow.Prompt{Text: "two", Session: first.Meta.Session})
	if second.Status != flow.Completed || second.Meta.Session == first.Meta.Session {
		t.Fatalf("%+v", second)
	}
	var body struct {
		Messages []struct {
			Role    string
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(s.server.Turns()[1].Body, &body); err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, m := range body.Messages {
		said = append(said, m.Role+":"+m.Content[0].Text)
	}
	if got := strings.Join(said, " "); got != "user:one assistant:aha user:two" {
		t.Errorf("sent %q", got)
	}
}

func TestFallback(t *testing.T) {
	s := newStage(t, fakeagent.Behaviour{Text: "hi"}, settings.Agent{})
	got := s.perform(flow.Prompt{Model: fakeagent.MissingModel, Options: []flow.Option{option(options.FallbackModel, `"haiku"`)}})
	if got.Status != flow.Completed || got.Meta.Model != "claude-haiku-5-5" {
		t.Errorf("%+v, %+v", got, got.Failure)
	}
	if want := "stderr:the model `no-such-model` does not exist; `claude-haiku-5-5` is asked\n|"; !strings.HasPrefix(s.said.String(), want) {
		t.Errorf("said %q", s.said.String())
	}
	got = s.perform(flow.Prompt{Model: fakeagent.MissingModel})
	if f := got.Failure; f == nil || f.Class != flow.ClassFatal || f.Message != "agent `bot`: the server at "+s.server.URL+" refused the request [404]: not_found_error: model: no-such-model (request req_fake); check the model `no-such-model` and the base URL" {
		t.Errorf("%+v", f)
	}
}

func TestFaults(t *testing.T) {
	const service = "agent `bot`: the server at URL "
	for _, test := range []struct {
		fault   fakeagent.Fault
		times   int
		options []flow.Option
		asked   int
		want    string // "" when it answers
		class   flow.Class
		reason  string
	}{
		{fault: fakeagent.Killed, asked: 1, want: "agent `bot`: the connection to the server at URL failed: ", class: flow.ClassTransient, reason: failures.ReasonAgent},
		{fault: fakeagent.Garbled, asked: 1, want: service + "sent an answer that cannot be read: ", class: flow.ClassTransient, reason: failures.ReasonOutput},
		{fault: fakeagent.Truncated, asked: 1, want: service + "ended its answer in the middle", class: flow.ClassTransient, reason: failures.ReasonOutput},
		{fault: fakeagent.Overloaded, asked: 1, want: service + "refused the request [529]: overloaded_error: Overloaded (request req_fake)", class: flow.ClassTransient, reason: failures.ReasonAgent},
		{fault: fakeagent.Overloaded, times: 1, asked: 2, options: []flow.Option{option(options.FallbackModel, `"opus"`)}},
		{fault: fakeagent.RateLimited, times: 1, asked: 2},
		{fault: fakeagent.RateLimited, asked: 3, want: service + "refused the request [429]: rate_limit_error: This request would exceed your rate limit (request req_fake)", class: flow.ClassTransient, reason: failures.ReasonQuota},
		{fault: fakeagent.SignedOut, asked: 1, want: service + "refused the request [401]: authentication_error: invalid x-api-key *** (request req_fake); check the key in the environment variable `ANTHROPIC_API_KEY`",
			class: flow.ClassFatal, reason: failures.ReasonAgent},
	} {
		t.Run(string(test.fault), func(t *testing.T) {
			s := newStage(t, fakeagent.Behaviour{Text: "good day", InputTokens: 1000, Fault: test.fault, Times: test.times}, settings.Agent{})
			got := s.perform(flow.Prompt{Options: test.options})
			if n := len(s.server.Turns()); n != test.asked {
				t.Errorf("asked %d times, want %d", n, test.asked)
			}
			if test.want == "" {
				if got.Status != flow.Completed || got.Text != "good day" {
					t.Errorf("%+v, %+v", got, got.Failure)
				}
				return
			}
			f, want := got.Failure, strings.ReplaceAll(test.want, "URL", s.server.URL)
			if got.Status != flow.Failed || f == nil || !strings.HasPrefix(f.Message, want) || f.Class != test.class || f.Reason != test.reason {
				t.Fatalf("%s: %+v", got.Status, f)
			}
			begun := test.fault != fakeagent.RateLimited && test.fault != fakeagent.SignedOut
			if begun != (got.Meta.CostUSD > 0) || begun != (s.said.String() == "agent:good|") {
				t.Errorf("it cost %v and said %q", got.Meta.CostUSD, s.said.String())
			}
			for _, text := range []string{f.Message, s.said.String(), s.log.String(), got.Text} {
				if strings.Contains(text, fakeagent.Key) {
					t.Errorf("%q shows the key", text)
				}
			}
		})
	}
}

// A failure names the server that was asked, wherever its address stood, and the
// vendor's service only when that was asked.
func TestFailuresNameTheServer(t *testing.T) {
	s := newStage(t, fakeagent.Behaviour{Fault: fakeagent.SignedOut}, settings.Agent{})
	s.choice.BaseURL = ""
	s.environ = append(s.environ, "ANTHROPIC_BASE_URL="+s.server.URL)
	if f := s.perform(flow.Prompt{}).Failure; f == nil || !strings.HasPrefix(f.Message, "agent `bot`: the server at "+s.server.URL+" refused the request [401]") {
		t.Errorf("%+v", f)
	}
	for url, want := range map[string]string{"": "the Anthropic API", "https://u:secret@gateway.example.com/v1": "the server at https://gateway.example.com/v1"} {
		if got := (&api.Connection{BaseURL: url}).Named("the Anthropic API"); got != want {
			t.Errorf("%q: %q", url, got)
		}
	}
}

func TestStalled(t *testing.T) {
	s := newStage(t, fakeagent.Behaviour{Text: "good day", Fault: fakeagent.Stalled}, settings.Agent{})
	got := s.perform(flow.Prompt{IdleTimeout: 50 * time.Millisecond})
	if f := got.Failure; f == nil || f.Reason != failures.ReasonTimeout || f.Class != flow.ClassTransient || !strings.Contains(f.Message, "its agent sent nothing for 50ms") || got.Text != "good" {
		t.Errorf("%+v, %+v", got, f)
	}

	s = newStage(t, fakeagent.Behaviour{Text: "good day", Fault: fakeagent.Stalled}, settings.Agent{})
	ctx, cancel := context.WithCancel(t.Context())
	stop := context.AfterFunc(t.Context(), cancel)
	defer stop()
	s.kind.Open = func(c settings.Agent) (agent.Agent, error) {
		a, err := anthropic.Kind().Open(c)
		return hearing{a, cancel}, err
	}
	if got := s.performIn(ctx, flow.Prompt{}); got.Status != flow.Cancelled {
		t.Errorf("%+v, %+v", got, got.Failure)
	}
}

// hearing is an agent that tells when it says its first word.
type hearing struct {
	agent.Agent
	heard func()
}

func (h hearing) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	copied, output := *r, r.Output
	copied.Output = func(piece []byte) {
		output(piece)
		if len(piece) > 0 {
			h.heard()
		}
	}
	return h.Agent.Turn(ctx, &copied)
}

func TestOverBudget(t *testing.T) {
	s := newStage(t, fakeagent.Behaviour{Text: "good day", Fault: fakeagent.OverBudget}, settings.Agent{})
	budget := []flow.Option{option(options.Budget, "0.5")}
	got := s.perform(flow.Prompt{Options: budget})
	if f := got.Failure; f == nil || f.Reason != failures.ReasonBudget || f.Class != flow.ClassFatal || got.Meta.CostUSD < 200 || got.Meta.InputTokens != 100_000_000 {
		t.Errorf("%+v, %+v", got, f)
	}
	if got = s.perform(flow.Prompt{}); got.Status != flow.Completed {
		t.Errorf("without a limit: %+v, %+v", got, got.Failure)
	}
	got = s.perform(flow.Prompt{Model: "haiku", Options: budget})
	if f := got.Failure; f == nil || !strings.Contains(f.Message, "the price of the model `claude-haiku-5-5` is unknown: set `price`") || len(s.server.Turns()) != 2 {
		t.Errorf("%+v", f)
	}
}

func TestInspect(t *testing.T) {
	for _, test := range []struct {
		fault fakeagent.Fault
		want  engine.Verdict
	}{{fakeagent.None, engine.Yes}, {fakeagent.SignedOut, engine.No}} {
		s := newStage(t, fakeagent.Behaviour{Fault: test.fault}, settings.Agent{})
		p, err := prompts.Opener(structured.Check, s.kind)(engine.Agents{List: []settings.Agent{s.choice}})
		if err != nil {
			t.Fatal(err)
		}
		state := p.Inspect(t.Context(), &engine.Inspection{Names: []string{"bot"}, Environ: s.environ, Thorough: true})[0]
		if state.SignedIn != test.want || state.Usable != test.want || strings.Contains(state.Problem, fakeagent.Key) {
			t.Errorf("%s: %+v", test.fault, state)
		}
		if paths := s.server.Paths(); len(paths) != 1 || paths[0] != "GET /v1/models" {
			t.Errorf("asked %v", paths)
		}
	}
}
