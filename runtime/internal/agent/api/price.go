package api

import (
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// Of returns the price of a model, or nil when it is not known.
func (p Prices) Of(model string) *settings.Price {
	longest := -1
	var found *settings.Price
	for name, price := range p {
		rest, fits := strings.CutPrefix(model, name)
		if fits && sameModel(rest) && len(name) > longest {
			longest, found = len(name), &price
		}
	}
	return found
}

// sameModel reports whether what follows a model's name says only which release
// of it is meant. A single digit does not: that is the next model.
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

// million is the number of tokens that a price is for.
const million = 1_000_000

// cost returns what tokens cost, in US dollars.
func cost(p *settings.Price, u Usage) float64 {
	cached, written := p.CachedInput, p.CacheWrite
	if cached == 0 {
		cached = p.Input
	}
	if written == 0 {
		written = p.Input
	}
	return (float64(u.Input)*p.Input + float64(u.CachedInput)*cached + float64(u.CacheWrite)*written + float64(u.Output)*p.Output) / million
}

// meta returns what a call has cost; without a price the dollars stay unknown.
func meta(p *settings.Price, u Usage) flow.Meta {
	m := flow.Meta{InputTokens: u.Input + u.CachedInput + u.CacheWrite, OutputTokens: u.Output}
	if p != nil {
		m.CostUSD = cost(p, u)
	}
	return m
}
