package human

import "os"

// terminate ends a program.
func terminate(p *os.Process) error { return p.Kill() }

// keepTerminal does nothing: consoles keep their settings themselves.
func keepTerminal(*os.File) (restore func()) { return func() {} }
