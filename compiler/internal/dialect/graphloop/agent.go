package graphloop

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/ir"
)

// bashAgent is the agent of tasks that run a command.
const bashAgent = "bash"

// agents are those that every file can name, apart from bash: self is the one
// that runs the graph.
var agents = []string{"self", "codex", "gemini"}

// agent finds out who answers a node; withBash says that it may run a command.
func (d *decoder) agent(n *nodeDecl, withBash bool) (ir.Agent, bool) {
	name := n.agent.Node.Value
	known := agents
	if withBash {
		known = append(slices.Clone(agents), bashAgent)
	}
	known = d.env.Settings.Agents.Names(known...)
	if !slices.Contains(known, name) {
		d.Bag.Add(finding.UnknownAgent(n.agent.Place(), name, n.kind.level().Name, known))
		return ir.Agent{}, false
	}
	agent := ir.Agent{Name: name, Span: n.agent.Place()}
	if n.model != nil && name != bashAgent {
		d.setModel(n, &agent)
	}
	return agent, true
}

// setModel sets the model of an agent: a tier or an alias that the configuration
// defines, or the model's own name. Such a tier may belong to another agent,
// which then counts.
func (d *decoder) setModel(n *nodeDecl, agent *ir.Agent) {
	name := n.model.Node.Value
	agent.Model = name
	m := d.env.ModelNamed(name, n.model.Place(), d.Bag)
	if m == nil {
		return
	}
	agent.Model = m.Model
	if m.Agent != "" && m.Agent != agent.Name {
		d.Bag.Add(finding.ModelOverridesProvider(n.agent.Place(), agent.Name, name, m.Agent, n.model.Place()))
		agent.Name = m.Agent
	}
	if option, ok := d.env.TierEffort(m, agent.Name, n.model.Place(), d.Bag); ok {
		agent.Options = append(agent.Options, option)
	}
}
