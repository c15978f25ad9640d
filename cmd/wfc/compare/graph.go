package compare

import (
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// addGraph adds the facts of a state graph that belong to no node.
func (c *collector) addGraph(g *ir.Graph) {
	c.addValue(Info, "version", g.Version)
	c.addEdges("edges of the start", g.Start)
	if g.State != nil {
		for _, v := range g.State.Fields {
			c.gatherPart("variable `"+v.Name+"`", v.Span, func() {
				c.addPart(Schemas, v.Type.String())
				c.addValue(Schemas, "type", typeText(v.Type))
				if v.Initial != nil {
					c.add(fact{class: Flow, what: "initial value", value: exprText(v.Initial), of: v.Initial})
				}
			})
		}
	}
	c.addCount("visits of nodes", g.Limits.Iterations)
	c.addDuration("time of a run", g.Limits.Time)
	if cost := g.Limits.CostUSD; cost > 0 {
		c.addLimit("cost of a run", cost, plain.Dollars(cost))
	}
	c.addCount("branches at once", g.Limits.Parallel)
	for _, i := range g.Interrupts {
		c.addInterrupt(i)
	}
	for i, goal := range g.Goals {
		c.add(fact{class: Flow, what: fmt.Sprintf("goal %d", i+1), value: goal.Text, of: goal.Cond, at: goal.Span, guards: true})
	}
}

func (c *collector) addInterrupt(i *ir.Interrupt) {
	side := "before"
	if i.After {
		side = "after"
	}
	c.gatherPart(fmt.Sprintf("question %s node `%s`", side, i.Node.ID), i.Span, func() {
		c.add(fact{class: Gates, value: "question", kind: partFact, guards: true})
		c.addTemplate(Gates, "message", i.Message)
		if i.WhenText != "" {
			c.add(fact{class: Gates, what: "condition", value: i.WhenText, of: i.When})
		}
		c.addGuard(Gates, "needs a person", i.Required)
		c.addValue(Gates, "ways past it", skipText(i.Skip))
	})
}

func skipText(e *ir.Edge) string {
	if e == nil {
		return ""
	}
	if e.To == nil {
		return "END"
	}
	return "`" + e.To.ID + "`"
}

// addEdges adds edges in their order.
func (c *collector) addEdges(what string, list []*ir.Edge) {
	if len(list) == 0 {
		return
	}
	lines, guards, to := make([]string, len(list)), make([]any, len(list)), make([]string, len(list))
	for i, e := range list {
		lines[i], guards[i] = "END", e.Guard
		if e.To != nil {
			lines[i], to[i] = "`"+e.To.ID+"`", e.To.ID
		}
		if e.GuardText != "" {
			lines[i] += " if " + e.GuardText
		}
	}
	c.add(fact{class: Flow, what: what, value: strings.Join(lines, "; "), of: []any{to, guards}, at: list[0].Span})
}

func (c *collector) addLabels(n *ir.Node) {
	var names []string
	for _, l := range n.Labels {
		name := l.Name
		if l.Failure {
			name += " (a failure)"
		}
		names = append(names, name)
	}
	c.addList(Schemas, "label", listFact, names)
	for _, h := range n.Handlers {
		var lines []string
		for _, a := range h.Assigns {
			op := " = "
			if a.Append {
				op = " += "
			}
			lines = append(lines, a.Field.Name+op+exprText(a.Value))
		}
		c.add(fact{class: Flow, what: "assignments on `" + h.Label + "`", value: strings.Join(lines, "; "), of: h.Assigns, at: h.LabelSpan})
	}
}
