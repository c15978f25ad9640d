package dialect

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

// AgentNames returns the names of agents, first those that the format knows, then
// those that only the configuration defines.
func (c *Config) AgentNames(known ...string) []string {
	names := slices.Clone(known)
	for i := range c.Agents {
		if name := c.Agents[i].Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// ModelNamed returns the tier or alias of the configuration that the name of a
// model is, with or without the @ of an alias, or nil. It reports one that is
// written as an alias and not defined, at the place.
func (c *Config) ModelNamed(name string, at source.Span, bag *diag.Bag) *Model {
	bare, isAlias := strings.CutPrefix(name, "@")
	var known []string
	for i := range c.Models {
		m := &c.Models[i]
		if m.Name == name || isAlias && m.Name == bare {
			return m
		}
		known = append(known, "@"+strings.TrimPrefix(m.Name, "@"))
	}
	if isAlias {
		bag.Add(finding.UnknownModelAlias(at, name, known))
	}
	return nil
}
