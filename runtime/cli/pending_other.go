//go:build !linux

package cli

// takePending does nothing: the system has no way to ask for it.
func takePending() {}
