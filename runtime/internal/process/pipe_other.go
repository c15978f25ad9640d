//go:build !linux

package process

import "os"

// outputPipe returns a pipe for an output of a program.
func outputPipe() (ours, theirs *os.File, err error) { return os.Pipe() }
