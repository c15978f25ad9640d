// Package spending is the ledger of what agents cost: one row for each attempt at a prompt. A
// store keeps it, so that all processes with the store count alike.
//
// With budgets, an attempt first reserves its estimated cost. The reservation is made in one
// transaction with the check of the budgets (see Decide), so attempts that begin at the same
// time can't all take the last dollar. The attempt's end is committed in one transaction with
// its result, and replaces the estimate. If the process dies between the two, the reservation
// stays and counts: the money was probably spent. The next process of the run marks it as lost
// and makes another one.
package spending

import (
	"context"
	"math"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The states of rows.
const (
	Reserved = "reserved"
	Settled  = "settled"
	Lost     = "lost"
)

// ImportedPrefix is before the state of a row that came with an imported run. The machine that
// paid counts it; here it belongs to its run's trace alone.
const ImportedPrefix = "imported "

// IsImported reports whether a row came with an imported run.
func IsImported(r *Row) bool { return strings.HasPrefix(r.State, ImportedPrefix) }

// A Row is one attempt at a prompt.
type Row = flow.Spending

// longestTurn is the time after which a reservation counts like a turn that has ended.
const longestTurn = time.Hour

// OpenSince returns the time since which reservations count as open.
func OpenSince(now time.Time) time.Time { return now.Add(-longestTurn) }

// A Quote is what is known about the price of a prompt before it is sent.
type Quote struct {
	// Agent and Model are the agent and the model that would answer; Model may be "".
	Agent, Model string
	// Price is the price of the model, or nil if it is unknown.
	Price *settings.Price
	// ByPrice reports that the agent reports tokens alone: without a price, nobody knows what a
	// turn costs.
	ByPrice bool
	// Free reports that the reply comes from a recording.
	Free bool
}

// A Quoter is a performer of prompts that knows prices.
type Quoter interface {
	Quote(p flow.Prompt) Quote
}

// Micros returns an amount of money in millionths of a dollar.
func Micros(usd float64) int64 { return int64(math.Round(usd * 1e6)) }

// Dollars returns an amount of money in dollars.
func Dollars(micros int64) float64 { return float64(micros) / 1e6 }

// A Ledger is a store that keeps the rows.
type Ledger interface {
	// Reserve adds the row of an attempt that is about to begin, unless that would exceed a
	// budget, as one change. The caller holds the lease on the run.
	Reserve(ctx context.Context, r Request) (Reservation, error)
	// Spending returns the selected rows, newest first.
	Spending(ctx context.Context, f Filter) ([]Row, error)
}

// A Filter selects rows; zero fields select all. Without RunID it selects no imported ones.
type Filter struct {
	RunID, Agent, State string
	// Since selects the rows at this time and later.
	Since time.Time
	Limit int
}

// Selects reports whether the filter, apart from Limit, selects a row.
func (f *Filter) Selects(r *Row) bool {
	return (f.RunID == "" && !IsImported(r) || r.RunID == f.RunID) && (f.Agent == "" || r.Agent == f.Agent) && (f.State == "" || r.State == f.State) &&
		!r.Time.Before(f.Since)
}

// The windows of budgets.
const (
	Day   = 24 * time.Hour
	Month = 30 * Day
)

// A Budget limits what the attempts in a sliding window may cost.
type Budget struct {
	// Workflow is the workflow that it is for, or "" for the whole project.
	Workflow string
	Window   time.Duration
	// Micros and Tokens are the limits; 0 means none.
	Micros, Tokens int64
	Policy         settings.BudgetPolicy
}

// BudgetsOf returns the budgets for the runs of a workflow: the project's, and the workflow's.
func BudgetsOf(project, workflow settings.Budgets, name string) []Budget {
	return append(budgetsOf(project, ""), budgetsOf(workflow, name)...)
}

func budgetsOf(s settings.Budgets, workflow string) (list []Budget) {
	for _, w := range []struct {
		limit  settings.Budget
		window time.Duration
	}{{s.Day, Day}, {s.Month, Month}} {
		if w.limit != (settings.Budget{}) {
			list = append(list, Budget{workflow, w.window, Micros(w.limit.CostUSD), w.limit.Tokens, s.AtLimit.OrDefault()})
		}
	}
	return list
}

// Name returns the name of the window.
func (b *Budget) Name() string {
	if b.Window == Day {
		return "day"
	}
	return "month"
}

// Counts reports whether the budget, of a project, counts a row since a time.
func (b *Budget) Counts(project string, since time.Time, r *Row) bool {
	return r.Project == project && !IsImported(r) && (b.Workflow == "" || b.Workflow == r.Workflow) && !r.Time.Before(since)
}

// Sum returns the sums over the rows that the budget counts since a time; see Book.
func (b *Budget) Sum(rows []Row, project string, since, openSince time.Time) (spent, open Amount) {
	for i := range rows {
		r := &rows[i]
		if !b.Counts(project, since, r) {
			continue
		}
		to := &spent
		if r.State == Reserved && r.Time.After(openSince) {
			to = &open
		}
		*to = to.Plus(Amount{r.Micros, r.Tokens()})
	}
	return spent, open
}
