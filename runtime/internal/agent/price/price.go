// Package price computes the cost of tokens.
package price

import (
	"cmp"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Usage counts tokens.
type Usage struct {
	// Input is what the model read that was in no cache; CachedInput was, and
	// CacheWrite was put there.
	Input, CachedInput, CacheWrite int64
	// Output is what the model wrote, its reasoning included.
	Output int64
}

// Cost returns the cost of tokens in US dollars; without a price it is 0. If the
// price of cached tokens is 0, they cost as much as others.
func Cost(p *settings.Price, u Usage) float64 {
	if p == nil {
		return 0
	}
	const million = 1e6 // prices are for so many tokens
	return (float64(u.Input)*p.Input + float64(u.CachedInput)*cmp.Or(p.CachedInput, p.Input) +
		float64(u.CacheWrite)*cmp.Or(p.CacheWrite, p.Input) + float64(u.Output)*p.Output) / million
}

// Meta returns the tokens and their cost.
func Meta(p *settings.Price, u Usage) flow.Meta {
	return flow.Meta{InputTokens: u.Input + u.CachedInput + u.CacheWrite, OutputTokens: u.Output, CostUSD: Cost(p, u)}
}
