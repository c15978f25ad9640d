//go:build unix

// Package oslock locks open files against other processes. The system releases a lock when the
// process that holds it dies, however it dies.
package oslock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Try locks an open file, for one alone or shared, or reports that it is held.
func Try(f *os.File, alone bool) (held bool, err error) {
	how := unix.LOCK_SH
	if alone {
		how = unix.LOCK_EX
	}
	err = lock(f, how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

// Wait locks an open file for one alone when nobody else holds it.
func Wait(f *os.File) error { return lock(f, unix.LOCK_EX) }

func lock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// Unlock releases the lock of an open file.
func Unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
