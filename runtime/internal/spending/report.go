package spending

import (
	"context"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/costs"
)

// Report returns the costs of the rows since a time, each of one attempt. keep selects the
// workflows of the report.
func Report(ctx context.Context, l Ledger, since time.Time, keep func(workflow string) bool) (*costs.Report, error) {
	rows, err := l.Spending(ctx, Filter{Since: since})
	if err != nil {
		return nil, err
	}
	r := &costs.Report{SchemaVersion: 1, Since: since, Costs: []costs.Cost{}, Budgets: []costs.Budget{}, Open: []costs.Attempt{}}
	for i := range rows {
		if row := &rows[i]; keep(row.Workflow) {
			addRow(r, row)
		}
	}
	return r, nil
}

// addRow adds an attempt to a report.
func addRow(to *costs.Report, r *Row) {
	c := costs.Cost{
		Project: r.Project, Workflow: r.Workflow, Agent: r.Agent, Model: r.Model, Node: r.Node, Day: r.Time.Local().Format(time.DateOnly),
		Turn:        costs.TurnID(r.RunID, r.Key, r.Attempt, r.Time),
		InputTokens: r.Input, OutputTokens: r.Output, Attempts: 1,
	}
	if !r.Priced {
		c.Unpriced = 1
	}
	switch r.State {
	case Settled:
		c.CostUSD = Dollars(r.Micros)
	case Lost:
		c.LostUSD, c.Lost = Dollars(r.Micros), 1
	}
	if r.State != Settled {
		state := map[string]string{Reserved: costs.UnderWay, Lost: costs.CutOff}[r.State]
		to.Open = append(to.Open, costs.Attempt{
			Run: r.RunID, Step: r.Key, Attempt: r.Attempt, Project: r.Project, Workflow: r.Workflow, Agent: r.Agent, Model: r.Model,
			State: state, Since: r.Time, CostUSD: Dollars(r.Micros), Priced: r.Priced, Tokens: r.Tokens(),
		})
	}
	if r.State != Reserved {
		to.Costs = append(to.Costs, c)
	}
}

// Uses returns how much of budgets is used now.
func Uses(ctx context.Context, l Ledger, project string, budgets []Budget, now time.Time) ([]Use, error) {
	if len(budgets) == 0 {
		return nil, nil
	}
	longest := slices.MaxFunc(budgets, func(a, b Budget) int { return int(a.Window - b.Window) }).Window
	rows, err := l.Spending(ctx, Filter{Since: now.Add(-longest)})
	if err != nil {
		return nil, err
	}
	uses := make([]Use, len(budgets))
	for i, b := range budgets {
		spent, open := b.Sum(rows, project, now.Add(-b.Window), OpenSince(now))
		uses[i] = Use{b, spent, open}
	}
	return uses, nil
}

// Document returns the use for the report.
func (u *Use) Document(project string) costs.Budget {
	d := costs.Budget{Project: project, Workflow: u.Workflow, Window: u.Name(), AtLimit: string(u.Policy)}
	if u.Micros > 0 {
		d.CostUSD = costs.NewLimit(Dollars(u.Micros), Dollars(u.Spent.Micros), Dollars(u.Open.Micros))
	}
	if u.Tokens > 0 {
		d.Tokens = costs.NewLimit(float64(u.Tokens), float64(u.Spent.Tokens), float64(u.Open.Tokens))
	}
	return d
}
