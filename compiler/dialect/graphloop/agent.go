package graphloop

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/ir"
)

// bashAgent is the agent of tasks that run a command.
const bashAgent = "bash"

// agents are those that every file can name, apart from bash: self is the one
// that runs the graph.
var agents = []string{"self", "codex", "gemini"}

// agent finds out who answers a node; withBash says that it may run a command.
func (d *decoder) agent(n *nodeDecl, withBash bool) (ir.Agent, bool) {
	name := n.agent.Node.Value
	known := slices.Clone(agents)
	if withBash {
		known = append(known, bashAgent)
	}
	for _, a := range d.env.Config.Agents {
		if !slices.Contains(known, a.Name) {
			known = append(known, a.Name)
		}
	}
	if !slices.Contains(known, name) {
		d.Bag.Add(diag.UnknownAgent(n.agent.Place(), name, n.kind.level().Name, known))
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
	bare, isAlias := strings.CutPrefix(name, "@")
	var known []string
	for _, m := range d.env.Config.Models {
		if m.Name != name && !(isAlias && m.Name == bare) {
			known = append(known, "@"+strings.TrimPrefix(m.Name, "@"))
			continue
		}
		agent.Model = m.Model
		if m.Agent != "" && m.Agent != agent.Name {
			d.Bag.Add(diag.ModelOverridesProvider(n.agent.Place(), agent.Name, name, m.Agent, n.model.Place()))
			agent.Name = m.Agent
		}
		return
	}
	if isAlias {
		d.Bag.Add(diag.UnknownModelAlias(n.model.Place(), name, known))
	}
}
