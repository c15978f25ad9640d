package build

import (
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/bundle"
)

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

// bundled returns the toolchain of a bundle, or nil.
func (b *Builder) bundled(kit *bundle.Bundle) *toolchain {
	if kit == nil || kit.GoCommand() == "" {
		return nil
	}
	return &toolchain{kit.GoCommand(), withModules(kit, b.ownEnviron()), b.explain}
}

// withModules has the go command read the modules of a bundle, which has all that programs of
// workflows need.
func withModules(kit *bundle.Bundle, environ []string) []string {
	if kit != nil {
		return append(environ, "GOMODCACHE="+kit.Modules())
	}
	return environ
}

// seed copies the compiled packages of a bundle to the build cache. A failure only means that
// this build compiles them.
func (b *Builder) seed(kit *bundle.Bundle) {
	if kit == nil || kit.GOOS != b.goos() || kit.GOARCH != b.goarch() || kit.Seed(b.goCache()) != nil {
		return
	}
	b.keepWarm(nil)
	b.keepWarm([]gen.File{{Content: []byte(sqliteImport)}})
}
