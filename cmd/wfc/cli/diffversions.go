package cli

import (
	"path/filepath"
	"slices"

	"github.com/wfc-lang/wfc/cmd/wfc/compare"
	"github.com/wfc-lang/wfc/compiler/diag"
)

// compareVersions compares two versions of a workflow, and the settings of their runs unless configs
// is nil.
func compareVersions(old, fresh *outcome, configs *configPairs) compare.File {
	f := compare.File{Old: old.input.name, New: fresh.input.name}
	for _, o := range []*outcome{old, fresh} {
		if o.result.Workflow == nil || o.result.HasErrors() {
			f.Broken = o.input.name + " has errors, which `wfc check` shows"
			return f
		}
	}
	f.Changes = compare.Programs(old.result.Workflow, fresh.result.Workflow)
	if configs == nil {
		return f
	}
	project := configs.compareProjects(old.project.config, fresh.project.config)
	own := slices.DeleteFunc(compare.Settings(old.runSettings(""), fresh.runSettings("")), func(c compare.Change) bool {
		return slices.Contains(project, c)
	})
	f.Changes = append(f.Changes, own...)
	return f
}

// configPairs are the pairs of configurations that the compared workflows have. What changes for
// all workflows of a project is a change of its configuration, and not of each of them.
type configPairs struct {
	sides [2]side
	known map[[2]*loadedConfig]compare.File
	order [][2]*loadedConfig
}

// compareProjects returns the changes between the settings of two projects.
func (p *configPairs) compareProjects(old, fresh *loadedConfig) []compare.Change {
	pair := [2]*loadedConfig{old, fresh}
	f, ok := p.known[pair]
	if !ok {
		f = compare.File{Old: p.sides[0].configName(old), New: p.sides[1].configName(fresh), Settings: true}
		for i, c := range pair {
			if slices.ContainsFunc(c.findings, func(d *diag.Diagnostic) bool { return d.Severity == diag.Error }) {
				f.Broken = [2]string{f.Old, f.New}[i] + " has errors, which `wfc check` shows"
			}
		}
		f.Changes = compare.Settings(old.Settings(""), fresh.Settings(""))
		p.known[pair], p.order = f, append(p.order, pair)
	}
	return f.Changes
}

// files are the pairs in the order in which they were met.
func (p *configPairs) files() []compare.File {
	var list []compare.File
	for _, pair := range p.order {
		list = append(list, p.known[pair])
	}
	return list
}

// configName is the name of a configuration in reports, or "" if there is none.
func (s side) configName(c *loadedConfig) string {
	if c.name == "" {
		return ""
	}
	abs, err := filepath.Abs(filepath.FromSlash(c.name))
	if err != nil || s.under == "" {
		return c.name
	}
	rel, err := filepath.Rel(s.under, abs)
	if err != nil {
		return c.name
	}
	return s.shown + filepath.ToSlash(rel)
}
