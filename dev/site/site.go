// Package site makes a site of the documentation: HTML pages with navigation and a search,
// which need no server and no network. It reads the README, docs, the READMEs of examples
// and editors, and the pages for contributors, and adds a page for each other file that they link.
//
// A page has the path of its source, with the extension .html; README.md becomes index.html.
// Anchors are those of GitHub. A link that leads nowhere is an error.
package site

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/cmd/wfc/explain"
)

// Options are the parts of the site besides documents.
type Options struct {
	// Playground writes the page of the playground to a file. If nil, the site has none.
	Playground func(path string) error
}

// Paths in the repository that have a part in the site.
const (
	home           = "README.md"
	index          = "docs/README.md"
	diagnostics    = "docs/checks.md"
	playground     = "docs/playground/README.md"
	playgroundPage = "docs/playground/playground.html"
	searchIndex    = "search-index.js"
)

// A builder writes a site.
type builder struct {
	repository, out string
	options         Options
	documents       map[string]*document // by path in the repository, with slashes
	order           []string             // paths of documents, sorted
	groups          []group
	files           []string // linked files that are not documents, in the order of links
	errs            []error
}

// Write writes the site to a folder, which it empties first. repository is the folder of
// wfc's module. The folder must be new, empty or an earlier site.
func Write(repository, out string, options Options) error {
	b := &builder{repository: repository, out: out, options: options, documents: map[string]*document{}}
	if err := b.read(); err != nil {
		return err
	}
	b.groups = b.navigation()
	if err := b.clear(); err != nil {
		return err
	}
	// The index comes first: it shows that the folder is a site, even if the rest fails.
	if err := b.writeIndex(); err != nil {
		return err
	}
	for _, name := range b.order {
		d := b.documents[name]
		body, err := b.render(d)
		if err != nil {
			return err
		}
		if err := b.writePage(d, body); err != nil {
			return err
		}
	}
	for i := 0; i < len(b.files); i++ { // the page of a folder links further files
		if err := b.writeFile(b.files[i]); err != nil {
			return err
		}
	}
	if options.Playground != nil {
		if err := options.Playground(filepath.Join(out, filepath.FromSlash(playgroundPage))); err != nil {
			return err
		}
	}
	return errors.Join(b.errs...)
}

// read reads and parses the documents.
func (b *builder) read() error {
	names := []string{home, "CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md"}
	for _, pattern := range []string{"examples/*/README.md", "editors/*/README.md"} {
		files, err := filepath.Glob(b.source(pattern))
		if err != nil {
			return err
		}
		for _, file := range files {
			names = append(names, path.Join(path.Dir(path.Dir(pattern)), filepath.Base(filepath.Dir(file)), "README.md"))
		}
	}
	err := filepath.WalkDir(filepath.Join(b.repository, "docs"), func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".md" {
			return err
		}
		relative, err := filepath.Rel(b.repository, name)
		names = append(names, filepath.ToSlash(relative))
		return err
	})
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		content, err := os.ReadFile(b.source(name))
		if err != nil {
			return err
		}
		if name == diagnostics { // the site describes the codes, of which the repository has the table
			content = []byte(explain.Page())
		}
		d, err := parse(name, content)
		if err != nil {
			return err
		}
		if name == diagnostics {
			markFaults(d)
		}
		b.documents[name] = d
	}
	b.order = names
	return nil
}

// clear empties the folder of the site. It deletes nothing but a site.
func (b *builder) clear() error {
	entries, err := os.ReadDir(b.out)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if len(entries) == 0 {
		return nil
	}
	if _, err := os.Stat(filepath.Join(b.out, searchIndex)); err != nil {
		return fmt.Errorf("%s is neither empty nor an earlier site: delete it, or name another folder", b.out)
	}
	return os.RemoveAll(b.out)
}

// source is the file of a path in the repository.
func (b *builder) source(name string) string {
	return filepath.Join(b.repository, filepath.FromSlash(name))
}

// write writes a file of the site. name has slashes.
func (b *builder) write(name string, content []byte) error {
	file := filepath.Join(b.out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o644)
}

// target is the path in the site of a document, or of a file or folder of the repository.
func target(name string) string {
	switch {
	case path.Base(name) == "README.md":
		return path.Join(path.Dir(name), "index.html")
	case path.Ext(name) == ".md":
		return strings.TrimSuffix(name, ".md") + ".html"
	case picture(name):
		return name
	}
	return name + ".html"
}

// picture reports whether a path is that of a picture, which the site has as it is.
func picture(name string) bool {
	return slices.Contains([]string{".svg", ".png"}, path.Ext(name))
}

// relative is the link from a document or file to a path in the site.
func relative(from, to string) string {
	link, err := filepath.Rel(filepath.FromSlash(path.Dir(target(from))), filepath.FromSlash(to))
	if err != nil { // both are relative paths
		panic(err)
	}
	return filepath.ToSlash(link)
}
