// Package tape writes recordings of runs. Package runtime/internal/agent/recording adds the
// turns of agents, and reads recordings.
//
// A recording is of one run and of the runs that its steps begin. It is a file of JSON
// objects, one a line. The first line describes the run:
//
//	{"wfc_recording": 2,          the version of this format
//	 "workflow": "triage", "fingerprint": "…", "run_id": "triage-abc123", "inputs": {…},
//	 "time": "…"}                 when the run began
//
// A line for each thing that has ended follows, in the order in which they ended. Each has
// the step, and "run" if that is a step of a child run:
//
//	{"run": "…", "step": "fix#3", "time": "…", …}
//
// Turns of agents have no further mark; see package recording. The other lines have one of
// these keys:
//
//	"program": {"kind": "bash",   or "script"
//	  "test": true,               the script only decides; its output is "true" or "false"
//	  "timeout_ms": 100,          the limit of the step; absent: it sets none
//	  "output": "…",
//	  "failure": {…}}             absent if the program succeeded
//	"answer": {"choice": "reject", "text": "…"}; the choice "expired" is of a wait that nobody ended
//	"child": {"parent": "…"}      the step of the run parent began the run "run"
//	"end": {"status": "failed", "reason": "…", "error": "…", "outputs": {…},
//	  "cancelled": [{"run": "…", "step": "…"}]}
//
// A program's line has an "attempt", which means the same as that of a turn. It is on the
// disk before the result counts. The last end counts: a run that pauses has one each time.
// {"resumed": true} comes where another process continues the run.
// "cancelled" has the steps that were performed, or waited for a person, when the run was
// cancelled.
//
// The values of environment variables whose names look like those of secrets are
// replaced by ***.
package tape

import (
	"encoding/json"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// Version is the version of the format.
const Version = 2

// A Header is the first line of a recording.
type Header struct {
	Version     int    `json:"wfc_recording"`
	Workflow    string `json:"workflow"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Run         string `json:"run_id,omitempty"`
	// Inputs are the inputs of the run, an object; nil if they are not known.
	Inputs json.RawMessage `json:"inputs,omitempty"`
	// Time is the time at which the run began; zero if it is not known.
	Time time.Time `json:"time,omitzero"`
}

// A Line is a line that is not about a turn of an agent. One of Program, Answer, Child, End
// and Resumed is set.
type Line struct {
	// Run is the id of the child run of the step, or "".
	Run     string    `json:"run,omitempty"`
	Step    string    `json:"step,omitempty"`
	Time    time.Time `json:"time,omitzero"`
	Attempt int       `json:"attempt,omitempty"`
	Program *Program  `json:"program,omitempty"`
	Answer  *Answer   `json:"answer,omitempty"`
	Child   *Child    `json:"child,omitempty"`
	End     *End      `json:"end,omitempty"`
	Resumed bool      `json:"resumed,omitempty"`
}

// A Program is the result of a bash or script step.
type Program struct {
	Kind    string        `json:"kind"`
	Test    bool          `json:"test,omitempty"`
	Timeout int64         `json:"timeout_ms,omitempty"`
	Output  string        `json:"output,omitempty"`
	Failure *flow.Failure `json:"failure,omitempty"`
}

// An Answer is the answer of a person to a question, or to a wait.
type Answer struct {
	Choice string `json:"choice,omitempty"`
	Text   string `json:"text,omitempty"`
}

// A Child is the origin of a child run: a step of another run.
type Child struct {
	// Parent is the id of that run.
	Parent string `json:"parent"`
}

// An End is the end of the run, or its pause.
type End struct {
	Status  flow.Status     `json:"status"`
	Reason  string          `json:"reason,omitempty"`
	Error   string          `json:"error,omitempty"`
	Outputs json.RawMessage `json:"outputs,omitempty"`
	// Cancelled are the steps that were performed, or waited for a person, when the run was
	// cancelled.
	Cancelled []Step `json:"cancelled,omitempty"`
}

// A Step is a step of a run; Run is "" for the recorded run itself.
type Step struct {
	Run  string `json:"run,omitempty"`
	Step string `json:"step"`
}
