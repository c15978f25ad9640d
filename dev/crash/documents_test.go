//go:build unix

package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// A step is a step as --json and --jsonl print it.
type step struct {
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Status string `json:"status"`
	Reason string `json:"reason"`
	Output string `json:"output"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// short is the step for messages.
func (s step) short() string {
	text := fmt.Sprintf("%s %s %.60q", s.Status, s.Reason, s.Output)
	if s.Error != nil {
		text += " " + s.Error.Message
	}
	return text
}

func (s step) equal(t step) bool {
	same := s.ID == t.ID && s.Status == t.Status && s.Reason == t.Reason && (s.Output == t.Output || s.Kind == "now") && (s.Error == nil) == (t.Error == nil)
	return same && (s.Error == nil || *s.Error == *t.Error)
}

// A document is a run as status --json prints it.
type document struct {
	Status  string          `json:"status"`
	Outputs json.RawMessage `json:"outputs"`
	Nodes   []step          `json:"nodes"`
	// Questions are those that are open.
	Questions []struct {
		ID string `json:"id"`
	} `json:"questions"`
}

// step returns the state of a step, or the zero step.
func (d *document) step(id string) step {
	for _, s := range d.Nodes {
		if s.ID == id {
			return s
		}
	}
	return step{}
}

// compact makes the outputs comparable.
func (d *document) compact() string {
	var b bytes.Buffer
	if json.Compact(&b, d.Outputs) != nil {
		return string(d.Outputs)
	}
	return b.String()
}

// completed returns the outputs of the steps that have completed.
func (d *document) completed() map[string]string {
	done := map[string]string{}
	for _, s := range d.Nodes {
		if s.Status == "completed" {
			done[s.ID] = s.Output
		}
	}
	return done
}

// reported returns the outputs of the steps whose completion the lines of
// --jsonl tell, without those of runs that the run began. A line that the kill cut short
// tells nothing.
func reported(lines []byte) (map[string]string, error) {
	done := map[string]string{}
	for line := range bytes.Lines(lines) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break
		}
		var event struct {
			Type string `json:"type"`
			Run  string `json:"run_id"`
			Step *step  `json:"step"`
		}
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, fmt.Errorf("the event %.200q: %w", line, err)
		}
		if event.Type == "step" && event.Step != nil && event.Step.Status == "completed" && !strings.Contains(event.Run, "--") {
			done[event.Step.ID] = event.Step.Output
		}
	}
	return done, nil
}
