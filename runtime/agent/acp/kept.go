package acp

import (
	"context"
	"encoding/json"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/wfc-lang/wfc/runtime/internal/agent/ledger"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/repeat"
)

// usage is the usage of a turn, in tokens.
type usage struct {
	Input       int64 `json:"inputTokens"`
	Output      int64 `json:"outputTokens"`
	Thought     int64 `json:"thoughtTokens"`
	CachedRead  int64 `json:"cachedReadTokens"`
	CachedWrite int64 `json:"cachedWriteTokens"`
	Total       int64 `json:"totalTokens"`
}

// countTokens counts the tokens of the turn. Programs differ in whether the other numbers
// include cached and thought tokens; the total shows it.
func (t *turn) countTokens(u *usage) {
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
	several := t.quirks.lastTokens && len(t.heard.tools) > 0
	t.mu.Unlock()
	if several {
		t.report.passNote("the turn's tokens are those of its last request: the program reports no others")
	}
}

// updateCost takes the cost of the session so far. For an earlier session the cost of the turn
// is known only if the program reports the cost before, or this run has kept it.
func (t *turn) updateCost(c *sdk.Cost) {
	t.mu.Lock()
	h := &t.heard
	h.used, h.asked = false, h.text.Len() // the program asks its model again
	if c == nil || !(c.Amount >= 0) {
		t.mu.Unlock()
		return
	}
	note := ""
	if c.Currency == "USD" {
		h.total = &c.Amount
	}
	switch {
	case c.Currency != "USD":
		note = "the cost is not counted, because its currency is not the US dollar: " + shortenLine(c.Currency, 10)
	case !h.listening:
		h.before, h.known = c.Amount, true
	case h.earlier && !h.known:
		note = "the cost is not counted: the program reports that of the whole session, and the cost before this turn is unknown"
	case h.afresh, c.Amount < h.before-format.TinyCost:
		h.meta.CostUSD, h.afresh = c.Amount, true // it is not of the session after all
	default:
		h.meta.CostUSD = max(0, c.Amount-h.before)
	}
	first := note != "" && !h.warned
	h.warned = h.warned || note != ""
	meta := h.meta
	t.mu.Unlock()
	if first {
		t.report.passWarning("%s", note)
	}
	t.report.passCost(meta)
}

// reportedUsage returns what the turn used, or nil when the program does not report. Gemini
// reports it outside the protocol.
func (a *promptAnswer) reportedUsage() *usage {
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
	return ledger.Book{Dir: t.request.RunDir, Name: "session-cost"}
}

// countsAfresh is the kept cost of a session whose program counts the cost of each
// process separately.
const countsAfresh = -1

// keepCost keeps for the next turn what the session has cost, or countsAfresh if its program does.
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
		t.report.passWarning("cannot save the cost of the session, so the cost of its next turn may be unknown: %v", err)
	}
}

// A timer gives the time and waits.
type timer interface {
	Now() time.Time
	// Sleep waits, and returns ctx's error when that ends before.
	Sleep(ctx context.Context, d time.Duration) error
	// Limit returns a context that ends after a while.
	Limit(ctx context.Context, d time.Duration) (limited context.Context, stop context.CancelFunc)
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, d time.Duration) error { return repeat.Sleep(ctx, d) }

func (systemClock) Limit(ctx context.Context, d time.Duration) (limited context.Context, stop context.CancelFunc) {
	return context.WithTimeout(ctx, d)
}

func (a *client) timerOrSystem() timer {
	if a.Clock != nil {
		return a.Clock
	}
	return systemClock{}
}

// sessionStartBook is where it is kept when sessions began.
func (t *turn) sessionStartBook() ledger.Book {
	return ledger.Book{Dir: t.request.RunDir, Name: "session-begin"}
}

// keepBeginning keeps that a session began between a moment and now.
func (t *turn) keepBeginning(session string, from time.Time) {
	if !t.quirks.byTheMinute {
		return
	}
	now := t.agent.timerOrSystem().Now()
	if now.Before(from) {
		now = from
	}
	if err := t.sessionStartBook().Keep(session, now.UTC()); err != nil {
		t.report.passWarning("cannot save the start time of the session, so it may not resume within this minute: %v", err)
	}
}

// waitForMinute waits until the minute is over in which a session began, for a program
// that would destroy it otherwise. For a session of another run that minute is unknown,
// so the current one counts.
func (t *turn) waitForMinute(ctx context.Context, session string) error {
	if !t.quirks.byTheMinute {
		return nil
	}
	now := t.agent.timerOrSystem().Now().UTC()
	var began time.Time
	if !t.sessionStartBook().Last(session, &began) {
		began = now
	}
	next := began.Truncate(time.Minute).Add(time.Minute)
	wait := min(next.Sub(now), time.Minute) // even if somebody has set the clock
	if wait <= 0 {
		return nil
	}
	t.report.passNote("waits %v, because %s cannot resume a session in the minute in which it started", wait.Round(time.Second), t.name)
	if err := t.agent.timerOrSystem().Sleep(ctx, wait); err != nil {
		return err
	}
	return t.sessionStartBook().Keep(session, began) // it is older than any later minute
}
