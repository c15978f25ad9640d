// Package watch notices changes of files and new commits of branches, by looking from time to
// time. It remembers what it saw in a file, so that a change counts once, also across restarts.
package watch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/internal/git"
	"github.com/wfc-lang/wfc/runtime/internal/inbox"
	"github.com/wfc-lang/wfc/runtime/internal/repeat"
	"github.com/wfc-lang/wfc/runtime/trigger"
)

// A Watcher looks at the source of a trigger.
type Watcher struct {
	Trigger *trigger.Trigger
	// Dir is the folder of files and of the repository.
	Dir     string
	Environ []string
	// Memory is the file that remembers what was seen.
	Memory string
	Accept func(ctx context.Context, d inbox.Delivery) (inbox.Receipt, error)
	Log    *slog.Logger

	seen memory
	look func(ctx context.Context) ([]sight, error)
	told string
}

// The times between two looks unless the trigger has one.
const (
	filesEvery  = 2 * time.Second
	branchEvery = time.Minute
)

// MemoryFile returns the file of a trigger in the state folder.
func MemoryFile(f state.Folder, workflow, name string) string {
	return filepath.Join(f.Path, "triggers", runid.Hash(20, workflow, name)+".json")
}

// A sight is something that a look found: the value of a key, such as the hash of a file.
type sight struct {
	key, value string
	payload    map[string]string
	// baseline says that the first value of the key is no change.
	baseline bool
}

// A memory remembers the last value of each key, and counts its values: equal values at
// different times are different changes.
type memory struct {
	SchemaVersion int             `json:"schema_version"`
	Trigger       string          `json:"trigger"`
	Seen          map[string]mark `json:"seen"`
}

type mark struct {
	Value string `json:"value,omitempty"`
	Count int    `json:"count"`
}

// Run looks until ctx ends. It returns an error if it cannot remember.
func (w *Watcher) Run(ctx context.Context) error {
	every := branchEvery
	w.look = w.lookAtBranch
	if w.Trigger.On.Files != "" {
		every, w.look = filesEvery, (&fileLook{Watcher: w}).look
	}
	every = cmp.Or(w.Trigger.On.Every, every)
	if err := w.recall(); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if err := w.lookOnce(ctx); err != nil {
			return err
		}
		_ = repeat.Sleep(ctx, every)
	}
	return nil
}

func (w *Watcher) recall() error {
	if err := wholefile.ReadJSON(w.Memory, w.memoryName(), &w.seen); err != nil {
		return err
	}
	w.seen.SchemaVersion, w.seen.Trigger = 1, w.Trigger.Name()
	if w.seen.Seen == nil {
		w.seen.Seen = map[string]mark{}
	}
	return nil
}

func (w *Watcher) memoryName() string { return "the memory of the trigger " + w.Trigger.Name() }

func (w *Watcher) save() error {
	if err := wholefile.WriteJSON(w.Memory, w.seen); err != nil {
		return fmt.Errorf("%s: %w", w.memoryName(), err)
	}
	return nil
}

// lookOnce looks, and passes on what has changed. A change is remembered after it is queued, and
// its id follows from the memory: after a crash between the two, the queue knows it.
func (w *Watcher) lookOnce(ctx context.Context) error {
	found, err := w.look(ctx)
	if ctx.Err() != nil {
		return nil
	}
	told := w.told
	if w.told = ""; err != nil {
		if w.told = err.Error(); w.told != told {
			w.Log.Error("not seen", "trigger", w.Trigger.Name(), "error", err)
		}
		return nil
	}
	for _, s := range found {
		before, known := w.seen.Seen[s.key]
		if known && before.Value == s.value {
			continue
		}
		next := mark{s.value, before.Count + 1}
		if s.value != "" && (known || !s.baseline) && !w.pass(ctx, s, next) {
			return nil // the next look finds it again
		}
		w.seen.Seen[s.key] = next
		if err := w.save(); err != nil {
			return err
		}
	}
	return nil
}

// pass queues a change, and reports whether it is dealt with.
func (w *Watcher) pass(ctx context.Context, s sight, next mark) bool {
	payload, err := json.Marshal(s.payload)
	if err == nil {
		_, err = w.Accept(ctx, inbox.Delivery{
			Trigger: w.Trigger, ID: fmt.Sprintf("%s#%d %s", s.key, next.Count, s.value), Event: "changed", Payload: payload,
		})
	}
	var unfit *trigger.MappingError
	switch {
	case errors.As(err, &unfit):
		w.Log.Error("the change doesn't fit the trigger", "trigger", w.Trigger.Name(), "what", s.key, "error", err)
	case err != nil:
		if ctx.Err() == nil {
			w.Log.Error("the change is not queued yet", "trigger", w.Trigger.Name(), "what", s.key, "error", err)
		}
		return false
	}
	return true
}

// lookAtBranch asks for the commit of a branch. The commit of the first look is where the watch
// begins.
func (w *Watcher) lookAtBranch(ctx context.Context) ([]sight, error) {
	on := &w.Trigger.On
	repository := cmp.Or(on.Repository, "origin")
	commit, err := git.Folder{Path: w.Dir, Environ: w.Environ}.RemoteBranch(ctx, repository, on.Branch)
	if err != nil || commit == "" {
		return nil, err
	}
	return []sight{{key: on.Branch, value: commit, baseline: true, payload: map[string]string{
		"branch": on.Branch, "commit": commit, "previous": w.seen.Seen[on.Branch].Value, "repository": withoutSecret(repository),
	}}}, nil
}

// withoutSecret returns a URL without a password in it.
func withoutSecret(repository string) string {
	return userInfo().ReplaceAllString(repository, "$1")
}

var userInfo = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([^:/]+://)[^/]*@`) })
