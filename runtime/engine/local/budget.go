package local

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/attempt"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// An attempt at a prompt first reserves its estimated cost in the store's ledger, if there are
// budgets. Its end brings the real cost to the ledger with the batch that has its result.
// Without budgets, only the second happens.

// performWithinBudget performs an attempt, unless a budget refuses it, and returns its end.
func (h *host) performWithinBudget(ctx context.Context, a flow.Action, number int, left settings.Limits) sched.Signal {
	prompt, ok := a.Payload.(flow.Prompt)
	if !ok {
		return sched.Done{Key: a.Key, Result: h.attemptSite(left).Perform(ctx, a, number)}
	}
	quote := h.quotePrompt(prompt)
	node, _ := stepkey.NodeOf(h.run.def.Nodes, a.Key)
	spent := flow.Spending{
		RunID: h.run.info.ID, Key: a.Key, Node: node.Key, Attempt: number, Project: h.engine.folder.Project(), Workflow: h.run.info.Workflow,
		Agent: quote.Agent, Model: quote.Model, Time: h.Now(),
	}
	budgets := h.budgets()
	if len(budgets) > 0 && !quote.Free && ctx.Err() == nil {
		reserved, err := h.reserve(prompt, &quote, spent, budgets)
		switch {
		case err != nil:
			r := attempt.Failed("store", "the cost of the turn could not be reserved: %v", err)
			r.Failure.Class = flow.ClassTransient
			return sched.Done{Key: a.Key, Result: r}
		case reserved.Refused != nil:
			refused := reserved.Refused
			until := refused.Until.Add(time.Second - 1).Truncate(time.Second)
			return sched.Refused{Key: a.Key, Message: refused.Message, Policy: refused.Policy, Until: until, Busy: refused.Busy}
		}
		spent = reserved.Row
		for _, use := range reserved.Near {
			h.journalEvent(sched.EventBudget, a.Key, use.NearText())
		}
	}
	result := h.attemptSite(left).Perform(ctx, a, number)
	return sched.Done{Key: a.Key, Result: result, Spending: h.spendingOf(spent, budgets, result)}
}

func (h *host) budgets() []spending.Budget {
	all := &h.engine.cfg.Budgets
	return spending.BudgetsOf(all.All, all.Workflows[h.run.info.Workflow], h.run.info.Workflow)
}

// costLimit names the limit or the budget in dollars that counts the run's turns, or is "".
func (h *host) costLimit() string {
	if limit := sched.CostLimit(h.run.limits, h.run.def, h.run.info.Graph); limit != "" || h.lifted.Load() {
		return limit
	}
	return spending.CostBudget(h.budgets())
}

// LiftBudgets implements sched.Lifter.
func (h *host) LiftBudgets() { h.lifted.Store(true) }

func (h *host) quotePrompt(prompt flow.Prompt) spending.Quote {
	if q, ok := h.performers[prompt.Kind()].(spending.Quoter); ok {
		return q.Quote(prompt)
	}
	return spending.Quote{Agent: prompt.Agent, Model: prompt.Model}
}

// reserve asks the ledger for the reservation of an attempt.
func (h *host) reserve(prompt flow.Prompt, quote *spending.Quote, row flow.Spending, budgets []spending.Budget) (r spending.Reservation, err error) {
	length := len(prompt.Text) + len(prompt.Schema)
	for _, o := range prompt.Options {
		length += len(o.Value)
	}
	ledger := h.engine.cfg.Store.(spending.Ledger)
	err = h.whileLeased(func(ctx context.Context) error {
		earlier, err := ledger.Spending(ctx, spending.Filter{Agent: row.Agent, State: spending.Settled, Limit: spending.UsualTurns})
		if err != nil {
			return err
		}
		spending.SetEstimate(&row, length, quote.Price, earlier)
		if r.Refused = spending.Unpriced(row, quote.Price, budgets, earlier); r.Refused != nil && !h.lifted.Load() {
			return nil
		}
		r, err = ledger.Reserve(ctx, spending.Request{Row: row, Budgets: budgets, Lifted: h.lifted.Load()})
		return err
	})
	return r, err
}

// spendingOf completes the spending of an attempt that has ended, or returns nil if there was
// none. The estimate stays if the agent was cut off before it reported anything, and that of the
// tokens if the agent does not count them. It warns of a cost that a budget can't count.
func (h *host) spendingOf(s flow.Spending, budgets []spending.Budget, r flow.Result) *flow.Spending {
	used := r.Meta.Spent()
	reported := used != (flow.Usage{})
	refused := r.Failure != nil && used.CostUSD == 0 && used.InputTokens+used.OutputTokens == 0
	answered := reported && !refused || r.Status == flow.Completed && r.Meta.Replayed == (flow.Usage{})
	if s.ID == 0 && !answered {
		return nil
	}
	s.Model = cmp.Or(r.Meta.Model, s.Model)
	if s.State = spending.Settled; !reported && (r.Status == flow.Cancelled || r.Failure != nil && r.Failure.Reason == kernel.FailureTimeout) {
		s.State = spending.Lost
		return &s
	}
	s.Micros, s.Priced = spending.Micros(used.CostUSD), r.Meta.Unpriced == ""
	if r.Meta.Uncounted == "" || s.ID == 0 { // else the estimate counts
		s.Input, s.Output = used.InputTokens, used.OutputTokens
	}
	if limit := spending.CostBudget(budgets); !s.Priced && limit != "" {
		if _, told := h.unpriced.LoadOrStore(s.Agent, true); !told {
			h.journalEvent(sched.EventWarning, s.Key, fmt.Sprintf("%s, so %s counts as reached for this agent; %s", r.Meta.Unpriced, limit, kernel.WaysToPrice))
		}
	}
	return &s
}
