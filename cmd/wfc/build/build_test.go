package build_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/cmd/wfc/build"
	"github.com/wfc-lang/wfc/gen"
)

func TestBuild(t *testing.T) {
	b := newBuilder(t, smallModule())
	out := mustBuild(t, b, greeting(`" you"`))
	if got := output(t, out); got != "hello you" {
		t.Errorf("the program prints %q", got)
	}
	if left := entries(t, filepath.Join(b.Cache, "tmp")); len(left) > 0 {
		t.Errorf("the build left %v behind", left)
	}
	// A program is replaced, whatever it was built from.
	if err := b.Build(t.Context(), greeting(`" again"`), out); err != nil {
		t.Fatal(err)
	}
	if got := output(t, out); got != "hello again" {
		t.Errorf("the replaced program prints %q", got)
	}
}

// What the user has set for builds of their own does not change a workflow's.
func TestSettingsOfTheUser(t *testing.T) {
	b := newBuilder(t, smallModule())
	work := filepath.Join(t.TempDir(), "go.work")
	config := filepath.Join(t.TempDir(), "env")
	write(t, work, "no go.work\n")
	write(t, config, "GOFLAGS=-mod=vendor\n")
	b.Environ = append(b.Environ, "GOENV="+config, "GOWORK="+work, "GOOS=plan9", "GOARCH=mips", "CGO_ENABLED=1", "GO111MODULE=off", "GOEXPERIMENT=nonesuch", "GOTOOLCHAIN=go1.99.0")
	if got := output(t, mustBuild(t, b, greeting(`""`))); got != "hello" {
		t.Errorf("the program prints %q", got)
	}
}

// The same sources give the same bytes wherever the cache is.
func TestReproducible(t *testing.T) {
	one := mustBuild(t, newBuilder(t, smallModule()), greeting(`" bytes"`))
	two := mustBuild(t, newBuilder(t, smallModule()), greeting(`" bytes"`))
	if !bytes.Equal(read(t, one), read(t, two)) {
		t.Error("two builds of the same sources differ")
	}
	if cache := t.TempDir(); bytes.Contains(read(t, one), []byte(filepath.Dir(filepath.Dir(cache)))) {
		t.Error("the program holds paths of this machine")
	}
}

func TestOutputIsKept(t *testing.T) {
	b := newBuilder(t, smallModule())
	dir := t.TempDir()
	source := filepath.Join(dir, "flow.yaml")
	write(t, source, "name: precious\n")
	err := b.Build(t.Context(), greeting(`""`), source)
	if err == nil || !strings.Contains(err.Error(), "is not a program; wfc does not overwrite it") {
		t.Errorf("building over a workflow: %v", err)
	}
	if got := string(read(t, source)); got != "name: precious\n" {
		t.Errorf("the workflow was replaced by %q", got)
	}
	if err := b.Build(t.Context(), greeting(`""`), dir); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("building over a folder: %v", err)
	}
	empty := filepath.Join(dir, "empty")
	write(t, empty, "")
	if err := b.Build(t.Context(), greeting(`""`), empty); err != nil {
		t.Errorf("building over an empty file: %v", err)
	}
}

func TestCachedProgram(t *testing.T) {
	b := newBuilder(t, smallModule())
	path, err := b.BuildCached(t.Context(), greeting(`" cache"`), "greeting")
	if err != nil {
		t.Fatal(err)
	}
	if name := filepath.Base(path); name != "greeting"+b.ExeSuffix() {
		t.Errorf("the program is named %s", name)
	}
	// With the program there, no go command is needed.
	b.Environ, b.GoDirs = nil, []string{}
	again, err := b.BuildCached(t.Context(), greeting(`" cache"`), "greeting")
	if err != nil || again != path {
		t.Errorf("unchanged files: %s, %v; want %s", again, err, path)
	}
	if _, err := b.BuildCached(t.Context(), greeting(`" changed"`), "greeting"); err == nil {
		t.Error("changed files were not built")
	}
	changed := smallModule()
	changed["runtime/greet/greet.go"].Data = []byte("package greet\n\nconst Word = \"bye\"\n")
	b.Module = changed
	if _, err := b.BuildCached(t.Context(), greeting(`" cache"`), "greeting"); err == nil {
		t.Error("the files were not built with the changed runtime")
	}
}

func TestCleaning(t *testing.T) {
	b := newBuilder(t, smallModule())
	old := time.Now().Add(-90 * 24 * time.Hour)
	recent := time.Now().Add(-time.Hour)
	for _, e := range []struct {
		path string
		used time.Time
	}{
		{"bin/old", old}, {"module/old", old}, {"tmp/build-old", old},
		{"bin/recent", recent}, {"module/recent", recent}, {"tmp/build-recent", recent},
	} {
		dir := filepath.Join(b.Cache, filepath.FromSlash(e.path))
		write(t, filepath.Join(dir, "file"), "x")
		if err := os.Chtimes(dir, e.used, e.used); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.BuildCached(t.Context(), greeting(`" clean"`), "greeting"); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]int{"bin": 2, "module": 2, "tmp": 1} {
		got := entries(t, filepath.Join(b.Cache, dir))
		if len(got) != want || strings.Contains(strings.Join(got, " "), "old") {
			t.Errorf("%s has %v after cleaning", dir, got)
		}
	}
}

func TestInterrupted(t *testing.T) {
	b := newBuilder(t, smallModule())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := filepath.Join(t.TempDir(), "program")
	if err := b.Build(ctx, greeting(`""`), out); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted build: %v", err)
	}
	if left := entries(t, filepath.Join(b.Cache, "tmp")); len(left) > 0 {
		t.Errorf("the build left %v behind", left)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("there is a program")
	}
}

func TestManyAtOnce(t *testing.T) {
	b := newBuilder(t, smallModule())
	dir := t.TempDir()
	var all sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		all.Go(func() { errs[i] = b.Build(t.Context(), greeting(`" crowd"`), filepath.Join(dir, "program")) })
	}
	all.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, filepath.Join(b.Cache, "module")); len(got) != 1 {
		t.Errorf("the runtime was extracted to %v", got)
	}
	if got := output(t, filepath.Join(dir, "program")); got != "hello crowd" {
		t.Errorf("the program prints %q", got)
	}
}

func TestCrossBuild(t *testing.T) {
	b := newBuilder(t, smallModule())
	b.GOOS, b.GOARCH = "windows", "amd64"
	if runtime.GOOS == "windows" {
		b.GOOS = "linux"
	}
	magic := map[string]string{"windows": "MZ", "linux": "\x7fELF"}[b.GOOS]
	out := mustBuild(t, b, greeting(`""`))
	if !bytes.HasPrefix(read(t, out), []byte(magic)) {
		t.Errorf("%s is no program for %s", out, b.GOOS)
	}
	b.GOOS = "nonesuch"
	var target *build.TargetError
	err := b.Build(t.Context(), greeting(`""`), out)
	if !errors.As(err, &target) || !strings.Contains(err.Error(), "cannot build workflows for nonesuch/amd64") {
		t.Errorf("building for a system that does not exist: %v", err)
	}
}

func TestMain(m *testing.M) {
	// The go command of the tests must not look for one that it may download.
	os.Setenv("GOTOOLCHAIN", "local")
	os.Exit(m.Run())
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// A file in a folder is a package that the main one can import.
func TestBuildOfSeveralPackages(t *testing.T) {
	b := newBuilder(t, smallModule())
	files := []gen.File{
		{Name: "main.go", Content: []byte("package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/small/workflow/inner\"\n)\n\nfunc main() { fmt.Print(inner.Word) }\n")},
		{Name: "inner/inner.go", Content: []byte("package inner\n\nconst Word = \"inside\"\n")},
	}
	if got := output(t, mustBuild(t, b, files)); got != "inside" {
		t.Errorf("the program prints %q", got)
	}
	for _, name := range []string{"../x.go", "/x.go", "x.txt", "a\\b.go/.."} {
		bad := append(files[:2:2], gen.File{Name: name, Content: []byte("package x\n")})
		if err := b.Build(t.Context(), bad, filepath.Join(t.TempDir(), "out")); err == nil || !strings.Contains(err.Error(), "is not the name of a Go file") {
			t.Errorf("a file %s: %v", name, err)
		}
	}
}

// waitingGo is a go command whose build waits for the network until another one compiles the
// standard library, and then for the end of that one. $notes is a folder.
const waitingGo = `
until_there() { while [ ! -e "$1" ]; do sleep 0.01; done; }
case "$1 $*" in
build*-overlay=*)
	for a; do [ "$before" = -o ] && out=$a; before=$a; done
	echo "go: downloading example.com/far v1.0.0" >&2
	until_there "$notes/std"
	echo "runtime" >&2
	until_there "$notes/ended"
	echo program >"$out/workflow" && chmod +x "$out/workflow" ;;
build*database/sql*)
	trap 'touch "$notes/ended"; exit 1' INT
	echo "$*" >"$notes/writing"; mv "$notes/writing" "$notes/std"
	while :; do sleep 0.01; done ;;
*) echo go1.99.0 ;;
esac
`

// While the modules of a first build are downloaded, the standard library is compiled, until
// the build itself compiles.
func TestStandardLibraryIsCompiledAhead(t *testing.T) {
	notes := t.TempDir()
	b := &build.Builder{Module: smallModule(), Cache: t.TempDir(), Environ: os.Environ()}
	b.GoDirs = []string{fakeGo(t, "notes='"+notes+"'\n"+waitingGo)}
	b.Environ = append(without(b.Environ, "PATH", "GOROOT"), "PATH=/usr/bin:/bin")
	out := filepath.Join(t.TempDir(), "program")
	if err := b.Build(t.Context(), greeting(`" ahead"`), out); err != nil {
		t.Fatal(err)
	}
	args, err := os.ReadFile(filepath.Join(notes, "std"))
	if err != nil || !strings.Contains(string(args), "-trimpath -buildvcs=false") {
		t.Errorf("the standard library is compiled by %q, %v", args, err)
	}
}
