package cli

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/runtime/plain"
)

// checkout writes the files of a revision to a new folder, which the caller removes. It has
// a mark of a repository, so that what is searched for from a root is found there.
func (d *differ) checkout(rev string) (dir string, err error) {
	repository, err := d.repository()
	if err != nil {
		return "", err
	}
	if _, err := git(repository, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}"); err != nil {
		return "", fmt.Errorf("%s is neither a file nor a revision of the repository", plain.Line(rev))
	}
	if dir, err = os.MkdirTemp("", "wfc-diff-"); err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(dir)
		}
	}()
	cmd := exec.Command("git", "-C", repository, "archive", "--format=tar", rev)
	files, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	err = unpack(dir, files)
	_, _ = io.Copy(io.Discard, files) // so that git can end
	if err := errors.Join(err, cmd.Wait(), os.MkdirAll(filepath.Join(dir, ".git"), 0o700)); err != nil {
		return "", fmt.Errorf("read revision %s: %w", plain.Line(rev), err)
	}
	return dir, nil
}

// unpack writes the files of an archive below a folder. Links that lead out of it are left
// out.
func unpack(dir string, archive io.Reader) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for r := tar.NewReader(archive); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		name := filepath.FromSlash(strings.TrimSuffix(h.Name, "/"))
		switch h.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(name, 0o700)
		case tar.TypeReg:
			err = unpackFile(root, name, r)
		case tar.TypeSymlink:
			if filepath.IsLocal(filepath.Join(filepath.Dir(name), h.Linkname)) {
				err = root.Symlink(h.Linkname, name)
			}
		}
		if err != nil {
			return err
		}
	}
}

func unpackFile(root *os.Root, name string, content io.Reader) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := root.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}
