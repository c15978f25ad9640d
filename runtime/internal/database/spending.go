package database

import (
	"context"
	"fmt"
	"time"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/ent"
	"github.com/wfc-lang/wfc/runtime/internal/ent/predicate"
	entspending "github.com/wfc-lang/wfc/runtime/internal/ent/spending"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
)

var _ spending.Ledger = (*Store)(nil)

// Reserve implements spending.Ledger. Reservations that wait for the disk share a transaction
// like other changes: each sees those before it.
func (s *Store) Reserve(ctx context.Context, q spending.Request) (r spending.Reservation, err error) {
	now := time.Now()
	err = s.commit.writeChange(ctx, q.Row.RunID, func(w *writer) (err error) {
		if err := w.touchRun(q.Row.RunID, now); err != nil {
			return err
		}
		if len(q.Budgets) > 0 {
			if err := w.lockLedger(); err != nil {
				return err
			}
		}
		r, err = spending.Decide(w, q)
		return err
	})
	return r, err
}

// lockLedger makes other processes that reserve wait until the transaction ends. SQLite has one
// writer anyhow.
func (w *writer) lockLedger() error {
	if w.dialect != dialect.Postgres {
		return nil
	}
	const key = 0x7766636c // of no other lock
	_, err := w.conn.ExecContext(background, fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", key))
	return err
}

// Spending implements spending.Ledger.
func (s *Store) Spending(ctx context.Context, f spending.Filter) ([]spending.Row, error) {
	q := s.reader.Spending.Query().Order(entspending.ByTime(entsql.OrderDesc()), entspending.ByID(entsql.OrderDesc()))
	if f.RunID != "" {
		q.Where(entspending.RunID(f.RunID))
	} else {
		q.Where(entspending.Not(entspending.StateHasPrefix(spending.ImportedPrefix)))
	}
	if f.Agent != "" {
		q.Where(entspending.Agent(f.Agent))
	}
	if f.State != "" {
		q.Where(entspending.State(f.State))
	}
	if !f.Since.IsZero() {
		q.Where(entspending.TimeGTE(fromTime(f.Since)))
	}
	if f.Limit > 0 {
		q.Limit(f.Limit)
	}
	rows, err := q.All(ctx)
	if err != nil {
		return nil, s.readError("the costs", err)
	}
	list := make([]spending.Row, len(rows))
	for i, row := range rows {
		list[i] = toSpending(row, s.cfg.Plain)
	}
	return list, nil
}

func toSpending(row *ent.Spending, text func(string) string) spending.Row {
	return spending.Row{
		ID: row.ID, RunID: text(row.RunID), Key: text(row.Key), Attempt: row.Attempt, Project: text(row.Project), Workflow: text(row.Workflow),
		Node: text(row.Node), Agent: text(row.Agent), Model: text(row.Model), Time: toTime(row.Time), State: row.State,
		Micros: row.Micros, Input: row.InputTokens, Output: row.OutputTokens, Priced: row.Priced != 0, Warned: row.Warned,
	}
}

// settle notes the costs of attempts that have ended.
func (w *writer) settle(run string, ended []flow.Spending) error {
	for _, r := range ended {
		r.RunID = run
		var err error
		if r.ID == 0 {
			err = w.Add(&r)
		} else {
			err = w.client.Spending.Update().Where(entspending.ID(r.ID), entspending.RunID(run)).
				SetState(r.State).SetTime(fromTime(r.Time)).SetAgent(r.Agent).SetModel(r.Model).
				SetMicros(r.Micros).SetInputTokens(r.Input).SetOutputTokens(r.Output).SetPriced(fromBool(r.Priced)).Exec(background)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// loseReservations notes that the attempts of a run that are under way will not end.
func (w *writer) loseReservations(run string) error {
	return w.client.Spending.Update().Where(entspending.RunID(run), entspending.State(spending.Reserved)).
		SetState(spending.Lost).SetWarned("").Exec(background)
}

// Add implements spending.Book.
func (w *writer) Add(r *spending.Row) error {
	row, err := w.client.Spending.Create().SetRunID(r.RunID).SetKey(r.Key).SetAttempt(r.Attempt).SetProject(r.Project).
		SetWorkflow(r.Workflow).SetNode(r.Node).SetAgent(r.Agent).SetModel(r.Model).SetTime(fromTime(r.Time)).SetState(r.State).
		SetMicros(r.Micros).SetInputTokens(r.Input).SetOutputTokens(r.Output).SetPriced(fromBool(r.Priced)).SetWarned(r.Warned).Save(background)
	if err == nil {
		r.ID = row.ID
	}
	return err
}

func fromBool(b bool) int {
	if b {
		return 1
	}
	return 0
}

// counted selects the rows that a budget counts since a time.
func counted(project string, b *spending.Budget, since time.Time) predicate.Spending {
	list := []predicate.Spending{
		entspending.TimeGTE(fromTime(since)), entspending.Project(project), entspending.Not(entspending.StateHasPrefix(spending.ImportedPrefix)),
	}
	if b.Workflow != "" {
		list = append(list, entspending.Workflow(b.Workflow))
	}
	return entspending.And(list...)
}

// Sum implements spending.Book.
func (w *writer) Sum(project string, b *spending.Budget, since, openSince time.Time) (spent, open spending.Amount, err error) {
	isOpen := entspending.And(entspending.State(spending.Reserved), entspending.TimeGT(fromTime(openSince)))
	for _, part := range []struct {
		of predicate.Spending
		to *spending.Amount
	}{{entspending.Not(isOpen), &spent}, {isOpen, &open}} {
		var sums []struct {
			Micros int64 `sql:"micros"`
			Input  int64 `sql:"input"`
			Output int64 `sql:"output"`
		}
		sum := func(column, as string) ent.AggregateFunc {
			return func(s *entsql.Selector) string {
				return entsql.As("COALESCE(CAST(SUM("+s.C(column)+") AS BIGINT), 0)", as)
			}
		}
		err := w.client.Spending.Query().Where(counted(project, b, since), part.of).Aggregate(
			sum(entspending.FieldMicros, "micros"), sum(entspending.FieldInputTokens, "input"), sum(entspending.FieldOutputTokens, "output"),
		).Scan(background, &sums)
		if err != nil {
			return spent, open, err
		}
		*part.to = spending.Amount{Micros: sums[0].Micros, Tokens: sums[0].Input + sums[0].Output}
	}
	return spent, open, nil
}

// Oldest implements spending.Book. It reads a part of the rows at a time, because most refusals
// end after few.
func (w *writer) Oldest(project string, b *spending.Budget, since time.Time, mark string, do func(r *spending.Row) bool) error {
	const page = 256
	for offset := 0; ; offset += page {
		rows, err := w.client.Spending.Query().Where(counted(project, b, since), entspending.WarnedContains(mark)).
			Order(entspending.ByTime(), entspending.ByID()).Offset(offset).Limit(page).All(background)
		if err != nil {
			return err
		}
		for _, row := range rows {
			r := toSpending(row, func(text string) string { return text })
			if !do(&r) {
				return nil
			}
		}
		if len(rows) < page {
			return nil
		}
	}
}
