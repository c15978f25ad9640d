//go:build !linux

package process

// KeepTerminals does nothing on this system.
func KeepTerminals() {}
