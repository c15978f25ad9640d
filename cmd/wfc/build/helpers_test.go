package build_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/wfc-lang/wfc/cmd/wfc/build"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// A small module stands in for the runtime, so that most tests compile next to
// nothing.
func smallModule() fstest.MapFS {
	return fstest.MapFS{
		"go.mod":                         {Data: []byte("module example.com/small\n\ngo 1.26.0\n")},
		"go.sum":                         {Data: []byte("")},
		"runtime/greet/greet.go":         {Data: []byte("package greet\n\nconst Word = \"hello\"\n")},
		"runtime/greet/greet_test.go":    {Data: []byte("package greet\n\nthis is no Go\n")},
		"runtime/greet/testdata/file.go": {Data: []byte("package broken(\n")},
	}
}

func greeting(more string) []gen.File {
	return []gen.File{
		{Name: "main.go", Content: []byte("package main\n\nfunc main() { flow() }\n")},
		{Name: "flow.go", Content: []byte("package main\n\nimport \"example.com/small/runtime/greet\"\n\nfunc flow() { print(greet.Word + " + more + ") }\n")},
	}
}

// newBuilder returns a builder with a cache of its own, but for what was
// compiled: that is shared with all other tests and runs.
func newBuilder(t *testing.T, module fstest.MapFS) *build.Builder {
	t.Helper()
	testkit.SkipBuild(t)
	cache := t.TempDir()
	shared, err := build.DefaultCache()
	if err != nil {
		t.Fatal(err)
	}
	compiled := filepath.Join(shared, "gocache")
	if err := os.MkdirAll(compiled, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(compiled, filepath.Join(cache, "gocache")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	return &build.Builder{Module: module, Cache: cache, Environ: append(os.Environ(), "GOPROXY=off")}
}

func mustBuild(t *testing.T, b *build.Builder, files []gen.File) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "bin", "program"+b.ExeSuffix())
	if err := b.Build(t.Context(), files, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// output runs a program and returns what it prints.
func output(t *testing.T, program string, args ...string) string {
	t.Helper()
	text, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", program, err, text)
	}
	return string(text)
}

// without returns an environment less some variables.
func without(environ []string, names ...string) []string {
	var rest []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		keep := true
		for _, n := range names {
			keep = keep && n != name
		}
		if keep {
			rest = append(rest, kv)
		}
	}
	return rest
}

// fakeGo puts a script named go into a folder of its own and returns that.
func fakeGo(t *testing.T, script string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs scripts")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func entries(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func goModCache(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	return string(bytes.TrimSpace(out))
}

func goCommand(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	return path
}
