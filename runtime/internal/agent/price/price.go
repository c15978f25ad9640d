// Package price knows the cost of tokens.
package price

import (
	"cmp"
	"strings"

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

// A Table has the prices of models by the prefixes of their names. A prefix matches
// if no other model follows: nothing at all, a date or number of two or more
// digits, "latest" or "preview". The longest match counts.
type Table map[string]settings.Price

// Of returns the price of a model, or nil when it is not known.
func (t Table) Of(model string) *settings.Price {
	longest := -1
	var found *settings.Price
	for name, price := range t {
		rest, fits := strings.CutPrefix(model, name)
		if fits && sameModel(rest) && len(name) > longest {
			longest, found = len(name), &price
		}
	}
	return found
}

// sameModel reports whether the rest after a model's name is only a release of the model.
// A single digit is not: that is the next model.
func sameModel(rest string) bool {
	if rest == "" {
		return true
	}
	if rest[0] != '-' && rest[0] != '@' {
		return false
	}
	for part := range strings.SplitSeq(rest[1:], "-") {
		if part == "latest" || part == "preview" {
			continue
		}
		if len(part) < 2 || strings.Trim(part, "0123456789") != "" {
			return false
		}
	}
	return true
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
