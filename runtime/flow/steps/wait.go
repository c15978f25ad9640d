package steps

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// A Wait is a node that waits for a time, an event or a person. One of For, Until, Event
// and Attention is set. While a run only waits, its process may end. A later process
// continues the wait, and ends it at once if its time has passed meanwhile.
//
// The wait of node pause is the question pause/wait.
type Wait struct {
	// For is a duration, from the first time that the run comes to the node.
	For time.Duration
	// Until is a time in UTC, in the form of RFC 3339, such as 2027-01-31T09:00:00Z.
	Until string
	// Event is the name of an event, which a program reports as an answer to the question;
	// see flow.WaitEvent. EventTimeout is the longest time to wait for the event, from the
	// first time that the run comes to the node; zero means no limit. It limits no other
	// wait.
	Event        string
	EventTimeout time.Duration
	// Attention is a message to a person, who ends the wait; see flow.WaitAttention.
	Attention string
}

// A waited is the output of a Wait.
type waited struct {
	// Status is "satisfied", or "expired" if the event did not come in time.
	Status string `json:"status"`
	// Millis is the duration of the wait.
	Millis int64  `json:"waited_ms"`
	Event  string `json:"event,omitempty"`
	// Payload is the data that came with the event: its JSON, or else its text.
	Payload json.RawMessage `json:"payload,omitempty"`
}

// Run waits, and returns the output, a JSON object with these fields: status is "expired"
// if an event did not come within EventTimeout, and otherwise "satisfied", also when a
// time has come; waited_ms is the duration of the wait in milliseconds; event is Event;
// payload is the text of the answer, as a value if it is JSON, otherwise as a string. The
// error is flow.ErrCancelled or a *flow.Failure.
func (w Wait) Run(c *flow.Context) (string, error) {
	begin := c.Scheduler().Now(c.Key() + "/begin")
	q := flow.Question{Wait: flow.WaitTime}
	switch {
	case w.Event != "":
		q.Wait, q.Timeout, q.Choices = flow.WaitEvent, w.EventTimeout, []string{kernel.ChoiceSignal}
		q.Message = w.Event
	case w.Attention != "":
		q.Wait, q.Message, q.Choices = flow.WaitAttention, w.Attention, []string{kernel.ChoiceWake}
	default:
		until := begin.Add(w.For)
		if w.For == 0 {
			var ok bool
			if until, ok = scalar.UTC(strings.TrimSpace(w.Until)); !ok {
				return "", &flow.Failure{Reason: "wait", Class: flow.ClassFatal, ExitCode: -1,
					Message: fmt.Sprintf("node `%s` waits until `%s`, which is not a time in UTC such as 2027-01-31T09:00:00Z", c.Key(), w.Until)}
			}
		}
		q.Message = until.UTC().Format(time.RFC3339)
		if q.Timeout = until.Sub(begin); q.Timeout <= 0 {
			return w.outputOf(c, begin, flow.Result{})
		}
	}
	c.Node().Begin(flow.Waiting)
	r, err := c.Ask("/wait", q)
	if err != nil {
		return "", err
	}
	return w.outputOf(c, begin, r)
}

func (w *Wait) outputOf(c *flow.Context, begin time.Time, r flow.Result) (string, error) {
	out := waited{Status: "satisfied", Event: w.Event, Millis: c.Scheduler().Now(c.Key() + "/end").Sub(begin).Milliseconds()}
	if w.Event != "" && r.Meta.Choice == kernel.ChoiceExpired {
		out.Status = "expired"
	}
	if r.Text != "" {
		out.Payload = json.RawMessage(r.Text)
		if !json.Valid(out.Payload) {
			var err error
			if out.Payload, err = kernel.Encode(r.Text); err != nil {
				return "", err
			}
		}
	}
	text, err := kernel.Encode(out)
	if err != nil {
		return "", fmt.Errorf("the output of node `%s`: %w", c.Node().State().Key, err)
	}
	return string(text), nil
}
