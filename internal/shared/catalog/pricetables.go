package catalog

// openAIPrices has the list prices of OpenAI's models as of November 2026: of the standard tier,
// and of prompts short enough for the lower price where there are two (up to 272,000
// tokens). The service and Codex use it; only Codex offers the models whose names contain
// "codex". A plan of Codex bills otherwise. The setting `price` overrides the table.
var openAIPrices = Prices{
	"gpt-6.1-sol":                         {Input: 2, CachedInput: 0.10, CacheWrite: 2.5, Output: 10},
	"gpt-6-sol":                           {Input: 2, CachedInput: 0.20, CacheWrite: 2.5, Output: 10},
	"gpt-6-luna":                          {Input: 0.10, CachedInput: 0.01, CacheWrite: 0.125, Output: 0.50},
	"gpt-5.5":                             {Input: 5, CachedInput: 0.50, Output: 30},
	"gpt-5.4":                             {Input: 2.50, CachedInput: 0.25, Output: 15},
	"gpt-5.4-mini":                        {Input: 0.75, CachedInput: 0.075, Output: 4.50},
	"gpt-5.4-nano":                        {Input: 0.20, CachedInput: 0.02, Output: 1.25},
	"gpt-5.3-codex gpt-5.2 gpt-5.2-codex": {Input: 1.75, CachedInput: 0.175, Output: 14},
	"gpt-5.1 gpt-5.1-codex gpt-5.1-codex-max gpt-5 gpt-5-codex": {Input: 1.25, CachedInput: 0.125, Output: 10},
	"gpt-5.1-codex-mini gpt-5-mini":                             {Input: 0.25, CachedInput: 0.025, Output: 2},
	"gpt-5-nano":                                                {Input: 0.05, CachedInput: 0.005, Output: 0.40},
	"gpt-4.1":                                                   {Input: 2, CachedInput: 0.50, Output: 8},
	"gpt-4.1-mini":                                              {Input: 0.40, CachedInput: 0.10, Output: 1.60},
	"gpt-4.1-nano":                                              {Input: 0.10, CachedInput: 0.025, Output: 0.40},
	"gpt-4o":                                                    {Input: 2.50, CachedInput: 1.25, Output: 10},
	"gpt-4o-mini":                                               {Input: 0.15, CachedInput: 0.075, Output: 0.60},
	"o3":                                                        {Input: 2, CachedInput: 0.50, Output: 8},
	"o4-mini":                                                   {Input: 1.10, CachedInput: 0.275, Output: 4.40},
}

// anthropicPrices has those of the vendor's price list as of 2026-11-01, in US dollars
// for a million tokens: input, output, input read from the cache, input written
// to it for five minutes.
//
// Left out are models whose price depends on more than the model (Claude Haiku
// 5.5 costs more with prompts of over 100,000 tokens): of these wfc says the
// tokens and not the dollars, unless `price` in wfc.yaml does.
var anthropicPrices = Prices{
	"claude-fable-5-1": {Input: 10, Output: 50, CachedInput: 0.25, CacheWrite: 12.50},
	"claude-fable-5":   {Input: 10, Output: 50, CachedInput: 1, CacheWrite: 12.50},
	"claude-opus-5-5":  {Input: 4, Output: 20, CachedInput: 0.20, CacheWrite: 5},
	"claude-opus-5 claude-opus-4-8 claude-opus-4-7 claude-opus-4-6 claude-opus-4-5": {Input: 5, Output: 25, CachedInput: 0.50, CacheWrite: 6.25},
	"claude-opus-4-1":                     {Input: 15, Output: 75, CachedInput: 1.50, CacheWrite: 18.75},
	"claude-sonnet-5-5":                   {Input: 2, Output: 10, CachedInput: 0.10, CacheWrite: 2.50},
	"claude-sonnet-5":                     {Input: 2, Output: 10, CachedInput: 0.20, CacheWrite: 2.50},
	"claude-sonnet-4-6 claude-sonnet-4-5": {Input: 3, Output: 15, CachedInput: 0.30, CacheWrite: 3.75},
	"claude-haiku-4-5":                    {Input: 1, Output: 5, CachedInput: 0.10, CacheWrite: 1.25},
}

// googlePrices has the list prices of Google's models as of November 2026, in US dollars for a
// million tokens of text: of the standard tier, and of prompts short enough for the lower
// price where there are two (up to 200,000 tokens). For gemini-3.8-flash it is the price
// from January 2027 on, twice that of the months before, so that a budget never stops a
// run too late. The setting `price` overrides them.
var googlePrices = Prices{
	"gemini-3.8-flash gemini-3.6-flash":      {Input: 1.50, CachedInput: 0.15, Output: 7.50},
	"gemini-3.5-flash":                       {Input: 1.50, CachedInput: 0.15, Output: 9},
	"gemini-3.5-flash-lite gemini-2.5-flash": {Input: 0.30, CachedInput: 0.03, Output: 2.50},
	"gemini-3.1-pro":                         {Input: 2, CachedInput: 0.20, Output: 12},
	"gemini-3.1-flash-lite":                  {Input: 0.25, CachedInput: 0.025, Output: 1.50},
	"gemini-3-flash":                         {Input: 0.50, CachedInput: 0.05, Output: 3},
	"gemini-2.5-pro":                         {Input: 1.25, CachedInput: 0.125, Output: 10},
	"gemini-2.5-flash-lite":                  {Input: 0.10, CachedInput: 0.01, Output: 0.40},
}
