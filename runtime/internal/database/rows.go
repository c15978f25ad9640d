package database

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/ent"
	"github.com/wfc-lang/wfc/runtime/internal/ent/workflowrun"
	"github.com/wfc-lang/wfc/runtime/internal/jsonline"
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
	targets, err := unpackTexts(row.DeliverTo)
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
	targets, err := packTexts(r.DeliverTo)
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
	if r.Failure, err = unpackFailure(row.Failure); err != nil {
		return r, err
	}
	if r.Meta, err = unpackMeta(row.Meta); err != nil {
		return r, err
	}
	r.Question, err = unpackQuestion(row.Question)
	return r, err
}

// Failures, meta data and questions are kept as JSON, readable in the database. Their
// strings come from programs and may contain bytes that JSON cannot: such a string is
// kept as {"base64": "…"}.

type text string

type encodedText struct {
	Base64 []byte `json:"base64"`
}

func (t text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(encodedText{[]byte(t)})
}

func (t *text) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '{' {
		return json.Unmarshal(data, (*string)(t))
	}
	var e encodedText
	err := json.Unmarshal(data, &e)
	*t = text(e.Base64)
	return err
}

type failureJSON struct {
	Message  text `json:"message"`
	Class    text `json:"class,omitempty"`
	Reason   text `json:"reason,omitempty"`
	ExitCode int  `json:"exit_code,omitempty"`

	Quota *flow.Quota `json:"quota,omitempty"`
	// RetryAfter is in nanoseconds.
	RetryAfter time.Duration `json:"retry_after,omitempty"`
}

type metaJSON struct {
	CostUSD      float64 `json:"cost_usd,omitempty"`
	InputTokens  int64   `json:"input_tokens,omitempty"`
	OutputTokens int64   `json:"output_tokens,omitempty"`
	Turns        int     `json:"turns,omitempty"`
	Session      text    `json:"session,omitempty"`
	Model        text    `json:"model,omitempty"`
	Attempts     int     `json:"attempts,omitempty"`
	Choice       text    `json:"choice,omitempty"`
	By           text    `json:"by,omitempty"`
	From         text    `json:"from,omitempty"`

	Replayed flow.Usage `json:"replayed,omitzero"`
}

type questionJSON struct {
	Key     text          `json:"key"`
	Message text          `json:"message"`
	Output  text          `json:"output,omitempty"`
	Draft   text          `json:"draft,omitempty"`
	Choices []text        `json:"choices,omitempty"`
	Timeout time.Duration `json:"timeout,omitempty"` // nanoseconds
	Wait    text          `json:"wait,omitempty"`

	Unattended text `json:"unattended,omitempty"`
}

func packFailure(f *flow.Failure) ([]byte, error) {
	if f == nil {
		return nil, nil
	}
	return json.Marshal(failureJSON{text(f.Message), text(f.Class), text(f.Reason), f.ExitCode, f.Quota, f.RetryAfter})
}

// unmarshalPart decodes a part of a record, nil if it is empty.
func unmarshalPart[T any](data []byte, what string) (*T, error) {
	if len(data) == 0 {
		return nil, nil
	}
	var kept T
	if err := json.Unmarshal(data, &kept); err != nil {
		return nil, fmt.Errorf("its %s: %w", what, err)
	}
	return &kept, nil
}

func unpackFailure(data []byte) (*flow.Failure, error) {
	f, err := unmarshalPart[failureJSON](data, "failure")
	if f == nil {
		return nil, err
	}
	return &flow.Failure{Message: string(f.Message), Class: flow.Class(f.Class), Reason: string(f.Reason), ExitCode: f.ExitCode, Quota: f.Quota, RetryAfter: f.RetryAfter}, nil
}

// packMeta fails on a cost that is not a number.
func packMeta(m flow.Meta) ([]byte, error) {
	switch m {
	case flow.Meta{}:
		return nil, nil
	case flow.Meta{Attempts: m.Attempts}: // as of every step without a model
		o := jsonline.Begin(nil)
		o.Int("attempts", int64(m.Attempts))
		return o.End(), nil
	}
	data, err := json.Marshal(metaJSON{
		CostUSD: m.CostUSD, InputTokens: m.InputTokens, OutputTokens: m.OutputTokens, Turns: m.Turns,
		Session: text(m.Session), Model: text(m.Model), Attempts: m.Attempts,
		Choice: text(m.Choice), By: text(m.By), From: text(m.From), Replayed: m.Replayed,
	})
	if err != nil {
		return nil, fmt.Errorf("its meta data: %w", err)
	}
	return data, nil
}

func unpackMeta(data []byte) (flow.Meta, error) {
	m, err := unmarshalPart[metaJSON](data, "meta data")
	if m == nil {
		return flow.Meta{}, err
	}
	return flow.Meta{
		CostUSD: m.CostUSD, InputTokens: m.InputTokens, OutputTokens: m.OutputTokens, Turns: m.Turns,
		Session: string(m.Session), Model: string(m.Model), Attempts: m.Attempts,
		Choice: string(m.Choice), By: string(m.By), From: string(m.From), Replayed: m.Replayed,
	}, nil
}

func packQuestion(q *flow.Question) ([]byte, error) {
	if q == nil {
		return nil, nil
	}
	return json.Marshal(questionJSON{
		Key: text(q.Key), Message: text(q.Message), Output: text(q.Output), Draft: text(q.LastEdit), Choices: convertStrings[text](q.Choices),
		Timeout: q.Timeout, Wait: text(q.Wait), Unattended: text(q.Unattended),
	})
}

func unpackQuestion(data []byte) (*flow.Question, error) {
	j, err := unmarshalPart[questionJSON](data, "question")
	if j == nil {
		return nil, err
	}
	return &flow.Question{
		Key: string(j.Key), Message: string(j.Message), Output: string(j.Output), LastEdit: string(j.Draft), Choices: convertStrings[string](j.Choices),
		Timeout: j.Timeout, Wait: flow.WaitKind(j.Wait), Unattended: string(j.Unattended),
	}, nil
}

// graphJSON has the caller's options for the run of a state graph. The state from which
// it continues is kept to the byte.
type graphJSON struct {
	flow.GraphOptions
	From text `json:"from,omitempty"`
}

func packGraph(o *flow.GraphOptions) ([]byte, error) {
	if o == nil {
		return nil, nil
	}
	return json.Marshal(graphJSON{*o, text(o.From)})
}

func unpackGraph(data []byte) (*flow.GraphOptions, error) {
	j, err := unmarshalPart[graphJSON](data, "options of a state graph")
	if j == nil {
		return nil, err
	}
	o := j.GraphOptions
	o.From = fromText(string(j.From))
	return &o, nil
}

// packTexts encodes a list of strings; an empty list is nil.
func packTexts(list []string) ([]byte, error) {
	if len(list) == 0 {
		return nil, nil
	}
	return json.Marshal(convertStrings[text](list))
}

func unpackTexts(data []byte) ([]string, error) {
	texts, err := unmarshalPart[[]text](data, "targets")
	if texts == nil {
		return nil, err
	}
	return convertStrings[string](*texts), nil
}

// convertStrings is a list of strings of another type; none stays none.
func convertStrings[To, From ~string](list []From) []To {
	var all []To
	for _, s := range list {
		all = append(all, To(s))
	}
	return all
}
