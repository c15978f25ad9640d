package build_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/wfc-lang/wfc"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/gen/build"
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
