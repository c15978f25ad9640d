package embed

import (
	"cmp"
	"maps"
	"slices"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
)

// with returns the options with what more says in place of what they say.
func (o Options) with(more Options) Options {
	o.Dir = cmp.Or(more.Dir, o.Dir)
	if more.OpenStore != nil || more.OpenDatabase != nil {
		o.OpenStore, o.OpenDatabase = more.OpenStore, more.OpenDatabase // an engine has one store
	}
	o.Performers = joined(o.Performers, more.Performers, engine.Performer.Kind)
	o.Kinds = joined(o.Kinds, more.Kinds, func(k agent.Kind) string { return k.Name })
	if more.Check != nil {
		o.Check = more.Check
	}
	answers := maps.Clone(o.Answers)
	if answers == nil {
		answers = map[string]Answer{}
	}
	maps.Copy(answers, more.Answers)
	o.Answers = answers
	o.Defaults = withDefaults(o.Defaults, more.Defaults)
	if more.Environ != nil {
		o.Environ = more.Environ
	}
	if more.Watch != nil {
		o.Watch = more.Watch
	}
	if more.Asker != nil {
		o.Asker = more.Asker
	}
	return o
}

func withDefaults(d, more engine.Defaults) engine.Defaults {
	d.Agents = joined(d.Agents, more.Agents, func(c engine.AgentChoice) string { return c.Name })
	d.BaseBranch = cmp.Or(more.BaseBranch, d.BaseBranch)
	d.DocsDir = cmp.Or(more.DocsDir, d.DocsDir)
	d.MaxParallel = cmp.Or(more.MaxParallel, d.MaxParallel)
	d.Environ = slices.Concat(d.Environ, more.Environ) // of two settings the later counts
	d.State = cmp.Or(more.State, d.State)
	d.Database = cmp.Or(more.Database, d.Database)
	if more.DeliverTo != nil {
		d.DeliverTo = more.DeliverTo
	}
	d.OnInterrupt.Default = cmp.Or(more.OnInterrupt.Default, d.OnInterrupt.Default)
	d.OnInterrupt.Kinds = merged(d.OnInterrupt.Kinds, more.OnInterrupt.Kinds)
	d.OnInterrupt.Nodes = merged(d.OnInterrupt.Nodes, more.OnInterrupt.Nodes)
	d.Gates = cmp.Or(more.Gates, d.Gates)
	d.Limits.CostUSD = cmp.Or(more.Limits.CostUSD, d.Limits.CostUSD)
	d.Limits.Tokens = cmp.Or(more.Limits.Tokens, d.Limits.Tokens)
	if more.Environment.Agents != nil {
		d.Environment.Agents = more.Environment.Agents
	}
	if more.Environment.Scripts != nil {
		d.Environment.Scripts = more.Environment.Scripts
	}
	return d
}

// joined is a list with more behind it, without elements of the list whose name
// one of more has.
func joined[T any](list, more []T, name func(T) string) []T {
	if len(more) == 0 {
		return list
	}
	kept := slices.DeleteFunc(slices.Clone(list), func(old T) bool {
		return slices.ContainsFunc(more, func(m T) bool { return name(m) == name(old) })
	})
	return append(kept, more...)
}

// merged is a table with more in it.
func merged[V any](table, more map[string]V) map[string]V {
	if len(more) == 0 {
		return table
	}
	all := make(map[string]V, len(table)+len(more))
	maps.Copy(all, table)
	maps.Copy(all, more)
	return all
}
