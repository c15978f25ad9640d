// Package verdict remembers the verdicts of interpreters about programs, so that a
// program that did not change is not checked by a new process at each compilation.
package verdict

import (
	"crypto/sha256"
	"path/filepath"
	"sync"
)

// A Cache keeps the newest verdicts, up to a limit. The zero Cache is empty and keeps
// none; New returns one that does. A Cache is safe for concurrent use.
type Cache[V any] struct {
	limit int

	mu       sync.Mutex
	verdicts map[key]V
	// order has the keys, the oldest first.
	order []key
}

// A key is the hash of an interpreter and a program.
type key [sha256.Size]byte

// New returns a cache for at most limit verdicts.
func New[V any](limit int) *Cache[V] {
	return &Cache[V]{limit: limit, verdicts: map[key]V{}}
}

// Of returns the verdicts of an interpreter about programs. It calls ask once, with the
// programs whose verdicts it does not keep, unless it keeps all. ok is false, and nothing
// is kept, if ask has no verdicts.
func (c *Cache[V]) Of(interpreter string, programs []string, ask func(programs []string) (verdicts []V, ok bool)) ([]V, bool) {
	keys := make([]key, len(programs))
	list := make([]V, len(programs))
	var missing []int
	var unknown []string
	c.mu.Lock()
	for i, p := range programs {
		keys[i] = sha256.Sum256([]byte(interpreter + "\x00" + p))
		known, ok := c.verdicts[keys[i]]
		if !ok {
			missing, unknown = append(missing, i), append(unknown, p)
		}
		list[i] = known
	}
	c.mu.Unlock()
	if len(missing) == 0 {
		return list, true
	}
	// Other compilations need not wait for the interpreter.
	verdicts, ok := ask(unknown)
	if !ok || len(verdicts) != len(unknown) {
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for n, i := range missing {
		list[i] = verdicts[n]
		c.keep(keys[i], verdicts[n])
	}
	return list, true
}

// Folder returns the folder in which to start an interpreter: the root of its volume. The
// files of a project must not change what it does, or which version of it is selected.
func Folder(interpreter string) string {
	return filepath.VolumeName(interpreter) + string(filepath.Separator)
}

func (c *Cache[V]) keep(k key, v V) {
	if c.limit == 0 {
		return
	}
	if _, ok := c.verdicts[k]; !ok {
		if len(c.order) == c.limit {
			delete(c.verdicts, c.order[0])
			c.order = append(c.order[:0], c.order[1:]...)
		}
		c.order = append(c.order, k)
	}
	c.verdicts[k] = v
}
