package cli

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// takePendingSignals has this process take the signals that it was sent and that none of its
// threads has taken yet: a thread takes them all with one of its own. SIGURG means
// nothing to the Go runtime. A thread that has taken a signal and was interrupted before it
// could pass it on is not waited for: the system does not tell of it.
func takePendingSignals() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_ = unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGURG)
}
