package cli

import (
	"io"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// eventLines prints what happens as JSON, one object a line.
type eventLines struct {
	mu  sync.Mutex
	out io.Writer
	// secrets are masked: such lines end up in logs.
	secrets []string
}

// eventDocument is one line of --jsonl. Type is "begin", "step", "output", "end"
// or what the flow calls an event of its own, such as "step_retrying".
type eventDocument struct {
	SchemaVersion int               `json:"schema_version"`
	Time          time.Time         `json:"time"`
	Type          string            `json:"type"`
	Run           string            `json:"run_id"`
	Resumed       bool              `json:"resumed,omitempty"`
	Worktree      *worktreeDocument `json:"worktree,omitempty"`
	Node          string            `json:"node,omitempty"`
	Stream        string            `json:"stream,omitempty"`
	Text          string            `json:"text,omitempty"`
	Step          *stepDocument     `json:"step,omitempty"`
	End           *flow.RunEnd      `json:"end,omitempty"`
}

func (l *eventLines) print(n local.Notice) {
	d := eventDocument{SchemaVersion: schemaVersion, Time: time.Now(), Run: n.RunID()}
	switch n := n.(type) {
	case *local.BeginNotice:
		d.Type, d.Resumed, d.Worktree = "begin", n.Resumed, newWorktreeDocument(n.Worktree)
	case *local.StepNotice:
		step := newStepDocument(n.Step)
		d.Type, d.Node, d.Step = "step", n.Step.Key, &step
	case *local.OutputNotice:
		d.Type, d.Node, d.Stream, d.Text = "output", n.Key, n.Stream, string(n.Piece)
	case *local.EventNotice:
		d.Type, d.Node, d.Text, d.Time = n.Event.Type, n.Event.Key, n.Event.Message, n.Event.Time
	case *local.EndNotice:
		d.Type, d.End = "end", &n.End
	}
	text, err := marshal(d)
	if err != nil {
		return // every field encodes
	}
	text = process.MaskJSON(l.secrets, text)
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.out.Write(append(plain.JSON(text), '\n'))
}
