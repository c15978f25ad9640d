package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
)

// talker gives a sign of life every minute, five times, and then its answer.
type talker struct{ sign func(*agent.Request) }

func (talker) Capabilities() agent.Capabilities { return agent.Capabilities{} }

func (a talker) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	for range 5 {
		select {
		case <-time.After(time.Minute):
			a.sign(r)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return &agent.Reply{Text: "done"}, nil
}

func TestSignsOfLifePutOffTheIdleTimeout(t *testing.T) {
	for name, test := range map[string]struct {
		sign func(*agent.Request)
		want flow.Status
	}{
		"output": {func(r *agent.Request) { r.Output([]byte("x")) }, flow.Completed},
		"empty":  {func(r *agent.Request) { r.Output(nil) }, flow.Completed},
		"notes":  {func(r *agent.Request) { r.Notes([]byte("x")) }, flow.Completed},
		"none":   {func(*agent.Request) {}, flow.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &stage{t: t, agent: talker{test.sign}}
				got := s.perform(t.Context(), flow.Prompt{Text: "x", IdleTimeout: 90 * time.Second})
				if got.Status != test.want {
					t.Errorf("got %s, %+v", got.Status, got.Failure)
				}
			})
		})
	}
}

// spender spends in steps during a turn, and says at its end what it cost.
type spender struct {
	steps []float64
	reply *agent.Reply
	err   error
	// stopped says that a turn was ended before it was over.
	stopped bool
	options []string
}

func (s *spender) Capabilities() agent.Capabilities { return agent.Capabilities{Options: s.options} }

func (s *spender) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	for _, usd := range s.steps {
		r.Output([]byte("."))
		r.ReportCost(flow.Meta{CostUSD: usd, Turns: 1})
		if ctx.Err() != nil {
			s.stopped = true
			return nil, ctx.Err()
		}
	}
	if s.reply == nil {
		return nil, s.err
	}
	reply := *s.reply
	return &reply, s.err
}

func budgetOf(usd string) []flow.Option {
	return []flow.Option{{Name: options.Budget, Value: usd}}
}

// A turn ends as soon as it costs more than it may.
func TestBudgetEndsTheTurn(t *testing.T) {
	a := &spender{steps: []float64{0.1, 0.5, 0.52, 9}, reply: &agent.Reply{Text: "done", Meta: flow.Meta{CostUSD: 9}}}
	s := &stage{t: t, agent: a}
	r := s.perform(t.Context(), flow.Prompt{Text: "x", Options: budgetOf("0.5")})
	if r.Status != flow.Failed || r.Failure.Reason != failures.ReasonBudget || r.Failure.Class != flow.ClassFatal ||
		r.Failure.Message != "Node `a` exceeded cost cap of $0.50: its agent has spent $0.52" {
		t.Errorf("%+v %+v", r, r.Failure)
	}
	if !a.stopped || r.Meta.CostUSD != 0.52 || r.Text != "..." {
		t.Errorf("stopped %v: %+v", a.stopped, r)
	}
}

// An agent that only says at the end what a turn cost is held to the budget,
// too, over all turns of the attempt.
func TestBudgetAfterTheTurn(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","required":["a"]}`)
	for name, test := range map[string]struct {
		agent  spender
		budget string
		schema json.RawMessage
		want   string // the failure's reason, or "" for none
		cost   float64
	}{
		"within":               {spender{reply: &agent.Reply{Text: "x", Meta: flow.Meta{CostUSD: 0.5}}}, "0.5", nil, "", 0.5},
		"over":                 {spender{reply: &agent.Reply{Text: "x", Meta: flow.Meta{CostUSD: 0.6}}}, "0.5", nil, failures.ReasonBudget, 0.6},
		"no budget":            {spender{reply: &agent.Reply{Text: "x", Meta: flow.Meta{CostUSD: 60}}}, "0", nil, "", 60},
		"corrections count":    {spender{reply: &agent.Reply{Text: "no json", Meta: flow.Meta{CostUSD: 0.3}}}, "0.5", schema, failures.ReasonBudget, 0.6},
		"a failure over":       {spender{reply: &agent.Reply{Meta: flow.Meta{CostUSD: 0.6}}, err: errors.New("rate limit")}, "0.5", nil, failures.ReasonBudget, 0.6},
		"a failure within":     {spender{reply: &agent.Reply{Meta: flow.Meta{CostUSD: 0.4}}, err: errors.New("rate limit")}, "0.5", nil, failures.ReasonAgent, 0.4},
		"the agent's own word": {spender{reply: &agent.Reply{Meta: flow.Meta{CostUSD: 0.6}}, err: &flow.Failure{Reason: failures.ReasonBudget, Class: flow.ClassFatal, Message: "mine"}}, "0.5", nil, failures.ReasonBudget, 0.6},
		"told while it went":   {spender{steps: []float64{0.4}, err: errors.New("rate limit")}, "0.5", nil, failures.ReasonAgent, 0.4},
		"not taken":            {spender{options: []string{"mcp"}, reply: &agent.Reply{Text: "x", Meta: flow.Meta{CostUSD: 9}}}, "0.5", nil, "", 9},
	} {
		s := &stage{t: t, agent: &test.agent}
		r := s.perform(t.Context(), flow.Prompt{Text: "x", Options: budgetOf(test.budget), Schema: test.schema})
		reason := ""
		if r.Failure != nil {
			reason = r.Failure.Reason
		}
		if reason != test.want || r.Meta.CostUSD != test.cost {
			t.Errorf("%s: %+v %+v", name, r, r.Failure)
		}
		if name == "the agent's own word" && r.Failure.Message != "mine" {
			t.Errorf("%s: %+v", name, r.Failure)
		}
	}
}

func TestBudgetThatIsNone(t *testing.T) {
	s := &stage{t: t, agent: &spender{}}
	if r := s.perform(t.Context(), flow.Prompt{Text: "x", Options: budgetOf(`"much"`)}); r.Failure == nil || !strings.Contains(r.Failure.Message, "the option `maxBudgetUsd`") {
		t.Errorf("%+v", r.Failure)
	}
}
