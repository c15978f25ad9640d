//go:build !linux

package process

// A birth is when a process was started. Here the system is asked for it.
type birth struct{}

func beforeStart() birth { return birth{} }

func (*birth) started() {}

// identityOf is the identity of a process that was born so.
func identityOf(pid int, _ birth) (string, error) { return identity(pid) }
