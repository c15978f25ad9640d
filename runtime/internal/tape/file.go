package tape

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// A Tape records the turns of agents in a file, or replays them from one.
type Tape struct {
	// Record is the path of the file to which turns are appended, and Replay the path of
	// the file from which replies come instead of from agents. One of them is "".
	Record, Replay string
	// Strict makes a replayed turn fail if its prompt, schema or model differs from the
	// recorded one. Otherwise a difference is a warning.
	Strict bool
	// Workflow and Fingerprint are the name and the fingerprint of the workflow.
	Workflow, Fingerprint string
	// Environ is an environment, as os.Environ has it, whose secrets are masked in
	// the file.
	Environ []string
}

// A Taker is a performer of prompts that can work with a tape.
type Taker interface {
	// Taped returns a performer of prompts with other agents, and with a tape.
	Taped(agents engine.Agents, t *Tape) (engine.PromptPerformer, error)
}

// A File appends lines to a recording. Several Files of one process may append to the same
// recording. Its methods are safe for concurrent use.
type File struct {
	tape *Tape
	Masker

	mu   sync.Mutex
	file *os.File
	// head is the first line, or nil if the file had none when it was last read.
	head *Header
	// answered are the steps whose answers are recorded.
	answered map[Step]bool
}

// Open opens the file of a tape for recording. An existing file must be a recording of the
// tape's workflow, which is continued.
func Open(tape *Tape) (*File, error) {
	file, err := os.OpenFile(tape.Record, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("record the run: %w", err)
	}
	f := &File{tape: tape, Masker: NewMasker(tape.Environ), file: file, answered: map[Step]bool{}}
	if err := f.readExisting(); err != nil {
		file.Close()
		return nil, fmt.Errorf("record the run in %s: %w", tape.Record, err)
	}
	return f, nil
}

// readExisting reads the file. It cuts off a last line that an earlier process did not write to
// its end.
func (f *File) readExisting() error {
	text, err := wholefile.Output.From(f.file, "the file")
	if err != nil {
		return err
	}
	const start = `{"wfc_recording":`
	whole := bytes.LastIndexByte(text, '\n') + 1
	switch {
	case whole > 0:
		first, rest, _ := bytes.Cut(text[:whole], []byte("\n"))
		if f.head, err = ParseHeader(first); err != nil {
			return err
		}
		if f.head.Workflow != f.tape.Workflow {
			return fmt.Errorf("it is a recording of workflow %s, and this is %s", f.head.Workflow, f.tape.Workflow)
		}
		if err := f.readAnswers(rest); err != nil {
			return err
		}
	case len(text) > 0 && !bytes.HasPrefix([]byte(start), text[:min(len(text), len(start))]):
		return errNoRecording
	}
	if whole < len(text) {
		return f.file.Truncate(int64(whole))
	}
	return nil
}

// readAnswers notes the recorded answers.
func (f *File) readAnswers(lines []byte) error {
	n := 1
	for text := range bytes.Lines(lines) {
		n++
		var l Line
		if err := json.Unmarshal(text, &l); err != nil {
			return fmt.Errorf("line %d: it is not a line of a recording", n)
		}
		if l.Step == "" && l.End == nil && !l.Resumed {
			return fmt.Errorf("line %d: it names no step", n)
		}
		if l.Answer != nil {
			f.answered[Step{l.Run, l.Step}] = true
		}
	}
	return nil
}

var errNoRecording = errors.New("it is not a recording: its first line has no \"wfc_recording\"")

// ParseHeader parses the first line of a recording. It is an error if this version of wfc
// cannot read the recording.
func ParseHeader(text []byte) (*Header, error) {
	h := &Header{}
	if err := json.Unmarshal(text, h); err != nil || h.Version == 0 {
		return nil, errNoRecording
	}
	if h.Version != Version {
		return nil, fmt.Errorf("it has version %d of the format, and wfc reads version %d", h.Version, Version)
	}
	return h, nil
}

// Append appends a line about a step of a run, and returns when it is on the disk. Its
// argument is the child run of the step, or "". It makes the first line if there is none.
func (f *File) Append(run string, inputs json.RawMessage, make func(child string) any) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.beginLocked(run, inputs, time.Time{}); err != nil {
		return err
	}
	return f.writeLine(make(f.childRun(run)))
}

// Begin writes the first line, unless the file has one.
func (f *File) Begin(run string, inputs json.RawMessage, at time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.beginLocked(run, inputs, at)
}

func (f *File) beginLocked(run string, inputs json.RawMessage, at time.Time) error {
	if f.head != nil {
		return nil
	}
	text, err := wholefile.Output.Read(f.tape.Record)
	if err != nil {
		return err
	}
	if first, _, ok := bytes.Cut(text, []byte("\n")); ok {
		f.head, err = ParseHeader(first) // another File has begun it
		return err
	}
	h := &Header{Version: Version, Workflow: f.tape.Workflow, Fingerprint: f.tape.Fingerprint, Run: run, Inputs: f.JSON(inputs), Time: at}
	if err := f.writeLine(h); err != nil {
		return err
	}
	f.head = h
	return nil
}

// childRun returns a run if it is a child of the recorded one, or else "".
func (f *File) childRun(run string) string {
	if run == f.head.Run {
		return ""
	}
	return run
}

// Program records the result of a program.
func (f *File) Program(run, step string, attempt int, p Program) error {
	p.Output = f.Text(p.Output)
	if p.Failure != nil {
		failure := *p.Failure
		failure.Message = f.Text(failure.Message)
		p.Failure = &failure
	}
	return f.recordLine(run, Line{Step: step, Attempt: attempt, Program: &p})
}

// Answer records the answer to the question of a step, unless it is recorded.
func (f *File) Answer(run, step string, a Answer) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.head == nil {
		return nil
	}
	at := Step{f.childRun(run), step}
	if f.answered[at] {
		return nil
	}
	f.answered[at] = true
	a.Text = f.Text(a.Text)
	return f.writeLine(Line{Run: at.Run, Step: step, Time: time.Now().UTC(), Answer: &a})
}

// Child records that a step began a run.
func (f *File) Child(run, parent, step string) error {
	return f.recordLine(run, Line{Step: step, Child: &Child{parent}})
}

// Resumed records that another process continues the run.
func (f *File) Resumed(run string) error { return f.recordLine(run, Line{Resumed: true}) }

// End records how the run ended, or that it paused.
func (f *File) End(run string, e End) error {
	e.Reason, e.Error, e.Outputs = f.Text(e.Reason), f.Text(e.Error), f.JSON(e.Outputs)
	for i := range e.Cancelled {
		if e.Cancelled[i].Run == run {
			e.Cancelled[i].Run = ""
		}
	}
	return f.recordLine(run, Line{End: &e})
}

// recordLine records a line, unless nobody began the recording.
func (f *File) recordLine(run string, l Line) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.head == nil {
		return nil
	}
	l.Run, l.Time = f.childRun(run), time.Now().UTC()
	return f.writeLine(l)
}

// writeLine writes a value as a line of JSON, in which < and > stay.
func (f *File) writeLine(v any) error {
	line, err := plain.EncodeJSON(v)
	if err != nil {
		return err
	}
	if _, err := f.file.Write(append(line, '\n')); err != nil {
		return err
	}
	return f.file.Sync()
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// A Masker masks the secrets of an environment.
type Masker struct{ environ []string }

// NewMasker returns a Masker for an environment, as os.Environ has it.
func NewMasker(environ []string) Masker { return Masker{process.Secrets(environ, nil)} }

// Text masks secrets in a text.
func (m Masker) Text(text string) string { return process.Mask(m.environ, text) }

// JSON masks secrets in the strings of a JSON value.
func (m Masker) JSON(value json.RawMessage) json.RawMessage {
	return process.MaskJSON(m.environ, value)
}

// programOf returns the result of a program.
func programOf(a flow.Action, r flow.Result) Program {
	p := Program{Kind: a.Payload.Kind(), Timeout: a.Timeout.Milliseconds(), Output: r.Text, Failure: r.Failure}
	if bash, ok := a.Payload.(flow.Bash); ok {
		p.Test = bash.Test
	}
	return p
}

// Performers returns performers of which those of programs record their results.
func (f *File) Performers(list []engine.Performer) []engine.Performer {
	list = slices.Clone(list)
	for i, p := range list {
		switch p.Kind() {
		case flow.Bash{}.Kind(), flow.Script{}.Kind():
			list[i] = recorded{p, f}
		}
	}
	return list
}

// A recorded performer records results before they count.
type recorded struct {
	engine.Performer
	file *File
}

// Perform implements engine.Performer. A result that was cancelled is not recorded: the
// resumed run performs the step again.
func (p recorded) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	r := p.Performer.Perform(ctx, call)
	if r.Status == flow.Cancelled {
		return r
	}
	if err := p.file.Program(call.Info.ID, call.Action.Key, call.Number, programOf(call.Action, r)); err != nil {
		call.Log.Warn("the result of the program was not recorded", "error", err.Error())
		if call.Warn != nil {
			call.Warn("the result was not recorded: " + err.Error())
		}
	}
	return r
}
