package flow

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// Unwind is what an engine panics with to end a task that waits, when the run
// pauses or its process must stop. Flow code lets it pass; code that recovers
// it nevertheless gets it again from the next call to the engine.
type Unwind struct{}

// guardPanic turns a panic of a node's code into a failure that names the
// place, which in a built workflow is a line of the YAML file.
func guardPanic[T any](fn func() (T, error)) (v T, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case Unwind:
			panic(p)
		case *undecided:
			err = p
		default:
			err = Panicked(p)
		}
	}()
	return fn()
}

// Panicked returns the failure for a panic that flow code did not recover. It
// names the place of the panic when a deferred function calls it that has just
// recovered p. Engines call it.
func Panicked(p any) *Failure {
	return &Failure{Reason: "panic", Class: ClassFatal, Message: fmt.Sprintf("panic: %v%s", p, panicPlace())}
}

// panicPlace returns " at FILE:LINE" of the code that panicked, or "". The
// frames of the Go runtime and of this module's runtime are passed over: a node
// that reads what it may not panics in this package, but the fault is where it
// reads. FILE has no folder: with //line directives and -trimpath it would be a
// folder that is nowhere on the user's machine.
func panicPlace() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	panicking := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicking = true
		case panicking && !ofRuntime(f.Function):
			return fmt.Sprintf(" at %s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}

// ofRuntime reports whether a function is of the Go runtime or of the packages
// that this module's binaries run on.
func ofRuntime(function string) bool {
	pkg := function
	slash := strings.LastIndexByte(pkg, '/')
	if dot := strings.IndexByte(pkg[slash+1:], '.'); dot >= 0 {
		pkg = pkg[:slash+1+dot]
	}
	if pkg == "runtime" || strings.HasPrefix(pkg, "internal/") {
		return true
	}
	return strings.HasPrefix(pkg, "github.com/wfc-lang/wfc/runtime/") && !strings.HasSuffix(pkg, "_test")
}
