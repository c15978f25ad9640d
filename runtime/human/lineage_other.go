//go:build !linux

package human

// lineage is not known on this system.
func lineage() []ancestor { return nil }
