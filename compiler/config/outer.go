package config

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/internal/workspace"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// The nearest wfc.yaml has the settings of a workflow. But a step can make a nearer one in a folder
// of the work tree, so the outermost one decides alone about what limits steps, and about where wfc
// finds its own state.

// outerKeys are the settings that only the outermost wfc.yaml has. Each takes its own from that.
var outerKeys = map[string]func(to, from *settings.Project){
	"budgets":     func(to, from *settings.Project) { to.Budgets = from.Budgets },
	"database":    func(to, from *settings.Project) { to.Database = from.Database },
	"env":         func(to, from *settings.Project) { to.Environ = from.Environ },
	"environment": func(to, from *settings.Project) { to.PassEnv = from.PassEnv },
	"gates":       func(to, from *settings.Project) { to.Gates = from.Gates },
	"grant_sets":  func(to, from *settings.Project) { to.Sandbox.Sets = from.Sandbox.Sets },
	"grants":      func(to, from *settings.Project) { to.Sandbox.Grants = from.Sandbox.Grants },
	"limits":      func(to, from *settings.Project) { to.Limits = from.Limits },
	"sandbox": func(to, from *settings.Project) {
		to.Sandbox.Default, to.Sandbox.Agents, to.Sandbox.Kinds, to.Sandbox.Nodes = from.Sandbox.Default, from.Sandbox.Agents, from.Sandbox.Kinds, from.Sandbox.Nodes
	},
	"state": func(to, from *settings.Project) { to.State = from.State },
	"store": func(to, from *settings.Project) { to.Store = from.Store },
}

// AddOuter takes from the outermost wfc.yaml what only that decides; see Find for the nearest one.
// The configuration needs its Dir, and name is how findings show its file. Findings are about
// settings that have no effect in the nearer file, and about errors in the outermost one.
func (c *Config) AddOuter(name string) []*diag.Diagnostic {
	path := findOutermost(c.Dir)
	if path == "" {
		return nil
	}
	shown := path
	if rest, err := filepath.Rel(c.Dir, path); err == nil && name != filepath.Join(c.Dir, FileName) {
		shown = filepath.Join(filepath.Dir(name), rest)
	}
	content, err := wholefile.Source.Read(path)
	if err != nil {
		return []*diag.Diagnostic{finding.UnreadableOuter(source.Span{File: source.NewFile(name, nil)}, shown, err)}
	}
	outer, findings := Parse(source.NewFile(shown, content))
	var bag diag.Bag
	for _, d := range findings {
		if d.Severity == diag.Error {
			bag.Add(d)
		}
	}
	c.outer = filepath.Dir(path)
	from := outer.Settings(filepath.Dir(path))
	for key, take := range outerKeys {
		take(&c.settings, &from)
		if at, set := c.set[key]; set {
			bag.Add(finding.OuterDecides(at, key, shown))
		}
	}
	return bag.Sorted()
}

// OuterDir returns the absolute path of the folder of the outermost wfc.yaml, which decides about the
// project's budgets and state. It is Dir if there is only one.
func (c *Config) OuterDir() string { return cmp.Or(c.outer, c.Dir) }

// findOutermost returns the outermost wfc.yaml above a folder that belongs to the user, or "". In a
// repository, it searches up to the outermost one around it: a step can make an inner one.
func findOutermost(dir string) (path string) {
	var found string
	repository := workspace.Exists(filepath.Join(dir, ".git"))
	for folder := range workspace.Ancestors(dir) {
		if folder != dir {
			file := filepath.Join(folder, FileName)
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && foreignConfigError(file, info, "") == nil {
				found = file
			}
		}
		if workspace.Exists(filepath.Join(folder, ".git")) {
			path, repository = found, true
		}
	}
	if !repository {
		return found
	}
	return path
}
