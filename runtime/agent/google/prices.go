package google

import "github.com/wfc-lang/wfc/runtime/internal/agent/api"

// defaultModel is the vendor's model for most work.
const defaultModel = "gemini-3.8-flash"

// prices are the vendor's list prices as of November 2026, in US dollars for a
// million tokens of text: of the standard tier, and of prompts short enough for
// the lower price where there are two (up to 200,000 tokens). Of
// gemini-3.8-flash it is the price from January 2027 on, twice that of the months
// before, so that a budget is never kept too late. The setting `price` overrides
// them.
var prices = api.Prices{
	"gemini-3.8-flash":      {Input: 1.50, CachedInput: 0.15, Output: 7.50},
	"gemini-3.6-flash":      {Input: 1.50, CachedInput: 0.15, Output: 7.50},
	"gemini-3.5-flash":      {Input: 1.50, CachedInput: 0.15, Output: 9},
	"gemini-3.5-flash-lite": {Input: 0.30, CachedInput: 0.03, Output: 2.50},
	"gemini-3.1-pro":        {Input: 2, CachedInput: 0.20, Output: 12},
	"gemini-3.1-flash-lite": {Input: 0.25, CachedInput: 0.025, Output: 1.50},
	"gemini-3-flash":        {Input: 0.50, CachedInput: 0.05, Output: 3},
	"gemini-2.5-pro":        {Input: 1.25, CachedInput: 0.125, Output: 10},
	"gemini-2.5-flash":      {Input: 0.30, CachedInput: 0.03, Output: 2.50},
	"gemini-2.5-flash-lite": {Input: 0.10, CachedInput: 0.01, Output: 0.40},
}
