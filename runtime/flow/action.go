package flow

import (
	"encoding/json"
	"time"
)

// An Action is an effect as data: what to perform, under which key it is
// journalled, and for how long and how often to try. The kernel performs it
// through the engine; flow code never performs anything itself.
type Action struct {
	// Key is the step's key in the run: a static path with iteration numbers,
	// such as "fix", "fix#3", "gate/rework#1".
	Key string
	// Payload says what to do. It is plain data that encodes to JSON.
	Payload Payload
	// Timeout limits each attempt; zero means the performer's default.
	Timeout time.Duration
	// Retry says how failures are tried again; the zero value never retries.
	Retry Retry
	// Fresh performs the action even when an earlier process of the run
	// completed it.
	Fresh bool
}

// A Payload is the data of an action of one kind.
type Payload interface {
	// Kind is the action's kind: it selects the performer.
	Kind() string
}

// Retry says how a failed action is tried again. The wait before attempt n+1
// is Delay doubled n-1 times. Failures of class ClassFatal are never retried.
type Retry struct {
	// Max is the number of further attempts after the first.
	Max int
	// Delay is the wait before the second attempt.
	Delay time.Duration
	// All retries failures of every class but ClassFatal; otherwise only those
	// of ClassTransient are retried.
	All bool
}

// Again reports whether a failure of the given attempt is tried again.
func (r Retry) Again(attempt int, f *Failure) bool {
	if attempt > r.Max || f.Class == ClassFatal {
		return false
	}
	return r.All || f.Class == ClassTransient
}

// Wait is the wait after the given attempt: the delay, doubled with every
// further one, and at most a day.
func (r Retry) Wait(attempt int) time.Duration {
	const most = 24 * time.Hour
	delay := r.Delay
	for ; attempt > 1 && delay < most; attempt-- {
		delay *= 2
	}
	return max(0, min(delay, most))
}

// A Binding hands a value to a program by name; see Bash and Script.
type Binding struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Integer makes the value's text be checked as a whole number first.
	Integer bool `json:"integer,omitempty"`
	// Literal makes the program see a value of its own language rather than
	// text: Value read as a literal of that language, else as JSON, else as
	// text.
	Literal bool `json:"literal,omitempty"`
	// Words makes a shell array of the value: its words, as white space divides
	// it. No file name patterns are looked for in them.
	Words bool `json:"words,omitempty"`
	// Echoed writes the value so that an `echo` which interprets backslashes
	// prints it, also one that it would take for an option, such as -n.
	Echoed bool `json:"echoed,omitempty"`
}

// A Variable is an environment variable of a process.
type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Bash is the payload of a bash script.
type Bash struct {
	Script string `json:"script"`
	// Bindings become unexported shell variables.
	Bindings []Binding `json:"bindings,omitempty"`
	// Env become exported variables; values too long for the system's limit
	// become unexported ones.
	Env []Variable `json:"env,omitempty"`
	// Dir is the working directory; empty means the run's own.
	Dir string `json:"dir,omitempty"`
	// Test makes the exit code the result: the action completes with the text
	// "true" for 0 and "false" for any other that the script may give. What the
	// shell gives when it cannot run a command (126, 127), a signal and a timeout
	// are failures all the same.
	Test bool `json:"test,omitempty"`
	// KeepOutput makes what a failing script printed on standard output the
	// failed action's text.
	KeepOutput bool `json:"keep_output,omitempty"`
	// Echo makes `echo` interpret backslashes, as that of a standard sh may do.
	Echo bool `json:"echo,omitempty"`
}

// Script is the payload of a program in another language.
type Script struct {
	// Runtime is "bun", "uv", or "python" for the python3 that is installed.
	Runtime string `json:"runtime"`
	Source  string `json:"source"`
	// Name is the file name of a named script, or "" for an inline one.
	Name     string     `json:"name,omitempty"`
	Deps     []string   `json:"deps,omitempty"`
	Bindings []Binding  `json:"bindings,omitempty"`
	Env      []Variable `json:"env,omitempty"`
}

// Prompt is the payload of a turn of an agent.
type Prompt struct {
	Agent string `json:"agent"`
	Text  string `json:"text"`
	Model string `json:"model,omitempty"`
	// Schema is the JSON Schema that the reply must satisfy, or "".
	Schema json.RawMessage `json:"schema,omitempty"`
	// FreshSession starts the turn without memory of earlier ones.
	FreshSession bool `json:"fresh_session,omitempty"`
	// Session is the session to continue, or "".
	Session string `json:"session,omitempty"`
	// Persist goes on with the session that the step had in the last run of the
	// workflow, when Session is "", and keeps the session for the next run.
	Persist bool `json:"persist,omitempty"`
	// Options are further settings by name, each a JSON value.
	Options []Option `json:"options,omitempty"`
	// Files are files that the agent is to read first, relative to the folder it
	// works in. An agent that can read files is given their names, another one
	// their contents.
	Files []string `json:"files,omitempty"`
	// IdleTimeout limits the time in which the agent says nothing.
	IdleTimeout time.Duration `json:"idle_timeout,omitempty"`
	// MayBeEmpty says that an answer without any text is one, too; else the step
	// fails. With a schema it says nothing.
	MayBeEmpty bool `json:"may_be_empty,omitempty"`
}

// An Option is a named setting.
type Option struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// Kind implements Payload.
func (Bash) Kind() string { return "bash" }

// Kind implements Payload.
func (Script) Kind() string { return "script" }

// Kind implements Payload.
func (Prompt) Kind() string { return "prompt" }

// A Question is what a person is asked.
type Question struct {
	// Key is the step's key in the run.
	Key string `json:"key"`
	// Message is shown to the person.
	Message string `json:"message"`
	// Output is what the question is about when it is about a step's output: its
	// text, which for structured ones is JSON.
	Output string `json:"output,omitempty"`
	// Draft is what a person wrote in place of the output and could not be taken,
	// or "".
	Draft string `json:"draft,omitempty"`
	// Choices are the answers that may be given, beside which a person may say
	// something; empty means that the words are the answer.
	Choices []string `json:"choices,omitempty"`
	// Timeout limits the wait; zero means none.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Unattended is the choice that counts when nobody answers questions in the
	// process that asks, rather than that the run waits; "" is none.
	Unattended string `json:"unattended,omitempty"`
}

// Class says whether trying a failure again can help.
type Class string

// The classes of failures.
const (
	// ClassUnknown is a failure of which nothing is known.
	ClassUnknown Class = ""
	// ClassTransient is a failure that passes by itself: a lost connection, a
	// full service.
	ClassTransient Class = "transient"
	// ClassFatal is a failure that stays until somebody acts: missing rights,
	// no credit.
	ClassFatal Class = "fatal"
)

// A Failure is why an action or a node did not complete. It is an error.
type Failure struct {
	Message string `json:"message"`
	Class   Class  `json:"class,omitempty"`
	// Reason names the kind of failure for programs: "exit", "timeout",
	// "signal", "reference", "panic", "agent", "output", …
	Reason string `json:"reason,omitempty"`
	// ExitCode is a process's exit code; -1 when it has none.
	ExitCode int `json:"exit_code,omitempty"`
}

func (f *Failure) Error() string { return f.Message }

// Result is how an action ended.
type Result struct {
	// Status is Completed, Failed, Cancelled or Skipped.
	Status Status `json:"status"`
	// Text is the output. A failed action may have some.
	Text string `json:"text,omitempty"`
	// Failure is set when Status is Failed.
	Failure *Failure `json:"failure,omitempty"`
	// Meta is what the performer reports besides: cost, tokens, session.
	Meta Meta `json:"meta,omitzero"`
	// Unknown is set when nobody knows the output, because the action was only
	// planned; Text then is what stands for it. It is never journalled.
	Unknown Unknown `json:"-"`
}

// Meta is what an action reports besides its output. Zero fields are unknown.
type Meta struct {
	// CostUSD is the cost in US dollars.
	CostUSD float64 `json:"cost_usd,omitempty"`
	// InputTokens and OutputTokens count what a model read and wrote.
	InputTokens  int64 `json:"input_tokens,omitempty"`
	OutputTokens int64 `json:"output_tokens,omitempty"`
	// Turns counts the agent's turns.
	Turns int `json:"turns,omitempty"`
	// Session identifies the agent's session, to continue it.
	Session string `json:"session,omitempty"`
	// Model is the model that answered.
	Model string `json:"model,omitempty"`
	// Attempts counts how often the action was tried.
	Attempts int `json:"attempts,omitempty"`
	// Choice is the answer that a person gave, of a question that has choices.
	Choice string `json:"choice,omitempty"`
	// By, From say who answered a question and from where.
	By   string `json:"by,omitempty"`
	From string `json:"from,omitempty"`
	// Replayed is the part of cost, tokens and turns that came out of a recording,
	// so that nobody paid for it now.
	Replayed Usage `json:"replayed,omitzero"`
}

// Usage is what turns of an agent cost.
type Usage struct {
	CostUSD      float64 `json:"cost_usd,omitempty"`
	InputTokens  int64   `json:"input_tokens,omitempty"`
	OutputTokens int64   `json:"output_tokens,omitempty"`
	Turns        int     `json:"turns,omitempty"`
}

// Usage is what an action cost, what was replayed included.
func (m Meta) Usage() Usage { return Usage{m.CostUSD, m.InputTokens, m.OutputTokens, m.Turns} }

// Spent is what an action cost, without what was replayed.
func (m Meta) Spent() Usage {
	return Usage{
		m.CostUSD - m.Replayed.CostUSD, m.InputTokens - m.Replayed.InputTokens,
		m.OutputTokens - m.Replayed.OutputTokens, m.Turns - m.Replayed.Turns,
	}
}

// Plus sums what two actions cost; of the rest, what the second one says counts
// before what the first one does.
func (m Meta) Plus(next Meta) Meta {
	next.CostUSD += m.CostUSD
	next.InputTokens += m.InputTokens
	next.OutputTokens += m.OutputTokens
	next.Turns += m.Turns
	next.Replayed.CostUSD += m.Replayed.CostUSD
	next.Replayed.InputTokens += m.Replayed.InputTokens
	next.Replayed.OutputTokens += m.Replayed.OutputTokens
	next.Replayed.Turns += m.Replayed.Turns
	if next.Session == "" {
		next.Session = m.Session
	}
	if next.Model == "" {
		next.Model = m.Model
	}
	return next
}
