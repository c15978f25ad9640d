package main

import (
	"archive/zip"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/bundle"
)

// bundle returns the files of the bundle: package internal/bundle describes it.
func (m *maker) bundle(p platform, module string, modules []entry) ([]entry, error) {
	t, err := m.fetchToolchain(p)
	if err != nil {
		m.say("%s: %v; its wfc-full has none, and fetches Go at the first build", p, err)
		m.notes[full.archive(m.version, p)] = "without a Go toolchain, which the proxy does not have"
	}
	compiled, err := compiledEntries(filepath.Join(m.cache(p), "gocache"), m.at)
	if err != nil {
		return nil, err
	}
	manifest, err := json.MarshalIndent(bundle.Manifest{
		SchemaVersion: bundle.SchemaVersion, Go: m.goVersion, GOOS: p.goos, GOARCH: p.goarch, Module: module,
	}, "", "  ")
	if err != nil {
		return nil, err
	}
	list := []entry{content(bundle.ManifestFile, append(manifest, '\n'))}
	list = append(list, below(bundle.ModulesDir, modules)...)
	list = append(list, below(bundle.CompiledDir, compiled)...)
	if t != nil {
		m.toolchains[p] = t
		list = append(list, below(bundle.GoDir, t.entries)...)
	}
	return below("lib/wfc", list), nil
}

// indexHead begins an index of a module in the build cache. An index is of a folder's path,
// so it is of no use elsewhere.
const indexHead = "go index v"

// compiledEntries returns the entries of a build cache that another cache can take over. The
// go command names an entry by a hash of all that it depends on: the file HASH-a has the
// hash, size and time of the output, which is in the file OUTPUT-d. With -trimpath, no folder
// is part of the hash.
func compiledEntries(cache string, at time.Time) ([]entry, error) {
	var list []entry
	useless := map[string]bool{} // outputs
	outputs, err := folder("", cache, func(name string) bool { return isCacheFile(name, "-d") })
	if err != nil {
		return nil, err
	}
	for _, e := range outputs {
		index, err := startsWith(e, indexHead)
		if err != nil {
			return nil, err
		}
		if index {
			useless[strings.TrimSuffix(path.Base(e.name), "-d")] = true
			continue
		}
		list = append(list, e)
	}
	actions, err := folder("", cache, func(name string) bool { return isCacheFile(name, "-a") })
	if err != nil {
		return nil, err
	}
	for _, e := range actions {
		text, err := e.bytesOf()
		if err != nil {
			return nil, err
		}
		output, fixed, err := withTime(text, at)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
		if !useless[output] {
			list = append(list, content(e.name, fixed))
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no compiled packages", cache)
	}
	return list, nil
}

// isCacheFile reports whether a file of a build cache is an entry's: XX/XX...-a or -d.
func isCacheFile(name, end string) bool {
	dir, base := path.Split(name)
	base, ok := strings.CutSuffix(base, end)
	_, err := hex.DecodeString(base)
	return ok && err == nil && len(dir) == 3 && strings.HasPrefix(base, dir[:2])
}

func startsWith(e entry, head string) (bool, error) {
	r, err := e.open()
	if err != nil {
		return false, err
	}
	defer r.Close()
	got := make([]byte, len(head))
	n, err := io.ReadFull(r, got)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false, err
	}
	return string(got[:n]) == head, nil
}

// withTime returns the output that an action's entry names, and the entry with another time.
// Its form is `v1 ACTION OUTPUT SIZE TIME`, the last two of them 20 characters wide.
func withTime(text []byte, at time.Time) (output string, fixed []byte, err error) {
	words := strings.Fields(string(text))
	if len(words) != 5 || words[0] != "v1" || len(text) != 2+1+64+1+64+1+20+1+20+1 {
		return "", nil, fmt.Errorf("an entry of a build cache has an unknown form: %q", bytes.TrimSpace(text))
	}
	keep := len(text) - 21
	return words[2], fmt.Appendf(text[:keep:keep], "%20d\n", at.UnixNano()), nil
}

// moduleEntries returns the files of a module cache that builds read: the unpacked modules,
// and the go.mod files and hashes of all.
func moduleEntries(cache string) ([]entry, error) {
	return folder("", cache, func(name string) bool {
		inner, download := strings.CutPrefix(name, "cache/")
		if !download {
			return true
		}
		return strings.HasPrefix(inner, "download/") && (path.Ext(inner) == ".mod" || path.Ext(inner) == ".ziphash") && !strings.HasPrefix(inner, "download/sumdb/")
	})
}

// runtimeFolder returns the folder with the runtime's sources in a cache of wfc. Its name is
// the hash of the runtime.
func runtimeFolder(cache string) (string, error) {
	found, err := filepath.Glob(filepath.Join(cache, "module", "*", "go.mod"))
	if err != nil {
		return "", err
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%s has %d versions of the runtime instead of one; remove it", cache, len(found))
	}
	return filepath.Dir(found[0]), nil
}

// removeCache removes a folder of caches, whose files the go command protects.
func removeCache(dir string) error {
	filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(p, 0o755)
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// A toolchain is a Go toolchain for one system.
type toolchain struct {
	// version is the version of the module golang.org/toolchain, and sum its hash in the form
	// of go.sum.
	version, sum string
	entries      []entry
}

// fetchToolchain gets the Go toolchain of a version for a system by the go command, which
// compares it with the checksum database.
func (m *maker) fetchToolchain(p platform) (*toolchain, error) {
	dir := filepath.Join(m.work, "fetch")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module fetch\n"), 0o644); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(m.ctx, "go", "mod", "download", "-json", "golang.org/toolchain@v0.0.1-"+m.goVersion+"."+p.goos+"-"+p.goarch)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=local", "GOWORK=off", "GOFLAGS=")
	out, _ := cmd.Output() // the document says what went wrong
	var answer struct{ Error, Version, Sum, Zip string }
	if err := json.Unmarshal(out, &answer); err != nil {
		return nil, fmt.Errorf("go mod download golang.org/toolchain: %w", err)
	}
	if answer.Error != "" {
		return nil, fmt.Errorf("the Go module proxy gives no toolchain for %s: %s", p, reason(answer.Error))
	}
	t := &toolchain{version: answer.Version, sum: answer.Sum}
	var err error
	t.entries, err = readToolchain(answer.Zip, "golang.org/toolchain@"+answer.Version+"/")
	return t, err
}

// reason is the end of a message of the go command, without the proxy's address.
func reason(message string) string {
	first, _, _ := strings.Cut(message, "\n")
	return first[strings.LastIndex(first, ": ")+1:]
}

// readToolchain returns the files of a toolchain's module. Archives of modules cannot express
// that files are executable, and contain go.mod files under the name _go.mod.
func readToolchain(archive, prefix string) ([]entry, error) {
	r, err := zip.OpenReader(archive) // stays open: the entries read from it
	if err != nil {
		return nil, err
	}
	var list []entry
	for _, f := range r.File {
		name, ok := strings.CutPrefix(f.Name, prefix)
		if !ok || strings.HasSuffix(name, "/") {
			continue
		}
		if path.Base(name) == "_go.mod" {
			name = path.Join(path.Dir(name), "go.mod")
		}
		list = append(list, entry{
			name: name, program: isProgram(name), size: int64(f.UncompressedSize64),
			open: func() (io.ReadCloser, error) { return f.Open() },
		})
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no files below %s", archive, prefix)
	}
	return list, nil
}

// isProgram reports whether a file of a toolchain is executable.
func isProgram(name string) bool {
	starter, err := path.Match("lib/*/go_*_*_exec", name)
	return strings.HasPrefix(name, "bin/") || strings.HasPrefix(name, "pkg/tool/") || err == nil && starter
}
