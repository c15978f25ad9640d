package settings

import "cmp"

// Budgets limit what agents may spend in sliding windows, over all runs that share a store. The
// zero Budgets have no limits.
type Budgets struct {
	// Day is for the last 24 hours, and Month for the last 30 days.
	Day, Month Budget
	// AtLimit says what happens to a prompt that would exceed a budget; "" is BudgetWait.
	AtLimit BudgetPolicy
}

// ProjectBudgets are the budgets of a project.
type ProjectBudgets struct {
	// All are for all runs of the project together.
	All Budgets
	// Workflows are for the runs of single workflows, by the workflow's name.
	Workflows map[string]Budgets
}

// Set reports whether there is any budget.
func (b ProjectBudgets) Set() bool { return b.All != (Budgets{}) || len(b.Workflows) > 0 }

// A Budget limits the sum over turns of agents. Zero means no limit.
type Budget struct {
	// CostUSD is in US dollars.
	CostUSD float64
	// Tokens counts the tokens that models read and write.
	Tokens int64
}

// A BudgetPolicy says what happens to a prompt that would exceed a budget.
type BudgetPolicy string

// The policies.
const (
	// BudgetWait lets the run wait until enough of the window has slid past.
	BudgetWait BudgetPolicy = "wait"
	// BudgetFail fails the prompt.
	BudgetFail BudgetPolicy = "fail"
	// BudgetAsk asks a person, who may lift the budgets for the run.
	BudgetAsk BudgetPolicy = "ask"
)

// OrDefault returns p, or BudgetWait if p is "".
func (p BudgetPolicy) OrDefault() BudgetPolicy { return cmp.Or(p, BudgetWait) }
