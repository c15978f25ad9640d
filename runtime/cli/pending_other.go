//go:build !linux

package cli

// takePendingSignals does nothing: the system has no way to ask for it.
func takePendingSignals() {}
