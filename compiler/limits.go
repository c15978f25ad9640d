package compiler

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// prompts returns the prompts of a body, those inside loops and gates too.
func prompts(body ir.Body) []*ir.Prompt {
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

// A limit is a limit of a run that holds only if agents report their use.
type limit struct {
	// name is its key, and what the limited thing.
	name, what string
	// tells says whether a kind of agent reports it.
	tells func(k catalog.Kind) catalog.Report
	// own is its place in the workflow, if that sets it. Its author could not know
	// which models answer, so the finding is a warning then.
	own source.Span
}

func costLimit(name string) limit {
	return limit{name: name, what: "cost", tells: func(k catalog.Kind) catalog.Report { return k.Cost }}
}

func tokenLimit(name string) limit {
	return limit{name: name, what: "tokens", tells: func(k catalog.Kind) catalog.Report { return k.Tokens }}
}

// able are the kinds of agents that always report the limited thing.
func (l *limit) able() []string {
	var names []string
	for _, k := range catalog.Kinds() {
		if told := l.tells(k); told == catalog.Always || told == catalog.ByPrice {
			names = append(names, k.Name)
		}
	}
	return names
}

// checkLimits reports the limits of a run, the project's and the workflow's own,
// that may not hold, once for each agent.
func checkLimits(p *ir.Program, c *settings.Project, bag *diag.Bag) {
	var limits []limit
	if c.Limits.CostUSD > 0 {
		limits = append(limits, costLimit("limits.cost_usd"))
	} else if graph, ok := p.Workflow.Body.(*ir.Graph); ok && graph.Limits.CostUSD > 0 {
		own := costLimit("limits.max_cost_dollars")
		own.own = graph.Limits.CostSpan
		limits = append(limits, own)
	}
	if c.Limits.Tokens > 0 {
		limits = append(limits, tokenLimit("limits.tokens"))
	}
	for _, l := range limits {
		seen := map[string]bool{}
		for _, prompt := range prompts(p.Workflow.Body) {
			a := prompt.Agent
			if seen[a.Name] {
				continue
			}
			if !a.Span.IsValid() {
				a.Span = p.Workflow.Span
			}
			x := l.judge(&a, c)
			if seen[a.Name] = x != nil; x != nil && l.own.IsValid() {
				x.Severity = diag.Warning
				x.WithRelated(l.own, "the limit")
			}
			bag.Add(x)
		}
	}
}

// judge reports an agent that does not report the limited thing.
func (l *limit) judge(a *ir.Agent, c *settings.Project) *diag.Diagnostic {
	named := agentNamed(a.Name, c)
	kind, known := catalog.KindNamed(named.Kind)
	if !known {
		return nil // a program, which may report it
	}
	switch l.tells(kind) {
	case catalog.Never, catalog.Maybe:
		return finding.UnenforceableLimit(a.Span, l.name, a.Name, l.what, l.tells(kind) == catalog.Never, l.able())
	case catalog.ByPrice:
		if a.Model == "" && named.Model == "" && named.Price == nil {
			return finding.UnknownPrice(a.Span, l.name, a.Name)
		}
	}
	return nil
}

// agentNamed returns the agent of a name, from the configuration or the table of
// known agents.
func agentNamed(name string, c *settings.Project) settings.Agent {
	if a, ok := c.Agents.Find(name); ok {
		return a
	}
	known, _ := catalog.AgentNamed(name)
	return settings.Agent{Name: name, Kind: known.Kind}
}
