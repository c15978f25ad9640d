package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// writeFile writes a file whole or not at all, and creates missing folders. It follows
// links, but creates no file through a link, which may lead anywhere. With within, the
// folder for a file whose place wfc chooses, it never writes outside of that folder: a
// repository may contain links to its user's files. A device is written as it is.
func writeFile(path string, content []byte, within string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, content, 0o666)
	}
	missing := errors.Is(err, fs.ErrNotExist)
	if missing {
		if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("`%s` is a symbolic link to a missing file; remove the link or name another file", path)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	if within != "" {
		if err := staysWithin(within, path, missing); err != nil {
			return err
		}
	}
	if !missing {
		return replaceFile(path, content)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
	}
	return err
}

// staysWithin returns an error if a link leads from a path, or from the folder of a missing
// file, out of a folder.
func staysWithin(folder, path string, missing bool) error {
	from := path
	if missing {
		from = filepath.Dir(path)
	}
	real, err := filepath.EvalSymlinks(from)
	if err != nil {
		return err
	}
	inside, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(inside, real); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("a symbolic link leads from `%s` out of its folder, to `%s`; remove the link", path, real)
	}
	return nil
}

// replaceFile gives an existing file new content at once: a reader sees the
// old content or the new, and a failure leaves the old. Links are followed.
func replaceFile(path string, content []byte) error {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return wholefile.Write(path, content, info.Mode().Perm(), true)
}
