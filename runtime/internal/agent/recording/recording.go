// Package recording writes what agents answer to a file, and answers from one.
//
// Package runtime/internal/tape has the format of the file. This package adds a line for
// each turn that has ended, each on the disk before its turn counts:
//
//	{"run": "…",                  the child run; absent: the recorded run itself
//	 "step": "fix#3",             the step that asked
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
// failure is present if the turn failed, beside the part of the reply that arrived. Turns
// that the end of the run's work interrupted are not recorded: the resumed run asks for
// them again.
//
// A line says that an attempt at a step has failed, even if its turns succeeded:
//
//	{"step": "fix#3", "failed": true}
//
// A run that is resumed asks a failed step again from attempt 1 on. A turn whose attempt
// is not higher than the one before, without such a line between, replaces that turn: its
// process died before its reply was committed.
package recording

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/tape"
)

// turn is a line about a turn, or about the failure of an attempt.
type turn struct {
	Run          string                     `json:"run,omitempty"`
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

	// process counts the processes of the run before that of the turn.
	process int
}

// line is any line but the first.
type line struct {
	turn
	Program *tape.Program `json:"program"`
	Answer  *tape.Answer  `json:"answer"`
	Child   *tape.Child   `json:"child"`
	End     *tape.End     `json:"end"`
	Resumed bool          `json:"resumed"`
}

// A Recording is the content of a file.
type Recording struct {
	path string
	head tape.Header
	// steps are the turns of each step, and order the steps in the order of their first turns.
	steps map[tape.Step][]turn
	order []tape.Step
	// words are the agents that do not satisfy schemas by themselves.
	words map[string]bool

	programs map[tape.Step][]program
	// programOrder are the steps of programs in the order of their first results.
	programOrder []tape.Step
	answers      []answer
	// origins are the steps that began child runs, by the ids of these.
	origins map[string]tape.Step
	// children are the ids of child runs, in order.
	children []string
	end      *tape.End
	// processes counts the processes of the run after the first.
	processes int
}

// A program is the result of an attempt at a program.
type program struct {
	tape.Program
	attempt, process int
}

// An answer is an answer with its question's step.
type answer struct {
	tape.Answer
	step tape.Step
}

// Read reads a recording of a workflow.
func Read(path, workflow string) (*Recording, error) {
	text, err := wholefile.Output.Read(path)
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	r, err := Parse(text)
	if err == nil && r.head.Workflow != workflow {
		err = fmt.Errorf("it belongs to workflow %s, and this is %s", cmp.Or(r.head.Workflow, "without a name"), workflow)
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
	r := &Recording{steps: map[tape.Step][]turn{}, words: map[string]bool{}, programs: map[tape.Step][]program{}, origins: map[string]tape.Step{}}
	// open are the turns of a step since its last attempt that failed.
	open := map[tape.Step]int{}
	n := 0
	for text := range bytes.Lines(text) {
		if !bytes.HasSuffix(text, []byte("\n")) {
			break
		}
		if n++; n == 1 {
			head, err := tape.ParseHeader(text)
			if err != nil {
				return nil, err
			}
			r.head = *head
			continue
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, plain.JSONError(err, ""))
		}
		if l.Step == "" && l.End == nil && !l.Resumed {
			return nil, fmt.Errorf("line %d: it names no step", n)
		}
		r.addLine(&l, open)
	}
	if r.head.Version == 0 {
		return nil, fmt.Errorf("it is not a recording: it is empty")
	}
	return r, nil
}

func (r *Recording) addLine(l *line, open map[tape.Step]int) {
	at := tape.Step{Run: l.Run, Step: l.Step}
	switch {
	case l.Program != nil:
		r.addProgram(at, program{*l.Program, l.Attempt, r.processes})
	case l.Answer != nil:
		r.answers = append(r.answers, answer{*l.Answer, at})
	case l.Child != nil:
		parent := l.Child.Parent
		if parent == r.head.Run {
			parent = ""
		}
		if _, known := r.origins[l.Run]; !known {
			r.children = append(r.children, l.Run)
		}
		r.origins[l.Run] = tape.Step{Run: parent, Step: l.Step}
	case l.End != nil:
		r.end = l.End
	case l.Resumed:
		r.processes++
	default:
		l.process = r.processes
		r.addTurn(at, l.turn, open)
	}
}

// addTurn adds a turn after those that came before.
func (r *Recording) addTurn(at tape.Step, t turn, open map[tape.Step]int) {
	list := r.steps[at]
	if t.Failed {
		open[at] = len(list)
		return
	}
	for len(list) > open[at] && list[len(list)-1].Attempt >= t.Attempt {
		list = list[:len(list)-1]
	}
	if _, known := r.steps[at]; !known {
		r.order = append(r.order, at)
	}
	r.steps[at] = append(list, t)
	r.words[t.Agent] = r.words[t.Agent] || !t.Native
}

// addProgram adds a result. In another process than those before it, it replaces those of the
// attempts that are not before it: their process died before they counted, or the step failed
// and the run was resumed.
func (r *Recording) addProgram(at tape.Step, p program) {
	list, known := r.programs[at]
	if !known {
		r.programOrder = append(r.programOrder, at)
	}
	for len(list) > 0 && list[len(list)-1].attempt >= p.attempt && list[len(list)-1].process < p.process {
		list = list[:len(list)-1]
	}
	r.programs[at] = append(list, p)
}

// A Turn is a recorded turn, for readers that do not replay it.
type Turn struct {
	Text       string
	Structured json.RawMessage
	Failure    *flow.Failure
	CostUSD    float64
	Tokens     int64
}

// Run returns the id of the recorded run.
func (r *Recording) Run() string { return r.head.Run }

// Fingerprint returns the fingerprint of the recorded workflow.
func (r *Recording) Fingerprint() string { return r.head.Fingerprint }

// Inputs returns the inputs of the recorded run, a JSON object; nil if it is not known.
func (r *Recording) Inputs() json.RawMessage { return r.head.Inputs }

// Begun returns the time at which the run began; zero if it is not known.
func (r *Recording) Begun() time.Time { return r.head.Time }

// End returns the last end of the run; nil if it is not known.
func (r *Recording) End() *tape.End { return r.end }

// Address returns the path to a step: the steps that began its run, and its key.
func (r *Recording) Address(at tape.Step) string {
	for range r.children {
		origin, ok := r.origins[at.Run]
		if !ok {
			break
		}
		at = tape.Step{Run: origin.Run, Step: path.Join(origin.Step, at.Step)}
	}
	return at.Step
}

// Steps returns the steps with turns in the order of their first ones.
func (r *Recording) Steps() []tape.Step { return r.order }

// Turns returns the turns of a step, in order, without those of a failed step that a later
// process repeated.
func (r *Recording) Turns(step tape.Step) (turns []Turn) {
	list := r.steps[step]
	for i, t := range list {
		if i > 0 && list[i-1].process < t.process && list[i-1].Attempt >= t.Attempt {
			turns = nil
		}
		turns = append(turns, Turn{
			Text: t.Text, Structured: t.Structured, Failure: t.Failure, CostUSD: t.Meta.CostUSD,
			Tokens: t.Meta.InputTokens + t.Meta.OutputTokens,
		})
	}
	return turns
}

// Programs returns the steps with results of programs in the order of their first ones.
func (r *Recording) Programs() []tape.Step { return r.programOrder }

// Results returns the results of the program of a step, in order.
func (r *Recording) Results(step tape.Step) (results []tape.Program) {
	for _, p := range r.programs[step] {
		results = append(results, p.Program)
	}
	return results
}

// Answers calls yield with each answer and its step, in order.
func (r *Recording) Answers(yield func(step tape.Step, a tape.Answer)) {
	for _, a := range r.answers {
		yield(a.step, a.Answer)
	}
}

// A Recorder appends turns to a file. Its methods are safe for concurrent use.
type Recorder struct{ file *tape.File }

// Open opens the file of a tape for recording. One that is there must be a
// recording of the tape's workflow, which is continued.
func Open(t *tape.Tape) (*Recorder, error) {
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
		Prompt: prompt, SHA256: sha256Hex(prompt), Schema: r.file.JSON(q.Schema), Session: q.Session, FreshSession: q.FreshSession,
	}
	for _, o := range q.Options {
		if t.Options == nil {
			t.Options = map[string]json.RawMessage{}
		}
		t.Options[o.Name] = r.file.JSON(json.RawMessage(o.Value))
	}
	if reply != nil {
		t.Text, t.Structured, t.Meta = r.file.Text(reply.Text), r.file.JSON(reply.Structured), reply.Meta
	}
	if f != nil {
		failure := *f
		failure.Message = r.file.Text(f.Message)
		t.Failure = &failure
	}
	return r.appendTurn(q.RunID, q.Inputs, t)
}

// Failed records that an attempt at a step has failed.
func (r *Recorder) Failed(run, step string) error {
	return r.appendTurn(run, nil, turn{Step: step, Failed: true})
}

func (r *Recorder) appendTurn(run string, inputs json.RawMessage, t turn) error {
	return r.file.Append(run, inputs, func(child string) any {
		t.Run = child
		return t
	})
}

// sha256Hex is the SHA-256 of a text in hexadecimal.
func sha256Hex(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}
