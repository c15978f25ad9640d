package acp_test

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/testkit/fakeagent"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/structured"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// perform performs the world's prompt as a run does.
func (w *world) perform(ctx context.Context, timeout, idle time.Duration) flow.Result {
	w.t.Helper()
	p := agent.New(agent.Options{Agents: map[string]agent.Agent{"tester": w.agent()}, CheckReply: structured.Check, IdleTimeout: idle})
	r := p.Perform(ctx, &engine.Attempt{
		Info: &flow.RunInfo{ID: "w-abc123", WorkDir: w.request.WorkDir}, Action: flow.Action{Key: "n", Payload: w.request.Prompt, Timeout: timeout},
		Number: 1, RunDir: w.request.RunDir, Environ: w.request.Environ, Log: slog.New(slog.DiscardHandler),
		Output: func(_ string, piece []byte) { w.add(&w.shown, piece) },
	})
	w.gone()
	return r
}

// A program that says nothing is ended. On a machine that is busy it comes to
// nothing else before.
func TestStalled(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Fault: fakeagent.Stalled})
	r := w.perform(t.Context(), 0, 500*time.Millisecond)
	if r.Status != flow.Failed || r.Failure.Class != flow.ClassTransient || r.Failure.Reason != "timeout" || !strings.Contains(r.Failure.Message, "sent nothing for 500ms") || r.Text != "" && r.Text != "I begin. " {
		t.Errorf("got %+v %+v", r, r.Failure)
	}
}

func TestTotalTime(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Fault: fakeagent.Stalled})
	r := w.perform(t.Context(), 300*time.Millisecond, time.Hour)
	if r.Status != flow.Failed || r.Failure.Class != flow.ClassTransient || !strings.Contains(r.Failure.Message, "timed out after 300ms") {
		t.Errorf("got %+v %+v", r, r.Failure)
	}
}

// Updates that say nothing for people are signs of life all the same.
func TestUpdatesAreSignsOfLife(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "x"})
	signs := 0
	w.request.Output = func(piece []byte) {
		if len(piece) == 0 {
			signs++
		}
	}
	if w.ask("!flood 100"); signs < 200 {
		t.Errorf("%d signs of life", signs)
	}
}

// What happens while the program ends no longer changes what it answered.
func TestTheEndComesAfterTheAnswer(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "x", InputTokens: 1}, "--stay")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.request.ReportCost = func(m flow.Meta) {
		if m.InputTokens > 0 { // which are told with the end of the turn
			cancel()
		}
	}
	if reply, err := w.agent().Turn(ctx, w.request); err != nil || reply.Text != "x" || ctx.Err() == nil {
		t.Errorf("got %+v %v", reply, err)
	}
	w.gone()
}

func TestStructuredReplies(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "?", Structured: []byte(`{"ok":true}`), Session: "s"})
	w.request.Schema = []byte(`{"type":"object","required":["ok"],"properties":{"ok":{"type":"boolean"}}}`)
	if r := w.perform(t.Context(), 0, time.Minute); r.Status != flow.Completed || r.Text != `{"ok":true}` || r.Meta.Session != "s" {
		t.Errorf("got %+v %+v", r, r.Failure)
	}
}

func TestRateLimitedOnce(t *testing.T) {
	w := newWorld(t, fakeagent.Behaviour{Text: "x", Fault: fakeagent.RateLimited, Times: 1})
	if r := w.perform(t.Context(), 0, time.Minute); r.Status != flow.Failed || r.Failure.Class != flow.ClassTransient || r.Meta.Session == "" {
		t.Errorf("got %+v %+v", r, r.Failure)
	}
	if r := w.perform(t.Context(), 0, time.Minute); r.Status != flow.Completed || r.Text != "x" {
		t.Errorf("again: %+v %+v", r, r.Failure)
	}
}
