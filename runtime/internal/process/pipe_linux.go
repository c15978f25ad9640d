package process

import (
	"os"
	"syscall"
)

// outputPipe returns a pipe for an output of a program. os.Pipe makes both ends
// ready for waiting; of the one that only the program uses that would be undone
// at once, which takes as many system calls again.
func outputPipe() (ours, theirs *os.File, err error) {
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	if err := syscall.SetNonblock(ends[0], true); err != nil {
		syscall.Close(ends[0])
		syscall.Close(ends[1])
		return nil, nil, os.NewSyscallError("setnonblock", err)
	}
	return os.NewFile(uintptr(ends[0]), "output"), os.NewFile(uintptr(ends[1]), "output"), nil
}
