package archon

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// projectModels are the model tiers and aliases of .archon/config.yaml, the file in which
// the original engine keeps them:
//
//	tiers:   {small: {provider: claude, model: haiku, effort: low}}
//	aliases: {'@fast': {provider: pi, model: some/model}}
//
// A workflow that names a tier or an alias that wfc.yaml does not define has the file read.
// All other keys of it belong to the original engine.
type projectModels struct {
	// read says that the file was read.
	read bool
	// faulty says that the file cannot be read, which is reported.
	faulty bool
	// entries are the tiers and aliases by the name that workflows give them.
	entries map[string]*yamlsrc.Node
	// known are the entries that were read, of which faults are reported.
	known map[string]*settings.Model
}

// modelNamed returns the tier or alias that the name of a model is, or nil: that of
// wfc.yaml, or that of the project's .archon/config.yaml. It reports an alias that neither
// defines, and faults of the entry and of its file.
func (a *agents) modelNamed(v value, name string) *settings.Model {
	alias := strings.HasPrefix(name, "@")
	if !alias && tiers[defaultProvider][name] == "" || a.env.HasModel(name) {
		return a.env.ModelNamed(name, v.Place(), a.Bag)
	}
	m := a.projectModels()
	if m.entries[name] == nil {
		name = strings.TrimPrefix(name, "@") // perhaps a tier
	}
	if entry := m.entries[name]; entry != nil {
		found, done := m.known[name]
		if !done {
			found = a.projectModel(name, entry)
			m.known[name] = found
		}
		return found
	}
	if !alias || m.faulty {
		return nil
	}
	a.Bag.Add(finding.UnknownModelAlias(v.Place(), "@"+name, append(a.env.Aliases(), m.aliasNames()...)))
	return nil
}

// projectModels returns the tiers and aliases of the project's file.
func (a *agents) projectModels() *projectModels {
	m := a.library.models
	if !m.read {
		m.readFile(a.library, a.Bag)
	}
	return m
}

// readFile reads the file of the project. A project without one has no entries.
func (m *projectModels) readFile(l *library, bag *diag.Bag) {
	m.read, m.entries, m.known = true, map[string]*yamlsrc.Node{}, map[string]*settings.Model{}
	path := filepath.Join(l.env.Root, ".archon", "config.yaml")
	content, err := l.env.Files.Read(path)
	if err != nil {
		return
	}
	var faults diag.Bag
	root := yamlsrc.Parse(source.NewFile(l.displayPath(path), content), &faults).Root
	bag.Add(faults.Sorted()...)
	if m.faulty = faults.HasErrors(); m.faulty {
		return
	}
	for _, p := range pairsOf(root.Get("tiers")) {
		if tiers[defaultProvider][p.Key.Value] != "" {
			m.entries[p.Key.Value] = p.Value
		}
	}
	for _, p := range pairsOf(root.Get("aliases")) {
		m.entries["@"+strings.TrimPrefix(p.Key.Value, "@")] = p.Value
	}
}

func pairsOf(n *yamlsrc.Node) []yamlsrc.Pair {
	if n == nil || n.Kind != yamlsrc.Mapping {
		return nil
	}
	return n.Pairs
}

func (m *projectModels) aliasNames() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(m.entries)), func(name string) bool { return !strings.HasPrefix(name, "@") })
}

// projectModel reads an entry of .archon/config.yaml. It reports an entry that names no
// model, an agent that does not exist and an unknown effort, and ignores other keys.
func (a *agents) projectModel(name string, entry *yamlsrc.Node) *settings.Model {
	setting := "tiers." + name
	if strings.HasPrefix(name, "@") {
		setting = "aliases." + name
	}
	m := &settings.Model{Name: name}
	for _, key := range []struct {
		name   string
		into   *string
		needed bool
	}{{"provider", &m.Agent, false}, {"model", &m.Model, true}, {"effort", &m.Effort, false}} {
		n := entry.Get(key.name)
		switch {
		case n == nil && key.needed:
			a.Bag.Add(finding.ConfigValue(entry.Place(), setting, "an object with `provider` and `model`"))
			return &settings.Model{Name: name}
		case n == nil:
			continue
		case !n.IsString() || n.Value == "":
			a.Bag.Add(finding.ConfigValue(n.Place(), setting+"."+key.name, "a non-empty string"))
			return &settings.Model{Name: name}
		}
		*key.into = n.Value
	}
	if m.Agent != "" && !a.checkProvider(value{Node: entry.Get("provider")}, m.Agent) {
		m.Agent = ""
	}
	if m.Effort != "" && !slices.Contains(dialect.Efforts, m.Effort) {
		a.Bag.Add(finding.ConfigValue(entry.Get("effort").Place(), setting+".effort", "one of "+strings.Join(dialect.Efforts, ", ")))
		m.Effort = ""
	}
	return m
}
