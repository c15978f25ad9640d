package process

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// KeepTerminals keeps the terminals that this process has open, beside its standard
// streams, from the programs that it starts: whoever started it may have left one
// open. Other files are handed down as always. It is for programs that wfc
// generates.
func KeepTerminals() {
	dir, err := os.Open("/proc/self/fd")
	if err != nil {
		return
	}
	names, _ := dir.Readdirnames(-1) // a part of the list is better than none
	dir.Close()
	for _, name := range names {
		fd, err := strconv.Atoi(name)
		if err != nil || fd <= 2 {
			continue
		}
		if _, err := unix.IoctlGetTermios(fd, unix.TCGETS); err == nil {
			unix.CloseOnExec(fd)
		}
	}
}
