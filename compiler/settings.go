package compiler

import (
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/cron"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// addSettings gives a workflow the settings of the configuration that it lacks.
func (c *compilation) addSettings(w *ir.Workflow) {
	switch {
	case c.opt.Schedule.Value == "":
	case w.Schedule != nil:
		c.bag.Add(finding.SetTwice(w.Schedule.Span, "schedule", c.opt.Schedule.Whole()))
	default:
		w.Schedule = &ir.Schedule{Cron: c.opt.Schedule.Value, Span: c.opt.Schedule.Whole()}
		if parsed, _ := cron.Parse(w.Schedule.Cron); parsed != nil {
			w.Schedule.Zone = parsed.Zone
		}
	}
	switch {
	case len(c.opt.DeliverTo) == 0:
	case len(w.DeliverTo) > 0:
		c.bag.Add(finding.SetTwice(w.DeliverTo[0].Span, "deliver_to", c.opt.DeliverTo[0].Whole()))
	default:
		for _, t := range c.opt.DeliverTo {
			w.DeliverTo = append(w.DeliverTo, ir.Target{Name: t.Value, Span: t.Whole()})
		}
	}
	for _, t := range c.opt.WorkerTags {
		nodes := w.Body.All()
		i := slices.IndexFunc(nodes, func(n *ir.Node) bool { return n.ID == t.Node })
		if i >= 0 {
			nodes[i].Tags = append(nodes[i].Tags, t.Tags...)
		} else if t.Whole {
			c.bag.Add(finding.UnknownSettingNode(t.At, t.Node, "`tags` of workflow "+w.Name, ir.IDs(nodes)))
		}
	}
}

// bodyPrompts returns the prompts of a body, those inside loops and gates too.
func bodyPrompts(body ir.Body) []*ir.Prompt {
	var list []*ir.Prompt
	ir.Walk(body, func(n *ir.Node) {
		switch a := n.Action.(type) {
		case *ir.Prompt:
			list = append(list, a)
		case *ir.Approval:
			if a.Rework != nil {
				list = append(list, a.Rework)
			}
		case *ir.Join:
			if a.Prompt != nil {
				list = append(list, a.Prompt)
			}
		}
	})
	return list
}

// A limit is one that wfc can only enforce if agents report their usage.
type limit struct {
	// name is the name of the setting, what the quantity that it limits.
	name, what string
	// tells returns whether a kind of agent reports the quantity.
	tells func(k catalog.KindInfo) catalog.Report
	// own is where the workflow itself sets it. Its author could not know which
	// models answer, so what cannot be held is a warning then.
	own source.Span
}

// ableKinds returns the kinds of agents that always report the quantity.
func (l *limit) ableKinds() []string {
	var names []string
	for _, k := range catalog.Kinds() {
		if told := l.tells(k); told == catalog.Always || told == catalog.ByPrice {
			names = append(names, k.Name)
		}
	}
	return names
}

// checkLimits reports the limits of a run, the project's and the workflow's own,
// that nothing could hold, once for each agent.
func checkLimits(p *ir.Program, c *settings.Project, bag *diag.Bag) {
	cost := limit{name: "limits.cost_usd", what: "cost", tells: func(k catalog.KindInfo) catalog.Report { return k.Cost }}
	tokens := limit{name: "limits.tokens", what: "tokens", tells: func(k catalog.KindInfo) catalog.Report { return k.Tokens }}
	var limits []limit
	if c.Limits.CostUSD > 0 {
		limits = append(limits, cost)
	} else if graph, ok := p.Workflow.Body.(*ir.Graph); ok && graph.Limits.CostUSD > 0 {
		cost.name, cost.own = "limits.max_cost_dollars", graph.Limits.CostSpan
		limits = append(limits, cost)
	}
	if c.Limits.Tokens > 0 {
		limits = append(limits, tokens)
	}
	for _, l := range limits {
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

// checkAgent reports an agent that does not report the quantity.
func (l *limit) checkAgent(a *ir.Agent, c *settings.Project) *diag.Diagnostic {
	named := agentNamed(a.Name, c)
	kind, known := catalog.KindNamed(named.Kind)
	if !known {
		return nil // a program, which may report it
	}
	switch l.tells(kind) {
	case catalog.Never, catalog.Maybe:
		return finding.UnenforceableLimit(a.Span, l.name, a.Name, l.what, l.tells(kind) == catalog.Never, l.ableKinds())
	case catalog.ByPrice:
		if a.Model == "" && named.Model == "" && named.Price == nil {
			return codes.UnknownPrice.New(a.Span, fmt.Sprintf("`%s` cannot be enforced: the price of `%s` depends on its model", l.name, a.Name)).
				WithHelp("name a `model` here, in the workflow, or for the agent in `wfc.yaml`").
				WithHelp(fmt.Sprintf("set the price in `wfc.yaml`: `agents: {%s: {price: {input: …, output: …}}}`, in US dollars per million tokens", a.Name))
		}
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
