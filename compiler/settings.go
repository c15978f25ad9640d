package compiler

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/cron"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// addSettings puts what the configuration sets for the workflow into the environment of its
// front end.
func (c *compilation) addSettings(env *dialect.Env) {
	if text := c.opt.Schedule; text.Value != "" {
		env.Schedule = &ir.Schedule{Cron: text.Value, Span: text.Whole()}
		if parsed, _ := cron.Parse(text.Value); parsed != nil {
			env.Schedule.Zone = parsed.Zone
		}
	}
	for _, t := range c.opt.DeliverTo {
		env.DeliverTo = append(env.DeliverTo, ir.Target{Name: t.Value, Span: t.Whole()})
	}
	env.NodeTags = c.opt.WorkerTags
}

// bodyPrompts returns the prompts of a body, those inside loops and gates too.
func bodyPrompts(body ir.Body) (list []*ir.Prompt) {
	for _, n := range body.All() {
		list = append(list, n.Prompts()...)
	}
	return list
}

// A limit is one that wfc can only enforce if agents report their usage.
type limit struct {
	// name is the name of the setting, what the quantity that it limits.
	name, what string
	// reports returns whether a kind of agent reports the quantity.
	reports func(k catalog.KindInfo) catalog.Report
	// own is where the workflow itself sets it. Its author could not know which
	// models answer, so what cannot be held is a warning then.
	own source.Span
}

// ableKinds returns the kinds of agents that always report the quantity.
func (l *limit) ableKinds() []string {
	var names []string
	for _, k := range catalog.Kinds() {
		if report := l.reports(k); report == catalog.Always || report == catalog.ByPrice {
			names = append(names, k.Name)
		}
	}
	return names
}

// checkLimits reports the limits of a run, the project's and the workflow's own,
// that nothing could hold, once for each agent.
func checkLimits(p *ir.Program, c *settings.Project, bag *diag.Bag) {
	cost := limit{name: "limits.cost_usd", what: "cost", reports: func(k catalog.KindInfo) catalog.Report { return k.Cost }}
	tokens := limit{name: "limits.tokens", what: "tokens", reports: func(k catalog.KindInfo) catalog.Report { return k.Tokens }}
	costBudget, tokenBudget := budgetNames(c)
	if c.Limits.CostUSD == 0 {
		cost.name = costBudget
		if graph, ok := p.Workflow.Body.(*ir.Graph); ok && costBudget == "" && graph.Limits.CostUSD > 0 {
			cost.name, cost.own = "limits.max_cost_dollars", graph.Limits.CostSpan
		}
	}
	if c.Limits.Tokens == 0 {
		tokens.name = tokenBudget
	}
	for _, l := range []limit{cost, tokens} {
		if l.name == "" {
			continue
		}
		seen := map[string]bool{}
		for _, prompt := range bodyPrompts(p.Workflow.Body) {
			a := prompt.Agent
			if seen[a.Name] {
				continue
			}
			if !a.Span.IsValid() {
				a.Span = p.Workflow.Span
			}
			x := l.checkAgent(&a, c)
			if seen[a.Name] = x != nil; x != nil && l.own.IsValid() {
				x.Severity = diag.Warning
				x.WithRelated(l.own, "the limit")
			}
			bag.Add(x)
		}
	}
}

// budgetNames returns the names of a budget in dollars and one in tokens, or "".
func budgetNames(c *settings.Project) (cost, tokens string) {
	for _, b := range []settings.Budgets{c.Budgets.All, c.Budgets.Workflows[""]} {
		for _, w := range []struct {
			name string
			settings.Budget
		}{{"day", b.Day}, {"month", b.Month}} {
			if w.CostUSD > 0 && cost == "" {
				cost = "budgets." + w.name + ".cost_usd"
			}
			if w.Tokens > 0 && tokens == "" {
				tokens = "budgets." + w.name + ".tokens"
			}
		}
	}
	return cost, tokens
}

// checkAgent reports an agent that does not report the quantity.
func (l *limit) checkAgent(a *ir.Agent, c *settings.Project) *diag.Diagnostic {
	named := agentNamed(a.Name, c)
	kind, known := catalog.KindNamed(named.Kind)
	if !known {
		return nil // a program, which may report it
	}
	report, price := l.reports(kind), kind.PriceOf(named, a.Model)
	switch {
	case l.what == "cost" && price != nil && *price == settings.Price{}:
		// it is free
	case report == catalog.Never, report == catalog.Maybe:
		return finding.UnenforceableLimit(a.Span, l.name, a.Name, l.what, report == catalog.Never, l.ableKinds())
	case report == catalog.ByPrice && price == nil:
		return finding.UnknownPrice(a.Span, l.name, a.Name, kind.FullModel(a.Model, named.Model))
	}
	return nil
}

// agentNamed returns the settings of an agent, from the configuration or by its name
// alone.
func agentNamed(name string, c *settings.Project) settings.Agent {
	if a, ok := c.Agents.Find(name); ok {
		return a
	}
	known, _ := catalog.AgentNamed(name)
	return settings.Agent{Name: name, Kind: known.Kind}
}
