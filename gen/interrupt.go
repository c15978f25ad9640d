package gen

import (
	"maps"
	"slices"

	"github.com/dave/jennifer/jen"
)

const schedPath = modulePath + "/runtime/flow/sched"

// Interrupts say what becomes of actions that were running when a run was
// interrupted: `rerun`, `ask` or `fail`; see sched.Policies.
type Interrupts struct {
	Default string
	// Kinds and Nodes are by kind of node and by node.
	Kinds, Nodes map[string]string
}

// code is the policies that concern the workflow, or nil when there are none.
func (i *Interrupts) code(g *generator) *jen.Statement {
	kinds, nodes := map[string]bool{}, map[string]bool{}
	for _, n := range g.nodes {
		kinds[n.Action.Kind()], nodes[n.ID] = true, true
	}
	d := fields{}
	if i.Default != "" {
		d.set("Default", policy(i.Default))
	}
	for _, table := range []struct {
		name     string
		policies map[string]string
		known    map[string]bool
	}{{"Kinds", i.Kinds, kinds}, {"Nodes", i.Nodes, nodes}} {
		var entries []jen.Code
		for _, key := range slices.Sorted(maps.Keys(table.policies)) {
			if table.known[key] && table.policies[key] != "" {
				entries = append(entries, jen.Lit(key).Op(":").Add(policy(table.policies[key])))
			}
		}
		if len(entries) > 0 {
			d.set(table.name, jen.Map(jen.String()).Qual(schedPath, "Policy").Values(entries...))
		}
	}
	if len(d.code) == 0 {
		return nil
	}
	return jen.Qual(schedPath, "Policies").Add(d.line())
}

// policy is the constant of a policy.
func policy(name string) jen.Code {
	switch name {
	case "rerun":
		return jen.Qual(schedPath, "Rerun")
	case "ask":
		return jen.Qual(schedPath, "Ask")
	case "fail":
		return jen.Qual(schedPath, "Fail")
	}
	panic("there is no policy " + name)
}
