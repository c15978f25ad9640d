package spending

import (
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// CostBudget returns the name of the first budget in dollars as wfc.yaml has it, or "".
func CostBudget(budgets []Budget) string {
	for _, b := range budgets {
		if b.Micros > 0 {
			return "`budgets." + b.Name() + ".cost_usd`"
		}
	}
	return ""
}

// Unpriced returns the refusal of an attempt whose agent did not report the cost of its last turn,
// or nil. Nobody knows how much of a budget in dollars that turn has used up, so the agent gets no other
// one while the budget counts it, unless there is a price. earlier are the agent's settled turns, newest
// first.
func Unpriced(row Row, price *settings.Price, budgets []Budget, earlier []Row) *Refusal {
	if price != nil {
		return nil
	}
	for i := range earlier {
		last := &earlier[i]
		if last.Project != row.Project || IsImported(last) || last.Priced && last.Micros == 0 {
			continue // of another ledger, or nothing was asked
		}
		if last.Priced {
			return nil
		}
		var longest *Refusal
		for _, b := range budgets {
			if b.Micros == 0 || !b.Counts(row.Project, row.Time.Add(-b.Window), last) {
				continue
			}
			r := &Refusal{Use: Use{Budget: b}, Until: last.Time.Add(b.Window + time.Nanosecond)}
			r.Message = "agent `" + row.Agent + "` did not report the cost of its last turn, so the " + b.Title() + " (" + b.limitText() + ") counts as used up for it; " +
				kernel.WaysToPrice
			if longest == nil || r.isLonger(longest) {
				longest = r
			}
		}
		return longest
	}
	return nil
}
