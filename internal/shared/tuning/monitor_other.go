//go:build !linux

package tuning

// QuietMonitor does nothing on this system.
func QuietMonitor() {}
