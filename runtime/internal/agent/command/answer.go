package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// version is the version of the protocol.
const version = 1

// marker is the key that distinguishes an envelope from an answer that is JSON itself.
const marker = "wfc"

// envelope is an answer that says more than a text.
type envelope struct {
	Version      int             `json:"wfc"`
	Text         string          `json:"text"`
	Structured   json.RawMessage `json:"structured"`
	Session      string          `json:"session"`
	Model        string          `json:"model"`
	CostUSD      float64         `json:"cost_usd"`
	InputTokens  int64           `json:"input_tokens"`
	OutputTokens int64           `json:"output_tokens"`
	Turns        int             `json:"turns"`
	Error        *fault          `json:"error"`
}

type fault struct {
	Message string     `json:"message"`
	Class   flow.Class `json:"class"`
	// Reset is when the agent's quota is reset, if it refuses because that is used up.
	Reset time.Time `json:"quota_reset"`
	// RetryAfter is how many seconds to wait before the next attempt, or 0.
	RetryAfter float64 `json:"retry_after"`
}

// mostSeconds are those of a year.
const mostSeconds = 365 * 24 * 60 * 60

// parseEnvelope returns the envelope that an answer is, or nil when it is plain text.
func parseEnvelope(output []byte) (*envelope, error) {
	if !looksLikeEnvelope(output) {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(output))
	d.DisallowUnknownFields()
	var e envelope
	if err := d.Decode(&e); err != nil {
		return nil, plain.JSONError(err, string(output))
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the JSON object")
	}
	if e.Version != version {
		return nil, errVersion
	}
	if e.Error != nil {
		switch e.Error.Class {
		case flow.ClassUnknown, flow.ClassTransient, flow.ClassFatal:
		default:
			return nil, fmt.Errorf("unknown class `%s` of its error: use `transient` or `fatal`, or leave it out", e.Error.Class)
		}
		if !(e.Error.RetryAfter >= 0 && e.Error.RetryAfter <= mostSeconds) {
			return nil, fmt.Errorf("`retry_after` of its error must be a number of seconds, at most a year")
		}
		if e.Error.Message == "" {
			return nil, fmt.Errorf("its error has no message")
		}
	}
	if string(e.Structured) == "null" {
		e.Structured = nil
	}
	return &e, nil
}

// looksLikeEnvelope reports whether an output begins like an envelope.
func looksLikeEnvelope(output []byte) bool {
	d := json.NewDecoder(bytes.NewReader(output))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return false
	}
	key, err := d.Token()
	return err == nil && key == marker
}

func (e *envelope) toReply() *agent.Reply {
	return &agent.Reply{
		Text: e.Text, Structured: e.Structured,
		Meta: flow.Meta{CostUSD: e.CostUSD, InputTokens: e.InputTokens, OutputTokens: e.OutputTokens, Turns: e.Turns, Session: e.Session, Model: e.Model},
	}
}

// preview shows an answer as it comes, unless it may be an envelope: then its
// text is shown at the end.
type preview struct {
	request *agent.Request
	state   previewState
}

type previewState int

const (
	undecided previewState = iota
	shown
	hidden
)

func (p *preview) showOutput(stream string, piece []byte) {
	if stream == "stderr" {
		if p.request.Notes != nil {
			p.request.Notes(piece)
		}
		return
	}
	if p.request.Output == nil {
		return
	}
	if first := bytes.TrimLeft(piece, " \t\r\n"); p.state == undecided && len(first) > 0 {
		p.state = shown
		if first[0] == '{' {
			p.state = hidden
		}
	}
	if p.state == hidden {
		piece = nil // still a sign of life
	}
	p.request.Output(piece)
}

func (p *preview) showHidden(reply *agent.Reply) {
	if p.state == hidden && reply.Text != "" && p.request.Output != nil {
		p.request.Output([]byte(reply.Text))
	}
}
