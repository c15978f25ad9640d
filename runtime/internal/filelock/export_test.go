package filelock

import (
	"os"
	"time"
)

// AcquireSleeping is Acquire with another way to pass the time.
func AcquireSleeping(path, holder string, sleep func(time.Duration)) (*Lock, error) {
	return acquireLock(path, holder, sleep)
}

// File is the locked file.
func (l *Lock) File() *os.File { return l.file }
