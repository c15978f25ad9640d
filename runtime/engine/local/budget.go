package local

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/attempt"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// An attempt at a prompt first reserves its estimated cost in the store's ledger, if there are
// budgets. Its end brings the real cost to the ledger with the batch that has its result.
// Without budgets, only the second happens.

// performWithinBudget performs an attempt, unless a budget refuses it, and returns its end.
func (h *host) performWithinBudget(ctx context.Context, a flow.Action, number int) sched.Signal {
	prompt, ok := a.Payload.(flow.Prompt)
	if !ok {
		return sched.Done{Key: a.Key, Result: h.attemptSite().Perform(ctx, a, number)}
	}
	quote := h.quotePrompt(prompt)
	spent := &flow.Spending{Project: h.engine.folder.Project(), Workflow: h.run.info.Workflow, Agent: quote.Agent, Model: quote.Model}
	budgets := spending.BudgetsOf(h.engine.cfg.Budgets.All, h.engine.cfg.Budgets.Workflows[h.run.info.Workflow], h.run.info.Workflow)
	if len(budgets) > 0 && !quote.Free && ctx.Err() == nil {
		reserved, err := h.reserve(a, number, prompt, &quote, spent, budgets)
		switch {
		case err != nil:
			r := attempt.Failed("store", "the cost of the turn could not be reserved: %v", err)
			r.Failure.Class = flow.ClassTransient
			return sched.Done{Key: a.Key, Result: r}
		case reserved.Refused != nil:
			return refusal(a.Key, reserved.Refused)
		}
		spent.Reservation = reserved.ID
		for _, use := range reserved.Near {
			h.sendSignal(sched.BudgetNear{Key: a.Key, Message: use.NearText()})
		}
	}
	result := h.attemptSite().Perform(ctx, a, number)
	return sched.Done{Key: a.Key, Result: result, Spending: h.spendingOf(spent, &quote, budgets, a.Key, result)}
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
func (h *host) reserve(a flow.Action, number int, prompt flow.Prompt, quote *spending.Quote, spent *flow.Spending, budgets []spending.Budget) (r spending.Reservation, err error) {
	length := len(prompt.Text) + len(prompt.Schema)
	for _, o := range prompt.Options {
		length += len(o.Value)
	}
	node, _ := stepkey.NodeOf(h.run.def.Nodes, a.Key)
	q := spending.Request{Budgets: budgets, Lifted: h.lifted.Load(), Row: spending.Row{
		RunID: h.run.info.ID, Key: a.Key, Attempt: number, Project: spent.Project, Workflow: spent.Workflow, Node: node.Key,
		Agent: spent.Agent, Model: spent.Model, Time: h.Now(),
	}}
	ledger := h.engine.cfg.Store.(spending.Ledger)
	err = h.whileLeased(func(ctx context.Context) error {
		earlier, err := ledger.Spending(ctx, spending.Filter{Agent: spent.Agent, State: spending.Settled, Limit: spending.UsualTurns})
		if err != nil {
			return err
		}
		q.Row.Estimate(length, quote.Price, earlier)
		r, err = ledger.Reserve(ctx, q)
		return err
	})
	return r, err
}

// refusal returns the signal of a refused attempt.
func refusal(key string, r *spending.Refusal) sched.Signal {
	until := r.Until.Add(time.Second - 1).Truncate(time.Second)
	return sched.Refused{Key: key, Message: r.Message, Policy: r.Policy, Until: until, Busy: r.Busy}
}

// spendingOf completes the spending of an attempt that has ended, or returns nil if there was
// none. It warns if a budget does not count it.
func (h *host) spendingOf(s *flow.Spending, q *spending.Quote, budgets []spending.Budget, key string, r flow.Result) *flow.Spending {
	used := r.Meta.Spent()
	s.CostUSD, s.InputTokens, s.OutputTokens = used.CostUSD, used.InputTokens, used.OutputTokens
	if r.Meta.Model != "" {
		s.Model = r.Meta.Model
	}
	reported := used != (flow.Usage{})
	cut := r.Status == flow.Cancelled || r.Failure != nil && r.Failure.Reason == kernel.FailureTimeout
	s.Unknown = !reported && cut
	refused := r.Failure != nil && r.Failure.Reason == kernel.FailureQuota && used.CostUSD == 0 && used.InputTokens+used.OutputTokens == 0
	answered := reported && !refused || r.Status == flow.Completed && r.Meta.Replayed == (flow.Usage{})
	s.Priced = used.CostUSD > 0 || q.Price != nil || !answered
	if s.Reservation == 0 && !answered {
		return nil
	}
	if !s.Priced && slices.ContainsFunc(budgets, func(b spending.Budget) bool { return b.Micros > 0 }) {
		if _, told := h.unpriced.LoadOrStore(s.Agent, true); !told {
			h.sendSignal(sched.Warned{Key: key, Message: fmt.Sprintf(
				"the agent `%s` did not report the cost of its turn, and its price is unknown: budgets in dollars do not count it; set `price` for the agent in wfc.yaml", s.Agent)})
		}
	}
	return s
}
