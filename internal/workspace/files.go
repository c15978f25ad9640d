package workspace

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
)

// Disk reads files from the disk.
type Disk struct{}

// Read returns a file's content. Something that is not a regular file cannot
// be read: a pipe would never end.
func (Disk) Read(path string) ([]byte, error) { return wholefile.Source.Read(path) }

// List returns the names in a folder in order, folders with a slash at the
// end; nil when there is no such folder.
func (Disk) List(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		name := e.Name()
		if isFolder(dir, e) {
			name += "/"
		}
		names = append(names, name)
	}
	return names
}

// isFolder follows symbolic links, which entries do not.
func isFolder(dir string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(filepath.Join(dir, e.Name()))
	return err == nil && info.IsDir()
}

// A Snapshot reads files from the disk and caches them: all files of one run that share a
// project see the same folders and command files, which are read once. It is safe for
// concurrent use. Each run makes a new one, so that no run sees old contents. The zero
// Snapshot is ready for use.
type Snapshot struct {
	lists memo[[]string]
	files memo[readFile]
}

// A readFile is what came of reading a file.
type readFile struct {
	content []byte
	err     error
}

// Read is like Disk.Read. The content must not be changed.
func (s *Snapshot) Read(path string) ([]byte, error) {
	f := s.files.getOrMake(path, func() readFile {
		content, err := Disk{}.Read(path)
		return readFile{content, err}
	})
	return f.content, f.err
}

// List is like Disk.List. The list must not be changed.
func (s *Snapshot) List(dir string) []string {
	return s.lists.getOrMake(dir, func() []string { return Disk{}.List(dir) })
}

// Paths returns the paths that have been read and listed so far, in order, including
// those that do not exist.
func (s *Snapshot) Paths() []string {
	paths := slices.Concat(s.files.cachedKeys(), s.lists.cachedKeys())
	slices.Sort(paths)
	return slices.Compact(paths)
}

// A memo keeps one value for each key.
type memo[T any] struct {
	mu     sync.Mutex
	values map[string]func() T
}

// getOrMake returns the value of a key; make makes it, once. While one caller waits
// for the disk, only those who want the same wait with it.
func (m *memo[T]) getOrMake(key string, make func() T) T {
	m.mu.Lock()
	value := m.values[key]
	if value == nil {
		if m.values == nil {
			m.values = map[string]func() T{}
		}
		value = sync.OnceValue(make)
		m.values[key] = value
	}
	m.mu.Unlock()
	return value()
}

// cachedKeys returns the keys that have values, in any order.
func (m *memo[T]) cachedKeys() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Keys(m.values))
}

// Shown is a path for messages: relative to the project's folder if it is below it.
func Shown(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}
