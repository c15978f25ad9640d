package pack

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/wfc-lang/wfc/internal/shared/oslock"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// lockFile is a file that exists, locked, while a process changes the project.
const lockFile = ".wfc-add.lock"

// hold waits until no other process changes the project, and keeps all others from it until
// release.
func (p *Project) hold() (release func(), err error) {
	for {
		f, err := p.root.OpenFile(lockFile, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := oslock.Wait(f); err != nil && !errors.Is(err, errors.ErrUnsupported) {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", lockFile, err)
		}
		locked, err := f.Stat()
		there, gone := p.root.Lstat(lockFile)
		switch {
		case err == nil && gone == nil && os.SameFile(locked, there):
			return func() {
				_ = p.root.Remove(lockFile)
				oslock.Unlock(f)
				f.Close()
			}, nil
		case gone == nil && !there.Mode().IsRegular():
			err = fmt.Errorf("`%s` is not a regular file; remove it", lockFile)
		}
		if f.Close(); err != nil {
			return nil, err
		}
	}
}

// currentLock returns the lock as it is now, for a change of a pack by somebody who saw it as it is
// in an earlier lock, with these edits of its files. It is called between hold and release.
func (p *Project) currentLock(earlier *Lock, name string, edits []Problem) (*Lock, error) {
	if err := p.recover(); err != nil {
		return nil, err
	}
	now, err := p.Lock()
	if err != nil && !errors.Is(err, ErrNoLock) {
		return nil, err
	}
	was, _ := earlier.Find(name)
	is, known := now.Find(name)
	if was.Sum != is.Sum {
		return nil, fmt.Errorf("another command changed pack `%s` meanwhile; run this one again", name)
	}
	if !known {
		return now, nil
	}
	found, err := p.Compare(is)
	for _, problem := range found {
		if !slices.Contains(edits, problem) {
			return nil, fmt.Errorf("`%s` changed meanwhile; run the command again", plain.Line(problem.File))
		}
	}
	return now, err
}
