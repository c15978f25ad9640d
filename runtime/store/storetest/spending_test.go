package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// reserve reserves an attempt and returns its row.
func reserve(t *testing.T, l spending.Ledger, row spending.Row) spending.Row {
	t.Helper()
	r, err := l.Reserve(t.Context(), spending.Request{Row: row})
	if err != nil || r.Refused != nil || r.Row.ID == 0 {
		t.Fatalf("Reserve: %+v, %v", r.Refused, err)
	}
	return r.Row
}

func rowsOf(t *testing.T, l spending.Ledger, f spending.Filter) []spending.Row {
	t.Helper()
	rows, err := l.Spending(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		rows[i].Time = rows[i].Time.UTC()
	}
	return rows
}

// attemptRow is an attempt of a test at a time.
func attemptRow(run, key string, at time.Time, micros int64) spending.Row {
	return spending.Row{RunID: run, Key: key, Attempt: 1, Project: "p", Workflow: "demo", Node: key, Agent: "claude", Time: at, Micros: micros, Input: 10, Output: 5, Priced: true}
}

// An attempt has one row, which its end replaces in the batch with its result. The next process
// of the run marks it as lost if there was no end.
func testSpending(t *testing.T, s store.Store) {
	l, now := s.(spending.Ledger), created.UTC()
	createRun(t, s, newRun("demo-000001"))
	first, second := attemptRow("demo-000001", "a", now, 100), attemptRow("demo-000001", "b\x00", now.Add(time.Second), 200)
	first, second = reserve(t, l, first), reserve(t, l, second)
	if first.State != spending.Reserved {
		t.Errorf("%+v", first)
	}
	wantRows := func(want ...spending.Row) {
		t.Helper()
		if got := rowsOf(t, l, spending.Filter{}); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
	wantRows(second, first)

	first.State, first.Micros, first.Input, first.Output, first.Model, first.Time = spending.Settled, 123, 1, 2, "m", now.Add(2*time.Second)
	free := first
	free.ID, free.RunID, free.Key, free.Priced, free.Micros, free.Time = 0, "", "c", false, 0, now.Add(-time.Hour)
	err := s.Commit(t.Context(), "demo-000001", flow.Batch{Steps: []flow.Record{{Key: "a", Status: flow.Completed}}, Spending: []flow.Spending{first, free}})
	if err != nil {
		t.Fatal(err)
	}
	rows, third := rowsOf(t, l, spending.Filter{}), free
	third.ID, third.RunID = rows[len(rows)-1].ID, "demo-000001"
	wantRows(first, second, third)
	if got := rowsOf(t, l, spending.Filter{State: spending.Settled, Agent: "claude", Limit: 1}); len(got) != 1 || got[0].Key != "a" {
		t.Errorf("%+v", got)
	}
	if got := rowsOf(t, l, spending.Filter{Since: now}); len(got) != 2 {
		t.Errorf("%+v", got)
	}
	if got := rowsOf(t, l, spending.Filter{Agent: "codex"}); len(got) != 0 {
		t.Errorf("%+v", got)
	}

	if err := s.Begin(t.Context(), "demo-000001", "here", ""); err != nil {
		t.Fatal(err)
	}
	second.State = spending.Lost
	wantRows(first, second, third)

	// An attempt that was cut off keeps its estimate.
	fourth := reserve(t, l, attemptRow("demo-000001", "d", now.Add(3*time.Second), 400))
	fourth.State = spending.Lost
	if err := s.Commit(t.Context(), "demo-000001", flow.Batch{Spending: []flow.Spending{fourth}}); err != nil {
		t.Fatal(err)
	}
	wantRows(fourth, first, second, third)

	if err := s.DeleteRun(t.Context(), "demo-000001"); err != nil {
		t.Fatal(err)
	}
	wantRows(fourth, first, second, third)
	first.RunID = "demo-000002"
	if _, err := l.Reserve(t.Context(), spending.Request{Row: first}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an unknown run reserves: %v", err)
	}
}

// Budgets count what lies in their windows, of their project and workflow, and say when enough of
// it has slid past.
func testBudgets(t *testing.T, s store.Store) {
	l, now := s.(spending.Ledger), created.UTC()
	createRun(t, s, newRun("demo-000001"))
	day := spending.Budget{Window: spending.Day, Micros: 1000, Policy: settings.BudgetWait}
	own := spending.Budget{Workflow: "demo", Window: spending.Month, Tokens: 100, Policy: settings.BudgetAsk}
	put := func(at time.Time, micros, tokens int64, change func(*spending.Row)) {
		r := attemptRow("demo-000001", "a", at, micros)
		if r.Input, r.Output = tokens, 0; change != nil {
			change(&r)
		}
		end := reserve(t, l, r)
		end.State = spending.Settled
		if err := s.Commit(t.Context(), "demo-000001", flow.Batch{Spending: []flow.Spending{end}}); err != nil {
			t.Fatal(err)
		}
	}
	put(now.Add(-25*time.Hour), 5000, 10, nil)
	put(now.Add(-24*time.Hour), 300, 10, nil)
	put(now.Add(-23*time.Hour), 200, 10, nil)
	put(now.Add(-time.Hour), 300, 10, nil)
	put(now, 9000, 0, func(r *spending.Row) { r.Project = "q" })
	put(now, 0, 500, func(r *spending.Row) { r.Workflow = "other" })
	ask := func(micros, tokens int64, lifted bool) spending.Reservation {
		t.Helper()
		q := spending.Request{Row: attemptRow("demo-000001", "b", now, micros), Budgets: []spending.Budget{day, own}, Lifted: lifted}
		q.Row.Input, q.Row.Output = tokens, 0
		r, err := l.Reserve(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, c := range []struct {
		micros, tokens int64
		until          time.Duration // 0 never
		message        string
	}{
		{201, 10, time.Nanosecond, "the daily budget ($0.001) does not allow a turn of about $0.0002: $0.0008 spent"},
		{501, 10, time.Hour + time.Nanosecond, ""},
		{701, 10, 23*time.Hour + time.Nanosecond, ""},
		{1001, 10, 0, "one turn of `claude` is estimated at $0.001, and the whole daily budget is $0.001"},
		{1, 61, 29*24*time.Hour - time.Hour + time.Nanosecond, "the monthly budget of workflow `demo` (100 tokens) does not allow a turn of about 61 tokens: 40 tokens spent"},
		{1001, 101, 0, ""},
	} {
		r := ask(c.micros, c.tokens, false).Refused
		if r == nil || r.Busy {
			t.Errorf("%d, %d: %+v", c.micros, c.tokens, r)
			continue
		}
		if want := now.Add(c.until); c.until == 0 && !r.Until.IsZero() || c.until > 0 && !r.Until.Equal(want) {
			t.Errorf("%d, %d: until %v, want %v", c.micros, c.tokens, r.Until.UTC(), want)
		}
		if c.message != "" && r.Message != c.message {
			t.Errorf("%d, %d: %s", c.micros, c.tokens, r.Message)
		}
	}
	if r := ask(2000, 200, true); r.Refused != nil || r.Row.ID == 0 || len(r.Near) != 2 {
		t.Errorf("lifted: %+v", r)
	}
	// What a turn under way has reserved may come back.
	if r := ask(100, 10, false).Refused; r == nil || !r.Busy || !strings.Contains(r.Message, "reserved by turns under way") {
		t.Errorf("%+v", r)
	}
}

// A budget is near its limit once in each window.
func testBudgetWarnings(t *testing.T, s store.Store) {
	l, now := s.(spending.Ledger), created.UTC()
	createRun(t, s, newRun("demo-000001"))
	budgets := []spending.Budget{{Window: spending.Day, Micros: 1000}, {Window: spending.Month, Micros: 10_000}}
	var got []string
	for i := range 60 {
		at := now.Add(time.Duration(i) * 6 * time.Hour) // four a day
		q := spending.Request{Row: attemptRow("demo-000001", "a", at, 220), Budgets: budgets}
		r, err := l.Reserve(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, near := range r.Near {
			got = append(got, fmt.Sprint(i, near.Name()))
		}
		end := r.Row
		if end.State = spending.Settled; end.ID == 0 {
			continue
		}
		if err := s.Commit(t.Context(), "demo-000001", flow.Batch{Spending: []flow.Spending{end}}); err != nil {
			t.Fatal(err)
		}
	}
	// A day has room for four, so each fifth is refused. The month's 80 % come with the 37th that
	// is not.
	want := "[3day 8day 13day 18day 23day 28day 33day 38day 43day 45month 48day 53day]"
	if fmt.Sprint(got) != want {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// Reservations that are made at the same time cannot all take the rest of a budget.
func testReserveRaces(t *testing.T, s store.Store) {
	l := s.(spending.Ledger)
	createRun(t, s, newRun("demo-000001"))
	budgets := []spending.Budget{{Window: spending.Day, Micros: 1000}}
	var granted, refused atomic.Int64
	var work sync.WaitGroup
	for i := range 40 {
		work.Go(func() {
			r, err := l.Reserve(t.Context(), spending.Request{Row: attemptRow("demo-000001", fmt.Sprint(i), created, 100), Budgets: budgets})
			switch {
			case err != nil:
				t.Error(err)
			case r.Refused == nil:
				granted.Add(1)
			case r.Refused.Busy:
				refused.Add(1)
			}
		})
	}
	work.Wait()
	if granted.Load() != 10 || refused.Load() != 30 {
		t.Errorf("%d granted, %d refused", granted.Load(), refused.Load())
	}
}
