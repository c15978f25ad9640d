package memory

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/runstore"
)

var _ runstore.Mailbox = (*runStore)(nil)

// putMessage queues a message unless its box has one of its key. The caller holds mu.
func (s *runStore) putMessage(m runstore.Message) (added bool) {
	if slices.ContainsFunc(s.messages, func(old runstore.Message) bool { return old.Box == m.Box && old.Key == m.Key }) {
		return false
	}
	m.ID = 1
	if n := len(s.messages); n > 0 {
		m.ID = s.messages[n-1].ID + 1
	}
	m.Body, m.State, m.Attempts, m.Updated, m.Problem = bytes.Clone(m.Body), runstore.MessageQueued, 0, m.Created, ""
	s.messages = append(s.messages, m)
	return true
}

// AddMessages implements runstore.Mailbox.
func (s *runStore) AddMessages(ctx context.Context, list []runstore.Message) ([]bool, error) {
	added := make([]bool, len(list))
	return added, s.change(ctx, func() error {
		for i, m := range list {
			added[i] = s.putMessage(m)
		}
		return nil
	})
}

// Messages implements runstore.Mailbox.
func (s *runStore) Messages(ctx context.Context, f runstore.MessageFilter) ([]runstore.Message, error) {
	list, err := readStore(ctx, s, func() ([]runstore.Message, error) { return slices.Clone(s.messages), nil })
	return slices.DeleteFunc(list, func(m runstore.Message) bool {
		return f.Box != "" && m.Box != f.Box || f.RunID != "" && m.RunID != f.RunID || f.State != "" && m.State != f.State ||
			f.Workflows != nil && !slices.Contains(f.Workflows, m.Workflow)
	}), err
}

// ClaimMessage implements runstore.Mailbox.
func (s *runStore) ClaimMessage(ctx context.Context, m runstore.Message, now, until time.Time) (bool, error) {
	return s.changeMessage(ctx, m, func(kept *runstore.Message) bool {
		if !kept.Due.Equal(m.Due) {
			return false
		}
		kept.Attempts++
		kept.Due, kept.Updated = until, now
		return true
	})
}

// SettleMessage implements runstore.Mailbox.
func (s *runStore) SettleMessage(ctx context.Context, m runstore.Message, now time.Time) error {
	_, err := s.changeMessage(ctx, m, func(kept *runstore.Message) bool {
		kept.State, kept.Due, kept.Problem, kept.Updated = m.State, m.Due, m.Problem, now
		return true
	})
	return err
}

// DropMessages implements runstore.Mailbox.
func (s *runStore) DropMessages(ctx context.Context, workflow string, since time.Time) error {
	return s.change(ctx, func() error {
		s.messages = slices.DeleteFunc(s.messages, func(m runstore.Message) bool {
			return m.State != runstore.MessageQueued && (workflow == "" || m.Workflow == workflow) && m.Updated.Before(since) && s.runs[m.RunID] == nil
		})
		return nil
	})
}

// changeMessage changes a queued message that has had as many claims as the caller knows.
func (s *runStore) changeMessage(ctx context.Context, m runstore.Message, change func(kept *runstore.Message) bool) (changed bool, err error) {
	err = s.change(ctx, func() error {
		i := slices.IndexFunc(s.messages, func(kept runstore.Message) bool { return kept.ID == m.ID })
		changed = i >= 0 && s.messages[i].State == runstore.MessageQueued && s.messages[i].Attempts == m.Attempts && change(&s.messages[i])
		return nil
	})
	return changed, err
}
