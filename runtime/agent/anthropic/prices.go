package anthropic

import "github.com/wfc-lang/wfc/runtime/internal/agent/api"

// prices are those of the vendor's price list as of 2026-11-01, in US dollars
// for a million tokens: input, output, input read from the cache, input written
// to it for five minutes.
//
// Left out are models whose price depends on more than the model (Claude Haiku
// 5.5 costs more with prompts of over 100,000 tokens): of these wfc says the
// tokens and not the dollars, unless `price` in wfc.yaml does.
var prices = api.Prices{
	"claude-fable-5-1":  {Input: 10, Output: 50, CachedInput: 0.25, CacheWrite: 12.50},
	"claude-fable-5":    {Input: 10, Output: 50, CachedInput: 1, CacheWrite: 12.50},
	"claude-opus-5-5":   {Input: 4, Output: 20, CachedInput: 0.20, CacheWrite: 5},
	"claude-opus-5":     {Input: 5, Output: 25, CachedInput: 0.50, CacheWrite: 6.25},
	"claude-opus-4-8":   {Input: 5, Output: 25, CachedInput: 0.50, CacheWrite: 6.25},
	"claude-opus-4-7":   {Input: 5, Output: 25, CachedInput: 0.50, CacheWrite: 6.25},
	"claude-opus-4-6":   {Input: 5, Output: 25, CachedInput: 0.50, CacheWrite: 6.25},
	"claude-opus-4-5":   {Input: 5, Output: 25, CachedInput: 0.50, CacheWrite: 6.25},
	"claude-opus-4-1":   {Input: 15, Output: 75, CachedInput: 1.50, CacheWrite: 18.75},
	"claude-sonnet-5-5": {Input: 2, Output: 10, CachedInput: 0.10, CacheWrite: 2.50},
	"claude-sonnet-5":   {Input: 2, Output: 10, CachedInput: 0.20, CacheWrite: 2.50},
	"claude-sonnet-4-6": {Input: 3, Output: 15, CachedInput: 0.30, CacheWrite: 3.75},
	"claude-sonnet-4-5": {Input: 3, Output: 15, CachedInput: 0.30, CacheWrite: 3.75},
	"claude-haiku-4-5":  {Input: 1, Output: 5, CachedInput: 0.10, CacheWrite: 1.25},
}
