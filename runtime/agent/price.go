package agent

import (
	"fmt"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// quotePrompt returns the price of a prompt's model, or nil if it is unknown. The error refuses a
// turn whose cost a limit in dollars could never count.
func (p *Performer) quotePrompt(call *engine.Attempt, prompt flow.Prompt) (*settings.Price, error) {
	if p.settings.Quote == nil {
		return nil, nil
	}
	known, byPrice := p.settings.Quote(prompt)
	if known == nil && byPrice && call.CostLimit != "" {
		return nil, fmt.Errorf("%w; nothing was sent", kernel.Unpriced(prompt.Agent, prompt.Model, call.CostLimit))
	}
	return known, nil
}

// completeCost returns the cost of a turn, given what the agent reported and the error of the turn.
// Where that lacks the cost, it is computed by the price, or the reason says why it is unknown.
func (t *turn) completeCost(prompt flow.Prompt, m flow.Meta, err error) flow.Meta {
	tokens := m.InputTokens + m.OutputTokens
	local := t.settings.Local != nil && t.settings.Local(prompt.Agent)
	if local || err != nil && (m.Turns == 0 || m.CostUSD == 0 && tokens == 0) {
		return m // nothing was spent, or the turn was cut off before its report
	}
	if tokens == 0 {
		m.Uncounted = fmt.Sprintf("agent `%s` did not report the tokens of its turn", prompt.Agent)
	}
	switch {
	case m.CostUSD > 0, t.price != nil && *t.price == settings.Price{}:
	case t.price != nil && tokens > 0:
		m.CostUSD = catalog.CostOf(t.price, catalog.Tokens{Input: m.InputTokens, Output: m.OutputTokens})
	case t.price != nil:
		m.Unpriced = m.Uncounted
	case m.Model != "" && tokens > 0:
		m.Unpriced = fmt.Sprintf("agent `%s` did not report the cost of its turn, and the price of its model `%s` is unknown", prompt.Agent, m.Model)
	default:
		m.Unpriced = fmt.Sprintf("agent `%s` did not report the cost of its turn", prompt.Agent)
	}
	return m
}
