package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/search"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/oracle"
	"github.com/wfc-lang/wfc/internal/shared/glob"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/internal/workspace"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// An input is one file to look at.
type input struct {
	// name is the file's name in messages, path its absolute path.
	name, path string
	// named says that the user named the file itself, and not a folder or a pattern: then it
	// must be a workflow.
	named bool
	// content is what was read from the standard input; nil for a file.
	content []byte
}

// stdinName means the standard input among paths.
const stdinName = "-"

// orCurrentFolder returns the arguments that say where to search, or the current folder.
func orCurrentFolder(args []string) []string {
	if len(args) == 0 {
		return []string{"."}
	}
	return args
}

// findInputs finds the files that arguments mean, each once, in order: files, all files below
// folders, patterns, and - for the standard input, which gets the name stdinAs.
func (p *projects) findInputs(args []string, stdinAs string) ([]input, error) {
	var all []input
	seen := map[string]bool{}
	add := func(in input) error {
		path, err := filepath.Abs(in.path)
		if err != nil {
			return err
		}
		in.path = path
		if !seen[path] {
			seen[path] = true
			all = append(all, in)
		}
		return nil
	}
	for _, arg := range args {
		if arg == stdinName {
			content, err := wholefile.Source.From(p.stdin, "standard input")
			if err != nil {
				return nil, fmt.Errorf("read standard input: %w", err)
			}
			if err := add(input{name: stdinAs, path: stdinAs, named: true, content: content}); err != nil {
				return nil, err
			}
			continue
		}
		info, err := os.Stat(arg)
		switch {
		case err == nil && info.IsDir():
			err = p.walkWorkflows(arg, func(name string) error { return add(input{name: filepath.ToSlash(name), path: name}) })
		case err == nil:
			path := cmp.Or(p.namedInstead(arg, info), arg)
			err = add(input{name: filepath.ToSlash(path), path: path, named: true})
		case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, "*?["):
			err = p.walkPattern(arg, func(name string) error { return add(input{name: filepath.ToSlash(name), path: name}) })
		case errors.Is(err, fs.ErrNotExist):
			var path string
			if path, err = p.fileNamed(arg, "file or folder"); err == nil {
				err = add(input{name: path, path: path, named: true})
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// A missingError says that a named file or folder does not exist. what is its kind, and help
// the way out.
type missingError struct{ what, name, help string }

func (e *missingError) Error() string {
	return fmt.Sprintf("%s `%s` does not exist%s", e.what, e.name, e.help)
}

// walkWorkflows visits the workflow files below a folder, as search.YAML finds them, without
// tests of workflows.
func (p *projects) walkWorkflows(dir string, visit func(name string) error) error {
	return p.walkAll(dir, func(name string) error {
		if search.BelongsToTests(name) {
			return nil
		}
		return visit(name)
	})
}

// walkAll is walkWorkflows with the tests of workflows.
func (p *projects) walkAll(dir string, visit func(name string) error) error {
	return search.YAML(dir, p.isExcluded, visit)
}

// isExcluded reports whether the configuration of a file or folder excludes it. A
// configuration itself is never excluded.
func (p *projects) isExcluded(name string) (bool, error) {
	path, err := filepath.Abs(name)
	if err != nil || filepath.Base(path) == config.FileName {
		return false, err
	}
	pr, err := p.projectOfFile(path)
	if err != nil {
		return false, err
	}
	return pr.config.Excludes(path), nil
}

// walkPattern visits the YAML files that a pattern matches; ** matches any folders. A pattern
// that matches nothing is an error, because it is probably mistyped.
func (p *projects) walkPattern(pattern string, visit func(name string) error) error {
	slashed := filepath.ToSlash(filepath.Clean(pattern))
	if !glob.Valid(slashed) {
		return fmt.Errorf("invalid pattern `%s`", pattern)
	}
	base := "."
	if i := strings.IndexAny(slashed, "*?["); i >= 0 {
		if cut := strings.LastIndexByte(slashed[:i], '/'); cut >= 0 {
			base = slashed[:cut+1]
		}
	}
	found := false
	err := p.walkWorkflows(filepath.FromSlash(base), func(name string) error {
		if !glob.Match(slashed, filepath.ToSlash(filepath.Clean(name))) {
			return nil
		}
		found = true
		return visit(name)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !found {
		return fmt.Errorf("no file matches `%s`", pattern)
	}
	return nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// readContent returns the content of an input, or the beginning of one that is too large for
// the compiler, which says so.
func (in input) readContent() ([]byte, error) {
	if in.content != nil {
		return in.content, nil
	}
	return wholefile.Head(in.path, yamlsrc.MaxSize+1)
}

// projects finds the files that arguments mean and compiles them, each in its project. It
// reads configurations once, and is not safe for concurrent use.
type projects struct {
	stdin io.Reader
	// files are the files that workflows name, as this run found them.
	files   workspace.Snapshot
	home    string
	ask     oracle.Ask
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

func newProjects(stdin io.Reader) *projects {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then only the project's own files are found
	}
	return &projects{stdin: stdin, home: home, ask: oracle.OnPath(), dirs: map[string]*project{}, configs: map[string]*loadedConfig{}}
}

// projectOfFile returns the project of a file of the given absolute path.
func (p *projects) projectOfFile(file string) (*project, error) {
	dir := filepath.Dir(file)
	if pr, ok := p.dirs[dir]; ok {
		return pr, nil
	}
	path, err := config.Find(dir)
	if err != nil {
		return nil, err
	}
	c, err := p.loadConfig(path)
	if err != nil {
		return nil, err
	}
	pr := &project{root: workspace.Root(file, p.home), config: c}
	for _, name := range workspace.MisnamedConfigs(dir, pr.root) {
		pr.config = p.addMisnameWarning(pr.config, name)
	}
	pr.config = p.addArchon(pr.config, pr.root)
	p.dirs[dir] = pr
	return pr, nil
}

// addArchon adds to a configuration, once, the settings that the project has for the engine Archon
// in .archon/config.yaml, and the findings about them and about the files of triggers. The default
// configuration, which projects share, stays as it is.
func (p *projects) addArchon(c *loadedConfig, root string) *loadedConfig {
	folder := filepath.Join(root, ".archon")
	if known := p.configs[folder]; known != nil {
		return known
	}
	for _, path := range config.ArchonFiles(root) {
		content, err := wholefile.Source.Read(path)
		if err != nil {
			continue
		}
		file := source.NewFile(displayPath(path), content)
		findings := c.CheckArchon(file)
		if c.name == "" {
			c = &loadedConfig{Config: &config.Config{}, name: displayPath(path)}
		}
		c.findings = append(c.findings, findings...)
		c.Config = c.Config.WithArchon(file)
		p.configs[folder] = c
	}
	return c
}

// addMisnameWarning adds to a configuration, once, the finding about a file that has the name of a
// configuration only nearly. The default configuration, which projects share, stays as it is.
func (p *projects) addMisnameWarning(c *loadedConfig, misnamed string) *loadedConfig {
	if known := p.configs[misnamed]; known != nil && c.name == "" {
		return known
	} else if c.name == "" {
		c = &loadedConfig{Config: &config.Config{}, name: displayPath(misnamed)}
		p.configs[misnamed] = c
	}
	beside := workspace.Exists(filepath.Join(filepath.Dir(misnamed), config.FileName))
	found := finding.ConfigName(source.Span{File: source.NewFile(displayPath(misnamed), nil)}, beside)
	if !slices.ContainsFunc(c.findings, func(d *diag.Diagnostic) bool { return d.Span.File.Name == found.Span.File.Name }) {
		c.findings = append(c.findings, found)
	}
	return c
}

// currentProject returns the project of the current folder.
func (p *projects) currentProject() (*project, error) {
	wd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return p.projectOfFile(filepath.Join(wd, "any.yaml"))
}

// loadConfig reads the configuration at path, once; "" gives the default one.
func (p *projects) loadConfig(path string) (*loadedConfig, error) {
	if c, ok := p.configs[path]; ok {
		return c, nil
	}
	c := &loadedConfig{Config: &config.Config{}}
	if path != "" {
		c.name = displayPath(path)
		var err error
		if c.Config, c.findings, err = config.Load(path, c.name); err != nil {
			return nil, err
		}
	}
	p.configs[path] = c
	return c, nil
}

// configPaths returns the configurations that files of the projects have or could have.
func (p *projects) configPaths() []string {
	var list []string
	for dir := range p.dirs {
		for folder := range workspace.Ancestors(dir) {
			list = append(list, filepath.Join(folder, config.FileName))
		}
	}
	return list
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

// displayPath returns an absolute path for messages: relative if it is in or below the
// current folder.
func displayPath(path string) string {
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
