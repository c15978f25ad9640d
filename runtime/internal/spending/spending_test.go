package spending_test

import (
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// spend settles a turn of 600 millionths.
func spend(t *testing.T, s store.Store, at time.Time) {
	t.Helper()
	err := s.Commit(t.Context(), "r-1", flow.Batch{Spending: []flow.Spending{{Key: "a", Project: "p", Workflow: "w", Agent: "claude", Time: at, State: spending.Settled, Micros: 600, Priced: true}}})
	if err != nil {
		t.Fatal(err)
	}
}

// A day has 24 hours, also when the clocks change, and a clock that was set back frees nothing.
func TestWindowsAcrossClockChanges(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		name       string
		spent, now time.Time
		until      time.Time // zero: allowed
	}{
		{"summer time begins", time.Date(2026, 3, 28, 12, 0, 0, 0, berlin), time.Date(2026, 3, 29, 12, 30, 0, 0, berlin), time.Date(2026, 3, 29, 13, 0, 0, 1, berlin)},
		{"a day later", time.Date(2026, 3, 28, 12, 0, 0, 0, berlin), time.Date(2026, 3, 29, 13, 0, 0, 1, berlin), time.Time{}},
		{"summer time ends", time.Date(2026, 10, 24, 12, 0, 0, 0, berlin), time.Date(2026, 10, 25, 11, 0, 0, 1, berlin), time.Time{}},
		{"just before", time.Date(2026, 10, 24, 12, 0, 0, 0, berlin), time.Date(2026, 10, 25, 11, 0, 0, 0, berlin), time.Date(2026, 10, 25, 11, 0, 0, 1, berlin)},
		{"the clock was set back", time.Date(2026, 5, 2, 12, 0, 0, 0, berlin), time.Date(2026, 5, 1, 12, 0, 0, 0, berlin), time.Date(2026, 5, 3, 12, 0, 0, 1, berlin)},
	} {
		s := memory.New()
		if err := s.CreateRun(t.Context(), store.Run{RunInfo: flow.RunInfo{ID: "r-1", Workflow: "w"}}, nil); err != nil {
			t.Fatal(err)
		}
		spend(t, s, c.spent)
		r, err := s.(spending.Ledger).Reserve(t.Context(), spending.Request{
			Row:     spending.Row{RunID: "r-1", Key: "b", Project: "p", Workflow: "w", Agent: "claude", Time: c.now, Micros: 600},
			Budgets: []spending.Budget{{Window: spending.Day, Micros: 1000}},
		})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case c.until.IsZero() && r.Refused != nil:
			t.Errorf("%s: refused until %v", c.name, r.Refused.Until)
		case !c.until.IsZero() && (r.Refused == nil || !r.Refused.Until.Equal(c.until)):
			t.Errorf("%s: %+v, want until %v", c.name, r.Refused, c.until)
		}
	}
}

// The estimate of a turn is what its node usually costs, or what its prompt costs at least.
func TestEstimate(t *testing.T) {
	price := &settings.Price{Input: 10, Output: 100} // millionths of a dollar per token
	turn := func(node string, micros, input, output int64) spending.Row {
		return spending.Row{Workflow: "w", Node: node, Micros: micros, Input: input, Output: output, Priced: micros > 0}
	}
	for name, c := range map[string]struct {
		length        int
		price         *settings.Price
		earlier       []spending.Row
		micros        int64
		input, output int64
		priced        bool
	}{
		"nothing is known":       {400, nil, nil, 0, 100, 1000, false},
		"the price":              {400, price, nil, 101_000, 100, 1000, true},
		"the price, and replies": {400, price, []spending.Row{turn("b", 7, 900, 50)}, 6000, 900, 50, true},
		"the node":               {4, nil, []spending.Row{turn("b", 900, 9, 9), turn("a", 500, 5000, 30)}, 500, 5000, 30, true},
		"a median":               {4, nil, []spending.Row{turn("a", 5, 1, 1), turn("a", 900, 2, 2), turn("a", 6, 3, 3)}, 6, 2, 2, true},
		"a long prompt":          {4_000_000, price, []spending.Row{turn("a", 500, 5000, 30)}, 10_003_000, 1_000_000, 30, true},
		"unknown before":         {4, nil, []spending.Row{turn("a", 0, 5000, 30)}, 0, 5000, 30, false},
		"a turn without a reply": {4, nil, []spending.Row{turn("a", 0, 0, 0), turn("a", 500, 50, 30)}, 500, 50, 30, true},
		"a rounded length":       {5, nil, nil, 0, 2, 1000, false},
	} {
		r := spending.Row{Workflow: "w", Node: "a"}
		spending.SetEstimate(&r, c.length, c.price, c.earlier)
		if r.Micros != c.micros || r.Input != c.input || r.Output != c.output || r.Priced != c.priced {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
