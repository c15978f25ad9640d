package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/settings"
)

func TestBudgets(t *testing.T) {
	c, faults := parse(t, `
budgets:
  day: {cost_usd: 20, tokens: 5000000}
  month: {cost_usd: 300.5}
  at_limit: ask
workflows:
  "loops/*.yaml": {budgets: {day: {cost_usd: 5}, at_limit: fail}}
  "loops/b.yaml": {budgets: {month: {tokens: 1}}}
`)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	want := settings.Budgets{Day: settings.Budget{CostUSD: 20, Tokens: 5000000}, Month: settings.Budget{CostUSD: 300.5}, AtLimit: settings.BudgetAsk}
	if got := c.Settings("").Budgets.All; got != want {
		t.Errorf("got %+v", got)
	}
	c.Dir = "/p"
	if got := c.budgetsOf("/p/loops/b.yaml"); got != (settings.Budgets{Day: settings.Budget{CostUSD: 5}, AtLimit: settings.BudgetFail}) {
		t.Errorf("the first pattern does not count: %+v", got)
	}
	if got := c.budgetsOf("/p/b.yaml"); got != (settings.Budgets{}) {
		t.Errorf("got %+v", got)
	}
}

func TestWrongBudgets(t *testing.T) {
	for text, want := range map[string]string{
		"budgets: {days: {cost_usd: 1}}":           "1:11 WFC125 unknown key `days`",
		"budgets: {day: {cost: 1}}":                "1:17 WFC125 unknown key `cost`",
		"budgets: {day: {}}":                       "1:16 WFC113 `budgets.day` must be a mapping with `cost_usd` or `tokens`",
		"budgets: {}":                              "1:10 WFC113 `budgets` must be a mapping with `day` or `month`",
		"budgets: 20":                              "1:10 WFC113 `budgets` must be a mapping",
		"budgets: {day: {cost_usd: 0}}":            "1:27 WFC113 `budgets.day.cost_usd` must be an amount in US dollars above 0",
		"budgets: {day: {tokens: 5M}}":             "1:25 WFC113 `budgets.day.tokens` must be an integer of at least 1",
		"budgets: {at_limit: wait}":                "1:10 WFC113 `budgets` must be a mapping with `day` or `month`",
		"budgets: {day: {tokens: 1}, at_limit: x}": "1:39 WFC113 `budgets.at_limit`",
	} {
		_, faults := parse(t, text)
		all := strings.Split(want, "|")
		if len(faults) != len(all) {
			t.Errorf("%s: %q", text, faults)
			continue
		}
		for _, w := range all {
			if !slices.ContainsFunc(faults, func(f string) bool { return strings.HasPrefix(f, w) }) {
				t.Errorf("%s: got %q, want %q", text, faults, w)
			}
		}
	}
}
