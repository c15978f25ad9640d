package cli

import (
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/internal/workspace"
)

// projects knows the project of each folder: its root and its configuration.
// It is not safe for concurrent use.
type projects struct {
	home    string
	dirs    map[string]*project
	configs map[string]*loadedConfig
}

// A project is what files of one folder have in common.
type project struct {
	root   string
	config *loadedConfig
}

// A loadedConfig is a configuration and what is wrong with it.
type loadedConfig struct {
	*config.Config
	// name is its path as shown; "" for the default configuration.
	name     string
	findings []*diag.Diagnostic
}

func newProjects() *projects {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // no home folder: nothing is looked for there
	}
	return &projects{home: home, dirs: map[string]*project{}, configs: map[string]*loadedConfig{}}
}

// of returns the project of a file of the given absolute path.
func (p *projects) of(file string) (*project, error) {
	dir := filepath.Dir(file)
	if pr, ok := p.dirs[dir]; ok {
		return pr, nil
	}
	path, err := config.Find(dir)
	if err != nil {
		return nil, err
	}
	c, err := p.load(path)
	if err != nil {
		return nil, err
	}
	pr := &project{root: workspace.Root(file, p.home), config: c}
	p.dirs[dir] = pr
	return pr, nil
}

// load reads the configuration at path, once; "" gives the default one.
func (p *projects) load(path string) (*loadedConfig, error) {
	if c, ok := p.configs[path]; ok {
		return c, nil
	}
	c := &loadedConfig{Config: &config.Config{}}
	if path != "" {
		c.name = shown(path)
		var err error
		if c.Config, c.findings, err = config.Load(path, c.name); err != nil {
			return nil, err
		}
	}
	p.configs[path] = c
	return c, nil
}

// installedGo reports whether a project that was read forbids to fetch Go.
func (p *projects) installedGo() bool {
	for _, c := range p.configs {
		if c.Settings("").Toolchain == "local" {
			return true
		}
	}
	return false
}

// shown returns an absolute path as people are shown it: relative when it lies
// in or below the current folder.
func shown(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return filepath.ToSlash(rel)
}
