package agent_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A biller reports what a turn has used, and may fail.
type biller struct {
	used  flow.Meta
	err   error
	turns int
}

func (*biller) Capabilities() agent.Capabilities { return agent.Capabilities{} }

func (b *biller) Turn(context.Context, *agent.Request) (*agent.Reply, error) {
	b.turns++
	return &agent.Reply{Text: "ok", Meta: b.used}, b.err
}

// A cost that the agent does not report comes from the price, or the result says why it is unknown.
func TestCostOfTurns(t *testing.T) {
	tokens := flow.Meta{InputTokens: 1000, OutputTokens: 500, Turns: 1, Model: "m-1"}
	price, free := &settings.Price{Input: 2, Output: 8}, &settings.Price{}
	const uncounted, silent = "agent `bot` did not report the tokens of its turn", "agent `bot` did not report the cost of its turn"
	for name, c := range map[string]struct {
		used                flow.Meta
		err                 error
		price               *settings.Price
		local               bool
		usd                 float64
		unpriced, uncounted string
	}{
		"reported":                        {used: flow.Meta{CostUSD: 0.5, InputTokens: 1, Turns: 1}, price: price, usd: 0.5},
		"by the price":                    {used: tokens, price: price, usd: 0.006},
		"free":                            {used: tokens, price: free},
		"free without tokens":             {used: flow.Meta{Turns: 1}, price: free, uncounted: uncounted},
		"no price":                        {used: tokens, unpriced: silent + ", and the price of its model `m-1` is unknown"},
		"neither":                         {unpriced: silent, uncounted: uncounted},
		"a price, but no tokens":          {used: flow.Meta{Turns: 1}, price: price, unpriced: uncounted, uncounted: uncounted},
		"nobody was asked":                {used: flow.Meta{Turns: 1}, local: true},
		"refused":                         {used: flow.Meta{Turns: 1}, err: &flow.Failure{Message: "401", Class: flow.ClassFatal}},
		"cut off":                         {used: flow.Meta{InputTokens: 9}, err: errors.New("lost")},
		"failed after a part of the turn": {used: tokens, err: errors.New("lost"), unpriced: silent + ", and the price of its model `m-1` is unknown"},
	} {
		p := agent.New(agent.Options{
			Agents: map[string]agent.Agent{"bot": &biller{used: c.used, err: c.err}},
			Quote:  func(flow.Prompt) (*settings.Price, bool) { return c.price, false },
			Local:  func(string) bool { return c.local },
		})
		m := p.Perform(t.Context(), askBot("")).Meta
		if m.CostUSD != c.usd || m.Unpriced != c.unpriced || m.Uncounted != c.uncounted {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// Under a limit in dollars, a turn that only a price could count is not begun without one.
func TestUnpricedTurnUnderLimit(t *testing.T) {
	for _, c := range []struct {
		limit   string
		price   *settings.Price
		byPrice bool
		turns   int
	}{{"`limits.cost_usd`", nil, true, 0}, {"`limits.cost_usd`", &settings.Price{}, true, 1}, {"`limits.cost_usd`", nil, false, 1}, {"", nil, true, 1}} {
		b := &biller{}
		p := agent.New(agent.Options{
			Agents: map[string]agent.Agent{"bot": b},
			Quote:  func(flow.Prompt) (*settings.Price, bool) { return c.price, c.byPrice },
		})
		r := p.Perform(t.Context(), askBot(c.limit))
		if b.turns != c.turns {
			t.Errorf("%+v: %d turns", c, b.turns)
		}
		const want = "the price of agent `bot` for the model `m-1` is unknown, so `limits.cost_usd` cannot count its turns; set `price` for the agent in wfc.yaml, or limit tokens instead of dollars; nothing was sent"
		if c.turns == 0 && (r.Failure == nil || r.Failure.Class != flow.ClassFatal || !strings.HasSuffix(r.Failure.Message, want)) {
			t.Errorf("%+v", r.Failure)
		}
	}
}

func askBot(limit string) *engine.Attempt {
	return &engine.Attempt{
		Info: &flow.RunInfo{ID: "w-1"}, Number: 1, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), CostLimit: limit,
		Action: flow.Action{Key: "a", Payload: flow.Prompt{Agent: "bot", Text: "hi", Model: "m-1"}},
	}
}
