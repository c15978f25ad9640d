package recording

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/tape"
)

// A Recorder appends turns to a file. Its methods are safe for concurrent use.
type Recorder struct{ file *tape.File }

// Open opens the file of a tape for recording. One that is there must be a
// recording of the tape's workflow, which is continued.
func Open(t *engine.Tape) (*Recorder, error) {
	file, err := tape.Open(t)
	if err != nil {
		return nil, err
	}
	return &Recorder{file}, nil
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
	prompt := r.file.Text(q.Text)
	t := turn{
		Step: q.Key, Attempt: q.Attempt, Time: time.Now().UTC(), Agent: q.Agent, Kind: by.Kind, Native: by.Native, Model: q.Model,
		Prompt: prompt, SHA256: sum(prompt), Schema: r.file.JSON(q.Schema), Session: q.Session, FreshSession: q.FreshSession,
	}
	for _, o := range q.Options {
		if t.Options == nil {
			t.Options = map[string]json.RawMessage{}
		}
		t.Options[o.Name] = r.file.JSON(o.Value)
	}
	if reply != nil {
		t.Text, t.Structured, t.Meta = r.file.Text(reply.Text), r.file.JSON(reply.Structured), reply.Meta
	}
	if f != nil {
		failure := *f
		failure.Message = r.file.Text(f.Message)
		t.Failure = &failure
	}
	return r.append(q.RunID, q.Inputs, t)
}

// Failed records that an attempt at a step has failed.
func (r *Recorder) Failed(run, step string) error {
	return r.append(run, nil, turn{Step: step, Failed: true})
}

func (r *Recorder) append(run string, inputs json.RawMessage, t turn) error {
	return r.file.Append(run, inputs, func(child string) any {
		t.Run = child
		return t
	})
}

// sum is the SHA-256 of a text in hexadecimal.
func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}
