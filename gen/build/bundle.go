package build

import (
	"path/filepath"

	"github.com/wfc-lang/wfc/internal/bundle"
)

// openBundle returns the bundle if it fits the runtime in a folder of the cache, whose name
// is the runtime's hash, or nil.
func (b *Builder) openBundle(module string) *bundle.Bundle {
	return bundle.Open(b.Bundle, filepath.Base(module))
}

// bundled returns the toolchain of the bundle, or nil.
func (b *Builder) bundled(module string) *toolchain {
	kit := b.openBundle(module)
	if kit == nil || kit.GoCommand() == "" {
		return nil
	}
	return &toolchain{kit.GoCommand(), b.withModules(module, b.ownEnviron()), b.explain}
}

// withModules has the go command read the modules of the bundle, which has all that programs
// of workflows need.
func (b *Builder) withModules(module string, environ []string) []string {
	if kit := b.openBundle(module); kit != nil {
		return append(environ, "GOMODCACHE="+kit.Modules())
	}
	return environ
}

// seed copies the compiled packages of the bundle to the build cache. A failure only means
// that this build compiles them.
func (b *Builder) seed(module string) {
	if kit := b.openBundle(module); kit != nil && kit.GOOS == b.goos() && kit.GOARCH == b.goarch() {
		if kit.Seed(b.goCache()) == nil {
			b.keepWarm(nil)
			b.keepWarm([]File{{Content: []byte(sqliteImport)}})
		}
	}
}
