package build

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/gen"
)

// extractModule makes sure that the runtime's sources stand in a folder of the
// cache that is named after their content, and returns it. Several processes may
// do so at once: each writes a folder of its own and the first to rename wins.
//
// A folder that is there is compared with what should be in it. People and
// programs that clean caches take single files away, and a crash can leave
// empty ones; without the comparison no workflow could be built again.
func extractModule(module fs.FS, cache string) (dir string, err error) {
	files, sum, err := moduleFiles(module)
	if err != nil {
		return "", fmt.Errorf("read the embedded runtime: %w", err)
	}
	dir = filepath.Join(cache, "module", sum)
	if _, err := os.Stat(dir); err == nil {
		touch(dir)
		return dir, repair(dir, files)
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
		if err := writeFile(filepath.Join(tmp, filepath.FromSlash(f.Name)), f.Content); err != nil {
			return "", err
		}
	}
	if err := os.Rename(tmp, dir); err != nil {
		if _, there := os.Stat(dir); there == nil {
			return dir, repair(dir, files) // another process was faster
		}
		return "", err
	}
	return dir, nil
}

// repair writes the files of a folder anew that are not as they should be, each
// in one step: other builds may be reading.
func repair(dir string, files []gen.File) error {
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if content, err := os.ReadFile(path); err == nil && bytes.Equal(content, f.Content) {
			continue
		}
		tmp, err := os.MkdirTemp(filepath.Dir(dir), "new-*")
		if err != nil {
			return err
		}
		fresh := filepath.Join(tmp, "file")
		err = writeFile(fresh, f.Content)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = os.Rename(fresh, path)
		}
		os.RemoveAll(tmp)
		if err != nil {
			return err
		}
	}
	return nil
}

func writeFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o644)
}

// moduleFiles returns the files that builds need, in order, and a name for
// their content.
func moduleFiles(module fs.FS) (files []gen.File, sum string, err error) {
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
		files = append(files, gen.File{Name: name, Content: content})
		return nil
	})
	if err == nil && len(files) == 0 {
		err = errors.New("it is empty")
	}
	return files, hex.EncodeToString(hash.Sum(nil))[:20], err
}
