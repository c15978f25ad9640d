package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Lock is a locked file. The system releases it when the process that holds
// it dies, however it dies. The file itself stays: removing it would let two
// processes lock two files of one name.
type Lock struct{ file *os.File }

// A HeldError says that somebody else holds a lock.
type HeldError struct {
	Path string
	// Holder is what the holder said of itself, or "".
	Holder string
}

func (e *HeldError) Error() string {
	if e.Holder == "" {
		return "held by another process"
	}
	return "held by " + e.Holder
}

// Whoever asks whether a lock is held takes it for an instant, so a lock that
// is held counts as such only when it still is a moment later.
const (
	tries = 10
	pause = time.Millisecond
)

// Acquire locks the file of the given path, which it creates, and writes into
// it who the holder is. It does not wait: when somebody else holds the lock the
// error is a *HeldError.
func Acquire(path, holder string) (*Lock, error) {
	file, err := openLock(path)
	if err != nil {
		return nil, err
	}
	held := true
	for i := 0; held && err == nil && i < tries; i++ {
		if i > 0 {
			time.Sleep(pause)
		}
		held, err = tryLock(file, true)
	}
	switch {
	case err != nil:
		err = fmt.Errorf("lock %s: %w", path, err)
	case held:
		err = &HeldError{Path: path, Holder: readHolder(file)}
	default:
		err = writeHolder(file, holder)
	}
	if err != nil {
		file.Close() // closing unlocks
		return nil, err
	}
	return &Lock{file}, nil
}

// openLock opens the file of a lock. It tries without its folder first: that is
// nearly always there.
func openLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		}
	}
	return file, err
}

func writeHolder(file *os.File, holder string) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt([]byte(strings.ReplaceAll(holder, "\n", " ")+"\n"), 0)
	return err
}

// Held reports whether somebody holds the lock of the given path, and what the
// holder said of itself. A lock that nobody ever took is not held. A file that
// cannot be looked at gives an error.
func Held(path string) (held bool, holder string, err error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		return false, "", nil
	}
	if err != nil {
		return false, "", err
	}
	defer file.Close()
	if held, err = tryLock(file, false); err != nil {
		return false, "", fmt.Errorf("lock %s: %w", path, err)
	}
	if !held {
		unlock(file)
		return false, "", nil
	}
	return true, readHolder(file), nil
}

// readHolder reads the holder's line; without its end it is not all there.
func readHolder(file *os.File) string {
	var text [512]byte
	n, _ := file.ReadAt(text[:], 0) // io.EOF, or nothing that helps
	line, _, whole := strings.Cut(string(text[:n]), "\n")
	if !whole {
		return ""
	}
	return line
}

// Release unlocks the file. Releasing twice, or no lock, does nothing.
func (l *Lock) Release() {
	if l == nil || l.file == nil {
		return
	}
	// Closing alone would leave the lock to a child that is just being started
	// until it becomes its program.
	unlock(l.file)
	l.file.Close()
	l.file = nil
}
