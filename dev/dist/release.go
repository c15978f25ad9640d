package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// release makes all files and returns them.
func (m *maker) release() ([]product, error) {
	platforms := m.platforms
	// Archives list the modules of all platforms, even if only some are made, so the
	// lists are the same in all archives. A build for another system needs that system's
	// modules.
	all, err := parsePlatforms(allPlatforms)
	if err != nil {
		return nil, err
	}
	programModules, err := m.dependencies(m.source, "", all, "./cmd/wfc")
	if err != nil {
		return nil, err
	}
	common, err := m.common(programModules)
	if err != nil {
		return nil, err
	}
	modules := filepath.Join(m.work, "mod")
	var compile []func() error
	for _, p := range platforms {
		compile = append(compile, func() error {
			m.say("compiling for %s", p)
			return m.compile(p, modules)
		})
	}
	if err := inParallel(compile); err != nil {
		return nil, err
	}
	source, err := runtimeFolder(m.cache(platforms[0]))
	if err != nil {
		return nil, err
	}
	runtimeModules, err := m.dependencies(source, modules, all, "./runtime/...")
	if err != nil {
		return nil, err
	}
	shared, err := moduleEntries(modules)
	if err != nil {
		return nil, err
	}
	var files []func() error
	for _, p := range platforms {
		m.say("collecting the files for %s", p)
		more, err := m.packing(p, common, shared, filepath.Base(source))
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	m.say("packing %d archives and packages", len(files))
	if err := inParallel(files); err != nil {
		return nil, err
	}
	return m.finish(programModules, runtimeModules)
}

func (m *maker) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "dist: "+format+"\n", args...)
}

// common returns the files of every archive.
func (m *maker) common(modules []dependency) ([]entry, error) {
	entries, err := m.sources("LICENSE", "README.md")
	if err != nil {
		return nil, err
	}
	texts, err := notices(modules)
	if err != nil {
		return nil, err
	}
	goLicence, err := m.goLicence()
	if err != nil {
		return nil, err
	}
	entries = append(entries, content("LICENSES.txt", fmt.Appendf(texts, "\n== Go\n\n%s\n", goLicence)))
	pages := filepath.Join(m.work, "man")
	if err := os.RemoveAll(pages); err != nil {
		return nil, err
	}
	if err := m.do(m.goEnviron(platform{runtime.GOOS, runtime.GOARCH}), ".", m.host, "man", pages); err != nil {
		return nil, err
	}
	man, err := folder("share/man/man1", pages, nil)
	return append(entries, man...), err
}

// sources returns files of the checkout.
func (m *maker) sources(names ...string) ([]entry, error) {
	var list []entry
	for _, name := range names {
		e, err := file(name, filepath.Join(m.source, name))
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// goLicence returns the licence of Go. Some packages of Go have it elsewhere than others.
func (m *maker) goLicence() ([]byte, error) {
	root, err := m.ask("go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	for _, dir := range []string{root, filepath.Dir(root)} {
		if text, err := os.ReadFile(filepath.Join(dir, "LICENSE")); err == nil {
			return bytes.TrimSpace(text), nil
		}
	}
	return nil, fmt.Errorf("%s has no licence", root)
}

// finish writes the files that describe the others.
func (m *maker) finish(programModules, runtimeModules []dependency) ([]product, error) {
	entries, err := m.sources("LICENSE", "README.md")
	if err != nil {
		return nil, err
	}
	entries, err = npmMain(m.version, m.platforms, entries)
	if err != nil {
		return nil, err
	}
	if err := m.tgz("wfc", entries); err != nil {
		return nil, err
	}
	made, err := products(m.out)
	if err != nil {
		return nil, err
	}
	goTool := component{Type: "platform", Ref: "go", Name: "go", Version: strings.TrimPrefix(m.goVersion, "go"), Licences: licensed("BSD-3-Clause"), PURL: "pkg:golang/golang.org/toolchain@v0.0.1-" + m.goVersion}
	files := map[string]func() ([]byte, error){
		"wfc.cdx.json": func() ([]byte, error) {
			return makeSBOM("wfc", m.version, m.at, programModules, []component{goTool})
		},
		"wfc-full.cdx.json": func() ([]byte, error) {
			return makeSBOM("wfc-full", m.version, m.at, merge(programModules, runtimeModules), []component{goTool})
		},
		"wfc.rb": func() ([]byte, error) {
			return render("formula.rb", newFormula(small, m.version, m.url, m.platforms, made))
		},
		"wfc-full.rb": func() ([]byte, error) {
			return render("formula.rb", newFormula(full, m.version, m.url, m.platforms, made))
		},
		"Containerfile": func() ([]byte, error) { return render("Containerfile", m.templateData()) },
	}
	for name, text := range files {
		if err := m.write(name, text); err != nil {
			return nil, err
		}
	}
	if made, err = products(m.out); err != nil {
		return nil, err
	}
	if err := m.write("provenance.intoto.json", func() ([]byte, error) { return m.provenance(made) }); err != nil {
		return nil, err
	}
	if made, err = products(m.out); err != nil {
		return nil, err
	}
	if err := m.write("SHA256SUMS", func() ([]byte, error) { return checksums(made), nil }); err != nil {
		return nil, err
	}
	for i, p := range made {
		made[i].note = m.notes[p.name]
	}
	return made, nil
}

func (m *maker) write(name string, text func() ([]byte, error)) error {
	made, err := text()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return os.WriteFile(filepath.Join(m.out, name), made, 0o644)
}

// templateData is for templates that need the version alone.
func (m *maker) templateData() any { return struct{ Version string }{m.version} }

// merge returns the modules of both lists, in order.
func merge(lists ...[]dependency) []dependency {
	all := slices.Concat(lists...)
	key := func(d dependency) string { return d.Path + "@" + d.Version }
	slices.SortFunc(all, func(x, y dependency) int { return cmp.Compare(key(x), key(y)) })
	return slices.CompactFunc(all, func(x, y dependency) bool { return key(x) == key(y) })
}

// empty removes an older release from the folder of the release.
func (m *maker) empty() error {
	old, err := products(m.out)
	if err != nil {
		return err
	}
	others := []string{"Containerfile", "SHA256SUMS", "provenance.intoto.json"}
	for _, p := range old {
		if !strings.HasPrefix(p.name, "wfc") && !slices.Contains(others, p.name) {
			return fmt.Errorf("%s has the file %s, which belongs to no release: name another folder", m.out, p.name)
		}
	}
	for _, p := range old {
		if err := os.Remove(filepath.Join(m.out, p.name)); err != nil {
			return err
		}
	}
	return nil
}
