package document

import (
	"encoding/json"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/waiting"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
	"github.com/wfc-lang/wfc/runtime/store"
)

// NewRun returns the document of a run with the fields that the store has. tree is the run's
// worktree, or nil; parent is the id of the run that began this one, or "", and step the
// step by which it did.
func NewRun(r store.Run, logFile string, tree *worktree.Tree, parent, step string) Run {
	d := Run{
		ID: r.ID, Workflow: r.Workflow, Status: r.Status, Reason: r.Reason, Error: r.Error, Summary: r.Summary, Outcome: r.Outcome,
		Inputs: r.Inputs, Outputs: r.Outputs, Created: r.Created, Finished: r.Finished,
		Folders: Folders{WorkDir: r.WorkDir, Worktree: NewWorktree(tree), ArtifactsDir: r.ArtifactsDir, LogFile: logFile},
	}
	if !r.Finished.IsZero() {
		d.DurationMS = max(1, r.Finished.Sub(r.Created).Milliseconds())
	}
	if parent != "" {
		d.Parent = &Parent{Run: parent, Step: step}
	}
	return d
}

// NewWorktree returns the document of a worktree, or nil for nil.
func NewWorktree(w *worktree.Tree) *Worktree {
	if w == nil {
		return nil
	}
	return &Worktree{Path: w.Path, Branch: w.Branch, Base: w.Base, Repository: w.Repository, Worker: w.Worker, Gone: w.Gone(), Remove: w.Removal()}
}

// NewQuestion returns the document of a question to a person, without Commands.
func NewQuestion(q engine.Question, node string) Question {
	return Question{
		Key: q.Key, Node: node, Kind: QuestionKind(q), Message: q.Message, Choices: q.Choices, Since: q.Since, Deadline: q.Deadline,
		Draft: q.LastEdit, Output: underReview(q),
	}
}

// QuestionKind returns the kind of a question to a person.
func QuestionKind(q engine.Question) string {
	if stepkey.IsBudget(q.Key) {
		return waiting.BudgetGate
	}
	return waiting.Gate
}

// underReview is the output that a question is about, as JSON, or nil.
func underReview(q engine.Question) json.RawMessage {
	if q.Output == "" {
		return nil
	}
	if json.Valid([]byte(q.Output)) {
		return json.RawMessage(q.Output)
	}
	text, err := kernel.Encode(q.Output)
	if err != nil {
		return nil // no text fails
	}
	return text
}

// NewWait returns the document of a wait, without Command and ContinuedBy.
func NewWait(q engine.Question, node string) Wait {
	d := Wait{Key: q.Key, Node: node, Kind: q.Wait, Since: q.Since, Until: q.Deadline}
	switch q.Wait {
	case flow.WaitEvent:
		d.Event = q.Message
	case flow.WaitQuota:
		d.Agent = q.Message
	case flow.WaitAttention, flow.WaitBudget:
		d.Message = q.Message
	}
	return d
}

// NewStep returns the document of a step.
func NewStep(s flow.Record) Step {
	d := Step{
		Key: s.Key, Kind: s.Kind, Status: s.Status, Reason: s.Reason, Output: s.Text, Error: s.Failure,
		Attempt: s.Attempt, Started: s.Started, Finished: s.Finished, Question: s.Question,
	}
	if s.Failure != nil && s.Failure.ExitCode < 0 { // no process exited
		failure := *s.Failure
		failure.ExitCode, d.Error = 0, &failure
	}
	if took := Duration(s); took > 0 {
		d.DurationMS = max(1, took.Milliseconds())
	}
	if s.Meta != (flow.Meta{}) {
		d.Meta = &s.Meta
	}
	return d
}

// Duration is how long a step took, or zero when that is not known.
func Duration(s flow.Record) time.Duration {
	if s.Started.IsZero() || s.Finished.IsZero() {
		return 0
	}
	return s.Finished.Sub(s.Started)
}
