// Package memory is a store that keeps runs in the memory of this process: for tests, and
// for workflows that need not survive it.
//
//	e, err := local.New(local.Config{Store: memory.New(), State: folder})
package memory

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A runStore keeps runs until it is garbage. It is a store.Store in everything
// but that nothing in it survives the process.
type runStore struct {
	mu      sync.Mutex
	runs    map[string]*entry
	version int64
	// sessions are the kept sessions by workflow and key.
	sessions map[[2]string]string
	ledger   ledger
	messages []runstore.Message
}

type entry struct {
	run     store.Run
	steps   []flow.Record
	index   map[string]int
	events  []flow.Event
	answers []store.Answer
}

// New returns an empty store.
func New() store.Store { return &runStore{runs: map[string]*entry{}, sessions: map[[2]string]string{}} }

// OpenState returns an empty store, for cli.Program.OpenStore and
// embedding.Options.OpenStore. The engine still keeps the folders of runs in the state
// folder.
func OpenState(context.Context, string) (store.Store, error) { return New(), nil }

// CreateRun implements store.Store.
func (s *runStore) CreateRun(ctx context.Context, run store.Run, steps []flow.Record) error {
	return s.change(ctx, func() error {
		if _, taken := s.runs[run.ID]; taken {
			return fmt.Errorf("run %s: %w", run.ID, store.ErrExists)
		}
		e := &entry{run: cloneRun(run), index: make(map[string]int, len(steps))}
		for _, r := range steps {
			if _, twice := e.index[r.Key]; twice {
				return fmt.Errorf("step %s of run %s: %w", r.Key, run.ID, store.ErrExists)
			}
			e.putStep(r)
		}
		s.runs[run.ID] = e
		return nil
	})
}

// putStep sets a step's state.
func (e *entry) putStep(r flow.Record) {
	r = cloneRecord(r)
	if i, known := e.index[r.Key]; known {
		e.steps[i] = r
		return
	}
	e.index[r.Key] = len(e.steps)
	e.steps = append(e.steps, r)
}

// Run implements store.Store.
func (s *runStore) Run(ctx context.Context, id string) (store.Run, error) {
	return readEntry(ctx, s, id, func(e *entry) store.Run { return cloneRun(e.run) })
}

// Runs implements store.Store.
func (s *runStore) Runs(ctx context.Context, f store.Filter) ([]store.Run, error) {
	return readStore(ctx, s, func() ([]store.Run, error) { return s.selectRuns(f), nil })
}

func (s *runStore) selectRuns(f store.Filter) []store.Run {
	var found []*entry
	for _, e := range s.runs {
		changed := e.run.Finished
		if changed.IsZero() {
			changed = e.run.Updated
		}
		if !f.Before.IsZero() && !changed.Before(f.Before) {
			continue
		}
		if (f.Workflow == "" || e.run.Workflow == f.Workflow) && (f.Status == "" || e.run.Status == f.Status) && (f.ID == "" || e.run.ID == f.ID) && strings.HasPrefix(e.run.ID, f.Prefix) {
			found = append(found, e)
		}
	}
	slices.SortFunc(found, func(a, b *entry) int {
		return cmp.Or(b.run.Created.Compare(a.run.Created), cmp.Compare(a.run.ID, b.run.ID))
	})
	if f.Limit > 0 && len(found) > f.Limit {
		found = found[:f.Limit]
	}
	runs := make([]store.Run, len(found))
	for i, e := range found {
		runs[i] = cloneRun(e.run)
	}
	return runs
}

// Steps implements store.Store.
func (s *runStore) Steps(ctx context.Context, id string) ([]flow.Record, error) {
	return readEntry(ctx, s, id, func(e *entry) []flow.Record {
		steps := make([]flow.Record, len(e.steps))
		for i, r := range e.steps {
			steps[i] = cloneRecord(r)
		}
		return steps
	})
}

// Events implements store.Store.
func (s *runStore) Events(ctx context.Context, id string, seq int64) (events []flow.Event, last int64, err error) {
	events, err = readEntry(ctx, s, id, func(e *entry) []flow.Event { return slices.Clone(e.events[min(max(seq, 0), int64(len(e.events))):]) })
	if len(events) > 0 {
		return events, max(seq, 0) + int64(len(events)), err
	}
	return nil, seq, err
}

// Begin implements store.Store.
func (s *runStore) Begin(ctx context.Context, id, holder, executable string) error {
	return s.changeEntry(ctx, id, func(e *entry) error {
		now := time.Now()
		r := &e.run
		r.Status, r.Holder, r.Executable = flow.Running, holder, executable
		r.Reason, r.Error, r.Outputs, r.Summary, r.Outcome = "", "", nil, "", ""
		r.Finished, r.CancelRequested, r.CancelBy = time.Time{}, time.Time{}, ""
		r.Processes++
		if r.Started.IsZero() {
			r.Started = now
		}
		r.Updated = now
		s.ledger.lose(id)
		return nil
	})
}

// SetFingerprint implements store.Store.
func (s *runStore) SetFingerprint(ctx context.Context, id, fingerprint string) error {
	return s.changeEntry(ctx, id, func(e *entry) error {
		e.run.Fingerprint, e.run.Updated = fingerprint, time.Now()
		return nil
	})
}

// SetSettings implements store.Store.
func (s *runStore) SetSettings(ctx context.Context, id string, settings json.RawMessage) error {
	return s.changeEntry(ctx, id, func(e *entry) error {
		e.run.Settings, e.run.Updated = slices.Clone(settings), time.Now()
		return nil
	})
}

// Commit implements store.Store.
func (s *runStore) Commit(ctx context.Context, id string, b flow.Batch) error {
	return s.changeEntry(ctx, id, func(e *entry) error {
		for _, r := range b.Steps {
			e.putStep(r)
			if r.Status == flow.Pending {
				e.answers = slices.DeleteFunc(e.answers, func(a store.Answer) bool { return a.Key == r.Key })
			}
		}
		e.events = append(e.events, b.Events...)
		s.ledger.settle(id, b.Spending)
		for _, m := range b.Messages {
			s.putMessage(runstore.Message{Box: runstore.BoxNotice, RunID: id, Message: m})
		}
		e.run.Updated = time.Now()
		if end := b.Run; end != nil {
			r := &e.run
			r.Status, r.Reason, r.Error, r.Summary, r.Outcome = end.Status, end.Reason, end.Error, end.Summary, end.Outcome
			r.Outputs = bytes.Clone(end.Outputs)
			r.Finished = time.Time{}
			if end.Status.Ended() {
				r.Finished = r.Updated
			}
		}
		return nil
	})
}

// Answer implements store.Store.
func (s *runStore) Answer(ctx context.Context, id string, a store.Answer) error {
	return s.changeEntry(ctx, id, func(e *entry) error {
		if slices.ContainsFunc(e.answers, func(b store.Answer) bool { return b.Key == a.Key }) {
			return fmt.Errorf("question %s of run %s: %w", a.Key, id, store.ErrAnswered)
		}
		if i, known := e.index[a.Key]; !known || e.steps[i].Status != flow.Waiting || e.steps[i].Question == nil {
			return fmt.Errorf("open question %s of run %s: %w", a.Key, id, store.ErrNotFound)
		}
		e.answers = append(e.answers, a)
		return nil
	})
}

// Session implements store.Store.
func (s *runStore) Session(ctx context.Context, workflow, key string) (string, error) {
	return readStore(ctx, s, func() (string, error) { return s.sessions[[2]string{workflow, key}], nil })
}

// KeepSession implements store.Store.
func (s *runStore) KeepSession(ctx context.Context, workflow, key, session string) error {
	return s.change(ctx, func() error {
		s.sessions[[2]string{workflow, key}] = session
		return nil
	})
}

// Answers implements store.Store.
func (s *runStore) Answers(ctx context.Context, id string) ([]store.Answer, error) {
	return readEntry(ctx, s, id, func(e *entry) []store.Answer { return slices.Clone(e.answers) })
}

// RequestCancel implements store.Store.
func (s *runStore) RequestCancel(ctx context.Context, id, by string) error {
	return s.changeEntry(ctx, id, func(e *entry) error {
		e.run.CancelRequested, e.run.CancelBy = time.Now(), by
		return nil
	})
}

// DeleteRun implements store.Store.
func (s *runStore) DeleteRun(ctx context.Context, id string) error {
	return s.changeEntry(ctx, id, func(*entry) error {
		delete(s.runs, id)
		s.messages = slices.DeleteFunc(s.messages, func(m runstore.Message) bool { return m.RunID == id && m.Box != runstore.BoxTrigger })
		return nil
	})
}

// Generation implements store.Store.
func (s *runStore) Generation(ctx context.Context) (int64, error) {
	return readStore(ctx, s, func() (int64, error) { return s.version, nil })
}

// Forgets marks the store as one that no other process can read.
func (s *runStore) Forgets() {}

// Close implements store.Store; it does nothing.
func (s *runStore) Close() error { return nil }

// change changes the store, and its version if that succeeds.
func (s *runStore) change(ctx context.Context, do func() error) error {
	_, err := readStore(ctx, s, func() (_ struct{}, err error) {
		if err = do(); err == nil {
			s.version++
		}
		return struct{}{}, err
	})
	return err
}

func (s *runStore) changeEntry(ctx context.Context, id string, do func(*entry) error) error {
	return s.change(ctx, func() error {
		e, err := s.entry(id)
		if err == nil {
			err = do(e)
		}
		return err
	})
}

// readStore reads something under the lock, unless ctx has ended.
func readStore[T any](ctx context.Context, s *runStore, read func() (T, error)) (v T, err error) {
	if err := ctx.Err(); err != nil {
		return v, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return read()
}

// readEntry reads something of a run.
func readEntry[T any](ctx context.Context, s *runStore, id string, read func(*entry) T) (T, error) {
	return readStore(ctx, s, func() (v T, err error) {
		e, err := s.entry(id)
		if err == nil {
			v = read(e)
		}
		return v, err
	})
}

func (s *runStore) entry(id string) (*entry, error) {
	if e, ok := s.runs[id]; ok {
		return e, nil
	}
	return nil, fmt.Errorf("run %s: %w", id, store.ErrNotFound)
}

func cloneRun(r store.Run) store.Run {
	r.Inputs = bytes.Clone(r.Inputs)
	r.Outputs = bytes.Clone(r.Outputs)
	r.Settings = bytes.Clone(r.Settings)
	r.DeliverTo = slices.Clone(r.DeliverTo)
	return r
}

func cloneRecord(r flow.Record) flow.Record {
	if r.Failure != nil {
		f := *r.Failure
		if f.Quota != nil {
			q := *f.Quota
			f.Quota = &q
		}
		r.Failure = &f
	}
	if r.Question != nil {
		q := *r.Question
		q.Choices = slices.Clone(q.Choices)
		r.Question = &q
	}
	return r
}
