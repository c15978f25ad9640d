package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// packing collects the files for a platform and returns functions that each write one archive
// or package. The functions share no state, so they can run in parallel.
func (m *maker) packing(p platform, common, modules []entry, module string) ([]func() error, error) {
	program, err := m.program(p)
	if err != nil {
		return nil, err
	}
	binary, err := file("bin/wfc"+p.exe(), program)
	if err != nil {
		return nil, err
	}
	binary.program = true
	kit, err := m.bundle(p, module, modules)
	if err != nil {
		return nil, err
	}
	list := []func() error{func() error { return m.packNPM(p, binary) }}
	entries := append([]entry{binary}, common...)
	for v, entries := range map[variant][]entry{small: entries, full: slices.Concat(entries, kit)} {
		list = append(list, func() error { return m.packArchive(v, p, entries) })
		if p.goos == "linux" {
			list = append(list, func() error { return m.packDebian(v, p, entries) })
		}
	}
	return list, nil
}

// inParallel calls functions, as many at once as there are processors, and returns their
// errors. It calls no further function after an error.
func inParallel(list []func() error) error {
	next := make(chan func() error, len(list))
	for _, do := range list {
		next <- do
	}
	close(next)
	var failed atomic.Bool
	errs := make([]error, runtime.NumCPU())
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() {
			for do := range next {
				if failed.Load() {
					return
				}
				if errs[i] = do(); errs[i] != nil {
					failed.Store(true)
					return
				}
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// packArchive writes the archive of a variant.
func (m *maker) packArchive(v variant, p platform, entries []entry) error {
	name := v.archive(m.version, p)
	level := gzip.DefaultCompression
	if v == small {
		level = gzip.BestCompression
	}
	target := filepath.Join(m.out, name)
	err := create(target, func(w io.Writer) error {
		if path.Ext(name) == ".zip" {
			return writeZip(w, below("wfc", entries), m.at)
		}
		return writeTarGz(w, below("wfc", entries), m.at, level)
	})
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if info.Size() > v.limit() {
		return fmt.Errorf("%s has %.1f MB, more than %.0f MB", name, float64(info.Size())/1e6, float64(v.limit())/1e6)
	}
	return nil
}

// packDebian writes the Debian package of a variant.
func (m *maker) packDebian(v variant, p platform, entries []entry) error {
	d := &debian{name: string(v), version: debianVersion(m.version), architecture: p.goarch, entries: debianEntries(string(v), entries)}
	d.description = "compiler of agent workflows\n wfc checks workflows and compiles them to programs with durable runs."
	d.fields = "Conflicts: wfc-full\nReplaces: wfc-full\n"
	if v == full {
		d.description += "\n This package has a Go toolchain and the compiled runtime, for builds offline."
		d.fields = "Provides: wfc\nConflicts: wfc\nReplaces: wfc\n"
	}
	return create(filepath.Join(m.out, fmt.Sprintf("%s_%s_%s.deb", v, d.version, p.goarch)), func(w io.Writer) error {
		return d.write(w, m.at, m.work)
	})
}

// packNPM writes the npm package with the program of a platform.
func (m *maker) packNPM(p platform, program entry) error {
	licence, err := m.sources("LICENSE")
	if err != nil {
		return err
	}
	entries, err := npmProgram(m.version, p, program, licence)
	if err != nil {
		return err
	}
	system, cpu := npmPlatform(p)
	return m.tgz("wfc-lang-wfc-"+system+"-"+cpu, entries)
}

// tgz writes an npm package.
func (m *maker) tgz(name string, entries []entry) error {
	return create(filepath.Join(m.out, name+"-"+m.version+".tgz"), func(w io.Writer) error {
		return writeTarGz(w, entries, m.at, gzip.BestCompression)
	})
}
