package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// schemaVersion is the version of the JSON documents that commands print. It
// grows when a field changes its meaning or goes away.
const schemaVersion = 1

// errorDocument is what --json prints when a command could not do its work.
type errorDocument struct {
	SchemaVersion int    `json:"schema_version"`
	Error         string `json:"error"`
	ExitCode      int    `json:"exit_code"`
}

// runDocument is a run as --json prints it.
type runDocument struct {
	SchemaVersion int         `json:"schema_version,omitempty"`
	ID            string      `json:"run_id"`
	Workflow      string      `json:"workflow"`
	Status        flow.Status `json:"status"`
	Reason        string      `json:"reason,omitempty"`
	Error         string      `json:"error,omitempty"`
	Summary       string      `json:"summary,omitempty"`
	// SessionKey names the conversation that the run was begun in.
	SessionKey   string            `json:"session_key,omitempty"`
	Inputs       json.RawMessage   `json:"inputs,omitempty"`
	Outputs      json.RawMessage   `json:"outputs,omitempty"`
	Created      time.Time         `json:"created"`
	Finished     time.Time         `json:"finished,omitzero"`
	WorkDir      string            `json:"work_dir"`
	Worktree     *worktreeDocument `json:"worktree,omitempty"`
	ArtifactsDir string            `json:"artifacts_dir"`
	LogFile      string            `json:"log_file"`
	// What all nodes have cost in all processes of the run, as far as agents
	// reported it.
	CostUSD      float64 `json:"cost_usd,omitempty"`
	InputTokens  int64   `json:"input_tokens,omitempty"`
	OutputTokens int64   `json:"output_tokens,omitempty"`
	Turns        int     `json:"turns,omitempty"`
	// Replayed is what the turns had cost that came out of a recording; it is no
	// part of the amounts above.
	Replayed flow.Usage `json:"replayed,omitzero"`
	// DurationMS is the time from the run's begin to its end, with its pauses.
	DurationMS int64 `json:"duration_ms,omitempty"`
	// Task is the task of a state graph's run.
	Task *taskDocument `json:"task,omitempty"`
	// Undelivered says which deliveries of the run failed, and why.
	Undelivered []string `json:"undelivered,omitempty"`
	// Questions wait for an answer.
	Questions []questionDocument `json:"questions,omitempty"`
	Counts    *counts            `json:"node_counts,omitempty"`
	Nodes     []stepDocument     `json:"nodes,omitempty"`
	// Warnings are what was told of and stopped nothing.
	Warnings []warningDocument `json:"warnings,omitempty"`
}

// warningDocument is a warning as --json prints it.
type warningDocument struct {
	Key     string `json:"node,omitempty"`
	Message string `json:"message"`
}

// counts are how many nodes ended how.
type counts struct {
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
	Skipped   int `json:"skipped"`
	Cancelled int `json:"cancelled"`
	Total     int `json:"total"`
}

// stepDocument is a step as --json prints it.
type stepDocument struct {
	Key        string         `json:"id"`
	Kind       string         `json:"kind"`
	Status     flow.Status    `json:"status"`
	Reason     string         `json:"reason,omitempty"`
	Output     string         `json:"output,omitempty"`
	Error      *flow.Failure  `json:"error,omitempty"`
	Attempt    int            `json:"attempt,omitempty"`
	Started    time.Time      `json:"started,omitzero"`
	Finished   time.Time      `json:"finished,omitzero"`
	DurationMS int64          `json:"duration_ms,omitempty"`
	Meta       *flow.Meta     `json:"meta,omitempty"`
	Question   *flow.Question `json:"question,omitempty"`
}

func (a *app) runDocument(r *local.RunStatus, logFile string) runDocument {
	d := runDocument{
		ID: r.ID, Workflow: r.Workflow, Status: r.Status, Reason: r.Reason, Error: r.Error, Summary: r.Summary,
		Inputs: r.Inputs, Outputs: r.Outputs, Created: r.Created, Finished: r.Finished,
		WorkDir: r.WorkDir, ArtifactsDir: r.ArtifactsDir, LogFile: logFile, Worktree: newWorktreeDocument(r.Worktree()),
	}
	d.SessionKey = sessionKeyOf(r.Settings)
	if !r.Finished.IsZero() {
		d.DurationMS = max(1, r.Finished.Sub(r.Created).Milliseconds())
	}
	if len(r.Questions) > 0 {
		d.Questions = a.questionDocuments(r.Questions)
	}
	if r.Steps == nil {
		return d
	}
	d.Undelivered = undelivered(r.Steps)
	d.Task = a.taskDocument(r)
	nodes := nodeSteps(a.program.Definition, r.Steps)
	c := count(nodes)
	d.Counts = &c
	sum := total(a.program.Definition, r.Steps)
	paid := sum.Spent()
	d.CostUSD, d.InputTokens, d.OutputTokens, d.Turns = paid.CostUSD, paid.InputTokens, paid.OutputTokens, paid.Turns
	d.Replayed = sum.Replayed
	for _, s := range r.Steps {
		if a.nodeOf(s.Key) == s.Key {
			s.Meta = spent(s, r.Steps)
		}
		d.Nodes = append(d.Nodes, newStepDocument(s))
	}
	return d
}

func newStepDocument(s flow.Record) stepDocument {
	d := stepDocument{
		Key: s.Key, Kind: s.Kind, Status: s.Status, Reason: s.Reason, Output: s.Text, Error: s.Failure,
		Attempt: s.Attempt, Started: s.Started, Finished: s.Finished, Question: s.Question,
	}
	if took := duration(s); took > 0 {
		d.DurationMS = max(1, took.Milliseconds())
	}
	if s.Meta != (flow.Meta{}) {
		d.Meta = &s.Meta
	}
	return d
}

func count(steps []flow.Record) counts {
	var c counts
	for _, s := range steps {
		c.Total++
		switch s.Status {
		case flow.Completed:
			c.Completed++
		case flow.Failed:
			c.Failed++
		case flow.Skipped:
			c.Skipped++
		case flow.Cancelled:
			c.Cancelled++
		}
	}
	return c
}

// duration is how long a step took, or zero when that is not known.
func duration(s flow.Record) time.Duration {
	if s.Started.IsZero() || s.Finished.IsZero() {
		return 0
	}
	return s.Finished.Sub(s.Started)
}

// marshal is JSON with texts as they are: < and > stay.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// printJSON prints the one document of a command.
func printJSON(w io.Writer, v any) error {
	text, err := marshal(v)
	if err != nil {
		return failed(err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return failed(err)
	}
	b.WriteByte('\n')
	_, err = plain.JSONWriter(w).Write(b.Bytes())
	return failed(err)
}
