//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"sync/atomic"
)

// Main becomes an observed program, if this process was started as one, and does not return then. A
// program that observes others calls it before anything else.
func Main() {
	prepared.Store(true)
	if len(os.Args) > 3 && os.Args[0] == observedName {
		os.Exit(becomeObserved(os.Args[1:]))
	}
}

// prepared says that Main was called: only then can this program be started once more to become an
// observed one.
var prepared atomic.Bool
