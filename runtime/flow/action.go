package flow

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// An Action is an effect as data: the payload, the key under which it is journalled, the
// timeout and the retries. The engine performs it; flow code never has effects itself.
type Action struct {
	// Key is the step's key in the run: a static path with iteration numbers,
	// such as "fix", "fix#3", "gate/rework#1".
	Key string
	// Payload is the work. It is plain data that encodes to JSON.
	Payload Payload
	// Timeout limits each attempt; zero is the performer's default.
	Timeout time.Duration
	// Retry is the retry policy; the zero value never retries.
	Retry Retry
	// Fresh performs the action even if an earlier process of the run completed it.
	Fresh bool
}

// A Payload is the data of an action of one kind.
type Payload interface {
	// Kind selects the performer.
	Kind() string
}

// Retry is the retry policy of an action. The wait before attempt n+1 is Delay doubled n-1
// times. Failures of class ClassFatal are never retried.
type Retry struct {
	// Max is the number of attempts after the first.
	Max int
	// Delay is the wait before the second attempt.
	Delay time.Duration
	// All retries failures of every class but ClassFatal; otherwise only failures of
	// ClassTransient are retried.
	All bool
}

// Retries reports whether the action is retried after a failure of the given attempt.
func (r Retry) Retries(attempt int, f *Failure) bool {
	if attempt > r.Max || f.Class == ClassFatal {
		return false
	}
	return r.All || f.Class == ClassTransient
}

// Wait returns the wait after the given attempt: the delay, doubled with every further
// attempt, and at most a day.
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
	// Integer requires that the value is a whole number.
	Integer bool `json:"integer,omitempty"`
	// Literal gives the program a value of its language rather than a string: Value read
	// as a literal of that language, else as JSON, else as a string.
	Literal bool `json:"literal,omitempty"`
	// Words makes a shell array of the words of the value, separated by white space and
	// without expansion of file name patterns.
	Words bool `json:"words,omitempty"`
	// Echoed writes the value so that an `echo` that interprets backslashes prints it, even
	// if it looks like an option such as -n.
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
	// Env become exported variables. A value too long for the system's limit becomes an
	// unexported one.
	Env []Variable `json:"env,omitempty"`
	// Dir is the working directory; empty means the run's own.
	Dir string `json:"dir,omitempty"`
	// Test makes the exit code the result: the action completes with the text "true" for 0
	// and "false" for other codes of the script. The codes 126 and 127, with which the
	// shell reports that it cannot run a command, a signal and a timeout are failures.
	Test bool `json:"test,omitempty"`
	// KeepOutput keeps the standard output of a failing script as the text of the failed
	// action.
	KeepOutput bool `json:"keep_output,omitempty"`
	// Echo lets `echo` interpret backslashes, as a standard sh may do.
	Echo bool `json:"echo,omitempty"`
}

// Script is the payload of a program in another language.
type Script struct {
	// Runtime is "bun", "uv", or "python" for the installed python3.
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
	// FreshSession starts a new session, without memory of earlier turns.
	FreshSession bool `json:"fresh_session,omitempty"`
	// Session is the session to continue, or "".
	Session string `json:"session,omitempty"`
	// Persist continues the session of the step in the last run of the workflow, if Session
	// is "", and keeps the session for the next run.
	Persist bool `json:"persist,omitempty"`
	// Options are other settings by name, each a JSON value.
	Options []Option `json:"options,omitempty"`
	// Files are files that the agent reads first, relative to its working directory. An
	// agent that can read files gets their names, another one their contents.
	Files []string `json:"files,omitempty"`
	// Requires are files that must exist before the agent is asked: arguments of
	// type path. Flow code does no I/O, so the engine checks them.
	Requires []RequiredFile `json:"requires,omitempty"`
	// IdleTimeout limits the time without output of the agent.
	IdleTimeout time.Duration `json:"idle_timeout,omitempty"`
	// MayBeEmpty accepts an empty reply, which fails the step otherwise. It has no effect
	// with a schema.
	MayBeEmpty bool `json:"may_be_empty,omitempty"`
}

// A RequiredFile is a file or folder that must exist before an action starts.
type RequiredFile struct {
	// Path starts from the run's working folder if it is relative; ~ is the home
	// folder.
	Path string `json:"path"`
	// Missing is the message of the failure if the file does not exist.
	Missing string `json:"missing"`
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

// A Delivery is the payload of a message to people: the output of a step, or a
// workflow's result, for channels such as `slack` or `telegram:42`.
type Delivery struct {
	// Targets are channels, each alone or with the channel's name for the receiver.
	Targets []string `json:"targets"`
	// Workflow is the workflow's name, and Step the key of the node that has the
	// output; "" is the workflow's result.
	Workflow string `json:"workflow"`
	Step     string `json:"step,omitempty"`
	Text     string `json:"text"`
}

// Kind implements Payload.
func (Delivery) Kind() string { return "deliver" }

// A Question is a question to a person.
type Question struct {
	// Key is the step's key in the run.
	Key string `json:"key"`
	// Message is the text of the question.
	Message string `json:"message"`
	// Output is the text of the step's output that the question is about, or "". A
	// structured output is JSON.
	Output string `json:"output,omitempty"`
	// Draft is the person's last edit of the output, which was rejected as invalid, or
	// "".
	Draft string `json:"draft,omitempty"`
	// Choices are the valid answers; a person may add a comment. Without choices the
	// person's text is the answer.
	Choices []string `json:"choices,omitempty"`
	// Timeout limits the wait; zero means none.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Unattended is the choice that is taken if nobody answers questions in the
	// process that asks; "" lets the run wait instead.
	Unattended string `json:"unattended,omitempty"`
}

// IsReview reports whether the question asks for the review of an output.
func (q Question) IsReview() bool {
	return slices.Contains(q.Choices, kernel.ChoiceAccept) && slices.Contains(q.Choices, kernel.ChoiceEdit)
}
