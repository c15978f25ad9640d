package build

import (
	"context"
	"sync"
)

// shared are packages of the standard library that programs need, with all that those need.
// They are most of what a program compiles before its modules.
var shared = []string{"database/sql", "encoding/json", "log/slog", "math/big", "net", "os/exec", "os/signal", "os/user", "regexp", "text/template"}

// ahead compiles the standard library while the go command that builds a program waits for
// the network: it compiles nothing before it has all modules. It stops when that go command
// begins to compile, which then finds in the build cache what is done.
type ahead struct {
	// build runs until ctx ends.
	build func(ctx context.Context)

	mu   sync.Mutex
	stop context.CancelFunc // nil before start
	over bool
	work sync.WaitGroup
}

// start begins to compile. Only the first call does something, and none after the end.
func (a *ahead) start(ctx context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over || a.stop != nil {
		return
	}
	ctx, a.stop = context.WithCancel(ctx)
	a.work.Go(func() { a.build(ctx) })
}

// end stops what was started, and does not wait for it.
func (a *ahead) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	if a.stop != nil {
		a.stop()
	}
}

// close stops what was started and waits for its end.
func (a *ahead) close() {
	a.end()
	a.work.Wait()
}

// compileAhead returns what compiles the standard library for a build in a module. Its errors
// are of no interest: the build meets them, too.
func (b *Builder) compileAhead(tool *toolchain, module string) *ahead {
	return &ahead{build: func(ctx context.Context) {
		args := append([]string{"build", "-trimpath", "-buildvcs=false"}, compilerFlags...)
		_ = tool.run(ctx, module, &output{}, append(args, shared...)...)
	}}
}
