package compiler

import "sync"

// A Snapshot reads files from the disk and keeps what it has read: to all files
// of one run that share a project, its folders and command files look the same
// and cost one look. It is safe for concurrent use, and made anew for every run,
// so that nobody sees what a file was before. The zero Snapshot is ready for use.
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
	f := s.files.get(path, func() readFile {
		content, err := Disk{}.Read(path)
		return readFile{content, err}
	})
	return f.content, f.err
}

// List is like Disk.List. The list must not be changed.
func (s *Snapshot) List(dir string) []string {
	return s.lists.get(dir, func() []string { return Disk{}.List(dir) })
}

// A memo keeps one value for each key.
type memo[T any] struct {
	mu     sync.Mutex
	values map[string]func() T
}

// get returns the value of a key; make makes it, once. While one caller waits
// for the disk, only those who want the same wait with it.
func (m *memo[T]) get(key string, make func() T) T {
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
