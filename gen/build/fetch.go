package build

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	goroot "github.com/wfc-lang/wfc/gen/internal/toolchain"
	"github.com/wfc-lang/wfc/internal/bundle"
)

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

// store is where fetched toolchains are. They are for this machine, whatever the target.
func (b *Builder) store() *goroot.Store {
	return &goroot.Store{Dir: filepath.Join(b.Cache, "toolchain"), GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Environ: b.Environ}
}

// fetched returns the toolchain that was fetched before, or nil.
func (b *Builder) fetched(kit *bundle.Bundle) *toolchain {
	path, ok := b.store().Path()
	if !ok || b.InstalledOnly {
		return nil
	}
	return &toolchain{path, withModules(kit, b.ownEnviron()), b.explain}
}

// ownEnviron is the environment for a fetched or bundled go command, which finds its own GOROOT.
func (b *Builder) ownEnviron() []string {
	var list []string
	for _, entry := range b.goEnviron("local") {
		if !strings.HasPrefix(entry, "GOROOT=") {
			list = append(list, entry)
		}
	}
	return list
}

// errInstalled is why nothing is fetched.
var errInstalled = errors.New("`toolchain: local` in wfc.yaml does not allow wfc to download Go")

// forbidden returns why nothing may be fetched, or nil.
func (b *Builder) forbidden() error {
	if b.InstalledOnly {
		return errInstalled
	}
	return b.store().Allowed()
}

// fetch fetches the toolchain that wfc was tested with.
func (b *Builder) fetch(ctx context.Context, kit *bundle.Bundle, missing *missingGoError) (*toolchain, error) {
	if err := b.forbidden(); err != nil {
		missing.why = err
		return nil, missing
	}
	store, show := b.store(), &transfer{name: "Go " + strings.TrimPrefix(goroot.Version, "go"), to: b.Progress, live: b.Live}
	store.Progress = show.progress
	_, err := store.Fetch(ctx)
	show.end()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		missing.why = fmt.Errorf("wfc cannot download it: %w", err)
		return nil, missing
	}
	return b.fetched(kit), nil
}
