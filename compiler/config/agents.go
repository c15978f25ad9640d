package config

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
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
		d.section(setting, pair.Value, append([]key{
			{"use", func(d *decoder, setting string, n *yamlsrc.Node) { a.Use = d.text(setting, n) }},
			{"command", func(d *decoder, setting string, n *yamlsrc.Node) { a.Command = d.command(setting, n) }},
			{"model", func(d *decoder, setting string, n *yamlsrc.Node) { a.Model = d.text(setting, n) }},
			{"system_prompt", func(d *decoder, setting string, n *yamlsrc.Node) { a.SystemPrompt = d.text(setting, n) }},
			{"options", func(d *decoder, setting string, n *yamlsrc.Node) { a.Options = d.options(setting, n) }},
		}, kindKeys(&a)...))
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
		if d.choice(join(setting, "use"), use, d.usable()) == "" {
			return
		}
		if _, ok := d.config.standsFor(name); !ok {
			d.wrong(join(setting, "use"), use, "an agent that does not itself use this one")
			return
		}
	}
	d.checkKind(setting, name, n)
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

// agentNames are the agents that need no definition, and those that the
// configuration defines.
func (d *decoder) agentNames() []string {
	var names []string
	for _, a := range catalog.Agents() {
		names = append(names, a.Name)
	}
	for _, a := range d.config.Agents {
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	return names
}

// usable are what `use` may name: agents, and kinds of agents.
func (d *decoder) usable() []string {
	names := d.agentNames()
	for _, k := range catalog.Kinds() {
		if !slices.Contains(names, k.Name) {
			names = append(names, k.Name)
		}
	}
	return append(names, useCommand)
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
