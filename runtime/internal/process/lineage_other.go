//go:build !linux

package process

// Lineage is not known on this system.
func Lineage() []Ancestor { return nil }

// LineageKnown reports whether this system tells from whom a process descends,
// and does so here.
func LineageKnown() (known, expected bool) { return false, false }

// Namespace is not known on this system.
func Namespace() string { return "" }

// place is not known on this system.
func place() string { return "" }

// left is not known on this system.
func left() []survivor { return nil }
