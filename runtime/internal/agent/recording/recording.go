// Package recording writes what agents answer to a file, and answers from one.
//
// A recording is of one run. It is a file of JSON objects, one a line, each on
// the disk before its turn counts. The first says what it is a recording of:
//
//	{"wfc_recording": 1,          the version of this format
//	 "workflow": "triage", "fingerprint": "…", "run_id": "triage-abc123", "inputs": {…}}
//
// Then comes a line for each turn that has ended, in the order in which they
// ended:
//
//	{"step": "fix#3",             the step that asked
//	 "attempt": 1,                grows with corrections and retries; see below
//	 "time": "…",                 when the turn ended
//	 "agent": "claude",           the name under which it was asked
//	 "kind": "claude",            what stood behind the name
//	 "native": true,              whether it satisfies schemas by itself
//	 "model": "…",                the model that was asked for; absent: none
//	 "prompt": "…", "prompt_sha256": "…",
//	 "schema": {…},               what the reply had to satisfy; absent: nothing
//	 "options": {"effort": …},    further settings; absent: none
//	 "session": "…",              the session that was continued; absent: none
//	 "fresh_session": true,       absent: no
//	 "text": "…",                 the reply
//	 "structured": {…},           the reply as JSON; absent: there is none
//	 "meta": {…},                 cost, tokens, session, model: see flow.Meta
//	 "failure": {"message": "…", "class": "transient", "reason": "timeout", "exit_code": -1}}
//
// failure is there when the turn failed; what there was of a reply then stands
// beside it. Turns that the end of the run's work broke off are not recorded:
// the resumed run asks for them again.
//
// When an attempt at a step has failed, whatever its turns were, a line says so:
//
//	{"step": "fix#3", "failed": true}
//
// A run that is resumed asks a failed step again from attempt 1 on. A turn whose
// attempt is not higher than the one before, without such a line between, stands
// for that turn: its process died before its reply was committed.
//
// The values of environment variables whose names look like those of secrets are
// replaced by *** wherever they stand in texts.
package recording

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/plain"
)

// version is the version of the format.
const version = 1

// header is the first line.
type header struct {
	Version     int    `json:"wfc_recording"`
	Workflow    string `json:"workflow"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Run         string `json:"run_id,omitempty"`
	// Inputs are the inputs of the run, an object. Recordings of earlier versions have
	// none.
	Inputs json.RawMessage `json:"inputs,omitempty"`
}

// turn is a line about a turn, or about the failure of an attempt.
type turn struct {
	Step         string                     `json:"step"`
	Failed       bool                       `json:"failed,omitempty"`
	Attempt      int                        `json:"attempt,omitempty"`
	Time         time.Time                  `json:"time,omitzero"`
	Agent        string                     `json:"agent,omitempty"`
	Kind         string                     `json:"kind,omitempty"`
	Native       bool                       `json:"native,omitempty"`
	Model        string                     `json:"model,omitempty"`
	Prompt       string                     `json:"prompt,omitempty"`
	SHA256       string                     `json:"prompt_sha256,omitempty"`
	Schema       json.RawMessage            `json:"schema,omitempty"`
	Options      map[string]json.RawMessage `json:"options,omitempty"`
	Session      string                     `json:"session,omitempty"`
	FreshSession bool                       `json:"fresh_session,omitempty"`
	Text         string                     `json:"text,omitempty"`
	Structured   json.RawMessage            `json:"structured,omitempty"`
	Meta         flow.Meta                  `json:"meta,omitzero"`
	Failure      *flow.Failure              `json:"failure,omitempty"`
}

// A Recording is what a file holds.
type Recording struct {
	path string
	head header
	// steps are the turns of each step.
	steps map[string][]turn
	// order are the steps in the order of their first turns.
	order []string
	// words are the agents that do not satisfy schemas by themselves.
	words map[string]bool
}

// Read reads a recording of a workflow.
func Read(path, workflow string) (*Recording, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	r, err := Parse(text)
	if err == nil && r.head.Workflow != workflow {
		err = fmt.Errorf("it is of workflow %s, and this is %s", cmp.Or(r.head.Workflow, "without a name"), workflow)
	}
	if err != nil {
		return nil, fmt.Errorf("read the recording %s: %w", path, err)
	}
	r.path = path
	return r, nil
}

// Parse reads a recording. A last line that was not written to its end is left
// out.
func Parse(text []byte) (*Recording, error) {
	r := &Recording{steps: map[string][]turn{}, words: map[string]bool{}}
	// open are the turns of a step since its last attempt that failed.
	open := map[string]int{}
	lines := bufio.NewReader(bytes.NewReader(text))
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		if n == 1 {
			if err := json.Unmarshal(line, &r.head); err != nil || r.head.Version == 0 {
				return nil, fmt.Errorf("it is no recording: its first line has no \"wfc_recording\"")
			}
			if r.head.Version != version {
				return nil, fmt.Errorf("its format has the version %d, and here %d is read", r.head.Version, version)
			}
			continue
		}
		var t turn
		if err := json.Unmarshal(line, &t); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, plain.JSONError(err, ""))
		}
		if t.Step == "" {
			return nil, fmt.Errorf("line %d: it names no step", n)
		}
		r.add(t, open)
	}
	if r.head.Version == 0 {
		return nil, fmt.Errorf("it is no recording: it is empty")
	}
	return r, nil
}

// add adds a turn after those that came before.
func (r *Recording) add(t turn, open map[string]int) {
	list := r.steps[t.Step]
	if t.Failed {
		open[t.Step] = len(list)
		return
	}
	for len(list) > open[t.Step] && list[len(list)-1].Attempt >= t.Attempt {
		list = list[:len(list)-1]
	}
	if !slices.Contains(r.order, t.Step) {
		r.order = append(r.order, t.Step)
	}
	r.steps[t.Step] = append(list, t)
	r.words[t.Agent] = r.words[t.Agent] || !t.Native
}
