package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/tape"
)

// A recorder records the parts of a run that its performers do not see: its begin and end,
// its child runs and the answers of people.
type recorder struct {
	file   *tape.File
	engine *local.Engine
	// warn shows a problem that does not stop the run.
	warn func(error)
}

// warnRecording says that a part of a run is missing in its recording.
func (c *call) warnRecording(err error) {
	fmt.Fprintf(c.streams.Err, "warning: %s\n", plain.Line(err.Error()))
}

// recordingWatcher returns a watcher that also records.
func (r *recorder) recordingWatcher(watch func(local.Notice)) func(local.Notice) {
	return func(n local.Notice) {
		if err := r.recordNotice(n); err != nil {
			r.warn(fmt.Errorf("record the run: %w", err))
		}
		if watch != nil {
			watch(n)
		}
	}
}

func (r *recorder) recordNotice(n local.Notice) error {
	switch {
	case n.Begin && n.Parent != "":
		if err := r.file.Child(n.RunID, n.Parent, n.ParentStep); err != nil {
			return err
		}
		return r.recordMissingAnswers(n.RunID)
	case n.Begin:
		return r.recordRunBegin(n)
	case n.Step != nil:
		return r.recordAnswer(n.RunID, n.Step)
	case n.End != nil:
		if err := r.recordMissingAnswers(n.RunID); err != nil {
			return err
		}
		return r.recordEnd(n)
	}
	return nil
}

func (r *recorder) recordRunBegin(n local.Notice) error {
	status, err := r.engine.Status(context.Background(), n.RunID)
	if err != nil {
		return err
	}
	if err := r.file.Begin(n.RunID, status.Inputs, status.Created.UTC()); err != nil {
		return err
	}
	if n.Resumed {
		if err := r.file.Resumed(n.RunID); err != nil {
			return err
		}
	}
	return r.recordMissingAnswers(n.RunID)
}

// recordMissingAnswers records the answers to the questions of a run that are not recorded yet: an earlier
// process may have died before it could.
func (r *recorder) recordMissingAnswers(run string) error {
	status, err := r.engine.Status(context.Background(), run)
	if err != nil {
		return err
	}
	steps := slices.Clone(status.Steps)
	slices.SortStableFunc(steps, func(a, b flow.Record) int { return a.Finished.Compare(b.Finished) })
	for i := range steps {
		if err := r.recordAnswer(run, &steps[i]); err != nil {
			return err
		}
	}
	return nil
}

// recordAnswer records the answer to a question, or that a wait expired.
func (r *recorder) recordAnswer(run string, s *flow.Record) error {
	if s.Question == nil || s.Status != flow.Completed {
		return nil
	}
	return r.file.Answer(run, s.Key, tape.Answer{Choice: s.Meta.Choice, Text: s.Text})
}

// recordEnd records the end of the run. That of a child run is the result of its step.
func (r *recorder) recordEnd(n local.Notice) error {
	status, err := r.engine.Status(context.Background(), n.RunID)
	if err != nil {
		return err
	}
	if up, _ := status.Parent(); up != "" {
		return nil
	}
	e := tape.End{Status: n.End.Status, Reason: n.End.Reason, Error: n.End.Error, Outputs: n.End.Outputs}
	if e.Status == flow.Cancelled {
		if e.Cancelled, err = r.cancelledSteps(status); err != nil {
			return err
		}
	}
	return r.file.End(n.RunID, e)
}

// cancelledSteps returns the steps of a run that were performed, or waited for a person, when the
// run was cancelled: those of child runs before the steps that began these.
func (r *recorder) cancelledSteps(status *local.RunStatus) (list []tape.Step, err error) {
	family, err := r.engine.Children(context.Background(), status.ID)
	if err != nil {
		return nil, err
	}
	slices.Reverse(family)
	for _, run := range append(family, status) {
		for _, s := range run.Steps {
			if (s.Status == flow.Cancelled || s.Status == flow.Waiting) && !s.Started.IsZero() && isActionOrQuestion(&s) {
				list = append(list, tape.Step{Run: run.ID, Step: s.Key})
			}
		}
	}
	return list, nil
}

// recordCancelled records that a run was cancelled while no process worked on it.
func (c *call) recordCancelled(ctx context.Context, e *local.Engine, id string) {
	status, err := e.Status(ctx, id)
	if err != nil || status.Status != flow.Cancelled {
		return // it has another end by now, which its process records
	}
	s, err := runSettings{}.mergeOver(status.Settings)
	if err != nil || s.Record == "" || !isFile(s.Record) {
		return
	}
	file, err := tape.Open(s.tapeFor(c))
	if err == nil {
		defer file.Close()
		r := &recorder{file: file, engine: e}
		err = r.recordNotice(local.Notice{RunID: id, End: &flow.RunState{Status: status.Status, Reason: status.Reason, Error: status.Error, Outputs: status.Outputs}})
	}
	if err != nil {
		c.warnRecording(fmt.Errorf("record the run: %w", err))
	}
}

// isActionOrQuestion reports whether a step is an action, or a question.
func isActionOrQuestion(s *flow.Record) bool {
	switch s.Kind {
	case flow.Bash{}.Kind(), flow.Script{}.Kind(), flow.Prompt{}.Kind():
		return true
	}
	return s.Question != nil
}
