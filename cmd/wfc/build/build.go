// Package build makes standalone binaries of generated workflows.
// The following code builds the program triage from a compiled workflow:
//
//	cache, err := build.DefaultCache()
//	if err != nil {
//		return err
//	}
//	files := gen.Generate(result.Workflow, gen.Options{Main: true, LineDirectives: true})
//	b := &build.Builder{Module: wfc.Module, Cache: cache, Environ: os.Environ()}
//	err = b.Build(ctx, files, "triage")
//
// wfc carries the sources of its runtime. A Builder extracts them to a cache once, adds
// the generated main package with `go build -overlay`, and compiles it there. All
// workflows share one module, one set of flags and one build cache, so the go command
// compiles only the few generated files anew. A build downloads only modules that are
// missing from the module cache, and never changes go.mod.
package build

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
)

// A Builder builds workflows into binaries. Its fields must not change while
// it works; Build may be called concurrently.
type Builder struct {
	// Module is the runtime's module (go.mod, go.sum and the runtime folder): wfc.Module.
	Module fs.FS
	// Cache is the folder for extracted sources, the build cache and built
	// binaries; see DefaultCache.
	Cache string
	// Environ is the environment in which to find and run the go command, usually
	// os.Environ(); nil is an empty one.
	Environ []string
	// GoDirs are folders to search for the go command if it is neither on PATH nor in
	// GOROOT; nil means the folders of Go's installers.
	GoDirs []string
	// InstalledOnly forbids Build to download Go: Build fails if no installed go command is
	// new enough. Otherwise Build downloads one from the Go module proxy in that case.
	InstalledOnly bool
	// Bundle is the folder with Go, all modules and compiled packages that is installed
	// beside wfc-full, the edition of wfc that needs no network; "" is none. Build does not
	// use a bundle of another version of the runtime.
	Bundle string
	// GOOS and GOARCH are the target; empty means this machine's.
	GOOS, GOARCH string
	// Version is the version of wfc, which programs print; "" is unknown.
	Version string
	// Program is what Progress calls the built program; "" is the workflow.
	Program string
	// Progress receives lines that report the progress of slow builds; nil means none.
	Progress io.Writer
	// Live says that Progress is a terminal, so that Build may redraw its last line.
	Live bool
}

// DefaultCache returns the folder that WFC_CACHE names, or wfc's folder in the
// user's cache folder.
func DefaultCache() (string, error) {
	if dir := os.Getenv("WFC_CACHE"); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache folder: %w; set WFC_CACHE", err)
	}
	return filepath.Join(dir, "wfc"), nil
}

// mainDir is where the generated package seems to stand in the module.
const mainDir = "workflow"

// ImportPath returns an import path for a package below the main package, in the given
// folder. Use it for a library package that Build compiles together with the main
// package: pass it to gen.Generate as Options.ImportPath, import the package by it in the
// main package, and put the folder before the names of the package's files (see
// gen.File.Name).
func (b *Builder) ImportPath(folder string) string {
	return path.Join("github.com/wfc-lang/wfc", mainDir, folder)
}

// Build compiles the files to the program out. They are a main package that gen.Generate
// made with Options.Main and without Options.ImportPath. Build replaces an existing file
// atomically, but only if that is a program or empty. With os.DevNull as out it compiles
// and keeps no program. The error may be a *MissingModuleError, a *TargetError, a
// *CompileError, the context's error, or an error of the file system.
func (b *Builder) Build(ctx context.Context, files []gen.File, out string) error {
	if out != os.DevNull {
		if err := checkOutput(out); err != nil {
			return err
		}
	}
	if err := b.checkCache(); err != nil {
		return err
	}
	module, err := extractModule(b.Module, b.Cache)
	if err != nil {
		return fmt.Errorf("extract the runtime to %s: %w; set WFC_CACHE to another folder", b.Cache, err)
	}
	work, err := b.workDir()
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	kit := b.openBundle()
	tool, err := b.resolveToolchain(ctx, work, module, kit)
	if err != nil {
		return err
	}
	b.seedBuildCache(kit)
	overlay, err := writeOverlay(module, work, files)
	if err != nil {
		return fmt.Errorf("write the generated code: %w", err)
	}
	built := filepath.Join(work, mainDir+b.ExeSuffix())
	args := append(b.buildArgs(), "-overlay="+overlay, "-o", work)
	// In a partly filled cache, an unknown part is missing.
	empty := isMissing(b.goCache())
	if empty || isMissing(b.warmMark(files)) {
		args = append(args, slowPackages(files)...)
	}
	printed := &output{progress: b.Progress, program: cmp.Or(b.Program, "the workflow"), live: b.Live, began: time.Now()}
	if empty {
		std := b.compileAhead(tool, module)
		defer std.stopAndWait()
		printed.waits, printed.compiles = func() { std.startCompiling(ctx) }, std.stopCompiling
	}
	if empty && b.Progress != nil {
		// Beside the build, which must not wait for it.
		counting, stop := context.WithCancel(ctx)
		defer stop()
		go b.countPackages(counting, tool, module, overlay, printed)
	}
	printed.startHeartbeat()
	if err := tool.runGo(ctx, module, printed, append(args, "./"+mainDir)...); err != nil {
		return err
	}
	b.keepWarm(files)
	return installProgram(built, out)
}

// sqliteImport is in the generated code of programs with the SQLite store.
const sqliteImport = `/runtime/store/entstore"`

// slowPackages are the packages of a program whose compilation is the longest
// way through a first build: SQLite is one package of some hundred thousand lines, and needs
// another large one. The go command starts with its first arguments; by itself it would
// compile these packages last, when nothing else is left to compile beside them.
func slowPackages(files []gen.File) []string {
	for _, f := range files {
		if bytes.Contains(f.Content, []byte(sqliteImport)) {
			return []string{"modernc.org/sqlite/lib"}
		}
	}
	return nil
}

// BuildCached returns the path of the cached program that was built from the files, and builds
// it first if necessary, which may take minutes. name is the program's file name without
// ExeSuffix. The errors are those of Build.
func (b *Builder) BuildCached(ctx context.Context, files []gen.File, name string) (path string, err error) {
	path, err = b.cachedPath(files, name)
	if err != nil {
		return "", err
	}
	if isSealed(path) {
		markUsed(filepath.Dir(path))
		return path, nil
	}
	if checkOutput(path) != nil {
		_ = os.RemoveAll(path) // Build only replaces programs
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	if err := b.Build(ctx, files, path); err != nil {
		return "", err
	}
	is, err := sealOf(path)
	if err == nil {
		err = is.writeTo(path)
	}
	if err != nil {
		return "", fmt.Errorf("note what the built program is: %w", err)
	}
	b.cleanCache(time.Now())
	return path, nil
}

// Cached returns the path that BuildCached would return, but doesn't build: ok is false if
// the program is not in the cache.
func (b *Builder) Cached(files []gen.File, name string) (path string, ok bool) {
	path, err := b.cachedPath(files, name)
	if err != nil {
		return "", false
	}
	return path, isSealed(path)
}

func (b *Builder) cachedPath(files []gen.File, name string) (string, error) {
	if err := b.checkCache(); err != nil {
		return "", err
	}
	_, sum, err := moduleFiles(b.Module)
	if err != nil {
		return "", err
	}
	return filepath.Join(b.Cache, "bin", b.programKey(sum, files), name+b.ExeSuffix()), nil
}

// programKey names what a program is built from.
func (b *Builder) programKey(module string, files []gen.File) string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %s %s %q\n", module, b.targetOS(), b.targetArch(), b.buildArgs())
	for _, f := range files {
		fmt.Fprintf(hash, "%s %d\n", f.Name, len(f.Content))
		hash.Write(f.Content)
	}
	return hex.EncodeToString(hash.Sum(nil))[:20]
}

func isMissing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// keepWarm notes that such a program was compiled. A failure only means that the
// next build compiles SQLite first although it need not.
func (b *Builder) keepWarm(files []gen.File) {
	mark := b.warmMark(files)
	if isMissing(mark) && os.MkdirAll(filepath.Dir(mark), 0o755) == nil {
		_ = os.WriteFile(mark, nil, 0o644)
	}
}

// warmMark is the file that says so: what programs share depends on the system
// and the store.
func (b *Builder) warmMark(files []gen.File) string {
	kind := "other"
	if len(slowPackages(files)) > 0 {
		kind = "sqlite"
	}
	return filepath.Join(b.Cache, "warm", b.targetOS()+"-"+b.targetArch()+"-"+kind)
}

func (b *Builder) goCache() string { return filepath.Join(b.Cache, "gocache") }

func (b *Builder) targetOS() string { return cmp.Or(b.GOOS, runtime.GOOS) }

func (b *Builder) targetArch() string { return cmp.Or(b.GOARCH, runtime.GOARCH) }

// ExeSuffix returns the file name suffix of programs for the target: ".exe" or "".
func (b *Builder) ExeSuffix() string {
	if b.targetOS() == "windows" {
		return ".exe"
	}
	return ""
}

// workDir makes a folder for one build beside the cache's other folders.
func (b *Builder) workDir() (string, error) {
	parent := filepath.Join(b.Cache, "tmp")
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", fmt.Errorf("create the cache folder: %w; set WFC_CACHE to another folder", err)
	}
	return os.MkdirTemp(parent, "build-*")
}

// countPackages gives an output the packages to compile. Listing them takes about a second,
// so it is for new build caches, where the build is slow.
func (b *Builder) countPackages(ctx context.Context, tool *toolchain, module, overlay string, o *output) {
	listed := &output{}
	if err := tool.runGo(ctx, module, listed, "list", "-deps", "-mod=readonly", "-overlay="+overlay, "./"+mainDir); err == nil {
		o.expectPackages(listed.packagePaths())
	}
}

// writeOverlay writes the files and the overlay that makes the go command see
// them in the module, and returns the overlay's path.
func writeOverlay(module, work string, files []gen.File) (string, error) {
	replace := map[string]string{}
	for _, f := range files {
		name := filepath.FromSlash(f.Name)
		if !filepath.IsLocal(name) || !strings.HasSuffix(f.Name, ".go") {
			return "", fmt.Errorf("%q is not the name of a Go file", f.Name)
		}
		path := filepath.Join(work, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, f.Content, 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(module, mainDir, name)] = path
	}
	text, err := json.Marshal(struct{ Replace map[string]string }{replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(work, "overlay.json")
	return path, os.WriteFile(path, text, 0o600)
}

// Prefetch downloads every module that the program of the files needs, and compiles the
// program into the build cache, so that later builds are quick and need no network. It
// keeps no program. The errors are those of Build.
func (b *Builder) Prefetch(ctx context.Context, files []gen.File) error {
	return b.Build(ctx, files, os.DevNull)
}

// compilerFlags make compilers faster and programs smaller, without any effect on what a program does.
//
// The linker drops debug information (-s -w), so the compilers do not write it: that is a
// sixth of their time. The SDKs of model services are single packages of many thousand
// generated functions, which compile in half the time without inlining (-l). Their
// functions wait for the network, so the calls don't matter. Inlined copies of the runtime, the
// command line and the database's code were a twenty-fifth of a program; without them, it
// starts a little earlier.
//
// .ci/run has the same flags: the build cache keeps packages by their flags, and programs
// in tests share what the tests compile.
var compilerFlags = []string{
	"-gcflags=all=-dwarf=false",
	"-gcflags=github.com/anthropics/anthropic-sdk-go/...=-dwarf=false -l",
	"-gcflags=github.com/openai/openai-go/...=-dwarf=false -l",
	"-gcflags=github.com/wfc-lang/wfc/runtime/...=-dwarf=false -l",
	"-gcflags=github.com/spf13/...=-dwarf=false -l",
	"-gcflags=entgo.io/ent/...=-dwarf=false -l",
}

// linkerFlag makes programs smaller. On amd64, the linker aligns functions to 32 bytes otherwise.
const linkerFlag = "-ldflags=-s -w -funcalign=16"

// oneWord is what a version may be made of, so that the linker takes it as one
// word.
var oneWord = lazyregexp.New(`^[-+.()0-9A-Za-z]+$`)

// buildArgs are the arguments of the go command that the program depends on.
func (b *Builder) buildArgs() []string {
	link := linkerFlag
	if oneWord().MatchString(b.Version) {
		link += " -X github.com/wfc-lang/wfc/runtime/cli.builtBy=" + b.Version
	}
	return append([]string{"build", "-v", "-mod=readonly", "-trimpath", "-buildvcs=false", link}, compilerFlags...)
}

// shared are packages of the standard library that programs need, with all that those need.
// They are most of what a program compiles before its modules.
var shared = []string{"database/sql", "encoding/json", "log/slog", "math/big", "net", "os/exec", "os/signal", "os/user", "regexp", "text/template"}

// ahead compiles the standard library while the go command that builds a program waits for
// the network: it compiles nothing before it has all modules. It stops when that go command
// begins to compile, and finds the finished packages in the build cache.
type ahead struct {
	// build runs until ctx ends.
	build func(ctx context.Context)

	mu   sync.Mutex
	stop context.CancelFunc // nil before start
	over bool
	work sync.WaitGroup
}

// startCompiling begins to compile. Only the first call does something, and none after the end.
func (a *ahead) startCompiling(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over || a.stop != nil {
		return
	}
	ctx, a.stop = context.WithCancel(ctx)
	a.work.Go(func() { a.build(ctx) })
}

// stopCompiling stops what was started, and does not wait for it.
func (a *ahead) stopCompiling() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	if a.stop != nil {
		a.stop()
	}
}

// stopAndWait stops what was started and waits for its end.
func (a *ahead) stopAndWait() {
	a.stopCompiling()
	a.work.Wait()
}

// compileAhead returns what compiles the standard library for a build in a module. Its errors
// are of no interest: the build meets them, too.
func (b *Builder) compileAhead(tool *toolchain, module string) *ahead {
	return &ahead{build: func(ctx context.Context) {
		args := append([]string{"build", "-trimpath", "-buildvcs=false"}, compilerFlags...)
		_ = tool.runGo(ctx, module, &output{}, append(args, shared...)...)
	}}
}
