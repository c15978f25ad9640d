package local

import (
	"errors"
	"io"
	"os"
)

// pin keeps the binary that a run is begun or resumed with in the run's folder
// and returns its path, or "" when it cannot be kept: then the run can only be
// resumed by a binary of the same code. A hard link costs nothing and survives
// the binary's replacement, since builds replace by renaming.
func (e *Engine) pin(id string) string {
	if e.cfg.Executable == "" {
		return ""
	}
	path := e.cfg.State.Executable(id)
	if same(e.cfg.Executable, path) {
		return path
	}
	tmp := path + ".new"
	os.Remove(tmp)
	if err := os.Link(e.cfg.Executable, tmp); err != nil {
		if err := copyFile(e.cfg.Executable, tmp); err != nil {
			os.Remove(tmp)
			return ""
		}
	}
	if err := os.Rename(tmp, path); err != nil {
		os.Remove(tmp)
		return ""
	}
	return path
}

func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func copyFile(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	return errors.Join(err, dst.Close())
}
