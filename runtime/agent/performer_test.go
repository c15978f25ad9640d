package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/scripted"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// turn is a line of the transcript of a scripted agent.
type turn struct {
	Step, Agent, Prompt, Session string
	Attempt                      int
	FreshSession                 bool `json:"fresh_session"`
}

// stage performs prompts with one scripted agent named "bot".
type stage struct {
	t          *testing.T
	agent      agent.Agent
	transcript strings.Builder
	logged     strings.Builder
	shown      strings.Builder
}

func newStage(t *testing.T, replies string, bestEffort bool) *stage {
	t.Helper()
	s := &stage{t: t}
	var err error
	if s.agent, err = scripted.New([]byte(replies), scripted.Options{Unenforced: bestEffort, Transcript: &s.transcript}); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *stage) perform(ctx context.Context, prompt flow.Prompt) flow.Result {
	p := agent.New(agent.Options{Agents: map[string]agent.Agent{"bot": s.agent}, Default: "bot", CheckReply: structured.Check})
	return p.Perform(ctx, s.call(prompt))
}

func (s *stage) call(prompt flow.Prompt) *engine.Attempt {
	return &engine.Attempt{
		Info: &flow.RunInfo{ID: "w-abc123"}, Action: flow.Action{Key: "a", Payload: prompt}, Number: 1,
		Log:    slog.New(slog.NewTextHandler(&s.logged, nil)),
		Output: func(stream string, piece []byte) { fmt.Fprintf(&s.shown, "%s:%s|", stream, piece) },
	}
}

func (s *stage) turns() []turn {
	s.t.Helper()
	var turns []turn
	for line := range strings.Lines(s.transcript.String()) {
		var one turn
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			s.t.Fatal(err)
		}
		turns = append(turns, one)
	}
	return turns
}

const schema = `{"type":"object","properties":{"t":{"type":"string"}},"required":["t"]}`

func TestPerform(t *testing.T) {
	for _, test := range []struct {
		name, replies string
		prompt        flow.Prompt
		bestEffort    bool
		status        flow.Status
		text, message string
		class         flow.Class
	}{
		{name: "echo", replies: `{}`, status: flow.Completed, text: "ECHO[x]"},
		{name: "chunks", replies: `{"a":[{"chunks":["one ","two "]}]}`, status: flow.Completed, text: "one two "},
		{name: "empty", replies: `{"a":[" \n"]}`, status: flow.Failed, message: "Node `a` got an empty answer"},
		{name: "empty, as it may be", replies: `{"a":[" \n"]}`, prompt: flow.Prompt{MayBeEmpty: true}, status: flow.Completed, text: " \n"},
		{name: "structured without a schema, or a text", replies: `{"a":[{"structured":{"b":1}}]}`, prompt: flow.Prompt{MayBeEmpty: true}, status: flow.Completed, text: `{"b":1}`},
		{name: "structured without a schema", replies: `{"a":[{"structured":{"b":1, "a":"<"}}]}`, status: flow.Completed, text: `{"b":1,"a":"<"}`},
		{name: "transient", replies: `{"a":[{"throw":"rate limit"}]}`, status: flow.Failed, message: "rate limit", class: flow.ClassTransient},
		{name: "fatal", replies: `{"a":[{"throw":"401 unauthorized"}]}`, status: flow.Failed, message: "401 unauthorized", class: flow.ClassFatal},
		{name: "class", replies: `{"a":[{"throw":"weird","class":"fatal"}]}`, status: flow.Failed, message: "weird", class: flow.ClassFatal},
		{name: "error of the agent", replies: `{"a":[{"text":"partial","isError":true,"errorSubtype":"error_max_turns","errors":["e1"]}]}`, status: flow.Failed, message: "Node 'a' failed: SDK returned error_max_turns — e1"},
		{name: "budget", replies: `{"a":[{"isError":true,"errorSubtype":"error_max_budget_usd"}]}`, prompt: flow.Prompt{Options: []flow.Option{{Name: "maxBudgetUsd", Value: "1"}}}, status: flow.Failed, message: "Node 'a' exceeded cost cap of $1.00."},
		{name: "credit", replies: `{"a":["begun\nYou are out of credits"]}`, status: flow.Failed, text: "begun\nYou are out of credits", message: "Credit exhaustion detected", class: flow.ClassFatal},
		{name: "unknown agent", replies: `{}`, prompt: flow.Prompt{Agent: "claude"}, status: flow.Failed, message: "node `a` asks agent `claude`, which is not set up; set up: `bot`. Set it up with --agent claude=command:PROGRAM (in Go: `settings.Agent`)", class: flow.ClassFatal},

		{name: "native", replies: `{"a":[{"text":"prose","structured":{"z":1, "t":"BUG"}}]}`, prompt: flow.Prompt{Schema: json.RawMessage(schema)}, status: flow.Completed, text: `{"z":1,"t":"BUG"}`},
		{name: "native, missing", replies: `{"a":["just prose"]}`, prompt: flow.Prompt{Schema: json.RawMessage(schema)}, status: flow.Failed, message: "Node `a` got no structured answer that satisfies its output_format: no JSON was found in it"},
		{name: "native, wrong", replies: `{"a":[{"structured":{"q":1}}]}`, prompt: flow.Prompt{Schema: json.RawMessage(schema)}, status: flow.Failed, message: "`t` is missing"},
		{name: "schema that cannot be used", replies: `{"a":[{"structured":{"q":1}}]}`, prompt: flow.Prompt{Schema: json.RawMessage(`{"type":"bogus"}`)}, status: flow.Completed, text: `{"q":1}`},
		{name: "fence", replies: "{\"a\":[\"Here:\\n```json\\n{ \\\"t\\\": \\\"x\\\" }\\n```\\n\"]}", prompt: flow.Prompt{Schema: json.RawMessage(schema)}, bestEffort: true, status: flow.Completed, text: `{"t":"x"}`},
		{name: "exhausted", replies: `{"a":["p1"]}`, prompt: flow.Prompt{Schema: json.RawMessage(schema)}, bestEffort: true, status: flow.Failed, message: "in 4 answers: no JSON was found in it"},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.prompt.Text = "x"
			got := newStage(t, test.replies, test.bestEffort).perform(t.Context(), test.prompt)
			if got.Status != test.status || got.Text != test.text {
				t.Errorf("got %s with %q, want %s with %q", got.Status, got.Text, test.status, test.text)
			}
			if (got.Failure == nil) != (test.status == flow.Completed) {
				t.Fatalf("failure %+v", got.Failure)
			}
			if got.Failure != nil && (!strings.Contains(got.Failure.Message, test.message) || got.Failure.Class != test.class) {
				t.Errorf("got %q of class %q, want %q of %q", got.Failure.Message, got.Failure.Class, test.message, test.class)
			}
		})
	}
}

func TestCorrections(t *testing.T) {
	s := newStage(t, `{"a":[{"text":"p1","cost":1},{"text":"{\"t\":7}","cost":1},{"structured":{"t":"ok"},"cost":1,"session":"s3"}]}`, true)
	got := s.perform(t.Context(), flow.Prompt{Text: "x", Schema: json.RawMessage(schema), Session: "s0"})
	if got.Status != flow.Completed || got.Text != `{"t":"ok"}` || got.Meta.CostUSD != 3 || got.Meta.Session != "s3" || got.Meta.Turns != 3 {
		t.Fatalf("got %+v", got)
	}
	turns := s.turns()
	if len(turns) != 3 {
		t.Fatalf("%d turns", len(turns))
	}
	if first := turns[0]; first.Prompt != "x" || first.Session != "s0" || first.FreshSession {
		t.Errorf("the first turn: %+v", first)
	}
	for i, problem := range []string{"no JSON was found in it", "`t` must be of type string, but it is of type integer"} {
		turn := turns[i+1]
		if !strings.HasPrefix(turn.Prompt, "x\n\n--- CORRECTION ---\n") || !strings.Contains(turn.Prompt, problem) {
			t.Errorf("correction %d: %q", i+1, turn.Prompt)
		}
		if strings.Count(turn.Prompt, "CORRECTION") != 1 || !turn.FreshSession || turn.Session != "" || turn.Attempt <= turns[i].Attempt {
			t.Errorf("correction %d: %+v", i+1, turn)
		}
	}
}

// An agent is not asked for a better answer once the run is at its limit.
func TestCorrectionsAtTheLimit(t *testing.T) {
	s := newStage(t, `{"a":[{"text":"p1","cost":1}]}`, true)
	call := s.call(flow.Prompt{Text: "x", Schema: json.RawMessage(schema)})
	call.AtLimit = func(spent flow.Meta) bool { return spent.CostUSD >= 2 }
	got := agent.New(agent.Options{Agents: map[string]agent.Agent{"bot": s.agent}, Default: "bot", CheckReply: structured.Check}).Perform(t.Context(), call)
	if got.Meta.CostUSD != 2 || got.Failure == nil || got.Failure.Reason != kernel.AtLimit || !strings.HasSuffix(got.Failure.Message, "in 2 answers: no JSON was found in it; the run is at a limit, so its agent was not asked again") {
		t.Errorf("%+v", got)
	}
}

func TestLogsAnUnusableSchema(t *testing.T) {
	s := newStage(t, `{"a":[{"structured":{}}]}`, false)
	s.perform(t.Context(), flow.Prompt{Text: "x", Schema: json.RawMessage(`{"type":"bogus"}`)})
	if !strings.Contains(s.logged.String(), "the schema cannot be used") {
		t.Errorf("logged %q", s.logged.String())
	}
}

func TestShowsPieces(t *testing.T) {
	s := newStage(t, `{"a":[{"chunks":["one","two"]}]}`, false)
	s.perform(t.Context(), flow.Prompt{Text: "x"})
	if got := s.shown.String(); got != "agent:one|agent:two|" {
		t.Errorf("shown %q", got)
	}
}

// silent says a word and then nothing until it is stopped; said is called after
// the word.
type silent struct{ said func() }

func (silent) Capabilities() agent.Capabilities {
	return agent.Capabilities{Options: []string{"effort"}}
}

func (s silent) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	if len(r.Options) != 1 || r.Options[0].Name != "effort" {
		return nil, errors.New("got options that it does not take")
	}
	r.Output([]byte("partial"))
	if s.said != nil {
		s.said()
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestLimits(t *testing.T) {
	options := []flow.Option{{Name: "effort"}, {Name: "unheard-of"}}
	s := &stage{t: t, agent: silent{}}
	got := s.perform(t.Context(), flow.Prompt{Text: "x", IdleTimeout: time.Millisecond, Options: options})
	if got.Status != flow.Failed || got.Failure.Reason != "timeout" || got.Failure.Message != "Node `a` timed out: its agent sent nothing for 1ms" || got.Text != "partial" {
		t.Errorf("idle: %+v, %+v", got, got.Failure)
	}
	if !strings.Contains(s.logged.String(), "unheard-of") {
		t.Errorf("logged %q", s.logged.String())
	}

	p := agent.New(agent.Options{Agents: map[string]agent.Agent{"bot": silent{}}})
	call := s.call(flow.Prompt{Agent: "bot", Text: "x", Options: options})
	call.Action.Timeout = 5 * time.Millisecond
	if got := p.Perform(t.Context(), call); got.Status != flow.Failed || got.Failure.Message != "Node `a` timed out after 5ms" {
		t.Errorf("timeout: %+v, %+v", got, got.Failure)
	}

	ctx, cancel := context.WithCancel(t.Context())
	s.agent = silent{said: cancel}
	if got := s.perform(ctx, flow.Prompt{Text: "x", Options: options}); got.Status != flow.Cancelled || got.Text != "partial" {
		t.Errorf("cancel: %+v", got)
	}
}

func TestNoDefaultAgent(t *testing.T) {
	s := &stage{t: t}
	got := agent.New(agent.Options{}).Perform(t.Context(), s.call(flow.Prompt{Text: "x"}))
	if got.Failure == nil || got.Failure.Message != "node `a` names no agent, and the default is missing; none is set up. Set one with --agent NAME=command:PROGRAM (in Go: `settings.Agent`)" {
		t.Errorf("got %+v", got.Failure)
	}
}
