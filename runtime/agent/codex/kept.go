package codex

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/ledger"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/internal/agent/price"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// usage counts tokens.
type usage struct {
	Input  int64 `json:"input_tokens"`
	Cached int64 `json:"cached_input_tokens"`
	Output int64 `json:"output_tokens"`
}

// since returns what was used after another count of the same session.
func (u usage) since(before usage) usage {
	return usage{max(0, u.Input-before.Input), max(0, u.Cached-before.Cached), max(0, u.Output-before.Output)}
}

// book is where the counts of sessions are kept: the program counts the tokens of
// a session, so what a turn used is known only when the count before it is.
func book(dir string) ledger.Book { return ledger.Book{Dir: dir, Name: "codex-tokens"} }

// prices are the vendor's list prices of June 2026, in US dollars for a million
// tokens, of the models that Codex offers. A plan bills otherwise; `price` of the
// agent in wfc.yaml overrides them.
var prices = price.Table{
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

// priceOf returns the price of a model: that of the choice, or that of the table.
func priceOf(c settings.Agent, model string) *settings.Price {
	if c.Price != nil {
		return c.Price
	}
	return prices.Of(model)
}

// add notes the cost of a turn. Cached tokens are among those of the input.
func (u usage) add(m *flow.Meta, p *settings.Price) {
	m.InputTokens, m.OutputTokens = u.Input, u.Output
	m.CostUSD = price.Cost(p, price.Usage{Input: u.Input - u.Cached, CachedInput: u.Cached, Output: u.Output})
}

// A session keeps the system prompt of its first turn. A later turn with another
// system prompt gets it at the beginning of its prompt.

// systems is the book of the last system prompt of each session.
func systems(dir string) ledger.Book { return ledger.Book{Dir: dir, Name: "codex-system"} }

// mark returns a hash of a system prompt: the prompt may be long, or secret.
func mark(system string) string {
	sum := sha256.Sum256([]byte(system))
	return hex.EncodeToString(sum[:])
}

// preface returns the beginning of a turn's prompt: the system prompt if the
// session is known to have another one, else "".
func preface(r *agent.Request, system string) string {
	var last string
	if system == "" || r.Session == "" || r.FreshSession || !systems(r.Dir).Last(r.Session, &last) || last == mark(system) {
		return ""
	}
	return options.Preface(system)
}

// keepSystem keeps the system prompt that the session has from now on. A continued
// session without a new prompt keeps its old one.
func (t *turn) keepSystem() {
	continued := t.request.Session != "" && !t.request.FreshSession
	if continued && t.system == "" {
		return
	}
	if err := systems(t.request.Dir).Keep(t.meta.Session, mark(t.system)); err != nil {
		t.output.Warn("the system prompt of the session cannot be kept, so that of a later turn may have no effect: %v", err)
	}
}
