package build_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/wfc-lang/wfc"
	"github.com/wfc-lang/wfc/cmd/wfc/build"
	"github.com/wfc-lang/wfc/gen"
)

// What is lost or damaged in the cache comes back with the next build.
func TestDamagedCache(t *testing.T) {
	b := newBuilder(t, smallModule())
	mustBuild(t, b, greeting(`""`))
	module := filepath.Join(b.Cache, "module", entries(t, filepath.Join(b.Cache, "module"))[0])
	if _, err := os.Stat(filepath.Join(module, "runtime", "greet", "greet_test.go")); err == nil {
		t.Error("the runtime's tests were extracted")
	}
	for _, damage := range []func() error{
		func() error { return os.Truncate(filepath.Join(module, "runtime", "greet", "greet.go"), 0) },
		func() error { return os.RemoveAll(filepath.Join(module, "runtime")) },
		func() error { return os.Remove(filepath.Join(module, "go.mod")) },
		func() error { return os.RemoveAll(filepath.Join(b.Cache, "module")) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if got := output(t, mustBuild(t, b, greeting(`" back"`))); got != "hello back" {
			t.Errorf("the program prints %q", got)
		}
	}
}

// No build compiles what somebody added to the extracted runtime, or put behind a link.
func TestExtendedModule(t *testing.T) {
	b := newBuilder(t, smallModule())
	mustBuild(t, b, greeting(`""`))
	module := filepath.Join(b.Cache, "module", entries(t, filepath.Join(b.Cache, "module"))[0])
	greet := filepath.Join(module, "runtime", "greet")
	const evil = "package greet\n\nfunc init() { print(\"evil \") }\n"
	for name, change := range map[string]func() error{
		"a file":   func() error { return os.WriteFile(filepath.Join(greet, "evil.go"), []byte(evil), 0o600) },
		"a folder": func() error { return os.MkdirAll(filepath.Join(module, "vendor", "example.com"), 0o700) },
		"a link to a file": func() error {
			elsewhere := filepath.Join(t.TempDir(), "evil.go")
			return errors.Join(os.WriteFile(elsewhere, []byte(evil), 0o600), os.Symlink(elsewhere, filepath.Join(greet, "evil.go")))
		},
		"a link for a folder": func() error {
			elsewhere := filepath.Join(t.TempDir(), "greet")
			return errors.Join(os.Rename(greet, elsewhere), os.WriteFile(filepath.Join(elsewhere, "evil.go"), []byte(evil), 0o600), os.Symlink(elsewhere, greet))
		},
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if got := output(t, mustBuild(t, b, greeting(`" `+name+`"`))); got != "hello "+name {
			t.Errorf("%s: the program prints %q", name, got)
		}
	}
}

// A program of the cache that is not the one that was built does not run: it is built again.
func TestExchangedProgram(t *testing.T) {
	b := newBuilder(t, smallModule())
	files := greeting(`""`)
	build := func() (path string, info os.FileInfo) {
		t.Helper()
		path, err := b.BuildCached(t.Context(), files, "program")
		if err != nil {
			t.Fatal(err)
		}
		if info, err = os.Stat(path); err != nil {
			t.Fatal(err)
		}
		return path, info
	}
	other := mustBuild(t, b, greeting(`" other"`))
	for name, change := range map[string]func(path string) error{
		"another program": func(path string) error { return os.Rename(mustBuild(t, b, greeting(`" other"`)), path) },
		"a link":          func(path string) error { return errors.Join(os.Remove(path), os.Symlink(other, path)) },
		"half of it":      func(path string) error { return os.Truncate(path, 1000) },
		"no program": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, []byte("echo evil\n"), 0o700))
		},
		"a folder": func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"no seal":  func(path string) error { return os.Remove(path + ".seal") },
	} {
		path, _ := build()
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		for range 2 { // asking must not make it trusted
			if _, ok := b.Cached(files, "program"); ok {
				t.Errorf("%s: it is in the cache", name)
			}
		}
		path, _ = build()
		if got := output(t, path); got != "hello" {
			t.Errorf("%s: the program prints %q", name, got)
		}
	}

	// The same program with another time, as of a restored cache, is not built again.
	path, _ := build()
	if err := os.Chtimes(path, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if _, info := build(); !info.ModTime().Equal(time.Unix(1, 0)) {
		t.Error("a copied program is built again")
	}
}

// Nothing in a cache that somebody else could write to is used.
func TestForeignCache(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("wfc does not check owners on Windows")
	}
	b := newBuilder(t, smallModule())
	files := greeting(`""`)
	if _, err := b.BuildCached(t.Context(), files, "program"); err != nil {
		t.Fatal(err)
	}
	refused := func(name string) {
		t.Helper()
		if _, ok := b.Cached(files, "program"); ok {
			t.Errorf("%s: its programs are used", name)
		}
		_, err := b.BuildCached(t.Context(), files, "program")
		for _, err := range []error{err, b.Build(t.Context(), files, filepath.Join(t.TempDir(), "out"))} {
			if err == nil || !strings.Contains(err.Error(), "the cache cannot be trusted: ") || !strings.Contains(err.Error(), "WFC_TRUST=") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	chmod := func(mode os.FileMode) {
		t.Helper()
		if err := os.Chmod(b.Cache, mode); err != nil {
			t.Fatal(err)
		}
	}
	chmod(0o777)
	refused("writable by others")
	t.Run("trusted", func(t *testing.T) {
		t.Setenv("WFC_TRUST", b.Cache)
		if _, err := b.BuildCached(t.Context(), files, "program"); err != nil {
			t.Error(err)
		}
	})
	chmod(0o755)
	if os.Geteuid() != 0 {
		return // only root can give a folder to another user
	}
	for _, name := range []string{"bin", "module", ""} {
		if err := os.Chown(filepath.Join(b.Cache, name), 54321, 54321); err != nil {
			t.Fatal(err)
		}
		refused("somebody else's folder " + name)
		if err := os.Chown(filepath.Join(b.Cache, name), 0, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// A module that needs another one, which is in no module cache.
func needy(t *testing.T) (fstest.MapFS, []gen.File) {
	t.Helper()
	sums, err := fs.ReadFile(wfc.Module, "go.sum")
	if err != nil {
		t.Fatal(err)
	}
	var sum []string
	version := ""
	for line := range strings.Lines(string(sums)) {
		if f := strings.Fields(line); f[0] == "github.com/google/uuid" {
			sum = append(sum, line)
			version = strings.TrimSuffix(f[1], "/go.mod")
		}
	}
	module := smallModule()
	module["go.mod"].Data = append(module["go.mod"].Data, "\nrequire github.com/google/uuid "+version+"\n"...)
	module["go.sum"].Data = []byte(strings.Join(sum, ""))
	return module, []gen.File{{Name: "main.go", Content: []byte("package main\n\nimport \"github.com/google/uuid\"\n\nfunc main() { print(uuid.Nil.String()) }\n")}}
}

func TestMissingModule(t *testing.T) {
	module, files := needy(t)
	b := newBuilder(t, module)
	own := t.TempDir()
	b.Environ = append(b.Environ, "GOMODCACHE="+own, "GOFLAGS=-modcacherw")
	out := filepath.Join(t.TempDir(), "program")
	err := b.Build(t.Context(), files, out)
	var missing *build.MissingModuleError
	if !errors.As(err, &missing) || len(missing.Modules) != 1 || !strings.HasPrefix(missing.Modules[0], "github.com/google/uuid@v") {
		t.Fatalf("building without a module: %v", err)
	}
	for _, part := range []string{"github.com/google/uuid@v", "Run the same command once", "use wfc-full", "GOPROXY=off"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the message does not mention %s: %v", part, err)
		}
	}
}

// Prefetching gets what is missing, tells of it, and makes builds independent
// of the network. The proxy is the module cache of whoever runs the test.
func TestPrefetch(t *testing.T) {
	module, files := needy(t)
	proxy := filepath.Join(goModCache(t), "cache", "download")
	if _, err := os.Stat(filepath.Join(proxy, "github.com", "google", "uuid", "@v")); err != nil {
		t.Skipf("the module is not in the module cache: %v", err)
	}
	b := newBuilder(t, module)
	own := t.TempDir()
	var progress bytes.Buffer
	offline := append(b.Environ, "GOMODCACHE="+own)
	b.Progress = &progress
	b.Environ = append(offline[:len(offline):len(offline)], "GOPROXY=file://"+filepath.ToSlash(proxy), "GONOSUMDB=*")
	defer makeWritable(own)
	if err := b.Prefetch(t.Context(), files); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(progress.String(), "downloading github.com/google/uuid v") {
		t.Errorf("progress: %q", progress.String())
	}
	b.Environ = offline
	if got := output(t, mustBuild(t, b, files)); !strings.HasPrefix(got, "00000000-0000") {
		t.Errorf("the program prints %q", got)
	}
}

// makeWritable lets a module cache be removed.
func makeWritable(dir string) {
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o755)
		}
		return nil
	})
}
