package build_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/cmd/wfc/build"
	"github.com/wfc-lang/wfc/internal/bundle"
)

// newBundle makes a bundle for a builder whose go command notes where it looks for modules,
// and which cannot be written to. module is the hash of the runtime; "" is the builder's.
func newBundle(t *testing.T, b *build.Builder, module string) (dir, notes string) {
	t.Helper()
	real := goCommand(t)
	ownCompiled(t, b)
	if module == "" {
		mustBuild(t, b, greeting(`" first"`))
		found, err := filepath.Glob(filepath.Join(b.Cache, "module", "*"))
		if err != nil || len(found) != 1 {
			t.Fatalf("runtimes %q, %v", found, err)
		}
		module = filepath.Base(found[0])
	}
	dir, notes = t.TempDir(), filepath.Join(t.TempDir(), "notes")
	text, err := json.Marshal(bundle.Manifest{SchemaVersion: bundle.SchemaVersion, GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Module: module})
	if err != nil {
		t.Fatal(err)
	}
	compiled := filepath.Join(dir, bundle.CompiledDir, "bundle", "entry-d")
	for path, content := range map[string]string{filepath.Join(dir, bundle.ManifestFile): string(text), compiled: "compiled"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o444); err != nil {
			t.Fatal(err)
		}
	}
	command := filepath.Join(dir, bundle.GoDir, "bin", "go")
	if err := os.MkdirAll(filepath.Dir(command), 0o755); err != nil {
		t.Fatal(err)
	}
	script := `echo "$GOMODCACHE $GOROOT" >>'` + notes + `'; unset GOROOT; exec '` + real + `' "$@"`
	if err := os.Rename(filepath.Join(fakeGo(t, script), "go"), command); err != nil {
		t.Fatal(err)
	}
	return dir, notes
}

// ownCompiled gives a builder a build cache of its own that has the entries of the shared one.
func ownCompiled(t *testing.T, b *build.Builder) {
	t.Helper()
	cache := filepath.Join(b.Cache, "gocache")
	shared, err := os.Readlink(cache)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(cache); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 256 {
		name := fmt.Sprintf("%02x", i)
		if err := os.MkdirAll(filepath.Join(shared, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(shared, name), filepath.Join(cache, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// The toolchain of a bundle comes before an installed one, and reads the bundle's modules.
func TestBundle(t *testing.T) {
	b := newBuilder(t, smallModule())
	var notes string
	b.Bundle, notes = newBundle(t, b, "")
	want := filepath.Join(b.Bundle, bundle.GoDir, "bin", "go")
	b.Environ = append(b.Environ, "GOROOT=/old", "GOMODCACHE=/mine")
	if got := output(t, mustBuild(t, b, greeting(`" bundle"`))); got != "hello bundle" {
		t.Errorf("the program prints %q", got)
	}
	if got, _ := os.ReadFile(notes); strings.TrimSpace(strings.SplitN(string(got), "\n", 2)[0]) != filepath.Join(b.Bundle, bundle.ModulesDir) {
		t.Errorf("modules and GOROOT: %s", got)
	}
	if path, _, own, err := b.GoCommand(t.Context()); path != want || own || err != nil {
		t.Errorf("found %s, own %v, %v; want %s", path, own, err, want)
	}
	seeded, err := os.ReadFile(filepath.Join(b.Cache, "gocache", "bundle", "entry-d"))
	if err != nil || string(seeded) != "compiled" {
		t.Errorf("the build cache has %q, %v", seeded, err)
	}

	// A project may want an installed Go; without any, the bundle's counts as one.
	b.InstalledOnly, b.Environ = true, without(b.Environ, "GOROOT")
	if path, _, _, err := b.GoCommand(t.Context()); path == want || path == "" || err != nil {
		t.Errorf("with `toolchain: local`, found %s, %v", path, err)
	}
	b.GoDirs, b.Environ = []string{}, append(without(b.Environ, "PATH"), "PATH=/nonesuch")
	if path, _, _, err := b.GoCommand(t.Context()); path != want || err != nil {
		t.Errorf("with `toolchain: local` and no Go on PATH, found %s, %v", path, err)
	}
	b.GoDirs = []string{fakeGo(t, `echo go1.20.3`)}
	if path, _, _, err := b.GoCommand(t.Context()); path != want || err != nil {
		t.Errorf("with `toolchain: local` and an old Go, found %s, %v", path, err)
	}
}

// A bundle of another version of the runtime is not used.
func TestOtherBundle(t *testing.T) {
	b := newBuilder(t, smallModule())
	b.Bundle, _ = newBundle(t, b, "another")
	mustBuild(t, b, greeting(`" other"`))
	if path, _, _, err := b.GoCommand(t.Context()); strings.HasPrefix(path, b.Bundle) || err != nil {
		t.Errorf("found %s, %v", path, err)
	}
	if _, err := os.Stat(filepath.Join(b.Cache, "gocache", "bundle", "entry-d")); err == nil {
		t.Error("the build cache has its packages")
	}
}

// For another system, the toolchain and the modules serve, and not what is compiled.
func TestBundleCross(t *testing.T) {
	b := newBuilder(t, smallModule())
	b.Bundle, _ = newBundle(t, b, "")
	b.GOOS, b.GOARCH = "plan9", "386"
	mustBuild(t, b, greeting(`" cross"`))
	if _, err := os.Stat(filepath.Join(b.Cache, "gocache", "bundle", "entry-d")); err == nil {
		t.Error("the build cache has packages of another system")
	}
}
