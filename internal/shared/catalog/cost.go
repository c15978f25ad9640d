package catalog

import (
	"cmp"

	"github.com/wfc-lang/wfc/runtime/settings"
)

// Tokens counts the tokens of a turn.
type Tokens struct {
	// Input is what the model read that was in no cache; CachedInput was, and
	// CacheWrite was put there.
	Input, CachedInput, CacheWrite int64
	// Output is what the model wrote, its reasoning included.
	Output int64
}

// CostOf returns the cost of tokens in US dollars; without a price it is 0. If the
// price of cached tokens is 0, they cost as much as others.
func CostOf(p *settings.Price, t Tokens) float64 {
	if p == nil {
		return 0
	}
	const million = 1e6 // prices are for so many tokens
	return (float64(t.Input)*p.Input + float64(t.CachedInput)*cmp.Or(p.CachedInput, p.Input) +
		float64(t.CacheWrite)*cmp.Or(p.CacheWrite, p.Input) + float64(t.Output)*p.Output) / million
}
