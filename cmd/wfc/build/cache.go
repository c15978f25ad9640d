package build

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/internal/shared/trust"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// checkCache returns an error unless the cache belongs to the user and nobody else can write
// to it: whoever can changes the programs that the user runs.
func (b *Builder) checkCache() error {
	err := trust.Folder(b.Cache, "bin", "module", "tmp", "warm", filepath.Base(b.toolchainStore().Dir))
	if err == nil {
		err = trust.Folder(b.goCache()) // which may be a link to another disk
	}
	if err != nil {
		return fmt.Errorf("the cache cannot be trusted: %w", err)
	}
	return nil
}

// A programSeal says what a program was when it was built.
type programSeal struct {
	Size     int64
	Modified time.Time
	SHA256   string
}

func sealFile(path string) string { return path + ".seal" }

// sealOf returns the seal that a program should have.
func sealOf(path string) (is programSeal, err error) {
	f, err := os.Open(path)
	if err != nil {
		return is, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return is, err
	}
	hash := sha256.New()
	_, err = io.Copy(hash, f)
	return programSeal{info.Size(), info.ModTime(), hex.EncodeToString(hash.Sum(nil))}, err
}

// writeTo notes the seal of a program.
func (s programSeal) writeTo(path string) error { return wholefile.WriteJSON(sealFile(path), s) }

// isSealed reports whether a program is the one that a build wrote. Its hash takes as long as
// the start of a run, so it only decides about a program whose time is another one, as after
// a cache was copied.
func isSealed(path string) bool {
	var was programSeal
	text, err := wholefile.Source.Read(sealFile(path))
	if err != nil || json.Unmarshal(text, &was) != nil {
		return false
	}
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != was.Size {
		return false
	}
	if was.Modified.Equal(info.ModTime()) {
		return true
	}
	is, err := sealOf(path)
	return err == nil && is.SHA256 == was.SHA256 && is.writeTo(path) == nil
}

// extractModule makes sure that the runtime's sources stand in a folder of the
// cache that is named after their content, and returns it. Several processes may
// do so at once: each writes a folder of its own and the first to rename wins.
//
// An existing folder is compared with its expected content. Users and programs that clean
// caches remove single files, and a crash can leave empty ones; without the comparison, no
// workflow could be built again.
func extractModule(module fs.FS, cache string) (dir string, err error) {
	files, sum, err := moduleFiles(module)
	if err != nil {
		return "", fmt.Errorf("read the embedded runtime: %w", err)
	}
	dir = filepath.Join(cache, "module", sum)
	if _, err := os.Stat(dir); err == nil {
		markUsed(dir)
		return dir, repairFiles(dir, files)
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
			return dir, repairFiles(dir, files) // another process was faster
		}
		return "", err
	}
	return dir, nil
}

// repairFiles writes the files of a folder anew that are not as they should be, each
// in one step: other builds may be reading.
func repairFiles(dir string, files []gen.File) error {
	if err := removeOthers(dir, files); err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if content, err := wholefile.Source.Read(path); err == nil && bytes.Equal(content, f.Content) {
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

// removeOthers removes from a folder all but the files: a build would compile another Go
// file, too, or read through a link.
func removeOthers(dir string, files []gen.File) error {
	known := map[string]fs.FileMode{dir: fs.ModeDir}
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		known[path] = 0
		for path = filepath.Dir(path); path != dir; path = filepath.Dir(path) {
			known[path] = fs.ModeDir
		}
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if kind, ok := known[path]; ok && kind == d.Type() {
			return nil
		}
		if err := os.RemoveAll(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
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

// How long the cache keeps unused files, and how many programs it keeps at most. Every edit of
// a workflow adds a program of about 15 MB; only processes that were killed leave the folders
// of builds behind.
const (
	keepPrograms = 40
	programAge   = 14 * 24 * time.Hour
	moduleAge    = 60 * 24 * time.Hour
	workAge      = 24 * time.Hour
)

// cleanCache removes long unused files from the cache. A run doesn't need its program there,
// because the state folder has a copy. A file that cannot be removed, such as a running
// program on Windows, stays until the next time.
func (b *Builder) cleanCache(now time.Time) {
	removeOld(filepath.Join(b.Cache, "bin"), now.Add(-programAge), keepPrograms)
	removeOld(filepath.Join(b.Cache, "module"), now.Add(-moduleAge), 0)
	removeOld(filepath.Join(b.Cache, "tmp"), now.Add(-workAge), 0)
}

// removeOld removes the entries of a folder that were last used before a time,
// and, unless keep is 0, the oldest until only so many are left.
func removeOld(dir string, before time.Time, keep int) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var infos []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(x, y fs.FileInfo) int { return y.ModTime().Compare(x.ModTime()) })
	for i, info := range infos {
		if info.ModTime().Before(before) || keep > 0 && i >= keep {
			_ = os.RemoveAll(filepath.Join(dir, info.Name()))
		}
	}
}

// markUsed notes that an entry of the cache is in use. A failure only means that it
// is cleaned away sooner.
func markUsed(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}
