package local

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/process"
)

// An entry is one line of a run's log.jsonl.
type entry struct {
	Time time.Time `json:"time"`
	Run  string    `json:"run"`
	// Type names what happened: run_started, run_resumed, run_stopped,
	// run_paused, run_completed, run_failed, run_cancelled, run_limit_reached,
	// step_started, step_continued (after it waited for a person),
	// step_retrying, step_waiting, step_completed, step_failed,
	// step_skipped, step_cancelled, output, survivor_ended, note, or what the
	// flow calls it.
	Type       string     `json:"type"`
	Workflow   string     `json:"workflow,omitempty"`
	Node       string     `json:"node,omitempty"`
	Kind       string     `json:"kind,omitempty"`
	Attempt    int        `json:"attempt,omitempty"`
	Stream     string     `json:"stream,omitempty"`
	Text       string     `json:"text,omitempty"`
	Reason     string     `json:"reason,omitempty"`
	Error      string     `json:"error,omitempty"`
	Message    string     `json:"message,omitempty"`
	DurationMS int64      `json:"duration_ms,omitempty"`
	Meta       *flow.Meta `json:"meta,omitempty"`
}

// runLog is a run's log.jsonl: one JSON object a line, appended. It is for
// people and programs that watch; nothing is ever read back from it, so it is
// not synced.
type runLog struct {
	id string
	// secrets are the variables whose values are masked.
	secrets []string

	mu   sync.Mutex
	file *os.File
}

// secrets returns the part of an environment that must not be logged.
func secrets(environ []string) []string {
	var list []string
	for _, entry := range environ {
		if name, _, _ := strings.Cut(entry, "="); process.SecretName(name) {
			list = append(list, entry)
		}
	}
	return list
}

// open opens the file; what is written before is lost.
func (l *runLog) open(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file = file
	return nil
}

// write appends entries. A full disk must not end the run for its log's sake:
// the journal says whether the run can go on.
func (l *runLog) write(entries ...entry) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for _, e := range entries {
		e.Run = l.id
		if e.Time.IsZero() {
			e.Time = time.Now()
		}
		for _, text := range []*string{&e.Text, &e.Error, &e.Reason, &e.Message} {
			if *text != "" && len(l.secrets) > 0 {
				*text = process.Mask(l.secrets, *text)
			}
		}
		_ = enc.Encode(e) // every field encodes
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_, _ = l.file.Write(b.Bytes())
	}
}

// close closes the file. What is written later is lost.
func (l *runLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
}

// handler makes notes of performers entries of the log.
func (l *runLog) handler() slog.Handler { return &logHandler{log: l} }

type logHandler struct {
	log   *runLog
	attrs []slog.Attr
}

func (h *logHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	e := entry{Time: r.Time, Type: "note", Message: r.Message}
	var rest []string
	add := func(a slog.Attr) bool {
		if a.Key == "node" {
			e.Node = a.Value.String()
		} else {
			rest = append(rest, a.Key+"="+a.Value.String())
		}
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	e.Text = strings.Join(rest, " ")
	h.log.write(e)
	return nil
}

// WithAttrs implements slog.Handler.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{log: h.log, attrs: append(append([]slog.Attr(nil), h.attrs...), attrs...)}
}

// WithGroup implements slog.Handler; groups are not told apart in a line.
func (h *logHandler) WithGroup(string) slog.Handler { return h }
