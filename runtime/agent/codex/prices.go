package codex

import (
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// prices are the vendor's list prices of June 2026, in US dollars for a million
// tokens, of the models that Codex offers. A plan bills otherwise; `price` of the
// agent in wfc.yaml overrides them.
var prices = map[string]settings.Price{
	"gpt-5":              {Input: 1.25, CachedInput: 0.125, Output: 10},
	"gpt-5-codex":        {Input: 1.25, CachedInput: 0.125, Output: 10},
	"gpt-5.1":            {Input: 1.25, CachedInput: 0.125, Output: 10},
	"gpt-5.1-codex":      {Input: 1.25, CachedInput: 0.125, Output: 10},
	"gpt-5.1-codex-max":  {Input: 1.25, CachedInput: 0.125, Output: 10},
	"gpt-5-mini":         {Input: 0.25, CachedInput: 0.025, Output: 2},
	"gpt-5.1-codex-mini": {Input: 0.25, CachedInput: 0.025, Output: 2},
	"gpt-5.2":            {Input: 1.75, CachedInput: 0.175, Output: 14},
	"gpt-5.2-codex":      {Input: 1.75, CachedInput: 0.175, Output: 14},
	"gpt-5.3-codex":      {Input: 1.75, CachedInput: 0.175, Output: 14},
	"gpt-5.4":            {Input: 2.5, CachedInput: 0.25, Output: 15},
	"gpt-5.4-mini":       {Input: 0.75, CachedInput: 0.075, Output: 4.5},
	"gpt-5.4-nano":       {Input: 0.2, CachedInput: 0.02, Output: 1.25},
	"gpt-5.5":            {Input: 5, CachedInput: 0.5, Output: 30},
}

// priceOf returns the price of a model, or nil: that of the choice, or that of
// the table. A date at the end of a model's name does not change its price.
func priceOf(c settings.Agent, model string) *settings.Price {
	if c.Price != nil {
		return c.Price
	}
	name := model
	if n := len(name) - len("-2006-01-02"); n > 0 && isDate(name[n:]) {
		name = name[:n]
	}
	if p, ok := prices[name]; ok {
		return &p
	}
	return nil
}

// isDate reports whether a text is a hyphen and a date.
func isDate(text string) bool {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, text) == "-0000-00-00"
}

// cost returns what tokens cost. Cached ones are among those of the input.
func (u usage) cost(p *settings.Price) float64 {
	if p == nil {
		return 0
	}
	cached := p.CachedInput
	if cached == 0 {
		cached = p.Input
	}
	const million = 1e6
	return (float64(u.Input-u.Cached)*p.Input + float64(u.Cached)*cached + float64(u.Output)*p.Output) / million
}

// add notes what a turn used.
func (u usage) add(m *flow.Meta, p *settings.Price) {
	m.InputTokens, m.OutputTokens, m.CostUSD = u.Input, u.Output, u.cost(p)
}
