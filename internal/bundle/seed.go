package bundle

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// seedEvery is how long a seeded build cache is trusted. The go command removes entries that
// no build has used for five days, so wfc searches for the others again after a while.
const seedEvery = 24 * time.Hour

// Seed copies the compiled packages to a build cache of the go command, unless it did so
// within the last day. Entries that are there stay. Several processes may seed a cache at
// once. After an error, the cache is usable, and builds compile the rest.
func (b *Bundle) Seed(cache string) error {
	mark := filepath.Join(cache, "wfc-"+b.Module+"-"+b.GOOS+"-"+b.GOARCH)
	if info, err := os.Stat(mark); err == nil && time.Since(info.ModTime()).Abs() < seedEvery {
		return nil
	}
	from := os.DirFS(filepath.Join(b.dir, CompiledDir))
	err := fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(cache, filepath.FromSlash(name))
		if entry.IsDir() {
			return os.MkdirAll(target, 0o755)
		}
		if _, err := os.Stat(target); err == nil {
			return nil
		}
		return copyFile(from, name, target)
	})
	if err != nil {
		return err
	}
	return os.WriteFile(mark, nil, 0o644)
}

// copyFile copies a file to its place in one step: a half of it would break builds.
func copyFile(from fs.FS, name, target string) error {
	source, err := from.Open(name)
	if err != nil {
		return err
	}
	defer source.Close()
	return wholefile.Stream(target, 0o600, false, func(w io.Writer) error {
		_, err := io.Copy(w, source)
		return err
	})
}
