// Package bundle is the folder that wfc-full has beside the program wfc: a Go toolchain, the
// modules of the runtime, and its compiled packages. With it, the first build on a machine
// needs neither Go nor the network and compiles the workflow alone.
//
// The folder is never written to, so that it may belong to another user or be mounted
// read-only. The go command reads toolchain and modules where they are. It writes to its
// build cache, so Seed copies the compiled packages there.
package bundle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// The contents of a bundle's folder.
const (
	// ManifestFile has a Manifest as JSON.
	ManifestFile = "bundle.json"
	// GoDir is the toolchain's folder; a bundle may have none.
	GoDir = "go"
	// ModulesDir is a module cache, as GOMODCACHE names it.
	ModulesDir = "mod"
	// CompiledDir has entries of a build cache, as GOCACHE names it.
	CompiledDir = "gocache"
)

// A Manifest says which builds a bundle is for.
type Manifest struct {
	SchemaVersion int `json:"schema_version"`
	// Go is the version of the toolchain that compiled the packages, such as go1.26.8.
	Go string `json:"go"`
	// GOOS and GOARCH are the system of the toolchain and of the compiled packages.
	GOOS   string `json:"goos"`
	GOARCH string `json:"goarch"`
	// Module is the hash of the runtime, as cmd/wfc/build names it.
	Module string `json:"module"`
}

// SchemaVersion is the version of manifests that this package reads.
const SchemaVersion = 1

// A Bundle is an opened bundle.
type Bundle struct {
	Manifest
	dir string
}

// Find returns the folder of the bundle that belongs to a program, or "": the folder lib/wfc
// beside the program's folder bin. It follows links to the program.
func Find(program string) string {
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	dir := filepath.Join(filepath.Dir(filepath.Dir(program)), "lib", "wfc")
	if _, err := os.Stat(filepath.Join(dir, ManifestFile)); err != nil {
		return ""
	}
	return dir
}

// Open opens the bundle in a folder. It returns nil if there is none, or if it belongs to
// another runtime than the one with this hash: the program was replaced without its bundle.
func Open(dir, module string) *Bundle {
	if dir == "" {
		return nil
	}
	content, err := wholefile.Source.Read(filepath.Join(dir, ManifestFile))
	if err != nil {
		return nil
	}
	b := &Bundle{dir: dir}
	if json.Unmarshal(content, &b.Manifest) != nil || b.SchemaVersion != SchemaVersion || b.Module != module {
		return nil
	}
	return b
}

// GoCommand returns the path of the bundle's go command, or "" if it has none for this
// machine.
func (b *Bundle) GoCommand() string {
	name := "go"
	if runtime.GOOS == "windows" {
		name = "go.exe"
	}
	path := filepath.Join(b.dir, GoDir, "bin", name)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || b.GOOS != runtime.GOOS || b.GOARCH != runtime.GOARCH {
		return ""
	}
	return path
}

// Modules returns the folder of the module cache.
func (b *Bundle) Modules() string { return filepath.Join(b.dir, ModulesDir) }
