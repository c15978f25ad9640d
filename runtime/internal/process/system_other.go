//go:build !linux

package process

import "os"

// A birth is when a process was started. Here the system is asked for it.
type birth struct{}

func beforeStart() birth { return birth{} }

func (*birth) markStarted() {}

// identityOf is the identity of a process that was born so.
func identityOf(pid int, _ birth) (string, error) { return processIdentity(pid) }

// Lineage is not known on this system.
func Lineage() []Ancestor { return nil }

// LineageKnown reports whether the ancestors of a process are known here, and whether
// this system should give them.
func LineageKnown() (known, expected bool) { return false, false }

// Namespace is not known on this system.
func Namespace() string { return "" }

// place is not known on this system.
func place() string { return "" }

// adoptedSurvivors is not known on this system.
func adoptedSurvivors() []survivor { return nil }

// markedMembers returns nothing where the environment of a process cannot be read.
func markedMembers(int, Owner) []survivor { return nil }

// markedGroups returns nothing there either.
func markedGroups(string, []string, map[int]bool) map[int]string { return nil }

// AdoptOrphans does nothing on this system, which gives orphans to its first
// process.
func AdoptOrphans(bool) {}

// outputPipe returns a pipe for an output of a program.
func outputPipe() (ours, theirs *os.File, err error) { return os.Pipe() }

// KeepPrivate does nothing on this system, which has other rules for access to processes.
func KeepPrivate() {}

// KeepTerminals does nothing on this system.
func KeepTerminals() {}

// Tags are not known on this system.
func tagBase() uint64 { return 0 }

func setTag(int, uint64) error { return nil }

func tagSelf(uint64) (untag func()) { return func() {} }

func withTag(uint64) []survivor { return nil }

func liveLeftovers(map[uint64]*owned, bool) []survivor { return nil }

func commandLine(int) string { return "" }
