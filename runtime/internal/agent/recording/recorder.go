package recording

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// A Recorder appends turns to a file. Its methods are safe for concurrent use.
type Recorder struct {
	tape *engine.Tape
	mask *masker

	mu   sync.Mutex
	file *os.File
	// headed says that the file has its first line.
	headed bool
}

// Open opens the file of a tape for recording. One that is there must be a
// recording of the tape's workflow, which is continued.
func Open(tape *engine.Tape) (*Recorder, error) {
	file, err := os.OpenFile(tape.Record, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("record what agents answer: %w", err)
	}
	r := &Recorder{tape: tape, mask: newMasker(tape.Environ), file: file}
	if err := r.resume(); err != nil {
		file.Close()
		return nil, fmt.Errorf("record what agents answer in %s: %w", tape.Record, err)
	}
	return r, nil
}

// resume looks at what the file has. A last line that an earlier process did not
// write to its end is cut off.
func (r *Recorder) resume() error {
	text, err := io.ReadAll(r.file)
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	if whole > 0 {
		before, err := Parse(text[:whole])
		if err != nil {
			return err
		}
		if before.head.Workflow != r.tape.Workflow {
			return fmt.Errorf("it is a recording of workflow %s, and this is %s", before.head.Workflow, r.tape.Workflow)
		}
		r.headed = true
	} else if len(text) > 0 && !bytes.HasPrefix([]byte(`{"wfc_recording":`), text[:min(len(text), len(`{"wfc_recording":`))]) {
		return errors.New("it is no recording: its first line has no \"wfc_recording\"")
	}
	if whole < len(text) {
		return r.file.Truncate(int64(whole))
	}
	return nil
}

// A Source says what answered a turn.
type Source struct {
	// Kind is the agent's kind.
	Kind string
	// Native says that it satisfies schemas by itself.
	Native bool
}

// Turn records a turn that has ended. It returns when that is on the disk.
func (r *Recorder) Turn(q *agent.Request, reply *agent.Reply, f *flow.Failure, by Source) error {
	prompt := r.mask.text(q.Text)
	t := turn{
		Step: q.Key, Attempt: q.Attempt, Time: time.Now().UTC(), Agent: q.Agent, Kind: by.Kind, Native: by.Native, Model: q.Model,
		Prompt: prompt, SHA256: sum(prompt), Schema: r.mask.json(q.Schema), Session: q.Session, FreshSession: q.FreshSession,
	}
	for _, o := range q.Options {
		if t.Options == nil {
			t.Options = map[string]json.RawMessage{}
		}
		t.Options[o.Name] = r.mask.json(o.Value)
	}
	if reply != nil {
		t.Text, t.Structured, t.Meta = r.mask.text(reply.Text), r.mask.json(reply.Structured), reply.Meta
	}
	if f != nil {
		failure := *f
		failure.Message = r.mask.text(f.Message)
		t.Failure = &failure
	}
	return r.append(q.RunID, q.Inputs, t)
}

// Failed records that an attempt at a step has failed.
func (r *Recorder) Failed(run, step string) error {
	return r.append(run, nil, turn{Step: step, Failed: true})
}

func (r *Recorder) append(run string, inputs json.RawMessage, t turn) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var lines []byte
	if !r.headed {
		head, err := line(header{Version: version, Workflow: r.tape.Workflow, Fingerprint: r.tape.Fingerprint, Run: run, Inputs: r.mask.json(inputs)})
		if err != nil {
			return err
		}
		lines = head
	}
	text, err := line(t)
	if err != nil {
		return err
	}
	if _, err := r.file.Write(append(lines, text...)); err != nil {
		return err
	}
	r.headed = true
	return r.file.Sync()
}

// line is a value as a line of JSON with its texts as they are: < and > stay.
func line(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// sum is the SHA-256 of a text in hexadecimal.
func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

// masker hides the secrets of an environment.
type masker struct{ environ []string }

func newMasker(environ []string) *masker { return &masker{process.Secrets(environ, nil)} }

func (m *masker) text(text string) string { return process.Mask(m.environ, text) }

func (m *masker) json(value json.RawMessage) json.RawMessage {
	return process.MaskJSON(m.environ, value)
}
