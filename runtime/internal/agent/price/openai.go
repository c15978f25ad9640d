package price

// OpenAI has the list prices of OpenAI's models as of November 2026: of the standard tier,
// and of prompts short enough for the lower price where there are two (up to 272,000
// tokens). The service and Codex use it; only Codex offers the models whose names contain
// "codex". A plan of Codex bills otherwise. The setting `price` overrides the table.
var OpenAI = Table{
	"gpt-6.1-sol":        {Input: 2, CachedInput: 0.10, CacheWrite: 2.5, Output: 10},
	"gpt-6-sol":          {Input: 2, CachedInput: 0.20, CacheWrite: 2.5, Output: 10},
	"gpt-6-luna":         {Input: 0.10, CachedInput: 0.01, CacheWrite: 0.125, Output: 0.50},
	"gpt-5.5":            {Input: 5, CachedInput: 0.50, Output: 30},
	"gpt-5.4":            {Input: 2.50, CachedInput: 0.25, Output: 15},
	"gpt-5.4-mini":       {Input: 0.75, CachedInput: 0.075, Output: 4.50},
	"gpt-5.4-nano":       {Input: 0.20, CachedInput: 0.02, Output: 1.25},
	"gpt-5.3-codex":      {Input: 1.75, CachedInput: 0.175, Output: 14},
	"gpt-5.2":            {Input: 1.75, CachedInput: 0.175, Output: 14},
	"gpt-5.2-codex":      {Input: 1.75, CachedInput: 0.175, Output: 14},
	"gpt-5.1":            {Input: 1.25, CachedInput: 0.125, Output: 10},
	"gpt-5.1-codex":      {Input: 1.25, CachedInput: 0.125, Output: 10},
	"gpt-5.1-codex-max":  {Input: 1.25, CachedInput: 0.125, Output: 10},
	"gpt-5.1-codex-mini": {Input: 0.25, CachedInput: 0.025, Output: 2},
	"gpt-5":              {Input: 1.25, CachedInput: 0.125, Output: 10},
	"gpt-5-codex":        {Input: 1.25, CachedInput: 0.125, Output: 10},
	"gpt-5-mini":         {Input: 0.25, CachedInput: 0.025, Output: 2},
	"gpt-5-nano":         {Input: 0.05, CachedInput: 0.005, Output: 0.40},
	"gpt-4.1":            {Input: 2, CachedInput: 0.50, Output: 8},
	"gpt-4.1-mini":       {Input: 0.40, CachedInput: 0.10, Output: 1.60},
	"gpt-4.1-nano":       {Input: 0.10, CachedInput: 0.025, Output: 0.40},
	"gpt-4o":             {Input: 2.50, CachedInput: 1.25, Output: 10},
	"gpt-4o-mini":        {Input: 0.15, CachedInput: 0.075, Output: 0.60},
	"o3":                 {Input: 2, CachedInput: 0.50, Output: 8},
	"o4-mini":            {Input: 1.10, CachedInput: 0.275, Output: 4.40},
}
