package state

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A Lock is a locked file. The system releases it when the process that holds
// it dies, however it dies.
type Lock struct{ file *os.File }

// A HeldError says that another process holds a lock.
type HeldError struct {
	Path string
	// Holder is what the holder said of itself.
	Holder string
}

func (e *HeldError) Error() string {
	if e.Holder == "" {
		return "held by another process"
	}
	return "held by " + e.Holder
}

// Acquire locks the file of the given path, which it creates, and writes into
// it who the holder is. It does not wait: when another process holds it the
// error is a *HeldError.
func Acquire(path, holder string) (*Lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	held, err := tryLock(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if held {
		file.Close()
		return nil, &HeldError{Path: path, Holder: readHolder(path)}
	}
	l := &Lock{file}
	if err := file.Truncate(0); err == nil {
		_, err = file.WriteAt([]byte(holder+"\n"), 0)
		if err != nil {
			l.Release()
			return nil, err
		}
	}
	return l, nil
}

// Held reports whether a process holds the lock of the given path, and what it
// said of itself.
func Held(path string) (held bool, holder string) {
	file, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if err != nil {
		return false, ""
	}
	defer file.Close()
	if held, err = tryLock(file); err != nil || !held {
		return false, ""
	}
	return true, readHolder(path)
}

func readHolder(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

// Release unlocks the file. Releasing twice, or no lock, does nothing.
func (l *Lock) Release() {
	if l == nil || l.file == nil {
		return
	}
	l.file.Close() // closing unlocks
	l.file = nil
}
