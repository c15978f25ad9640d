package places

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/internal/filelock"
	"github.com/wfc-lang/wfc/runtime/internal/repeat"
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
}

// timesName is a file in the folder of an agent beside its tickets.
const timesName = "times.json"

func (f *files) lineFolder(agent string) string {
	return filepath.Join(f.folder, url.PathEscape(agent))
}

// whileLocked does something under the lock of an agent's folder. Others hold it for an instant.
func (f *files) whileLocked(ctx context.Context, agent string, do func() error) error {
	if f.err != nil {
		return f.err
	}
	for {
		lock, err := filelock.Acquire(filepath.Join(f.lineFolder(agent), "lock"), "")
		if err == nil {
			defer lock.Release()
			return do()
		}
		if _, held := errors.AsType[*filelock.HeldError](err); !held {
			return err
		}
		if err := repeat.Sleep(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
}

// tickets returns the paths of the tickets of an agent in order.
func (f *files) tickets(agent string) ([]string, error) {
	entries, err := os.ReadDir(f.lineFolder(agent))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var list []string
	for _, e := range entries { // in the order of their names
		if strings.Trim(e.Name(), "0123456789") == "" {
			list = append(list, filepath.Join(f.lineFolder(agent), e.Name()))
		}
	}
	return list, nil
}

// Join implements Backend.
func (f *files) Join(ctx context.Context, agent string) (Ticket, error) {
	t := &ticket{}
	err := f.whileLocked(ctx, agent, func() error {
		list, err := f.tickets(agent)
		if err != nil {
			return err
		}
		var last uint64
		if len(list) > 0 {
			last, _ = strconv.ParseUint(filepath.Base(list[len(list)-1]), 10, 64)
		}
		t.path = filepath.Join(f.lineFolder(agent), fmt.Sprintf("%020d", last+1))
		t.lock, err = filelock.Acquire(t.path, fmt.Sprintf("process %d", os.Getpid()))
		return err
	})
	return t, err
}

// FirstHeld implements Backend. It clears away the tickets of dead processes that it meets.
func (f *files) FirstHeld(ctx context.Context, agent string, n int) (front []string, err error) {
	list, err := f.tickets(agent)
	if err != nil {
		return nil, err
	}
	var dead []string
	for i := 0; i < len(list) && len(front) < n; i++ {
		held, _, err := filelock.Held(list[i])
		switch {
		case err != nil:
			return nil, err
		case held:
			front = append(front, filepath.Base(list[i]))
		default:
			dead = append(dead, list[i])
		}
	}
	if len(dead) == 0 {
		return front, nil
	}
	return front, f.whileLocked(ctx, agent, func() error {
		for _, path := range dead {
			if held, _, err := filelock.Held(path); err == nil && !held {
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
		_ = wholefile.ReadJSON(path, timesName, &chosen) // an unreadable file is written anew
		chosen = slices.DeleteFunc(chosen, time.Now().After)
		return wholefile.WriteJSON(path, append(chosen, choose(chosen)))
	})
}

// A ticket is a Ticket that is a locked file.
type ticket struct {
	path string
	lock *filelock.Lock
}

// ID implements Ticket.
func (t *ticket) ID() string { return filepath.Base(t.path) }

// Leave implements Ticket.
func (t *ticket) Leave() {
	_ = os.Remove(t.path) // what stays, on systems that keep open files, is cleared away later
	t.lock.Release()
}
