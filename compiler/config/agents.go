package config

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/dialect/archon"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// readModels reads model tiers and aliases.
func (d *decoder) readModels(setting string, n *yamlsrc.Node) {
	for pair := range d.mappingPairs(setting, n) {
		m := settings.Model{Name: pair.Key.Value}
		setting, at := joinSetting(setting, m.Name), pair.Value
		if pair.Value.IsString() {
			m.Model = d.readText(setting, pair.Value)
		} else {
			d.readSection(setting, pair.Value, d.modelKeys(&m, &at))
			if pair.Value.Kind == yamlsrc.Mapping && pair.Value.Get("model") == nil || pair.Value.IsNull() {
				d.reportWrong(setting, pair.Value, "a model name, or a mapping with `model`")
			}
		}
		switch {
		case strings.HasPrefix(m.Model, "@"):
			d.reportWrong(setting, at, "a model name, not an alias")
		case m.Model != "":
			d.config.settings.Models = append(d.config.settings.Models, m)
		}
	}
}

// readAgents reads named agents. Agents and models name each other in any order, so
// names are checked when both have been read.
func (d *decoder) readAgents(setting string, n *yamlsrc.Node) {
	for pair := range d.mappingPairs(setting, n) {
		a := settings.Agent{Name: pair.Key.Value}
		setting := joinSetting(setting, a.Name)
		if pair.Value.Kind != yamlsrc.Mapping {
			d.reportWrong(setting, pair.Value, "a mapping with `use` or `command`, such as `{use: claude}`")
			continue
		}
		var command []string
		d.readSection(setting, pair.Value, d.agentKeys(&a, &command))
		use, own := pair.Value.Get("use"), pair.Value.Get("command") != nil
		switch {
		case own && (a.Use == "" || a.Use == settings.KindCommand):
			a.Use, a.Kind, a.Program, a.Args = "", settings.KindCommand, "", nil
			if len(command) > 0 {
				a.Program, a.Args = command[0], command[1:]
			}
		case own || a.Use == settings.KindCommand:
			d.reportWrong(setting, pair.Value, "a mapping with either `command` or a `use` other than `command`")
			continue
		case use == nil && slices.ContainsFunc(pair.Value.Pairs, func(p yamlsrc.Pair) bool { return strings.HasPrefix(p.Key.Value, "use:") }):
			continue // the key without a space is reported
		case use == nil:
			d.reportWrong(setting, pair.Value, "a mapping with `use` or `command`")
			continue
		}
		d.config.settings.Agents = append(d.config.settings.Agents, a)
		d.later = append(d.later, func() { d.checkAgent(setting, a.Name, pair.Value) })
	}
}

// readCommand reads a program with its arguments: a list, or a string that is split at
// spaces, without quoting.
func (d *decoder) readCommand(setting string, n *yamlsrc.Node) []string {
	if n.IsString() {
		return strings.Fields(d.readText(setting, n))
	}
	return d.readTexts(setting, n)
}

// readOptions reads the names of the options that an agent accepts; an empty list is
// none.
func (d *decoder) readOptions(setting string, n *yamlsrc.Node) []string {
	if n.Kind != yamlsrc.Sequence {
		d.reportWrong(setting, n, "a list of option names")
		return nil
	}
	list := []string{}
	for _, item := range n.Items {
		if name := d.readChoice(setting, item, archon.OptionNames()); name != "" {
			list = append(list, name)
		}
	}
	return list
}

// readPrice reads the price of a model.
func (d *decoder) readPrice(setting string, n *yamlsrc.Node) *settings.Price {
	var p settings.Price
	d.readSection(setting, n, d.priceKeys(&p))
	if n.Kind == yamlsrc.Mapping && (n.Pair("input") == nil || n.Pair("output") == nil) || n.IsNull() {
		d.reportWrong(setting, n, "a mapping with `input` and `output`")
		return nil
	}
	return &p
}

// checkAgent checks the names in an agent's settings, and the keys that only some
// kinds of agents take.
func (d *decoder) checkAgent(setting, name string, n *yamlsrc.Node) {
	a, _ := d.config.settings.Agents.Find(name)
	if use := n.Get("use"); use != nil && a.Use != "" {
		if d.readChoice(joinSetting(setting, "use"), use, d.usableAgents()) == "" {
			return
		}
		if _, ok := d.config.resolveAgent(name); !ok {
			d.reportWrong(joinSetting(setting, "use"), use, "an agent that does not itself use this one")
			return
		}
	}
	d.checkKind(setting, name, n)
	if a.Model == "" {
		return
	}
	setting, at := joinSetting(setting, "model"), n.Get("model")
	switch m := d.config.findModel(a.Model); {
	case m != nil && m.Agent != "" && !d.config.usesAgent(name, m.Agent):
		d.reportWrong(setting, at, "a model of this agent; `"+a.Model+"` is one of `"+m.Agent+"`")
	case m != nil && m.Effort != "":
		d.reportWrong(setting, at, "a model without an effort; `"+a.Model+"` has the effort `"+m.Effort+"`, which only a prompt can take")
	case m == nil && strings.HasPrefix(a.Model, "@"):
		d.readChoice(setting, at, plain.Texts(d.config.settings.Models, func(m settings.Model) string { return m.Name }))
	}
}

// checkKind checks the keys that depend on the kind that the agent has in the end.
func (d *decoder) checkKind(setting, name string, n *yamlsrc.Node) {
	a, _ := d.config.resolveAgent(name)
	if a.Kind == "" {
		return // the agent that it uses does not exist
	}
	kind, named := catalog.KindNamed(a.Kind)
	if !named {
		kind.Name = a.Kind
	}
	for _, k := range d.agentKeys(new(settings.Agent), new([]string)) {
		pair, takers := n.Pair(k.Name), kindsWith(k.Name)
		if pair == nil || len(takers) == 0 || slices.Contains(takers, kind.Name) {
			continue
		}
		x := finding.ConfigAgentSetting(pair.Key.Span, joinSetting(setting, k.Name), kind.Name, takers)
		if !named && (k.Name == "program" || k.Name == "args") {
			x.WithHelp("write the program and its arguments as `command` of the agent")
		}
		d.bag.Add(x)
	}
	if at := n.Get("permission"); at.IsString() && kind.Takes("permission") {
		d.readChoice(joinSetting(setting, "permission"), at, kind.Permissions)
	}
	if use := n.Get("use"); use != nil && use.Value == kind.Name && kind.Program == "" && n.Pair("program") == nil &&
		kind.StartsProgram() {
		d.reportWrong(setting, use, fmt.Sprintf("a mapping with `program`, because kind `%s` runs any program", kind.Name))
	}
}

// kindsWith are the kinds of agents that take a setting.
func kindsWith(setting string) []string {
	var names []string
	for _, k := range catalog.Kinds() {
		if slices.Contains(k.Settings, setting) {
			names = append(names, k.Name)
		}
	}
	if setting == "price" {
		names = append(names, settings.KindCommand) // it may report tokens alone
	}
	return names
}

// agentNames are the agents that need no definition, and those that the
// configuration defines.
func (d *decoder) agentNames() []string {
	return d.config.settings.Agents.Names(catalog.AgentNames()...)
}

// usableAgents are the names for `use`: agents, and kinds of agents.
func (d *decoder) usableAgents() []string {
	var kinds settings.Agents
	for _, k := range catalog.Kinds() {
		kinds = append(kinds, settings.Agent{Name: k.Name})
	}
	return append(kinds.Names(d.agentNames()...), settings.KindCommand)
}

// findModel returns the tier or alias of a name, or nil.
func (c *Config) findModel(name string) *settings.Model {
	for i := range c.settings.Models {
		if m := &c.settings.Models[i]; m.Name == name || "@"+m.Name == name {
			return m
		}
	}
	return nil
}

// resolveAgent follows the agents that use each other to a program, or to an agent or a
// kind of agents that wfc knows. Each setting is that of the first agent on the way
// that has it. Use is the known name at the end, or "" for a program; Kind is "" if
// nothing of that name is known. It reports false if agents use each other in a cycle.
func (c *Config) resolveAgent(name string) (settings.Agent, bool) {
	all := settings.Agent{Name: name}
	for range len(c.settings.Agents) + 1 {
		a, ok := c.settings.Agents.Find(name)
		if !ok {
			a.Use = name
		}
		all = all.Inherit(a)
		if a.Kind == settings.KindCommand {
			all.Use, all.Kind, all.Program, all.Args = "", a.Kind, a.Program, a.Args
			return all, true
		}
		if all.Use = a.Use; a.Use == name && (!ok || kindOf(name) != "") {
			all.Kind = kindOf(name)
			return all, true
		}
		name = a.Use
	}
	return all, false
}

// kindOf returns the kind of a known agent or of a kind of agents, or "".
func kindOf(name string) string {
	if known, ok := catalog.AgentNamed(name); ok {
		return known.Kind
	}
	kind, _ := catalog.KindNamed(name)
	return kind.Name
}

// usesAgent reports whether an agent is another one or uses it.
func (c *Config) usesAgent(name, other string) bool {
	for range len(c.settings.Agents) + 1 {
		if name == other {
			return true
		}
		a, ok := c.settings.Agents.Find(name)
		if !ok {
			return false
		}
		name = a.Use
	}
	return false
}

// Agents returns the agents that wfc.yaml defines, in its order; Settings adds those that
// need no definition. Each has inherited the settings of the agent in its `use`, and its
// Model is the provider's name, not an alias. Its Kind is "" if neither the agent nor an
// agent in its chain of `use` has a kind that wfc knows.
func (c *Config) Agents() settings.Agents {
	var list settings.Agents
	for _, named := range c.settings.Agents {
		a, _ := c.resolveAgent(named.Name)
		if m := c.findModel(a.Model); m != nil {
			a.Model = m.Model
		} else if model := archon.TierModel(&a, a.Model); model != "" {
			a.Model = model
		}
		list = append(list, a)
	}
	return list
}

// Settings returns the settings for generated programs. Their Agents are the valid ones
// of the method Agents, and after them the agents that workflows may name without a
// definition (see internal/shared/catalog). Relative paths are resolved against base,
// usually c.Dir. If base is "", they stay as written: use this for code that is committed
// and must be the same on every machine.
func (c *Config) Settings(base string) settings.Project {
	p := c.settings
	if c.archon != nil {
		p.BaseBranch, p.DocsDir = cmp.Or(p.BaseBranch, c.archon.BaseBranch), cmp.Or(p.DocsDir, c.archon.DocsDir)
	}
	p.Agents = nil
	p.State = resolvePath(base, p.State)
	p.Sandbox.Sets = basedSets(base, p.Sandbox.Sets)
	p.Channels = basedChannels(base, p.Channels)
	for i, a := range c.Agents() {
		if a, ok := forProgram(a, &c.settings.Agents[i], base); ok {
			p.Agents = append(p.Agents, a)
		}
	}
	for _, known := range catalog.Agents() {
		if _, ok := c.settings.Agents.Find(known.Name); !ok {
			p.Agents = append(p.Agents, settings.Agent{Name: known.Name, Kind: known.Kind, Program: known.Program, Args: known.Args})
		}
	}
	return p
}

// basedChannels returns channels whose programs start in a folder.
func basedChannels(base string, channels []settings.Channel) []settings.Channel {
	channels = slices.Clone(channels)
	for i, c := range channels {
		if len(c.Command) > 0 && strings.ContainsAny(c.Command[0], `/\`) {
			channels[i].Command = append([]string{resolvePath(base, c.Command[0])}, c.Command[1:]...)
		}
	}
	return channels
}

// forProgram returns an agent as programs have it; own is the agent as it is
// written. One without its own program follows the agent that it uses, also where
// the command line of the program puts another in that one's place. False means that
// its settings are wrong, which was reported.
func forProgram(a settings.Agent, own *settings.Agent, base string) (settings.Agent, bool) {
	_, isAgent := catalog.AgentNamed(own.Use)
	isKind := kindOf(own.Use) != "" && !isAgent
	if own.Use != "" && own.Use != own.Name && !isKind && own.Program == "" && own.Args == nil {
		follower := *own
		follower.Model, follower.SystemPrompt = a.Model, a.SystemPrompt
		return follower, true
	}
	known, _ := catalog.AgentNamed(a.Use)
	a.Use = ""
	if strings.ContainsAny(a.Program, `/\`) {
		a.Program = resolvePath(base, a.Program)
	}
	if a.Kind == settings.KindCommand {
		return a, a.Program != ""
	}
	a.Program = cmp.Or(a.Program, known.Program)
	if a.Args == nil {
		a.Args = slices.Clone(known.Args)
	}
	if a.Program != "" && a.Args == nil {
		a.Args = []string{} // spaces in the program's path are part of it
	}
	return a, a.Kind != ""
}

// basedSets returns grants whose paths are relative to base.
func basedSets(base string, sets map[string]settings.Grant) map[string]settings.Grant {
	sets = maps.Clone(sets)
	for name, g := range sets {
		for _, list := range []*[]string{&g.Read, &g.Write, &g.Private} {
			*list = slices.Clone(*list)
			for i, path := range *list {
				if !strings.HasPrefix(path, "$") {
					(*list)[i] = resolvePath(base, path)
				}
			}
		}
		sets[name] = g
	}
	return sets
}

// resolvePath returns a path relative to base; one that is absolute or begins with a
// home folder stays.
func resolvePath(base, path string) string {
	if base == "" || path == "" || filepath.IsAbs(path) || strings.HasPrefix(path, "~") {
		return path
	}
	return filepath.Join(base, filepath.FromSlash(path))
}
