package database

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"entgo.io/ent/dialect/sql"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/ent"
	"github.com/wfc-lang/wfc/runtime/internal/ent/answer"
	"github.com/wfc-lang/wfc/runtime/internal/ent/event"
	"github.com/wfc-lang/wfc/runtime/internal/ent/session"
	"github.com/wfc-lang/wfc/runtime/internal/ent/workflowrun"
	"github.com/wfc-lang/wfc/runtime/internal/ent/workflowsteprun"
	"github.com/wfc-lang/wfc/runtime/store"
)

// Store is a store.Store in a database.
type Store struct {
	cfg    Config
	reader *ent.Client // on cfg.Reads
	commit *committer
}

// New returns the store of a database whose tables are there.
func New(cfg Config) *Store {
	if cfg.Plain == nil {
		cfg.Plain = func(text string) string { return text }
	}
	if cfg.CommonPrefix == nil {
		cfg.CommonPrefix = func(prefix string) string { return prefix }
	}
	return &Store{
		cfg:    cfg,
		reader: ent.NewClient(ent.Driver(querier{cfg.Reads, cfg.Dialect})),
		commit: newCommitter(cfg),
	}
}

var _ store.Store = (*Store)(nil)

// Close implements store.Store. It first writes all changes that were passed before.
func (s *Store) Close() error {
	// The writer closes last: as the last connection it moves what the log
	// holds into the database, which the readers' connections cannot.
	return errors.Join(s.cfg.Watch.Close(), s.cfg.Reads.Close(), s.commit.close())
}

// PrepareWrites lets the store open its connection for changes beside other work. It
// returns at once. The first change does it otherwise.
func (s *Store) PrepareWrites() { s.commit.prepareConnection() }

// Write hands a statement to the connection for changes, which writes it with the next
// transaction, and waits until that is done.
func (s *Store) Write(ctx context.Context, query string, values ...driver.Value) error {
	return s.commit.writeChange(ctx, "", func(w *writer) error { return w.conn.Write(query, values...) })
}

// Crowded reports whether other processes write to the database meanwhile, as far as is known.
func (s *Store) Crowded() bool { return s.commit.crowded.Load() }

// Generation implements store.Store.
func (s *Store) Generation(ctx context.Context) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	version, err := s.cfg.Watch.Version(ctx)
	if err != nil {
		return 0, fmt.Errorf("the version of the store %s: %w", s.cfg.Name, s.cfg.Explain(err))
	}
	return version, nil
}

// Run implements store.Store.
func (s *Store) Run(ctx context.Context, id string) (store.Run, error) {
	row, err := s.reader.WorkflowRun.Get(ctx, id)
	if err != nil {
		return store.Run{}, s.readError("run "+id, err)
	}
	r, err := s.toRun(row)
	if err != nil {
		return store.Run{}, s.readError("run "+id, err)
	}
	return r, nil
}

// Runs implements store.Store.
func (s *Store) Runs(ctx context.Context, f store.Filter) ([]store.Run, error) {
	q := s.reader.WorkflowRun.Query().Order(workflowrun.ByCreated(sql.OrderDesc()), workflowrun.ByID())
	if f.Workflow != "" {
		q.Where(workflowrun.Workflow(f.Workflow))
	}
	if f.Status != "" {
		q.Where(workflowrun.Status(string(f.Status)))
	}
	if f.ID != "" {
		q.Where(workflowrun.ID(f.ID))
	}
	if !f.Before.IsZero() {
		before := fromTime(f.Before)
		q.Where(workflowrun.Or(
			workflowrun.And(workflowrun.FinishedNEQ(0), workflowrun.FinishedLT(before)),
			workflowrun.And(workflowrun.Finished(0), workflowrun.UpdatedLT(before)),
		))
	}
	common := s.cfg.CommonPrefix(f.Prefix)
	s.withPrefix(q, common)
	if f.Limit > 0 && common == f.Prefix {
		q.Limit(f.Limit)
	}
	if f.Brief {
		q.Select(brief...)
	}
	rows, err := q.All(ctx)
	if err != nil {
		return nil, s.readError("runs", err)
	}
	runs := make([]store.Run, 0, len(rows))
	for _, row := range rows {
		r, err := s.toRun(row)
		if err != nil {
			return nil, s.readError("run "+row.ID, err)
		}
		if !strings.HasPrefix(r.ID, f.Prefix) {
			continue
		}
		if runs = append(runs, r); len(runs) == f.Limit {
			break
		}
	}
	return runs, nil
}

// brief are the columns of store.Filter.Brief.
var brief = []string{
	workflowrun.FieldID, workflowrun.FieldWorkflow, workflowrun.FieldFingerprint, workflowrun.FieldStatus, workflowrun.FieldReason, workflowrun.FieldError, workflowrun.FieldSettings,
	workflowrun.FieldCreated, workflowrun.FieldStarted, workflowrun.FieldFinished, workflowrun.FieldUpdated,
}

// withPrefix selects the runs whose ids begin so.
func (s *Store) withPrefix(q *ent.WorkflowRunQuery, prefix string) {
	switch {
	case prefix == "":
	case s.cfg.Like:
		q.Where(func(s *sql.Selector) { s.Where(sql.HasPrefix(s.C(workflowrun.FieldID), prefix)) })
	default:
		// A range, because LIKE would fold case and read % and _.
		q.Where(workflowrun.IDGTE(prefix))
		if end, ok := afterPrefix(prefix); ok {
			q.Where(workflowrun.IDLT(end))
		}
	}
}

// afterPrefix returns the smallest text that is greater than every text that
// begins with prefix.
func afterPrefix(prefix string) (string, bool) {
	b := []byte(prefix)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] < 0xFF {
			b[i]++
			return string(b[:i+1]), true
		}
	}
	return "", false
}

// Steps implements store.Store.
func (s *Store) Steps(ctx context.Context, id string) ([]flow.Record, error) {
	rows, err := s.reader.WorkflowStepRun.Query().Where(workflowsteprun.RunID(id)).Order(workflowsteprun.ByID()).All(ctx)
	if err == nil && len(rows) == 0 {
		err = s.checkRunExists(ctx, id)
	}
	if err != nil {
		return nil, s.readError("run "+id, err)
	}
	steps := make([]flow.Record, len(rows))
	for i, row := range rows {
		if steps[i], err = s.toRecord(row); err != nil {
			return nil, fmt.Errorf("step %s of run %s in %s: %w", row.Key, id, s.cfg.Name, err)
		}
	}
	return steps, nil
}

// Events implements store.Store.
func (s *Store) Events(ctx context.Context, id string, seq int64) (events []flow.Event, last int64, err error) {
	rows, err := s.reader.Event.Query().Where(event.RunID(id), event.IDGT(seq)).Order(event.ByID()).All(ctx)
	if err == nil && len(rows) == 0 {
		err = s.checkRunExists(ctx, id)
	}
	if err != nil {
		return nil, 0, s.readError("run "+id, err)
	}
	last = seq
	for _, row := range rows {
		events = append(events, flow.Event{Time: toTime(row.Time), Type: s.cfg.Plain(row.Type), Key: s.cfg.Plain(row.Key), Message: toText(row.Message)})
		last = row.ID
	}
	return events, last, nil
}

// Session implements store.Store.
func (s *Store) Session(ctx context.Context, workflow, key string) (string, error) {
	row, err := s.reader.Session.Query().Where(session.Workflow(workflow), session.Key(key)).Only(ctx)
	switch {
	case ent.IsNotFound(err):
		return "", nil
	case err != nil:
		return "", s.readError("the session of "+key, err)
	}
	return s.cfg.Plain(row.Session), nil
}

// Answers implements store.Store.
func (s *Store) Answers(ctx context.Context, id string) ([]store.Answer, error) {
	rows, err := s.reader.Answer.Query().Where(answer.RunID(id)).Order(answer.ByID()).All(ctx)
	if err == nil && len(rows) == 0 {
		err = s.checkRunExists(ctx, id)
	}
	if err != nil {
		return nil, s.readError("run "+id, err)
	}
	answers := make([]store.Answer, len(rows))
	for i, row := range rows {
		answers[i] = store.Answer{
			Key: s.cfg.Plain(row.Key), Choice: s.cfg.Plain(row.Choice), Text: toText(row.Text),
			By: s.cfg.Plain(row.By), From: s.cfg.Plain(row.From), Given: toTime(row.Given),
		}
	}
	return answers, nil
}

// checkRunExists returns the error that there is no run of an id, or nil. It reads nothing of the
// run, whose outputs may be large.
func (s *Store) checkRunExists(ctx context.Context, id string) error {
	_, err := s.reader.WorkflowRun.Query().Where(workflowrun.ID(id)).OnlyID(ctx)
	return err
}

// readError says what could not be read, and where.
func (s *Store) readError(what string, err error) error {
	if ent.IsNotFound(err) {
		return fmt.Errorf("%s: %w", what, store.ErrNotFound)
	}
	return fmt.Errorf("read %s in the store %s: %w", what, s.cfg.Name, s.cfg.Explain(err))
}
