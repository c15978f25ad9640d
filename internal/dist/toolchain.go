package main

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

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
