package build

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// extractModule makes sure that the runtime's sources stand in a folder of the
// cache that is named after their content, and returns it. Several processes may
// do so at once: each writes a folder of its own and the first to rename wins.
func extractModule(module fs.FS, cache string) (dir string, err error) {
	files, sum, err := moduleFiles(module)
	if err != nil {
		return "", fmt.Errorf("read the embedded runtime: %w", err)
	}
	dir = filepath.Join(cache, "module", sum)
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "new-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	for _, f := range files {
		path := filepath.Join(tmp, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, f.Content, 0o644); err != nil {
			return "", err
		}
	}
	if err := os.Rename(tmp, dir); err != nil {
		if _, there := os.Stat(filepath.Join(dir, "go.mod")); there == nil {
			return dir, nil // another process was faster
		}
		return "", err
	}
	return dir, nil
}

// moduleFiles returns the files that builds need, in order, and a name for
// their content.
func moduleFiles(module fs.FS) (files []File, sum string, err error) {
	hash := sha256.New()
	err = fs.WalkDir(module, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case d.IsDir(), strings.HasSuffix(name, "_test.go"):
			return nil
		}
		content, err := fs.ReadFile(module, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(hash, "%s %d\n", name, len(content))
		hash.Write(content)
		files = append(files, File{Name: name, Content: content})
		return nil
	})
	if err == nil && len(files) == 0 {
		err = errors.New("it is empty")
	}
	return files, hex.EncodeToString(hash.Sum(nil))[:20], err
}
