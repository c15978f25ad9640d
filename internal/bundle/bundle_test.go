package bundle_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/internal/bundle"
)

// install makes an installation of wfc-full and returns the path of its program.
func install(t *testing.T, m bundle.Manifest) string {
	t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		"bin/wfc":                     "program",
		"lib/wfc/bundle.json":         string(text),
		"lib/wfc/go/bin/go":           "go",
		"lib/wfc/go/bin/go.exe":       "go",
		"lib/wfc/gocache/0a/0a11-a":   "action",
		"lib/wfc/gocache/ff/ff22-d":   "output",
		"lib/wfc/mod/example.com/m@v": "module",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "bin", "wfc")
}

func manifest() bundle.Manifest {
	return bundle.Manifest{SchemaVersion: bundle.SchemaVersion, Go: "go1.26.8", GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Module: "abc"}
}

func TestFind(t *testing.T) {
	program := install(t, manifest())
	found := bundle.Find(program)
	if found == "" {
		t.Fatal("found no bundle beside its program")
	}
	link := filepath.Join(t.TempDir(), "wfc")
	if err := os.Symlink(program, link); err != nil {
		t.Skipf("no links here: %v", err)
	}
	real, err := filepath.EvalSymlinks(found)
	if err != nil {
		t.Fatal(err)
	}
	if got := bundle.Find(link); got != real {
		t.Errorf("by a link: %q, want %q", got, real)
	}
	if got := bundle.Find(filepath.Join(t.TempDir(), "bin", "wfc")); got != "" {
		t.Errorf("found %q where there is none", got)
	}
}

func TestOpen(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(m *bundle.Manifest)
		ok     bool
		goOK   bool
	}{
		{"fits", func(*bundle.Manifest) {}, true, true},
		{"of another runtime", func(m *bundle.Manifest) { m.Module = "def" }, false, false},
		{"of a later form", func(m *bundle.Manifest) { m.SchemaVersion++ }, false, false},
		{"of another system", func(m *bundle.Manifest) { m.GOARCH = "mips" }, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := manifest()
			test.change(&m)
			b := bundle.Open(bundle.Find(install(t, m)), "abc")
			if (b != nil) != test.ok {
				t.Fatalf("opened %v, want %v", b, test.ok)
			}
			if b != nil && (b.GoCommand() != "") != test.goOK {
				t.Errorf("its go command is %q", b.GoCommand())
			}
		})
	}
	if bundle.Open("", "abc") != nil || bundle.Open(t.TempDir(), "abc") != nil {
		t.Error("opened a bundle that does not exist")
	}
}

func TestSeed(t *testing.T) {
	b := bundle.Open(bundle.Find(install(t, manifest())), "abc")
	cache := filepath.Join(t.TempDir(), "gocache")
	action, output := filepath.Join(cache, "0a", "0a11-a"), filepath.Join(cache, "ff", "ff22-d")
	seed := func() {
		t.Helper()
		if err := b.Seed(cache); err != nil {
			t.Fatal(err)
		}
	}
	want := func(path, content string) {
		t.Helper()
		if got, _ := os.ReadFile(path); string(got) != content {
			t.Errorf("%s has %q, want %q", filepath.Base(path), got, content)
		}
	}
	seed()
	want(action, "action")
	want(output, "output")

	// An entry that a build has written since stays, and one that was removed comes back only
	// after a day.
	if err := os.WriteFile(action, []byte("newer"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(output); err != nil {
		t.Fatal(err)
	}
	seed()
	want(output, "")
	marks, err := filepath.Glob(filepath.Join(cache, "wfc-*"))
	if err != nil || len(marks) != 1 {
		t.Fatalf("marks %q, %v", marks, err)
	}
	before := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(marks[0], before, before); err != nil {
		t.Fatal(err)
	}
	seed()
	want(output, "output")
	want(action, "newer")

	// A cache that was removed is filled at once.
	if err := os.RemoveAll(cache); err != nil {
		t.Fatal(err)
	}
	seed()
	want(output, "output")
}
