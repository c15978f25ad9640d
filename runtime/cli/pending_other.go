//go:build !linux

package cli

// takePendingSignals would have this process take the signals that it was sent: the system has no way to
// ask for that.
func takePendingSignals() {}
