package entstore

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/entstore/ent"
)

// fromTime is a time as the tables keep it: nanoseconds since 1970, 0 for the
// zero time.
func fromTime(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func toTime(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}

func toRun(row *ent.Run) store.Run {
	return store.Run{
		RunInfo: flow.RunInfo{
			ID: row.ID, Workflow: row.Workflow, Fingerprint: row.Fingerprint, Inputs: rawJSON(row.Inputs),
			ArtifactsDir: row.ArtifactsDir, LogDir: row.LogDir, WorkDir: row.WorkDir,
			BaseBranch: row.BaseBranch, DocsDir: row.DocsDir,
		},
		Status: flow.Status(row.Status), Reason: string(row.Reason), Error: string(row.Error),
		Outputs: rawJSON(row.Outputs), Summary: string(row.Summary),
		Executable: row.Executable, Settings: rawJSON(row.Settings), Holder: row.Holder,
		CancelRequested: toTime(row.CancelRequested), CancelBy: row.CancelBy, Processes: row.Processes,
		Created: toTime(row.Created), Started: toTime(row.Started), Finished: toTime(row.Finished), Updated: toTime(row.Updated),
	}
}

func rawJSON(b []byte) json.RawMessage {
	if len(b) == 0 {
		return nil
	}
	return b
}

func createRun(c *ent.RunCreate, r store.Run, number int64) *ent.RunCreate {
	return c.SetID(r.ID).SetWorkflow(r.Workflow).SetFingerprint(r.Fingerprint).SetStatus(string(r.Status)).
		SetInputs(r.Inputs).SetArtifactsDir(r.ArtifactsDir).SetLogDir(r.LogDir).SetWorkDir(r.WorkDir).
		SetBaseBranch(r.BaseBranch).SetDocsDir(r.DocsDir).
		SetReason([]byte(r.Reason)).SetError([]byte(r.Error)).SetOutputs(r.Outputs).SetSummary([]byte(r.Summary)).
		SetExecutable(r.Executable).SetSettings(r.Settings).SetHolder(r.Holder).
		SetCancelRequested(fromTime(r.CancelRequested)).SetCancelBy(r.CancelBy).SetProcesses(r.Processes).
		SetCreated(fromTime(r.Created)).SetStarted(fromTime(r.Started)).SetFinished(fromTime(r.Finished)).
		SetUpdated(fromTime(r.Updated)).SetNumber(number)
}

func toRecord(row *ent.Step) (flow.Record, error) {
	r := flow.Record{
		Key: row.Key, Kind: row.Kind, Status: flow.Status(row.Status), Reason: string(row.Reason), Text: string(row.Text),
		Attempt: row.Attempt, Deadline: toTime(row.Deadline), Started: toTime(row.Started), Finished: toTime(row.Finished),
	}
	if len(row.Failure) > 0 {
		r.Failure = new(flow.Failure)
		if err := json.Unmarshal(row.Failure, r.Failure); err != nil {
			return r, fmt.Errorf("its failure: %w", err)
		}
	}
	if len(row.Meta) > 0 {
		if err := json.Unmarshal(row.Meta, &r.Meta); err != nil {
			return r, fmt.Errorf("its meta data: %w", err)
		}
	}
	if len(row.Question) > 0 {
		r.Question = new(flow.Question)
		if err := json.Unmarshal(row.Question, r.Question); err != nil {
			return r, fmt.Errorf("its question: %w", err)
		}
	}
	return r, nil
}

// createStep sets every field, so that all rows of a bulk insert have the same
// columns.
func createStep(c *ent.StepCreate, runID string, r *flow.Record) (*ent.StepCreate, error) {
	var failure, meta, question []byte
	var err error
	if r.Failure != nil {
		if failure, err = json.Marshal(r.Failure); err != nil {
			return nil, fmt.Errorf("the failure of step %s: %w", r.Key, err)
		}
	}
	if r.Meta != (flow.Meta{}) {
		if meta, err = json.Marshal(r.Meta); err != nil {
			return nil, fmt.Errorf("the meta data of step %s: %w", r.Key, err)
		}
	}
	if r.Question != nil {
		if question, err = json.Marshal(r.Question); err != nil {
			return nil, fmt.Errorf("the question of step %s: %w", r.Key, err)
		}
	}
	return c.SetRunID(runID).SetKey(r.Key).SetKind(r.Kind).SetStatus(string(r.Status)).
		SetReason([]byte(r.Reason)).SetText([]byte(r.Text)).SetFailure(failure).SetMeta(meta).SetQuestion(question).
		SetAttempt(r.Attempt).SetDeadline(fromTime(r.Deadline)).
		SetStarted(fromTime(r.Started)).SetFinished(fromTime(r.Finished)), nil
}
