package cli

import (
	"bytes"
	"encoding/json"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
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

func newWorktreeDocument(w *local.Worktree) *document.Worktree {
	if w == nil {
		return nil
	}
	return &document.Worktree{Path: w.Path, Branch: w.Branch, Base: w.Base, Repository: w.Repository, Worker: w.Worker, Gone: w.Gone(), Remove: w.Removal()}
}

func limitsOf(l flow.GraphLimits) document.Limits {
	return document.Limits{Iterations: l.Iterations, Minutes: l.Time.Minutes(), CostUSD: l.CostUSD, Parallel: l.Parallel}
}

func count(steps []flow.Record) document.Counts {
	var c document.Counts
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

func newStepDocument(s flow.Record) document.Step {
	d := document.Step{
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

// printJSON prints the one document of a command.
func printJSON(w io.Writer, v any) error {
	text, err := kernel.Encode(v)
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
