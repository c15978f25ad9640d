package places

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/internal/filelock"
)

// Machine returns the queue of this account's runs on this machine.
var Machine = sync.OnceValue(func() *Queue {
	folder, err := state.Account("agents")
	return New(&files{folder: folder, err: err}, 200*time.Millisecond)
})

// InFolder returns the queue of the processes that use a folder.
func InFolder(folder string, poll time.Duration) *Queue { return New(&files{folder: folder}, poll) }

// files is a Backend. The line of an agent is a folder, and a ticket a locked file in it, named by
// its number. A new ticket has a higher number than all others there, because tickets are made
// and cleared away under the lock of the folder.
type files struct {
	folder string
	err    error // why there is no folder

	mu  sync.Mutex
	own map[string]bool // paths of the tickets of this process
}

// lockName and timesName are files in the folder of an agent beside its tickets.
const (
	lockName  = "lock"
	timesName = "times.json"
)

func (f *files) lineFolder(agent string) string {
	return filepath.Join(f.folder, url.PathEscape(agent))
}

// whileLocked does something under the lock of an agent's folder. Others hold it for an instant.
func (f *files) whileLocked(ctx context.Context, agent string, do func() error) error {
	if f.err != nil {
		return f.err
	}
	for {
		lock, err := filelock.Acquire(filepath.Join(f.lineFolder(agent), lockName), "")
		if err == nil {
			defer lock.Release()
			return do()
		}
		if _, held := errors.AsType[*filelock.HeldError](err); !held {
			return err
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// tickets returns the numbers of the tickets of an agent in order.
func (f *files) tickets(agent string) ([]uint64, error) {
	entries, err := os.ReadDir(f.lineFolder(agent))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var list []uint64
	for _, e := range entries {
		if n, err := strconv.ParseUint(e.Name(), 10, 64); err == nil {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, nil
}

// Join implements Backend.
func (f *files) Join(ctx context.Context, agent string) (Ticket, error) {
	var t *ticket
	return t, f.whileLocked(ctx, agent, func() error {
		list, err := f.tickets(agent)
		if err != nil {
			return err
		}
		n := uint64(1)
		if len(list) > 0 {
			n += list[len(list)-1]
		}
		path := filepath.Join(f.lineFolder(agent), strconv.FormatUint(n, 10))
		lock, err := filelock.Acquire(path, fmt.Sprintf("process %d", os.Getpid()))
		if err != nil {
			return err
		}
		t = &ticket{of: f, path: path, lock: lock}
		f.setOwn(path, true)
		return nil
	})
}

func (f *files) setOwn(path string, own bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.own == nil {
		f.own = map[string]bool{}
	}
	if f.own[path] = own; !own {
		delete(f.own, path)
	}
}

func (f *files) isHeld(path string) (bool, error) {
	f.mu.Lock()
	own := f.own[path]
	f.mu.Unlock()
	if own {
		return true, nil
	}
	held, _, err := filelock.Held(path)
	return held, err
}

// Front implements Backend. It clears away the tickets of dead processes that it meets.
func (f *files) Front(ctx context.Context, agent string, n int) (front []string, err error) {
	list, err := f.tickets(agent)
	if err != nil {
		return nil, err
	}
	var dead []string
	for _, number := range list {
		if len(front) == n {
			break
		}
		id := strconv.FormatUint(number, 10)
		path := filepath.Join(f.lineFolder(agent), id)
		held, err := f.isHeld(path)
		switch {
		case err != nil:
			return nil, err
		case held:
			front = append(front, id)
		default:
			dead = append(dead, path)
		}
	}
	if len(dead) == 0 {
		return front, nil
	}
	return front, f.whileLocked(ctx, agent, func() error {
		for _, path := range dead {
			if held, err := f.isHeld(path); err == nil && !held {
				_ = os.Remove(path) // its number may belong to a new ticket from now on
			}
		}
		return nil
	})
}

// Reserve implements Backend.
func (f *files) Reserve(ctx context.Context, agent string, choose func(chosen []time.Time) time.Time) error {
	return f.whileLocked(ctx, agent, func() error {
		path := filepath.Join(f.lineFolder(agent), timesName)
		var chosen []time.Time
		text, err := wholefile.Source.Read(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		_ = json.Unmarshal(text, &chosen) // an unreadable file is written anew
		now := time.Now()
		chosen = slices.DeleteFunc(chosen, now.After)
		chosen = append(chosen, choose(chosen))
		if text, err = json.Marshal(chosen); err != nil {
			return err
		}
		return wholefile.Write(path, text, 0o600, false)
	})
}

// A ticket is a Ticket that is a locked file.
type ticket struct {
	of   *files
	path string
	lock *filelock.Lock
}

// ID implements Ticket.
func (t *ticket) ID() string { return filepath.Base(t.path) }

// Leave implements Ticket.
func (t *ticket) Leave() {
	_ = os.Remove(t.path) // what stays, on systems that keep open files, is cleared away later
	t.of.setOwn(t.path, false)
	t.lock.Release()
}
