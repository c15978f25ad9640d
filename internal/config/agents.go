package config

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/yamlsrc"
)

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
			{"command", func(d *decoder, setting string, n *yamlsrc.Node) { a.Command = d.texts(setting, n) }},
			{"model", func(d *decoder, setting string, n *yamlsrc.Node) { a.Model = d.text(setting, n) }},
			{"system_prompt", func(d *decoder, setting string, n *yamlsrc.Node) { a.SystemPrompt = d.text(setting, n) }},
		})
		if pair.Value.Kind != yamlsrc.Mapping {
			continue
		}
		command := pair.Value.Get("command") != nil
		switch {
		case command && a.Use == "":
			a.Use = "command"
		case command != (a.Use == "command"):
			d.wrong(setting, pair.Value, "either a mapping with `command` or one whose `use` names an agent")
			continue
		case a.Use == "" && pair.Value.Get("use") == nil:
			d.wrong(setting, pair.Value, "a mapping with `use` or `command`")
			continue
		}
		d.config.Agents = append(d.config.Agents, a)
	}
}

// models reads the section of model tiers and aliases.
func (d *decoder) models(setting string, n *yamlsrc.Node) {
	for pair := range d.pairs(setting, n) {
		m := Model{Name: pair.Key.Value}
		setting := join(setting, m.Name)
		if pair.Value.IsString() {
			m.Model = d.text(setting, pair.Value)
		} else {
			d.section(setting, pair.Value, []key{
				{"agent", func(d *decoder, setting string, n *yamlsrc.Node) { m.Agent = d.text(setting, n) }},
				{"model", func(d *decoder, setting string, n *yamlsrc.Node) { m.Model = d.text(setting, n) }},
			})
			if pair.Value.Kind == yamlsrc.Mapping && pair.Value.Get("model") == nil || pair.Value.IsNull() {
				d.wrong(setting, pair.Value, "the name of a model, or a mapping with `model`")
			}
		}
		if m.Model != "" {
			d.config.Models = append(d.config.Models, m)
		}
	}
}

// nodeKinds are the kinds of nodes for which a policy can be set.
func nodeKinds() []string { return []string{"bash", "script", "prompt"} }

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
