package local_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A spender performs prompts, each at a cost.
type spender struct {
	mu    sync.Mutex
	costs func(call *engine.Attempt) flow.Meta
	turns []string
	// takes is how long a turn takes.
	takes time.Duration
}

func (s *spender) Kind() string { return "prompt" }

func (s *spender) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	s.mu.Lock()
	s.turns = append(s.turns, call.Action.Key)
	meta := s.costs(call)
	s.mu.Unlock()
	if s.takes > 0 {
		select {
		case <-time.After(s.takes):
		case <-ctx.Done():
			return flow.Result{Status: flow.Cancelled}
		}
	}
	return flow.Result{Status: flow.Completed, Text: "ok", Meta: meta}
}

func (s *spender) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.turns)
}

// dollars lets each turn cost the same.
func dollars(usd float64) func(*engine.Attempt) flow.Meta {
	return func(*engine.Attempt) flow.Meta {
		return flow.Meta{CostUSD: usd, InputTokens: 100, OutputTokens: 10, Turns: 1, Model: "m-1"}
	}
}

// prompts makes a workflow of prompts, one after the other or side by side.
func prompts(name string, n int, chained bool) *flow.Definition {
	def := &flow.Definition{Name: name, Fingerprint: "f1"}
	for i := range n {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: fmt.Sprintf("p%d", i), Kind: "prompt"})
		if chained && i > 0 {
			def.Nodes[i].After = []string{def.Nodes[i-1].Key}
		}
	}
	def.Flow = func(c *flow.Context) (any, error) {
		var before *flow.Task[string]
		for _, node := range def.Nodes {
			n := flow.Node[string]{Key: node.Key, Kind: "prompt", Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Prompt{Agent: "claude", Text: "do it"})
				return r.Text, err
			}}
			if chained && before != nil {
				n.After = append(n.After, before)
			}
			before = flow.Spawn(c, n)
		}
		return nil, flow.Settle(c)
	}
	return def
}

// budgeted returns an engine whose project has budgets.
func (w *world) budgeted(t *testing.T, s *spender, b settings.Budgets, set ...func(*local.Config)) *local.Engine {
	return w.engine(t, func(c *local.Config) {
		c.Performers, c.Budgets.All = append(c.Performers, s), b
		for _, do := range set {
			do(c)
		}
	})
}

func perDay(usd float64, at settings.BudgetPolicy) settings.Budgets {
	return settings.Budgets{Day: settings.Budget{CostUSD: usd}, AtLimit: at}
}

// ledgerRows returns the rows of the ledger, newest first.
func (w *world) ledgerRows(t *testing.T) []spending.Row {
	t.Helper()
	rows, err := w.store.(spending.Ledger).Spending(t.Context(), spending.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// budgetEvents returns the texts of the events about budgets.
func (w *world) budgetEvents(t *testing.T, id string) (texts []string) {
	t.Helper()
	events, _, err := w.store.Events(t.Context(), id, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.Type == "budget" {
			texts = append(texts, e.Message)
		}
	}
	return texts
}

// A turn that would exceed the budget waits until enough of the day has slid past, and the run
// warns once when most of the budget is used up.
func TestBudgetWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := newWorld(t), &spender{costs: dollars(0.4)}
		e := w.budgeted(t, s, perDay(1, ""), func(c *local.Config) { c.MaxWait, c.Poll = 72*time.Hour, time.Hour })
		began := time.Now()
		r := must(t, flow.Completed)(e.Run(t.Context(), prompts("w", 5, true), nil, w.options()))
		// Two turns fit into a day.
		if took := time.Since(began); took < 48*time.Hour || took > 48*time.Hour+time.Minute {
			t.Errorf("it took %v", took)
		}
		if events := w.budgetEvents(t, r.ID); len(events) != 2 || !strings.HasPrefix(events[0], "80 % of the daily budget ($1.00) is used up: $0.40 spent, $0.40 reserved") {
			t.Errorf("%d events, want one for each full day: %q", len(events), events)
		}
		q := w.steps(t, r.ID)["p2/budget#1"]
		if q.Status != flow.Completed || q.Question.Wait != flow.WaitBudget || q.Question.Message != "the daily budget ($1.00) does not allow a turn of about $0.40: $0.80 spent" {
			t.Errorf("%+v", q)
		}
		if got := w.steps(t, r.ID)["p2"]; got.Attempt != 1 || got.Failure != nil {
			t.Errorf("%+v", got)
		}
		for _, row := range w.ledgerRows(t) {
			if row.State != spending.Settled || row.Micros != 400_000 || row.Tokens() != 110 || row.Model != "m-1" || row.Agent != "claude" || row.Workflow != "w" || !row.Priced {
				t.Errorf("%+v", row)
			}
		}
	})
}

// A run that waits for a budget pauses if nothing keeps its process, and continues at the
// deadline, or earlier if somebody has raised the budget.
func TestBudgetPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := newWorld(t), &spender{costs: dollars(0.6)}
		def := prompts("w", 3, true)
		e := w.budgeted(t, s, perDay(1, settings.BudgetWait))
		r := must(t, flow.Paused)(e.Run(t.Context(), def, nil, w.options()))
		if q := w.steps(t, r.ID)["p1/budget#1"]; time.Until(q.Deadline) < 23*time.Hour || s.count() != 1 {
			t.Fatalf("%+v after %d turns", q, s.count())
		}
		must(t, flow.Paused)(e.Resume(t.Context(), def, r.ID, w.options()))
		time.Sleep(24*time.Hour + time.Second)
		must(t, flow.Paused)(e.Resume(t.Context(), def, r.ID, w.options()))
		if s.count() != 2 {
			t.Fatalf("%d turns", s.count())
		}
		e = w.budgeted(t, s, perDay(9, settings.BudgetWait))
		must(t, flow.Completed)(e.Resume(t.Context(), def, r.ID, w.options()))
	})
}

// Turns under way may cost less than they have reserved, so a refusal because of them is a
// short wait, whatever the policy.
func TestBudgetBusy(t *testing.T) {
	for _, policy := range []settings.BudgetPolicy{settings.BudgetWait, settings.BudgetFail, settings.BudgetAsk} {
		synctest.Test(t, func(t *testing.T) {
			w, s := newWorld(t), &spender{costs: dollars(0.5)}
			must(t, flow.Completed)(w.budgeted(t, s, settings.Budgets{}).Run(t.Context(), prompts("w", 1, true), nil, w.options()))
			time.Sleep(30 * time.Hour) // the turn before only says what is usual
			s.costs, s.takes = dollars(0.1), time.Minute
			began := time.Now()
			must(t, flow.Completed)(w.budgeted(t, s, perDay(1, policy)).Run(t.Context(), prompts("w", 5, false), nil, w.options()))
			if took := time.Since(began); took > 10*time.Minute || took < 2*time.Minute {
				t.Errorf("%s: it took %v", policy, took)
			}
		})
	}
}

func TestBudgetFail(t *testing.T) {
	w, s := newWorld(t), &spender{costs: dollars(0.6)}
	r := must(t, flow.Failed)(w.budgeted(t, s, perDay(1, settings.BudgetFail)).Run(t.Context(), prompts("w", 3, true), nil, w.options()))
	if f := w.steps(t, r.ID)["p1"].Failure; f == nil || f.Reason != "over_budget" || f.Message != "the daily budget ($1.00) does not allow a turn of about $0.60: $0.60 spent" || s.count() != 1 {
		t.Errorf("%+v after %d turns", f, s.count())
	}
	// A turn that the whole budget doesn't pay for never begins.
	r = must(t, flow.Failed)(w.budgeted(t, s, settings.Budgets{Month: settings.Budget{CostUSD: 0.5}}).Run(t.Context(), prompts("w", 1, true), nil, w.options()))
	if f := w.steps(t, r.ID)["p0"].Failure; f == nil || f.Message != "one turn of `claude` is estimated at $0.60, and the whole monthly budget is $0.50" {
		t.Errorf("%+v", f)
	}
}

// A person may lift the budgets for a run: one answer is for all its turns, in later processes
// too, and for no other run.
func TestBudgetAsk(t *testing.T) {
	w, s := newWorld(t), &spender{costs: dollars(0.6)}
	def := prompts("w", 4, false)
	budgets := perDay(0.5, settings.BudgetAsk)
	must(t, flow.Completed)(w.budgeted(t, s, settings.Budgets{}).Run(t.Context(), prompts("w", 1, true), nil, w.options()))
	e := w.budgeted(t, s, budgets)
	r := must(t, flow.Paused)(e.Run(t.Context(), def, nil, w.options()))
	var asked []string
	for key, step := range w.steps(t, r.ID) {
		if step.Question != nil {
			asked = append(asked, key)
		}
	}
	if len(asked) != 1 || s.count() != 1 {
		t.Fatalf("asked %q after %d turns", asked, s.count())
	}
	if q := w.steps(t, r.ID)[asked[0]].Question; !strings.HasSuffix(q.Message, "may this run exceed its budgets?") || q.Wait != "" {
		t.Errorf("%+v", q)
	}
	if err := w.store.Answer(t.Context(), r.ID, store.Answer{Key: asked[0], Choice: kernel.ChoiceApprove, By: "eve", From: "here", Given: time.Now()}); err != nil {
		t.Fatal(err)
	}
	must(t, flow.Completed)(e.Resume(t.Context(), def, r.ID, w.options()))
	if got := w.steps(t, r.ID)[asked[0]]; got.Meta.By != "eve" || s.count() != 5 {
		t.Errorf("%+v after %d turns", got, s.count())
	}
	if events := w.budgetEvents(t, r.ID); !strings.Contains(strings.Join(events, "\n"), "eve has lifted the budgets for this run") {
		t.Errorf("%q", events)
	}
	other := must(t, flow.Paused)(e.Run(t.Context(), prompts("w", 1, true), nil, w.options()))
	if err := w.store.Answer(t.Context(), other.ID, store.Answer{Key: "p0/budget#1", Choice: kernel.ChoiceReject, Text: "too much", By: "eve", From: "here"}); err != nil {
		t.Fatal(err)
	}
	must(t, flow.Failed)(e.Resume(t.Context(), prompts("w", 1, true), other.ID, w.options()))
	if f := w.steps(t, other.ID)["p0"].Failure; f == nil || !strings.HasSuffix(f.Message, "and eve did not lift it: too much") {
		t.Errorf("%+v", f)
	}
}

// The budget of a workflow counts its runs alone; rows outlive their runs.
func TestWorkflowBudget(t *testing.T) {
	w, s := newWorld(t), &spender{costs: dollars(0.6)}
	e := w.budgeted(t, s, settings.Budgets{}, func(c *local.Config) {
		c.Budgets.Workflows = map[string]settings.Budgets{"cheap": {Day: settings.Budget{Tokens: 150}, AtLimit: settings.BudgetFail}}
	})
	must(t, flow.Completed)(e.Run(t.Context(), prompts("dear", 3, true), nil, w.options()))
	r := must(t, flow.Completed)(e.Run(t.Context(), prompts("cheap", 1, true), nil, w.options()))
	if err := e.Remove(t.Context(), r.ID, false); err != nil {
		t.Fatal(err)
	}
	r = must(t, flow.Failed)(e.Run(t.Context(), prompts("cheap", 1, true), nil, w.options()))
	if f := w.steps(t, r.ID)["p0"].Failure; f.Message != "the daily budget of workflow `cheap` (150 tokens) does not allow a turn of about 110 tokens: 110 tokens spent" {
		t.Errorf("%+v", f)
	}
}

// A turn whose cost nobody knows uses up the budgets in dollars for its agent, until they no longer
// count it. A price, or another agent, is the way out.
func TestBudgetUnknownPrice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, s := newWorld(t), &spender{}
		s.costs = func(*engine.Attempt) flow.Meta {
			return flow.Meta{InputTokens: 100, OutputTokens: 10, Turns: 1, Unpriced: "agent `claude` did not report the cost of its turn"}
		}
		def, e := prompts("w", 2, true), w.budgeted(t, s, perDay(1, ""))
		r := must(t, flow.Paused)(e.Run(t.Context(), def, nil, w.options()))
		events, _, err := w.store.Events(t.Context(), r.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		var warnings []string
		for _, e := range events {
			if e.Type == "warning" {
				warnings = append(warnings, e.Message)
			}
		}
		if len(warnings) != 1 || warnings[0] != "agent `claude` did not report the cost of its turn, so `budgets.day.cost_usd` counts as reached for this agent; set `price` for the agent in wfc.yaml, or limit tokens instead of dollars" {
			t.Errorf("%q", warnings)
		}
		for _, row := range w.ledgerRows(t) {
			if row.Priced || row.Tokens() != 110 {
				t.Errorf("%+v", row)
			}
		}
		q := w.steps(t, r.ID)["p1/budget#1"]
		if s.count() != 1 || time.Until(q.Deadline) < 23*time.Hour || !strings.HasPrefix(q.Question.Message, "agent `claude` did not report the cost of its last turn, so the daily budget ($1.00) counts as used up for it") {
			t.Errorf("%+v after %d turns", q, s.count())
		}
		// Another run is refused, too, but not with a budget in tokens, and not after the day.
		failed := must(t, flow.Failed)(w.budgeted(t, s, perDay(1, settings.BudgetFail)).Run(t.Context(), prompts("v", 1, true), nil, w.options()))
		if f := w.steps(t, failed.ID)["p0"].Failure; f == nil || f.Reason != "over_budget" {
			t.Errorf("%+v", f)
		}
		must(t, flow.Completed)(w.budgeted(t, s, settings.Budgets{Day: settings.Budget{Tokens: 10000}}).Run(t.Context(), prompts("v", 1, true), nil, w.options()))
		time.Sleep(25 * time.Hour)
		s.costs = dollars(0.1)
		must(t, flow.Completed)(e.Resume(t.Context(), def, r.ID, w.options()))
		must(t, flow.Completed)(e.Run(t.Context(), def, nil, w.options()))
	})
}

// A run that waits for a budget can be cancelled, and its questions end with it.
func TestBudgetCancel(t *testing.T) {
	for _, policy := range []settings.BudgetPolicy{settings.BudgetWait, settings.BudgetAsk} {
		w, s := newWorld(t), &spender{costs: dollars(0.6)}
		def := prompts("w", 3, false)
		must(t, flow.Completed)(w.budgeted(t, s, settings.Budgets{}).Run(t.Context(), prompts("w", 1, true), nil, w.options()))
		e := w.budgeted(t, s, perDay(0.6, policy))
		r := must(t, flow.Paused)(e.Run(t.Context(), def, nil, w.options()))
		opt := w.options()
		opt.CancelBy = "eve"
		must(t, flow.Cancelled)(e.Resume(t.Context(), def, r.ID, opt))
		for key, step := range w.steps(t, r.ID) {
			if step.Status != flow.Cancelled && step.Status != flow.Skipped {
				t.Errorf("%s: step %s is %s", policy, key, step.Status)
			}
		}
		if s.count() != 1 {
			t.Errorf("%s: %d turns", policy, s.count())
		}
	}
}

// A turn that its agent refused because its plan is used up cost nothing: it is not one whose
// price is unknown.
func TestRefusedTurnsCostNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		refusing := &refuser{spender: spender{costs: dollars(0.4)}}
		e := w.engine(t, func(c *local.Config) {
			c.Performers, c.Budgets.All, c.MaxWait = append(c.Performers, refusing), perDay(1, ""), 24*time.Hour
		})
		r := must(t, flow.Completed)(e.Run(t.Context(), prompts("w", 1, true), nil, w.options()))
		if rows := w.ledgerRows(t); len(rows) != 2 || rows[0].Micros != 400_000 || rows[1].Micros != 0 || !rows[1].Priced {
			t.Errorf("%+v", rows)
		}
		events, _, err := w.store.Events(t.Context(), r.ID, 0)
		if err != nil || slices.ContainsFunc(events, func(e flow.Event) bool { return strings.Contains(e.Message, "price is unknown") }) {
			t.Errorf("%+v %v", events, err)
		}
	})
}

// A refuser refuses its first turn.
type refuser struct {
	spender
	refused bool
}

func (r *refuser) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	if !r.refused {
		r.refused = true
		f := &flow.Failure{Reason: "quota", Class: flow.ClassFatal, Message: "the plan is used up", Quota: &flow.Quota{Agent: "claude", Reset: time.Now().Add(time.Hour), MaxWait: 24 * time.Hour}}
		return flow.Result{Status: flow.Failed, Failure: f, Meta: flow.Meta{Turns: 1}}
	}
	return r.spender.Perform(ctx, call)
}
