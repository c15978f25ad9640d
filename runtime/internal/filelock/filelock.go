// Package filelock locks files, so that only one of several processes works on the thing
// that a file represents.
package filelock

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/oslock"
	"github.com/wfc-lang/wfc/runtime/internal/process"
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

// A lock may be held for a moment although nobody works.
//
// Held takes the lock for an instant, so a lock counts as held only if it still is a
// moment later.
//
// And a child process shares its parent's locks until it begins its program. If the
// parent is killed in that moment, the child keeps the lock for as long as a busy machine
// takes to begin a program. So a lock whose holder is dead needs more patience.
const (
	pause       = time.Millisecond
	tries       = 10
	longPause   = 5 * time.Millisecond
	longerTries = 600
)

// lockWithRetry tries to lock an open file until it is clear that somebody holds it.
func lockWithRetry(file *os.File, alone bool, sleep func(time.Duration)) (held bool, err error) {
	for i := 1; ; i++ {
		if held, err = oslock.Try(file, alone); !held || err != nil {
			return false, err
		}
		switch {
		case alone && i < tries: // lookers share, and do not meet each other
			sleep(pause)
		case i < longerTries && process.Gone(readMark(file)):
			sleep(longPause)
		default:
			return true, nil
		}
	}
}

// Acquire locks the file of the given path, which it creates, and writes the holder into
// it. It does not wait for a live holder: then the error is a *HeldError.
func Acquire(path, holder string) (*Lock, error) { return acquireLock(path, holder, time.Sleep) }

// AcquireIn is Acquire for a file in a folder. It follows no link that leads out of that.
func AcquireIn(folder *os.Root, name, holder string) (*Lock, error) {
	file, err := folder.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	return lockFile(file, filepath.Join(folder.Name(), name), holder, time.Sleep)
}

func acquireLock(path, holder string, sleep func(time.Duration)) (*Lock, error) {
	file, err := openLock(path)
	if err != nil {
		return nil, err
	}
	return lockFile(file, path, holder, sleep)
}

// lockFile locks an open file, or closes it.
func lockFile(file *os.File, path, holder string, sleep func(time.Duration)) (*Lock, error) {
	held, err := lockWithRetry(file, true, sleep)
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

// writeHolder writes a line for people and one that identifies the process.
func writeHolder(file *os.File, holder string) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err := file.WriteAt([]byte(strings.ReplaceAll(holder, "\n", " ")+"\n"+process.Mark()+"\n"), 0)
	return err
}

// Held reports whether a process holds the lock of the given path, and returns the
// holder's description of itself. A lock that nobody ever took is not held. A file that
// cannot be examined is an error.
func Held(path string) (held bool, holder string, err error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		return false, "", nil
	}
	if err != nil {
		return false, "", err
	}
	defer file.Close()
	if held, err = lockWithRetry(file, false, time.Sleep); err != nil {
		return false, "", fmt.Errorf("lock %s: %w", path, err)
	}
	if !held {
		oslock.Unlock(file)
		return false, "", nil
	}
	if process.Gone(readMark(file)) { // its child has still not begun its program
		return false, "", nil
	}
	return true, readHolder(file), nil
}

// LastMark returns the mark of the process that holds the lock of the given path
// or held it last, or "" when there is none; see process.Mark.
func LastMark(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	return readMark(file)
}

// readHolder reads the holder's line.
func readHolder(file *os.File) string {
	holder, _ := readLines(file)
	return holder
}

// readMark reads the mark of the holder's process.
func readMark(file *os.File) string {
	_, mark := readLines(file)
	return mark
}

// readLines reads what the holder wrote; a line without its end is not all
// there.
func readLines(file *os.File) (holder, mark string) {
	var text [1024]byte
	n, _ := file.ReadAt(text[:], 0) // io.EOF, or nothing that helps
	lines := strings.Split(string(text[:n]), "\n")
	if len(lines) > 1 {
		holder = lines[0]
	}
	if len(lines) > 2 {
		mark = lines[1]
	}
	return holder, mark
}

// Release unlocks the file. Releasing twice, or no lock, does nothing.
func (l *Lock) Release() {
	if l == nil || l.file == nil {
		return
	}
	// Closing alone would leave the lock to a child that is just being started
	// until it becomes its program.
	oslock.Unlock(l.file)
	l.file.Close()
	l.file = nil
}
