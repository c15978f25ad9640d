package build

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/version"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	goroot "github.com/wfc-lang/wfc/cmd/wfc/build/toolchain"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/bundle"
)

// minimumGo is the oldest Go release that compiles the runtime; it repeats the
// go line of go.mod, and a test keeps the two the same.
const minimumGo = "go1.26.0"

// killDelay is how long an interrupted go command may take to end its compilers
// and to clean up.
const killDelay = 5 * time.Second

// A toolchain is a usable go command with its environment.
type toolchain struct {
	path    string
	environ []string
	explain func(printed *output, err error) error
}

// resolveToolchain returns the toolchain for a build, and fetches it if necessary. dir is a folder
// outside of any module, module the runtime's, and kit the bundle or nil.
func (b *Builder) resolveToolchain(ctx context.Context, dir, module string, kit *bundle.Bundle) (*toolchain, error) {
	t, err := b.findToolchain(ctx, dir, module, kit)
	var missing *missingGoError
	if !errors.As(err, &missing) {
		return t, err
	}
	return b.fetchToolchain(ctx, kit, missing)
}

// findToolchain finds the go command of the bundle, on the path of the environment or in
// GOROOT, or the one that was fetched before. An installed one that the project wants comes
// before the bundle's. One that is old may still know how to get a newer one, as it does
// for any module that asks for it. The error is a *missingGoError if there is none that will
// do.
func (b *Builder) findToolchain(ctx context.Context, dir, module string, kit *bundle.Bundle) (*toolchain, error) {
	path := b.lookGo()
	if t := b.bundledToolchain(kit); t != nil && (path == "" || !b.InstalledOnly) {
		return t, nil
	}
	if path == "" {
		if t := b.fetchedToolchain(kit); t != nil {
			return t, nil
		}
		return nil, &missingGoError{found: "no `go` on PATH"}
	}
	t := &toolchain{path, withModules(kit, b.goEnviron("local")), b.explainFailure}
	found, err := t.goVersion(ctx, dir)
	if err != nil || newEnough(found) {
		return t, err
	}
	old := found
	if t := b.bundledToolchain(kit); t != nil {
		return t, nil
	}
	if t := b.fetchedToolchain(kit); t != nil {
		return t, nil
	}
	t.environ = b.goEnviron("")
	if found, err = t.goVersion(ctx, module); err == nil && newEnough(found) {
		return t, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, &missingGoError{found: fmt.Sprintf("%s is %s and cannot download a newer version", path, displayVersion(old))}
}

// GoCommand returns the path and the version of the go command that builds would use. fetched
// reports that an earlier build downloaded it. The method downloads nothing: if a build
// would first have to download Go, path is "" and err is nil. If no installed go command is
// usable, and InstalledOnly or the environment forbids to download one, err says so.
func (b *Builder) GoCommand(ctx context.Context) (path, version string, fetched bool, err error) {
	// An old go command says which version it would take for a module. So does one with the
	// same go line as the runtime's, and the cache stays as it is.
	module, err := os.MkdirTemp("", "wfc-go-")
	if err != nil {
		return "", "", false, err
	}
	defer os.RemoveAll(module)
	line := "module wfc\n\ngo " + strings.TrimPrefix(minimumGo, "go") + "\n"
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte(line), 0o600); err != nil {
		return "", "", false, err
	}
	t, err := b.findToolchain(ctx, filepath.Dir(module), module, b.openBundle())
	if missing := (*missingGoError)(nil); errors.As(err, &missing) {
		if missing.why = b.checkFetchAllowed(); missing.why != nil {
			return "", "", false, missing
		}
		return "", "", false, nil
	}
	if err != nil {
		return "", "", false, err
	}
	version, err = t.goVersion(ctx, module)
	stored, _ := b.toolchainStore().Path()
	return t.path, version, t.path == stored, err
}

// lookGo returns the path of the go command, or "".
func (b *Builder) lookGo() string {
	var dirs []string
	root := ""
	for _, kv := range b.Environ {
		switch name, value, _ := strings.Cut(kv, "="); {
		case name == "PATH", runtime.GOOS == "windows" && strings.EqualFold(name, "PATH"):
			dirs = filepath.SplitList(value)
		case name == "GOROOT":
			root = value
		}
	}
	if root != "" {
		dirs = append(dirs, filepath.Join(root, "bin"))
	}
	dirs = append(dirs, b.GoDirs...)
	if b.GoDirs == nil && runtime.GOOS != "windows" {
		dirs = append(dirs, "/usr/local/go/bin")
	}
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			continue // what lies in the current folder is not run by accident
		}
		if path, err := exec.LookPath(filepath.Join(dir, "go")); err == nil {
			return path
		}
	}
	return ""
}

// goVersion returns what `go env GOVERSION` prints, such as go1.26.8; the very
// old print nothing.
func (t *toolchain) goVersion(ctx context.Context, dir string) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd := t.goCommand(ctx, dir, "env", "GOVERSION")
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s env GOVERSION: %w: %s", t.path, err, bytes.TrimSpace(stderr.Bytes()))
	}
	return strings.TrimSpace(stdout.String()), nil
}

// newEnough judges what `go env GOVERSION` prints: a release, perhaps with the
// marks of a vendor or of experiments, or a development version, which is
// trusted.
func newEnough(found string) bool {
	if strings.HasPrefix(found, "devel") {
		return true
	}
	found, _, _ = strings.Cut(found, " ")
	found, _, _ = strings.Cut(found, "-")
	return version.IsValid(found) && version.Compare(found, version.Lang(minimumGo)) >= 0
}

func displayVersion(found string) string {
	return cmp.Or(found, "older than go1.16")
}

// goCommand prepares a go command. When ctx ends it is interrupted, and killed
// when that does not help.
func (t *toolchain) goCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, t.path, args...)
	cmd.Dir = dir
	cmd.Env = t.environ
	cmd.WaitDelay = killDelay
	cmd.Cancel = func() error {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			return cmd.Process.Kill() // there are no interrupts on Windows
		}
		return nil
	}
	return cmd
}

// runGo runs the go command in dir. What it prints goes to printed; when it fails
// the error says why in words that help.
func (t *toolchain) runGo(ctx context.Context, dir string, printed *output, args ...string) error {
	cmd := t.goCommand(ctx, dir, args...)
	cmd.Stdout = printed
	cmd.Stderr = printed
	err := cmd.Run()
	printed.flush()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return t.explain(printed, err)
	}
	return err
}

// goEnviron returns the environment for the go command: the user's, less what
// would change how a workflow is built, and with a build cache of wfc's own, so
// that cleaning the user's does not cost the next run half a minute. Settings
// of `go env -w` count where a variable is empty, so GOFLAGS is not: what it
// has now is what builds use anyhow. An empty toolchain leaves the choice to
// the user's settings.
func (b *Builder) goEnviron(toolchain string) []string {
	set := [][2]string{
		{"GOWORK", "off"}, {"GOFLAGS", "-buildvcs=false"}, {"GO111MODULE", "on"}, {"CGO_ENABLED", "0"},
		{"GOCACHE", b.goCache()}, {"GOOS", b.targetOS()}, {"GOARCH", b.targetArch()},
	}
	drop := map[string]bool{"GOEXPERIMENT": true, "GOCACHEPROG": true, "PWD": true}
	if toolchain != "" {
		set = append(set, [2]string{"GOTOOLCHAIN", toolchain})
	}
	for _, kv := range set {
		drop[kv[0]] = true
	}
	// The compilers collect garbage less often than they would: a first build
	// takes an eighth less time for a quarter more memory. Whoever sets GOGC has
	// the last word.
	env := slices.DeleteFunc(append([]string{"GOGC=200"}, b.Environ...), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return drop[name]
	})
	for _, kv := range set {
		env = append(env, kv[0]+"="+kv[1])
	}
	return env
}

// A missingGoError says that no go command was found that will do.
type missingGoError struct {
	// found describes what there is instead. why says why wfc did not download Go.
	found string
	why   error
}

// Error says what is missing and what helps.
func (e *missingGoError) Error() string {
	text := fmt.Sprintf("building a workflow needs Go %s or newer: %s", strings.TrimPrefix(minimumGo, "go"), e.found)
	if e.why != nil {
		text += fmt.Sprintf("\n  and %v", e.why)
	}
	return text + "\n  Install Go (https://go.dev/dl), use wfc-full, which contains Go and needs no network, or build on another machine: the binary needs no Go"
}

// Unwrap returns why none could be fetched.
func (e *missingGoError) Unwrap() error { return e.why }

// toolchainStore is where fetched toolchains are. They are for this machine, whatever the target.
func (b *Builder) toolchainStore() *goroot.Store {
	return &goroot.Store{Dir: filepath.Join(b.Cache, "toolchain"), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Environ: b.Environ}
}

// fetchedToolchain returns the toolchain that was fetched before, or nil.
func (b *Builder) fetchedToolchain(kit *bundle.Bundle) *toolchain {
	path, ok := b.toolchainStore().Path()
	if !ok || b.InstalledOnly {
		return nil
	}
	return &toolchain{path, withModules(kit, b.ownEnviron()), b.explainFailure}
}

// ownEnviron is the environment for a fetched or bundled go command, which finds its own GOROOT.
func (b *Builder) ownEnviron() []string {
	return slices.DeleteFunc(b.goEnviron("local"), func(entry string) bool { return strings.HasPrefix(entry, "GOROOT=") })
}

// errInstalled is why wfc doesn't fetch Go.
var errInstalled = errors.New("`toolchain: local` in wfc.yaml does not allow wfc to download Go")

// checkFetchAllowed returns why wfc may not fetch Go, or nil.
func (b *Builder) checkFetchAllowed() error {
	if b.InstalledOnly {
		return errInstalled
	}
	return b.toolchainStore().Allowed()
}

// fetchToolchain fetches the toolchain that wfc was tested with.
func (b *Builder) fetchToolchain(ctx context.Context, kit *bundle.Bundle, missing *missingGoError) (*toolchain, error) {
	if err := b.checkFetchAllowed(); err != nil {
		missing.why = err
		return nil, missing
	}
	store, show := b.toolchainStore(), &transfer{name: "Go " + strings.TrimPrefix(goroot.Version, "go"), to: b.Progress, live: b.Live}
	store.Progress = show.showProgress
	_, err := store.Fetch(ctx)
	show.clearLine()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		missing.why = fmt.Errorf("wfc cannot download it: %w", err)
		return nil, missing
	}
	return b.fetchedToolchain(kit), nil
}

// openBundle returns the bundle if it fits the runtime, or nil.
func (b *Builder) openBundle() *bundle.Bundle {
	if b.Bundle == "" {
		return nil
	}
	_, sum, err := moduleFiles(b.Module)
	if err != nil {
		return nil
	}
	return bundle.Open(b.Bundle, sum)
}

// bundledToolchain returns the toolchain of a bundle, or nil.
func (b *Builder) bundledToolchain(kit *bundle.Bundle) *toolchain {
	if kit == nil || kit.GoCommand() == "" {
		return nil
	}
	return &toolchain{kit.GoCommand(), withModules(kit, b.ownEnviron()), b.explainFailure}
}

// withModules has the go command read the modules of a bundle, which has all that programs of
// workflows need.
func withModules(kit *bundle.Bundle, environ []string) []string {
	if kit != nil {
		return append(environ, "GOMODCACHE="+kit.Modules())
	}
	return environ
}

// seedBuildCache copies the compiled packages of a bundle to the build cache. A failure only means that
// this build compiles them.
func (b *Builder) seedBuildCache(kit *bundle.Bundle) {
	if kit == nil || kit.GOOS != b.targetOS() || kit.GOARCH != b.targetArch() || kit.Seed(b.goCache()) != nil {
		return
	}
	b.keepWarm(nil)
	b.keepWarm([]gen.File{{Content: []byte(sqliteImport)}})
}
