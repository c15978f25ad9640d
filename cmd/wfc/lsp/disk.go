package lsp

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/keytable"
	"github.com/wfc-lang/wfc/internal/workspace"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// isConfig reports whether the file at a path is a configuration.
func isConfig(path string) bool { return filepath.Base(path) == config.FileName }

// configFormat returns the keys of wfc.yaml.
var configFormat = sync.OnceValue(func() *keytable.Format { return mustFormat(config.Schema()) })

// mustFormat returns the keys of a schema that is part of wfc.
func mustFormat(schema []byte) *keytable.Format {
	format, err := keytable.FromSchema(schema)
	if err != nil {
		panic(err) // a test completes keys by each schema
	}
	return format
}

// A disk keeps the state of the disk at the first look. A change on the disk makes another
// one.
type disk struct {
	files workspace.Snapshot

	mu       sync.Mutex
	projects map[string]*project // by folder

	searching sync.Mutex
	found     map[string][]string // YAML files by folder
}

func newDisk() *disk {
	return &disk{projects: map[string]*project{}}
}

// A project is what the files of one folder have in common.
type project struct {
	root string
	// config are the settings of the wfc.yaml at configPath; without one, configPath is ""
	// and the settings are the defaults.
	config     *config.Config
	configPath string
	findings   []*diag.Diagnostic
}

// projectFor returns the project of the file at a path. The text of an open wfc.yaml counts,
// not the file.
func (v *view) projectFor(path string) *project {
	dir := filepath.Dir(path)
	v.disk.mu.Lock()
	defer v.disk.mu.Unlock()
	p := v.disk.projects[dir]
	if p == nil {
		p = v.loadProject(path, dir)
		v.disk.projects[dir] = p
	}
	return p
}

func (v *view) loadProject(path, dir string) *project {
	p := &project{root: workspace.Root(path, v.home), config: &config.Config{}}
	found, err := config.Find(dir)
	if err != nil {
		return p
	}
	for above := range workspace.Ancestors(dir) {
		// An open configuration may not be on the disk yet.
		if name := filepath.Join(above, config.FileName); v.open[name] != nil && len(above) > len(filepath.Dir(found)) {
			found = name
			break
		}
	}
	if found == "" {
		return p
	}
	p.configPath = found
	file, err := v.readFile(found)
	if err != nil {
		return p
	}
	p.config, p.findings = config.Parse(file)
	p.config.Dir = filepath.Dir(found)
	p.findings = append(p.findings, p.config.AddOuter(file.Name)...)
	return p
}

// fileAt returns the text of an open document, or nil.
func (v *view) fileAt(path string) *source.File {
	if doc := v.open[path]; doc != nil {
		return doc.file
	}
	return nil
}

// readFile returns the text of an open document, or of the file on the disk.
func (v *view) readFile(path string) (*source.File, error) {
	if f := v.fileAt(path); f != nil {
		return f, nil
	}
	content, err := v.disk.files.Read(path)
	if err != nil {
		return nil, err
	}
	return source.NewFile(v.displayPath(path), content), nil
}

// configDocument returns the YAML of the configuration at a path, or nil.
func (v *view) configDocument(path string) *yamlsrc.Document {
	file, err := v.readFile(path)
	if err != nil {
		return nil
	}
	return yamlsrc.Parse(file, new(diag.Bag))
}

// An overlay reads the files of a view: open documents, else the disk. It keeps which
// files were read, so that a change of another file costs nothing. One compilation uses
// it.
type overlay struct {
	view *view
	read map[string]bool
}

// Read implements compiler.Files.
func (o *overlay) Read(path string) ([]byte, error) {
	o.read[path] = true
	if f := o.view.fileAt(path); f != nil {
		return f.Content, nil
	}
	return o.view.disk.files.Read(path)
}

// List implements compiler.Files: new documents are in their folders before they are
// saved.
func (o *overlay) List(dir string) []string {
	names := o.view.disk.files.List(dir)
	copied := false
	for path := range o.view.open {
		rel, err := filepath.Rel(dir, path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		name := filepath.ToSlash(rel)
		if i := strings.IndexByte(name, '/'); i >= 0 {
			name = name[:i+1]
		}
		if slices.Contains(names, name) {
			continue
		}
		if !copied {
			names, copied = slices.Clone(names), true // others share it
		}
		names = append(names, name)
		slices.Sort(names)
	}
	return names
}
