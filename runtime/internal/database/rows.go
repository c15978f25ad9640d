package database

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"
	"unsafe"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/ent"
	"github.com/wfc-lang/wfc/runtime/internal/ent/workflowrun"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/store"
)

// The range of times in nanoseconds since 1970 in 64 bits.
var (
	earliest = time.Unix(0, -1<<63)
	latest   = time.Unix(0, 1<<63-1)
)

// fromTime is a time as the tables keep it: nanoseconds since 1970, 0 for the
// zero time. Times beyond what 64 bits hold, as deadlines of "never" can be,
// become the nearest that they do; 1970 itself becomes the nanosecond after it.
func fromTime(t time.Time) int64 {
	switch {
	case t.IsZero():
		return 0
	case t.Before(earliest):
		t = earliest
	case t.After(latest):
		t = latest
	}
	if n := t.UnixNano(); n != 0 {
		return n
	}
	return 1
}

func toTime(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}

// fromText is a text as the tables keep it: bytes, because programs write
// anything, and nothing for "".
//
// The bytes are those of the text: drivers only read them, and a text may have many megabytes.
func fromText(s string) []byte {
	if s == "" {
		return nil
	}
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// toText is the text of a column of a row that nobody else has. It is not copied.
func toText(column []byte) string { return unsafe.String(unsafe.SliceData(column), len(column)) }

func fromJSON(data json.RawMessage) []byte {
	if len(data) == 0 {
		return nil
	}
	return data
}

func toJSON(data []byte) json.RawMessage { return fromJSON(data) }

func (s *Store) toRun(row *ent.WorkflowRun) (store.Run, error) {
	graph, graphErr := unpackGraph(row.Graph)
	var targets []string
	err := unpackPart(row.DeliverTo, &targets, "targets")
	text := s.cfg.Plain
	return store.Run{
		RunInfo: flow.RunInfo{
			ID: text(row.ID), Workflow: text(row.Workflow), Fingerprint: text(row.Fingerprint), Inputs: toJSON(row.Inputs),
			ArtifactsDir: text(row.ArtifactsDir), LogDir: text(row.LogDir), WorkDir: text(row.WorkDir),
			BaseBranch: text(row.BaseBranch), DocsDir: text(row.DocsDir), Graph: graph, DeliverTo: targets,
		},
		Status: flow.Status(row.Status), Reason: toText(row.Reason), Error: toText(row.Error),
		Outputs: toJSON(row.Outputs), Summary: toText(row.Summary), Outcome: row.Outcome,
		Executable: text(row.Executable), Settings: toJSON(row.Settings), Holder: text(row.Holder),
		CancelRequested: toTime(row.CancelRequested), CancelBy: text(row.CancelBy), Processes: row.Processes,
		Created: toTime(row.Created), Started: toTime(row.Started), Finished: toTime(row.Finished), Updated: toTime(row.Updated),
	}, errors.Join(graphErr, err)
}

// runColumns are the columns of a run, in the order of runValues.
var runColumns = []string{
	workflowrun.FieldID, workflowrun.FieldWorkflow, workflowrun.FieldFingerprint, workflowrun.FieldStatus,
	workflowrun.FieldInputs, workflowrun.FieldArtifactsDir, workflowrun.FieldLogDir, workflowrun.FieldWorkDir,
	workflowrun.FieldBaseBranch, workflowrun.FieldDocsDir,
	workflowrun.FieldReason, workflowrun.FieldError,
	workflowrun.FieldOutputs, workflowrun.FieldSummary, workflowrun.FieldOutcome,
	workflowrun.FieldExecutable, workflowrun.FieldSettings, workflowrun.FieldHolder,
	workflowrun.FieldCancelRequested, workflowrun.FieldCancelBy, workflowrun.FieldProcesses,
	workflowrun.FieldCreated, workflowrun.FieldStarted, workflowrun.FieldFinished,
	workflowrun.FieldUpdated, workflowrun.FieldGraph, workflowrun.FieldDeliverTo,
}

func runValues(r store.Run) ([]any, error) {
	graph, graphErr := packGraph(r.Graph)
	targets, err := packPart(r.DeliverTo, "targets")
	return []any{
		r.ID, r.Workflow, r.Fingerprint, string(r.Status),
		[]byte(fromJSON(r.Inputs)), r.ArtifactsDir, r.LogDir, r.WorkDir,
		r.BaseBranch, r.DocsDir,
		fromText(r.Reason), fromText(r.Error),
		[]byte(fromJSON(r.Outputs)), fromText(r.Summary), r.Outcome,
		r.Executable, []byte(fromJSON(r.Settings)), r.Holder,
		fromTime(r.CancelRequested), r.CancelBy, int64(r.Processes),
		fromTime(r.Created), fromTime(r.Started), fromTime(r.Finished),
		fromTime(r.Updated), graph, targets,
	}, errors.Join(graphErr, err)
}

func (s *Store) toRecord(row *ent.WorkflowStepRun) (r flow.Record, err error) {
	r = flow.Record{
		Key: s.cfg.Plain(row.Key), Kind: s.cfg.Plain(row.Kind), Status: flow.Status(row.Status), Reason: toText(row.Reason), Text: toText(row.Text),
		Attempt: row.Attempt, Deadline: toTime(row.Deadline), Started: toTime(row.Started), Finished: toTime(row.Finished), Prompt: toText(row.Prompt),
	}
	if err = unpackPart(row.Failure, &r.Failure, "failure"); err != nil {
		return r, err
	}
	if err = unpackPart(row.Meta, &r.Meta, "meta data"); err != nil {
		return r, err
	}
	err = unpackPart(row.Question, &r.Question, "question")
	return r, err
}

// packPart returns a part of a record as JSON, readable in the database, or nil if it is empty. It
// fails on a number that JSON doesn't have.
func packPart(part any, what string) ([]byte, error) {
	if v := reflect.ValueOf(part); v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
		return nil, nil
	}
	data, err := json.Marshal(runstore.EncodeTexts(part))
	if err != nil {
		return nil, fmt.Errorf("its %s: %w", what, err)
	}
	return data, nil
}

// unpackPart reads the part of a record that is kept as data into what a pointer leads to.
func unpackPart(data []byte, part any, what string) error {
	if len(data) == 0 {
		return nil
	}
	if err := json.Unmarshal(data, part); err != nil {
		return fmt.Errorf("its %s: %w", what, err)
	}
	runstore.DecodeTexts(part)
	return nil
}

// graphJSON has the caller's options for the run of a state graph. The state from which
// it continues is kept to the byte.
type graphJSON struct {
	flow.GraphOptions
	From string `json:"from,omitempty"`
}

func packGraph(o *flow.GraphOptions) ([]byte, error) {
	if o == nil {
		return nil, nil
	}
	return packPart(&graphJSON{*o, string(o.From)}, "options of a state graph")
}

func unpackGraph(data []byte) (*flow.GraphOptions, error) {
	var j *graphJSON
	if err := unpackPart(data, &j, "options of a state graph"); err != nil || j == nil {
		return nil, err
	}
	o := j.GraphOptions
	o.From = fromText(j.From)
	return &o, nil
}
