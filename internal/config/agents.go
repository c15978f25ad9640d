package config

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/yamlsrc"
)

// The sections about agents and models name each other's entries, in any order,
// so names are looked up once both have been read.

// agents reads the section of named agents.
func (d *decoder) agents(setting string, n *yamlsrc.Node) {
	for pair := range d.pairs(setting, n) {
		a := Agent{Name: pair.Key.Value}
		setting := join(setting, a.Name)
		if pair.Value.IsNull() {
			d.wrong(setting, pair.Value, "a mapping with `use` or `command`")
			continue
		}
		d.section(setting, pair.Value, []key{
			{"use", func(d *decoder, setting string, n *yamlsrc.Node) { a.Use = d.text(setting, n) }},
			{"command", func(d *decoder, setting string, n *yamlsrc.Node) { a.Command = d.command(setting, n) }},
			{"model", func(d *decoder, setting string, n *yamlsrc.Node) { a.Model = d.text(setting, n) }},
			{"system_prompt", func(d *decoder, setting string, n *yamlsrc.Node) { a.SystemPrompt = d.text(setting, n) }},
			{"options", func(d *decoder, setting string, n *yamlsrc.Node) { a.Options = d.options(setting, n) }},
		})
		if pair.Value.Kind != yamlsrc.Mapping {
			continue
		}
		command := pair.Value.Get("command") != nil
		switch {
		case command && a.Use == "":
			a.Use = useCommand
		case command != (a.Use == useCommand):
			d.wrong(setting, pair.Value, "either a mapping with `command` or one whose `use` names an agent")
			continue
		case a.Use == "" && pair.Value.Get("use") == nil:
			d.wrong(setting, pair.Value, "a mapping with `use` or `command`")
			continue
		}
		d.config.Agents = append(d.config.Agents, a)
		d.later = append(d.later, func() { d.checkAgent(setting, a.Name, pair.Value) })
	}
}

// command reads a program with its arguments. A text is split at blanks, as on
// a command line but without quoting; a list is taken as it is.
func (d *decoder) command(setting string, n *yamlsrc.Node) []string {
	if n.IsString() {
		return strings.Fields(d.text(setting, n))
	}
	return d.texts(setting, n)
}

// options reads the names of the options that an agent takes; an empty list says
// that it takes none.
func (d *decoder) options(setting string, n *yamlsrc.Node) []string {
	if n.Kind != yamlsrc.Sequence {
		d.wrong(setting, n, "a list of names of options")
		return nil
	}
	list := []string{}
	for _, item := range n.Items {
		if name := d.choice(setting, item, compiler.AgentOptions()); name != "" {
			list = append(list, name)
		}
	}
	return list
}

// checkAgent checks the names in an agent's settings.
func (d *decoder) checkAgent(setting, name string, n *yamlsrc.Node) {
	a := d.config.agent(name)
	if use := n.Get("use"); use != nil && a.Use != "" && a.Use != useCommand {
		if d.choice(join(setting, "use"), use, d.agentNames()) == "" {
			return
		}
		if _, ok := d.config.standsFor(name); !ok {
			d.wrong(join(setting, "use"), use, "an agent that does not itself use this one")
			return
		}
	}
	if a.Model == "" {
		return
	}
	setting, at := join(setting, "model"), n.Get("model")
	switch m := d.config.model(a.Model); {
	case m != nil && m.Agent != "" && !d.config.uses(name, m.Agent):
		d.wrong(setting, at, "a model of this agent; `"+a.Model+"` is one of `"+m.Agent+"`")
	case m == nil && strings.HasPrefix(a.Model, "@"):
		d.choice(setting, at, d.aliases())
	}
}

// agentNames are the agents that the configuration defines, and those that need
// no definition.
func (d *decoder) agentNames() []string {
	names := compiler.Agents()
	for _, a := range d.config.Agents {
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	return names
}

func (d *decoder) aliases() []string {
	var names []string
	for _, m := range d.config.Models {
		names = append(names, m.Name)
	}
	return names
}

// models reads the section of model tiers and aliases.
func (d *decoder) models(setting string, n *yamlsrc.Node) {
	for pair := range d.pairs(setting, n) {
		m := Model{Name: pair.Key.Value}
		setting, at := join(setting, m.Name), pair.Value
		if pair.Value.IsString() {
			m.Model = d.text(setting, pair.Value)
		} else {
			d.section(setting, pair.Value, []key{
				{"agent", func(d *decoder, setting string, n *yamlsrc.Node) {
					if m.Agent = d.text(setting, n); m.Agent != "" {
						d.later = append(d.later, func() { d.choice(setting, n, d.agentNames()) })
					}
				}},
				{"model", func(d *decoder, setting string, n *yamlsrc.Node) { m.Model, at = d.text(setting, n), n }},
			})
			if pair.Value.Kind == yamlsrc.Mapping && pair.Value.Get("model") == nil || pair.Value.IsNull() {
				d.wrong(setting, pair.Value, "the name of a model, or a mapping with `model`")
			}
		}
		switch {
		case strings.HasPrefix(m.Model, "@"):
			d.wrong(setting, at, "a model's own name, not an alias")
		case m.Model != "":
			d.config.Models = append(d.config.Models, m)
		}
	}
}

// nodeKinds are the kinds of nodes for which a policy can be set.
func nodeKinds() []string { return []string{"approval", "bash", "loop", "prompt", "script"} }

// onInterrupt reads a policy for all nodes, or policies by kind and node.
func (d *decoder) onInterrupt(setting string, n *yamlsrc.Node) {
	o := &d.config.OnInterrupt
	if n.Kind != yamlsrc.Mapping {
		o.Default = d.policy(setting, n)
		return
	}
	keys := []key{
		{"default", func(d *decoder, setting string, n *yamlsrc.Node) { o.Default = d.policy(setting, n) }},
		{"nodes", func(d *decoder, setting string, n *yamlsrc.Node) {
			o.Nodes = map[string]Policy{}
			for pair := range d.pairs(setting, n) {
				o.Nodes[pair.Key.Value] = d.policy(join(setting, pair.Key.Value), pair.Value)
			}
		}},
	}
	o.Kinds = map[string]Policy{}
	for _, kind := range nodeKinds() {
		keys = slices.Insert(keys, len(keys)-1, key{kind, func(d *decoder, setting string, n *yamlsrc.Node) {
			o.Kinds[kind] = d.policy(setting, n)
		}})
	}
	d.section(setting, n, keys)
}

func (d *decoder) policy(setting string, n *yamlsrc.Node) Policy {
	return Policy(d.choice(setting, n, []string{string(Rerun), string(Ask), string(Fail)}))
}
