package cli

import (
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/config"
)

// defaults returns the settings of a configuration that programs take along.
// Relative paths are relative to base; with "" they stay as they are written,
// for code that is kept and must be the same on every machine. Agents that a
// program brings itself are chosen by name when it runs, and are none of the
// settings here.
func defaults(c *config.Config, base string) gen.Defaults {
	d := gen.Defaults{BaseBranch: c.BaseBranch, DocsDir: c.DocsDir, MaxParallel: c.MaxParallel, State: c.State}
	if d.State != "" {
		d.State = based(base, d.State)
	}
	for _, a := range c.Agents {
		if a.Use != "command" || len(a.Command) == 0 {
			continue
		}
		program := a.Command[0]
		if strings.ContainsAny(program, `/\`) {
			program = based(base, program)
		}
		d.Agents = append(d.Agents, gen.Agent{Name: a.Name, Kind: "command", Argument: program, Args: a.Command[1:]})
	}
	for _, v := range c.Env {
		d.Environ = append(d.Environ, v.Name+"="+v.Value)
	}
	return d
}

// based returns a path relative to base; one that is absolute or begins with a
// home folder stays.
func based(base, path string) string {
	if base == "" || filepath.IsAbs(path) || strings.HasPrefix(path, "~") {
		return path
	}
	return filepath.Join(base, filepath.FromSlash(path))
}
