package config

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/finding"
)

// UnknownTagged returns findings about unknown nodes in `tags`. wfc.yaml has `tags` under a
// pattern of file names; a node is unknown if no workflow that matches the pattern has it.
// nodes has the ids of the nodes of every workflow of the project, by absolute path; nil
// means a file with errors, which may have any node. If the pattern is the name of an
// existing file, UnknownTagged leaves it out, because compiler.Compile reports its unknown
// nodes.
func (c *Config) UnknownTagged(nodes map[string][]string) []*diag.Diagnostic {
	var list []*diag.Diagnostic
	for _, r := range c.workflows {
		var known []string
		broken, matched := false, false
		for path, ids := range nodes {
			for range c.matching([]rule{r}, path) {
				matched, broken = true, broken || ids == nil
				known = append(known, ids...)
			}
		}
		slices.Sort(known)
		for _, t := range r.tags {
			if !broken && !(t.Whole && matched) && !slices.Contains(known, t.Node) {
				list = append(list, finding.UnknownTaggedOf(t.At, t.Node, r.pattern, known))
			}
		}
	}
	return list
}

// HasTags reports whether `tags` names nodes of any workflow.
func (c *Config) HasTags() bool {
	return slices.ContainsFunc(c.workflows, func(r rule) bool { return len(r.tags) > 0 })
}
