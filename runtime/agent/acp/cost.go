package acp

import (
	"encoding/json"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/wfc-lang/wfc/runtime/internal/agent/ledger"
	"github.com/wfc-lang/wfc/runtime/internal/format"
)

// usage is what a turn used, in tokens.
type usage struct {
	Input       int64 `json:"inputTokens"`
	Output      int64 `json:"outputTokens"`
	Thought     int64 `json:"thoughtTokens"`
	CachedRead  int64 `json:"cachedReadTokens"`
	CachedWrite int64 `json:"cachedWriteTokens"`
	Total       int64 `json:"totalTokens"`
}

// used counts the tokens of the turn. Programs differ in whether what was cached
// or thought is part of the other numbers; the total tells.
func (t *turn) used(u *usage) {
	if u == nil || min(u.Input, u.Output, u.Thought, u.CachedRead, u.CachedWrite, u.Total) < 0 {
		return
	}
	in, out := u.Input, u.Output
	apart := u.Total - u.Input - u.Output
	if cached := u.CachedRead + u.CachedWrite; apart > 0 && apart >= cached {
		in, apart = in+cached, apart-cached
	}
	if apart > 0 && apart >= u.Thought {
		out += u.Thought
	}
	t.mu.Lock()
	t.heard.meta.InputTokens, t.heard.meta.OutputTokens = in, out
	several := t.habits.lastTokens && len(t.heard.tools) > 0
	t.mu.Unlock()
	if several {
		t.tell.note("the tokens of the turn are those of its last request: the program tells no others")
	}
}

// costs takes what the session has cost so far. Of one that was begun earlier
// the turn's own part is known only when the program says what it had cost
// before, or this run has kept it.
func (t *turn) costs(c *sdk.Cost) {
	if c == nil || !(c.Amount >= 0) {
		return
	}
	t.mu.Lock()
	h := &t.heard
	note := ""
	if c.Currency == "USD" {
		h.total = &c.Amount
	}
	switch {
	case c.Currency != "USD":
		note = "the cost is told in another currency than US dollars, and is not counted: " + shorten(c.Currency, 10)
	case !h.listening:
		h.before, h.known = c.Amount, true
	case h.earlier && !h.known:
		note = "the cost of the whole session is told, but not what it was before this turn; it is not counted"
	case h.afresh, c.Amount < h.before-format.TinyCost:
		h.meta.CostUSD, h.afresh = c.Amount, true // it is not of the session after all
	default:
		h.meta.CostUSD = max(0, c.Amount-h.before)
	}
	first := note != "" && !h.told
	h.told = h.told || note != ""
	meta := h.meta
	t.mu.Unlock()
	if first {
		t.tell.warn("%s", note)
	}
	t.tell.spent(meta)
}

// tokens returns what the turn used, or nil when the program does not tell. Gemini
// tells it beside the protocol.
func (a *promptAnswer) tokens() *usage {
	if a.Usage != nil {
		return a.Usage
	}
	var meta struct {
		Quota struct {
			Count *struct {
				Input  int64 `json:"input_tokens"`
				Output int64 `json:"output_tokens"`
			} `json:"token_count"`
		} `json:"quota"`
	}
	if json.Unmarshal(a.Meta, &meta) != nil || meta.Quota.Count == nil {
		return nil
	}
	c := meta.Quota.Count
	return &usage{Input: c.Input, Output: c.Output, Total: c.Input + c.Output}
}

// costBook is where what sessions have cost is kept.
func (t *turn) costBook() ledger.Book {
	return ledger.Book{Dir: t.request.Dir, Name: "session-cost"}
}

// countsAfresh stands for what a session has cost when each process of the program
// counts afresh.
const countsAfresh = -1

// keepCost keeps what the session has cost, for its next turn.
func (t *turn) keepCost() {
	t.mu.Lock()
	session, total, afresh := t.heard.session, t.heard.total, t.heard.afresh
	t.mu.Unlock()
	if total == nil {
		return
	}
	before := *total
	if afresh {
		before = countsAfresh
	}
	if err := t.costBook().Keep(session, before); err != nil {
		t.tell.warn("the cost of the session cannot be kept, so that of its next turn may not be known: %v", err)
	}
}
