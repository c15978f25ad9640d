package kernel

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// Unwind is the value with which an engine panics to end a waiting task, when the run
// pauses or its process must stop. Flow code must not keep it: code that recovers it
// gets it again from the next call to the engine.
type Unwind struct{}

// PanicMessage describes a panic that a deferred function has just recovered: its
// value and the place of the code that panicked.
func PanicMessage(p any) string { return fmt.Sprintf("panic: %v%s", p, panicPlace()) }

// panicPlace returns " at FILE:LINE" of the code that panicked, or "". It skips the
// frames of the Go runtime and of this module's runtime: a node that reads an output
// without right panics in the kernel, but the fault is in the node. FILE has no folder:
// with //line directives and -trimpath its folder exists nowhere on the user's machine.
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

// ofRuntime reports whether a function belongs to the Go runtime or to the runtime of
// this module.
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
