// Package verdict remembers the verdicts of interpreters about programs, so that a
// program that did not change is not checked by a new process at each compilation.
package verdict

import (
	"context"
	"crypto/sha256"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
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

// maxTime bounds how long an interpreter may think.
const maxTime = 5 * time.Second

// Run runs an interpreter and returns what it prints. It starts in the root of its volume:
// the files of a project must not change what it does, or which version of it is selected.
// asked is false if it took too long.
func Run(interpreter string, args, environ []string, input string) (stdout, stderr string, asked bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, interpreter, args...)
	cmd.Dir, cmd.Env = filepath.VolumeName(interpreter)+string(filepath.Separator), environ
	cmd.Stdin, cmd.WaitDelay = strings.NewReader(input), time.Second
	var output, complaints strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &complaints
	err = cmd.Run()
	return output.String(), complaints.String(), ctx.Err() == nil, err
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
