package local

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// An entry is one line of a run's log.jsonl.
type entry struct {
	Time time.Time
	Run  string
	// Type names what happened: run_started, run_resumed, run_stopped,
	// run_paused, run_completed, run_failed, run_cancelled, run_limit_reached,
	// step_started, step_continued (after it waited for a person),
	// step_retrying, step_waiting, step_completed, step_failed,
	// step_skipped, step_cancelled, child_run, output, warning, sandbox_report,
	// survivor_ended, note, or a type from the flow.
	Type       string
	Workflow   string
	Node       string
	Kind       string
	Attempt    int
	Stream     string
	Text       string
	Reason     string
	Error      string
	Message    string
	DurationMS int64
	Meta       *flow.Meta
}

// runLog is a run's log.jsonl: one JSON object a line, appended. It is for
// people and programs that watch; nothing is ever read back from it, so it is
// not synced.
type runLog struct {
	id string
	// secrets are the variables whose values are masked.
	secrets []string

	mu    sync.Mutex
	file  *os.File
	lines []byte // the buffer of write
	// last is the latest time of an entry. A step that an earlier process began has its time, and a
	// reader expects times in order.
	last time.Time
}

// openFile opens the file; earlier entries are lost.
func (l *runLog) openFile(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file = file
	if info, err := file.Stat(); err == nil && info.Size() > 0 {
		l.last = time.Now() // the entries of an earlier process are older
	}
	return nil
}

// writeEntries appends entries. A failed write to the log, as on a full disk, does not end the
// run: that depends on the journal alone.
func (l *runLog) writeEntries(entries ...entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return
	}
	l.lines = l.lines[:0]
	for i := range entries {
		e := &entries[i]
		e.Run = l.id
		if e.Time.IsZero() {
			e.Time = time.Now()
		}
		if e.Time.Before(l.last) {
			e.Time = l.last
		}
		l.last = e.Time
		for _, text := range [...]*string{&e.Text, &e.Error, &e.Reason, &e.Message} {
			if *text != "" && len(l.secrets) > 0 {
				*text = process.Mask(l.secrets, *text)
			}
		}
		l.lines = append(e.appendJSON(l.lines), '\n')
	}
	_, _ = l.file.Write(l.lines)
	if cap(l.lines) > keptLines {
		l.lines = nil // an output of many megabytes was in it
	}
}

// keptLines is the size in bytes up to which the buffer for lines is kept.
const keptLines = 256 << 10

// appendJSON appends the entry as a JSON object without empty fields.
func (e *entry) appendJSON(buffer []byte) []byte {
	o := beginLine(buffer)
	o.addTime("time", e.Time)
	o.addText("run", e.Run)
	o.addText("type", e.Type)
	o.addSomeText("workflow", e.Workflow)
	o.addSomeText("node", e.Node)
	o.addSomeText("kind", e.Kind)
	o.addSomeInt("attempt", int64(e.Attempt))
	o.addSomeText("stream", e.Stream)
	o.addSomeText("text", e.Text)
	o.addSomeText("reason", e.Reason)
	o.addSomeText("error", e.Error)
	o.addSomeText("message", e.Message)
	o.addSomeInt("duration_ms", e.DurationMS)
	if e.Meta != nil {
		if meta, err := json.Marshal(e.Meta); err == nil {
			o.addJSON("meta", meta)
		}
	}
	return o.endLine()
}

// close closes the file. Later entries are lost.
func (l *runLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		_ = l.file.Close()
		l.file = nil
	}
}

// slogHandler makes notes of performers entries of the log. The entries that belong
// before a note are written by before, which is called before each.
func (l *runLog) slogHandler(before func()) slog.Handler { return &logHandler{log: l, before: before} }

type logHandler struct {
	log    *runLog
	before func()
	attrs  []slog.Attr
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
	h.before()
	h.log.writeEntries(e)
	return nil
}

// WithAttrs implements slog.Handler.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &logHandler{log: h.log, before: h.before, attrs: append(append([]slog.Attr(nil), h.attrs...), attrs...)}
}

// WithGroup implements slog.Handler; lines do not show groups.
func (h *logHandler) WithGroup(string) slog.Handler { return h }
