package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
)

// A ledger keeps the costs of attempts in the order of their reservations.
type ledger struct{ rows []spending.Row }

var _ spending.Book = (*ledger)(nil)

// Reserve implements spending.Ledger.
func (s *runStore) Reserve(ctx context.Context, q spending.Request) (r spending.Reservation, err error) {
	err = s.changeEntry(ctx, q.Row.RunID, func(*entry) error {
		r, err = spending.Decide(&s.ledger, q)
		return err
	})
	return r, err
}

// Spending implements spending.Ledger.
func (s *runStore) Spending(ctx context.Context, f spending.Filter) ([]spending.Row, error) {
	found, err := readStore(ctx, s, func() ([]spending.Row, error) { return slices.Clone(s.ledger.rows), nil })
	found = slices.DeleteFunc(found, func(r spending.Row) bool { return !f.Selects(&r) })
	slices.SortFunc(found, func(a, b spending.Row) int { return -compareRows(a, b) })
	if f.Limit > 0 && len(found) > f.Limit {
		found = found[:f.Limit]
	}
	return found, err
}

func compareRows(a, b spending.Row) int {
	return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID))
}

// settle notes the costs of attempts that have ended.
func (l *ledger) settle(run string, ended []flow.Spending) {
	for _, r := range ended {
		r.RunID = run
		if i := slices.IndexFunc(l.rows, func(old spending.Row) bool { return old.ID == r.ID && old.RunID == run }); i >= 0 {
			l.rows[i] = r
		} else {
			_ = l.Add(&r)
		}
	}
}

// lose notes that the attempts of a run that are under way will not end.
func (l *ledger) lose(run string) {
	for i := range l.rows {
		if r := &l.rows[i]; r.RunID == run && r.State == spending.Reserved {
			r.State, r.Warned = spending.Lost, ""
		}
	}
}

// Sum implements spending.Book.
func (l *ledger) Sum(project string, b *spending.Budget, since, openSince time.Time) (spent, open spending.Amount, err error) {
	spent, open = b.Sum(l.rows, project, since, openSince)
	return spent, open, nil
}

// Oldest implements spending.Book.
func (l *ledger) Oldest(project string, b *spending.Budget, since time.Time, mark string, do func(r *spending.Row) bool) error {
	for _, r := range slices.SortedFunc(slices.Values(l.rows), compareRows) {
		if b.Counts(project, since, &r) && strings.Contains(r.Warned, mark) && !do(&r) {
			break
		}
	}
	return nil
}

// Add implements spending.Book.
func (l *ledger) Add(r *spending.Row) error {
	r.ID = int64(len(l.rows) + 1)
	l.rows = append(l.rows, *r)
	return nil
}
