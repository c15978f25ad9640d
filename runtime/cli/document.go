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

// A RunDocument is a run as the flag --json prints it. Its nested documents are for
// encoding to JSON only.
type RunDocument struct {
	SchemaVersion int         `json:"schema_version,omitempty"`
	ID            string      `json:"run_id"`
	Workflow      string      `json:"workflow"`
	Status        flow.Status `json:"status"`
	Reason        string      `json:"reason,omitempty"`
	Error         string      `json:"error,omitempty"`
	Summary       string      `json:"summary,omitempty"`
	// SessionKey names the conversation in which the run was started, or is "".
	SessionKey   string            `json:"session_key,omitempty"`
	Inputs       json.RawMessage   `json:"inputs,omitempty"`
	Outputs      json.RawMessage   `json:"outputs,omitempty"`
	Created      time.Time         `json:"created"`
	Finished     time.Time         `json:"finished,omitzero"`
	WorkDir      string            `json:"work_dir"`
	Worktree     *worktreeDocument `json:"worktree,omitempty"`
	ArtifactsDir string            `json:"artifacts_dir"`
	LogFile      string            `json:"log_file"`
	// CostUSD, the tokens and Turns are the sums over all nodes and all processes of the
	// run, as far as agents reported them.
	CostUSD      float64 `json:"cost_usd,omitempty"`
	InputTokens  int64   `json:"input_tokens,omitempty"`
	OutputTokens int64   `json:"output_tokens,omitempty"`
	Turns        int     `json:"turns,omitempty"`
	// Replayed is the original cost of turns that came from a recording; the amounts above
	// do not include it.
	Replayed flow.Usage `json:"replayed,omitzero"`
	// DurationMS is the time from the run's start to its end in milliseconds, including
	// pauses.
	DurationMS int64 `json:"duration_ms,omitempty"`
	// Task is the task of a state graph's run.
	Task *taskDocument `json:"task,omitempty"`
	// Undelivered says which deliveries of the run failed, and why.
	Undelivered []string `json:"undelivered,omitempty"`
	// Questions wait for an answer.
	Questions []questionDocument `json:"questions,omitempty"`
	Counts    *counts            `json:"node_counts,omitempty"`
	Nodes     []stepDocument     `json:"nodes,omitempty"`
	// Warnings are problems that did not stop the run.
	Warnings []warningDocument `json:"warnings,omitempty"`
}

// worktreeDocument is a run's worktree as --json prints it.
type worktreeDocument struct {
	Path       string `json:"path"`
	Branch     string `json:"branch"`
	Base       string `json:"base"`
	Repository string `json:"repository"`
	// Gone says that it is not there any more.
	Gone bool `json:"gone,omitempty"`
	// Remove is the command that removes it.
	Remove string `json:"remove"`
}

func newWorktreeDocument(w *local.Worktree) *worktreeDocument {
	if w == nil {
		return nil
	}
	return &worktreeDocument{Path: w.Path, Branch: w.Branch, Base: w.Base, Repository: w.Repository, Gone: w.Gone(), Remove: w.Removal()}
}

// taskDocument is what --json says of the task of a state graph's run.
type taskDocument struct {
	// Folder keeps the state. Its run may be another by now: then the rest is
	// missing.
	Folder string `json:"folder"`
	Status string `json:"status,omitempty"`
	// CurrentNode is the node at which the run is or goes on, END behind the last.
	CurrentNode string         `json:"current_node,omitempty"`
	Reason      string         `json:"exit_reason,omitempty"`
	Limits      limitsDocument `json:"limits"`
	Usage       *usageDocument `json:"usage,omitempty"`
}

// limitsDocument are the limits that there are.
type limitsDocument struct {
	Iterations int     `json:"max_iterations,omitempty"`
	Minutes    float64 `json:"max_time_minutes,omitempty"`
	CostUSD    float64 `json:"max_cost_dollars,omitempty"`
	Parallel   int     `json:"max_parallel_branches,omitempty"`
}

type usageDocument struct {
	Iterations int     `json:"iterations_used"`
	Minutes    float64 `json:"time_elapsed_minutes"`
	CostUSD    float64 `json:"estimated_cost_dollars"`
}

func limitsOf(l flow.Limits) limitsDocument {
	return limitsDocument{l.Iterations, l.Time.Minutes(), l.CostUSD, l.Parallel}
}

// questionDocument is an open question as --json prints it.
type questionDocument struct {
	Key  string `json:"id"`
	Node string `json:"node"`
	// Message is as the workflow has it; for people it is shown without what
	// moves the cursor.
	Message string `json:"message"`
	// Output is what the question is about: JSON as it is, other text as a JSON
	// text. Draft is what a person wrote in its place and could not be taken.
	Output   json.RawMessage `json:"output,omitempty"`
	Draft    string          `json:"draft,omitempty"`
	Choices  []string        `json:"choices,omitempty"`
	Since    time.Time       `json:"since,omitzero"`
	Deadline time.Time       `json:"deadline,omitzero"`
	// Commands are the command lines that answer it: one for each choice.
	Commands []string `json:"commands"`
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
