package database

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/sql"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/ent"
	entspending "github.com/wfc-lang/wfc/runtime/internal/ent/spending"
	"github.com/wfc-lang/wfc/runtime/internal/ent/workflowrun"
	"github.com/wfc-lang/wfc/runtime/internal/ent/workflowsteprun"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/store"
)

var _ runstore.Index = (*Store)(nil)

// PageRuns implements runstore.Index. Each status has its own query, because only then the index
// of the status gives the runs in their order.
func (s *Store) PageRuns(ctx context.Context, q runstore.RunQuery) ([]store.Run, error) {
	statuses := q.Statuses
	if len(statuses) == 0 {
		statuses = []flow.Status{""}
	}
	var runs []store.Run
	for _, status := range statuses {
		query := s.reader.WorkflowRun.Query().Order(workflowrun.ByCreated(sql.OrderDesc()), workflowrun.ByID()).Where(func(sel *sql.Selector) { s.selectRuns(sel, &q, status) })
		if q.Limit > 0 {
			query.Limit(q.Limit)
		}
		query.Select(brief...)
		rows, err := query.All(ctx)
		if err != nil {
			return nil, s.readError("runs", err)
		}
		for _, row := range rows {
			r, err := s.toRun(row)
			if err != nil {
				return nil, s.readError("run "+row.ID, err)
			}
			runs = append(runs, r)
		}
	}
	if len(statuses) > 1 {
		slices.SortFunc(runs, func(a, b store.Run) int { return cmp.Or(b.Created.Compare(a.Created), strings.Compare(a.ID, b.ID)) })
		// A run may have changed its status between two queries.
		runs = slices.CompactFunc(runs, func(a, b store.Run) bool { return a.ID == b.ID })
		if q.Limit > 0 {
			runs = runs[:min(q.Limit, len(runs))]
		}
	}
	return runs, nil
}

// selectRuns adds the conditions of a query; status "" is any.
func (s *Store) selectRuns(sel *sql.Selector, q *runstore.RunQuery, status flow.Status) {
	if status != "" {
		sel.Where(sql.EQ(sel.C(workflowrun.FieldStatus), string(status)))
	}
	if q.Workflow != "" {
		sel.Where(sql.EQ(sel.C(workflowrun.FieldWorkflow), q.Workflow))
	}
	created, id := sel.C(workflowrun.FieldCreated), sel.C(workflowrun.FieldID)
	if !q.Since.IsZero() {
		sel.Where(sql.GTE(created, fromTime(q.Since)))
	}
	if !q.Until.IsZero() {
		sel.Where(sql.LT(created, fromTime(q.Until)))
	}
	if c := q.After; c != nil {
		sel.Where(sql.LTE(created, fromTime(c.Created)))
		sel.Where(sql.Or(sql.LT(created, fromTime(c.Created)), sql.GT(id, c.ID)))
	}
	if text := q.Search; text != "" {
		contains := sql.ContainsFold
		if s.cfg.Dialect != dialect.Postgres {
			contains = sql.Contains // SQLite's LIKE ignores case; lower() would copy each text before
		}
		sel.Where(sql.Or(
			contains(id, text), contains(sel.C(workflowrun.FieldWorkflow), text),
			s.containsBytes(sel.C(workflowrun.FieldError), text), s.containsBytes(sel.C(workflowrun.FieldReason), text),
		))
	}
	sel.Where(sql.Not(sql.And(sql.Contains(id, runid.ChildMark), s.containsBytes(sel.C(workflowrun.FieldSettings), runstore.ParentMember))))
}

// containsBytes selects rows in whose column of bytes a text occurs. A column without a value
// contains nothing.
func (s *Store) containsBytes(column, text string) *sql.Predicate {
	return sql.P(func(b *sql.Builder) {
		b.WriteString("(").Ident(column).WriteString(" IS NOT NULL AND ")
		if s.cfg.Dialect == dialect.Postgres {
			b.WriteString("position(").Arg([]byte(text)).WriteString("::bytea in ").Ident(column).WriteString(")")
		} else {
			b.WriteString("instr(").Ident(column).Comma().Arg([]byte(text)).WriteString(")")
		}
		b.WriteString(" > 0)")
	})
}

// scanRows runs a query and calls scan for each of its rows.
func (s *Store) scanRows(ctx context.Context, what string, sel *sql.Selector, scan func(rows *sql.Rows) error) error {
	query, args := sel.Query()
	rows := &sql.Rows{}
	if err := (sql.Conn{ExecQuerier: s.cfg.Reads}).Query(ctx, query, args, rows); err != nil {
		return s.readError(what, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return s.readError(what, err)
		}
	}
	if err := rows.Err(); err != nil {
		return s.readError(what, err)
	}
	return nil
}

// sumOf is a sum as 64 bits, also in databases whose sums are wider.
func sumOf(expression, as string) string {
	return sql.As("COALESCE(CAST(SUM("+expression+") AS BIGINT), 0)", as)
}

// unindexed is a column to group by, for which SQLite must not walk an index: reading each row of
// a large table at another place takes several times as long as sorting a few columns.
func (s *Store) unindexed(column string) string {
	if s.cfg.Dialect == dialect.Postgres {
		return column
	}
	return "+" + column
}

// TotalRuns implements runstore.Index.
func (s *Store) TotalRuns(ctx context.Context, q runstore.RunQuery) ([]runstore.RunTotal, error) {
	statuses := q.Statuses
	if len(statuses) == 0 {
		statuses = []flow.Status{""}
	}
	var list []runstore.RunTotal
	for _, status := range statuses {
		t := sql.Dialect(s.cfg.Dialect).Table(workflowrun.Table)
		created, finished := t.C(workflowrun.FieldCreated), t.C(workflowrun.FieldFinished)
		sel := sql.Dialect(s.cfg.Dialect).Select(t.C(workflowrun.FieldWorkflow), t.C(workflowrun.FieldStatus), sql.As("COUNT(*)", "runs"),
			sumOf("CASE WHEN "+finished+" > 0 THEN "+finished+" - "+created+" ELSE 0 END", "took")).
			From(t).GroupBy(s.unindexed(t.C(workflowrun.FieldWorkflow)), t.C(workflowrun.FieldStatus))
		s.selectRuns(sel, &q, status)
		err := s.scanRows(ctx, "the totals of runs", sel, func(rows *sql.Rows) error {
			var one runstore.RunTotal
			var took int64
			err := rows.Scan(&one.Workflow, &one.Status, &one.Runs, &took)
			one.Workflow, one.Took = s.cfg.Plain(one.Workflow), time.Duration(took)
			list = append(list, one)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// TotalSpending implements runstore.Index.
func (s *Store) TotalSpending(ctx context.Context, workflow string, since, until time.Time) ([]runstore.SpendingTotal, error) {
	t := sql.Dialect(s.cfg.Dialect).Table(entspending.Table)
	group := []string{t.C(entspending.FieldWorkflow), t.C(entspending.FieldAgent), t.C(entspending.FieldModel)}
	sel := sql.Dialect(s.cfg.Dialect).Select(append(slices.Clone(group), spendingSums(t)...)...).From(t).
		Where(sql.Not(sql.HasPrefix(t.C(entspending.FieldState), spending.ImportedPrefix))).GroupBy(group...)
	if workflow != "" {
		sel.Where(sql.EQ(t.C(entspending.FieldWorkflow), workflow))
	}
	if !since.IsZero() {
		sel.Where(sql.GTE(t.C(entspending.FieldTime), fromTime(since)))
	}
	if !until.IsZero() {
		sel.Where(sql.LT(t.C(entspending.FieldTime), fromTime(until)))
	}
	var list []runstore.SpendingTotal
	err := s.scanRows(ctx, "the costs", sel, func(rows *sql.Rows) error {
		var one runstore.SpendingTotal
		err := rows.Scan(&one.Workflow, &one.Agent, &one.Model, &one.Attempts, &one.Micros, &one.Input, &one.Output)
		one.Workflow, one.Agent, one.Model = s.cfg.Plain(one.Workflow), s.cfg.Plain(one.Agent), s.cfg.Plain(one.Model)
		list = append(list, one)
		return err
	})
	return list, err
}

func spendingSums(t *sql.SelectTable) []string {
	return []string{sql.As("COUNT(*)", "attempts"), sumOf(t.C(entspending.FieldMicros), "micros"), sumOf(t.C(entspending.FieldInputTokens), "input"), sumOf(t.C(entspending.FieldOutputTokens), "output")}
}

// SpendingOf implements runstore.Index.
func (s *Store) SpendingOf(ctx context.Context, ids []string) (map[string]runstore.SpendingTotal, error) {
	t := sql.Dialect(s.cfg.Dialect).Table(entspending.Table)
	sel := sql.Dialect(s.cfg.Dialect).Select(append([]string{t.C(entspending.FieldRunID)}, spendingSums(t)...)...).From(t).
		Where(sql.In(t.C(entspending.FieldRunID), anyOf(ids)...)).GroupBy(t.C(entspending.FieldRunID))
	spent := map[string]runstore.SpendingTotal{}
	err := s.scanRows(ctx, "the costs", sel, func(rows *sql.Rows) error {
		var id string
		var one runstore.SpendingTotal
		err := rows.Scan(&id, &one.Attempts, &one.Micros, &one.Input, &one.Output)
		spent[s.cfg.Plain(id)] = one
		return err
	})
	return spent, err
}

func anyOf(list []string) []any {
	values := make([]any, len(list))
	for i, text := range list {
		values[i] = text
	}
	return values
}

// FailedSteps implements runstore.Index.
func (s *Store) FailedSteps(ctx context.Context, ids []string) (map[string][]flow.Record, error) {
	q := s.reader.WorkflowStepRun.Query().Where(workflowsteprun.RunIDIn(ids...), workflowsteprun.Status(string(flow.Failed)))
	q.Select(workflowsteprun.FieldRunID, workflowsteprun.FieldKey, workflowsteprun.FieldKind, workflowsteprun.FieldStatus, workflowsteprun.FieldFailure)
	rows, err := q.All(ctx)
	failed := make(map[string][]flow.Record, len(ids))
	for _, row := range rows {
		r, wrong := s.toRecord(row)
		id := s.cfg.Plain(row.RunID)
		failed[id], err = append(failed[id], r), cmp.Or(err, wrong)
	}
	if err != nil {
		return nil, s.readError("the failed steps", err)
	}
	return failed, nil
}

// StepHeads implements runstore.Index.
func (s *Store) StepHeads(ctx context.Context, id string, open bool) ([]flow.Record, error) {
	t := sql.Dialect(s.cfg.Dialect).Table(workflowsteprun.Table)
	sel := sql.Dialect(s.cfg.Dialect).Select(t.Columns(stepHead...)...).From(t).Where(sql.EQ(t.C(workflowsteprun.FieldRunID), id)).OrderBy(t.C(workflowsteprun.FieldID))
	if open {
		sel.Where(sql.In(t.C(workflowsteprun.FieldStatus), string(flow.Running), string(flow.Waiting)))
	}
	var list []flow.Record
	// Ent would make five allocations for each column.
	err := s.scanRows(ctx, "run "+id, sel, func(rows *sql.Rows) error {
		var row ent.WorkflowStepRun
		var reason, failure, meta, question []byte
		if err := rows.Scan(&row.Key, &row.Kind, &row.Status, &reason, &failure, &meta, &question, &row.Attempt, &row.Deadline, &row.Started, &row.Finished); err != nil {
			return err
		}
		row.Reason, row.Failure, row.Meta, row.Question = reason, failure, meta, question
		r, err := s.toRecord(&row)
		list = append(list, r)
		return err
	})
	if err == nil && len(list) == 0 {
		if err = s.checkRunExists(ctx, id); err != nil {
			return nil, s.readError("run "+id, err)
		}
	}
	return list, err
}

// stepHead are the columns of a step without its text and its prompt.
var stepHead = []string{
	workflowsteprun.FieldKey, workflowsteprun.FieldKind, workflowsteprun.FieldStatus, workflowsteprun.FieldReason, workflowsteprun.FieldFailure,
	workflowsteprun.FieldMeta, workflowsteprun.FieldQuestion, workflowsteprun.FieldAttempt, workflowsteprun.FieldDeadline, workflowsteprun.FieldStarted, workflowsteprun.FieldFinished,
}

// Step implements runstore.Index.
func (s *Store) Step(ctx context.Context, id, key string) (flow.Record, error) {
	row, err := s.reader.WorkflowStepRun.Query().Where(workflowsteprun.RunID(id), workflowsteprun.Key(key)).Only(ctx)
	if err != nil {
		return flow.Record{}, s.readError("step "+key+" of run "+id, err)
	}
	return s.toRecord(row)
}
