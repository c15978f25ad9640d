package flow

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// An Action is an effect as data: the payload, the key under which it is journalled, the
// timeout and the retries. The engine performs it; flow code never has effects itself.
type Action struct {
	// Key is the step's key in the run: names and iteration numbers, such as "fix",
	// "fix#3", "gate/rework#1".
	Key string
	// Payload is the work. It is plain data that encodes to JSON.
	Payload Payload
	// Timeout limits each attempt; zero means the performer's default. The performer
	// enforces the limit.
	Timeout time.Duration
	// Retry is the retry policy; the zero value never retries.
	Retry Retry
	// ReadOnly fails the action if it changes files of the checkout.
	ReadOnly bool
	// CheckArtifactRefs checks the references to artifacts in the output: objects
	// {"type": "archon_artifact", "run_id": …, "path": …} anywhere in its JSON, with a path
	// relative to RunInfo.ArtifactsDir. The action fails if a reference names another run or
	// a file that does not exist.
	CheckArtifactRefs bool
	// Fresh performs the action again even if the journal has its result from an earlier
	// process of the run.
	Fresh bool
}

// A Payload is the data of an action of one kind.
//
// It may have two optional methods without parameters and results. An action whose payload
// has Repeatable is performed again after an interruption, whatever settings.Interrupts
// says. One whose payload has ChildRun is a run of another workflow (see Child): it is
// performed again, too, and takes none of the places that limit parallel actions.
type Payload interface {
	// Kind returns the kind of payload, such as "bash" or "prompt". It selects the
	// performer: the one whose method Kind returns the same.
	Kind() string
}

// Retry is the retry policy of an action. The waits between attempts are Delay, 2*Delay,
// 4*Delay and so on, each at most a day. Failures of class ClassFatal are never retried.
type Retry struct {
	// Retries is the number of retries: attempts after the first. 0 never retries.
	Retries int
	// Delay is the wait before the second attempt.
	Delay time.Duration
	// All retries failures of every class but ClassFatal; otherwise only failures of
	// ClassTransient are retried.
	All bool
}

// DefaultRetry is the retry policy that generated code sets on archon nodes that ask an agent
// and have no policy of their own. It is not the default of a Node: a Node with the zero
// Retry never retries.
var DefaultRetry = Retry{Retries: 2, Delay: 3 * time.Second}

// Allows reports whether the action is retried after a failure of the given attempt.
func (r Retry) Allows(attempt int, f *Failure) bool {
	if attempt > r.Retries || f.Class == ClassFatal {
		return false
	}
	return r.All || f.Class == ClassTransient
}

// Wait returns the wait between the given attempt, counted from 1, and the next: Delay
// after the first, doubled with every further attempt, and at most a day.
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
	// Integer requires that Value is a whole number; otherwise the action fails.
	Integer bool `json:"integer,omitempty"`
	// Literal gives a Script a typed value instead of a string. It reads Value as a
	// literal of the script's language or, if that fails, as JSON or, if that fails too,
	// as a string.
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
	// Script is the script. The compiler removes the space around the script of an archon
	// node, as archon does, but not around the test of a loop.
	Script string `json:"script"`
	// Bindings become shell variables that the script's commands do not inherit.
	Bindings []Binding `json:"bindings,omitempty"`
	// Env become environment variables of the script's commands. A value that exceeds the
	// system's limit becomes a shell variable instead.
	Env []Variable `json:"env,omitempty"`
	// Dir is the working directory, absolute or relative to RunInfo.WorkDir; "" means
	// that folder itself.
	Dir string `json:"dir,omitempty"`
	// Test makes the exit code the result: the action completes with the text "true" for 0
	// and "false" for other codes. It fails for 126 and 127, by which the shell reports
	// that it cannot run a command, for a signal, and for a timeout.
	Test bool `json:"test,omitempty"`
	// TextOnFailure makes the standard output the text of the action also if the script
	// fails. Without it a failed action has no text.
	TextOnFailure bool `json:"keep_output,omitempty"`
	// EchoEscapes lets `echo` interpret backslashes, as a standard sh may do.
	EchoEscapes bool `json:"echo,omitempty"`
	// SaveStdout also saves the standard output as a file; see RunInfo.StdoutPath.
	SaveStdout bool `json:"artifact,omitempty"`
}

// Script is the payload of a program in another language.
type Script struct {
	// Runtime is "bun" for JavaScript and TypeScript, "uv" for Python with uv, or "python"
	// for the installed python3. It must not be empty.
	Runtime string `json:"runtime"`
	Source  string `json:"source"`
	// Name is the file name of a named script, or "" for an inline one. With a folder it is
	// relative to RunInfo.WorkDir, or to the home folder if it starts with ~/.
	Name string `json:"name,omitempty"`
	// Deps are the packages that the script needs, as `bun add` or `uv run --with` takes
	// them. The runtime "python" ignores them.
	Deps     []string   `json:"deps,omitempty"`
	Bindings []Binding  `json:"bindings,omitempty"`
	Env      []Variable `json:"env,omitempty"`
	// SaveStdout also saves the standard output as a file; see RunInfo.StdoutPath.
	SaveStdout bool `json:"artifact,omitempty"`
}

// Prompt is the payload of a turn of an agent.
//
// The turn takes place in this session: a new one if FreshSession is true; else Session,
// or with Fork a copy of it, if that is not ""; else, with Persist, the session that the
// same step kept in an earlier run, if there is one; else a new one.
type Prompt struct {
	// Agent is the agent's name; "" is the performer's default agent, if it has one.
	Agent string `json:"agent"`
	// Text is the prompt. The compiler removes the space around the prompt of an archon
	// node, as archon does: such a prompt has no newline at its end.
	Text string `json:"text"`
	// Model is the model to ask; "" is the agent's default.
	Model string `json:"model,omitempty"`
	// Schema is the JSON Schema that the reply must satisfy, or nil.
	Schema json.RawMessage `json:"schema,omitempty"`
	// FreshSession starts a new session, without memory of earlier turns, whatever Session
	// and Persist say.
	FreshSession bool `json:"fresh_session,omitempty"`
	// Session is the session to continue, as Meta.Session of an earlier turn, or "".
	Session string `json:"session,omitempty"`
	// Fork makes the turn work on a copy of Session, which must not be "". An agent that
	// cannot copy a session fails the turn.
	Fork bool `json:"fork_session,omitempty"`
	// Persist keeps the session for the next run of the workflow, in which the same step
	// continues it.
	Persist bool `json:"persist,omitempty"`
	// Options are other settings by name, each a JSON value.
	Options []Option `json:"options,omitempty"`
	// Files are files that the agent reads first, relative to its working directory. An
	// agent that can read files gets their names, another one their contents.
	Files []string `json:"files,omitempty"`
	// Requires are files that must exist before the agent is asked: arguments of type
	// path. Flow code does no I/O, so the engine checks them, before it calls the
	// performer.
	Requires []RequiredFile `json:"requires,omitempty"`
	// IdleTimeout limits the time for which the agent may be silent; zero means the
	// performer's default. In JSON it is in nanoseconds.
	IdleTimeout time.Duration `json:"idle_timeout,omitempty"`
	// Env become environment variables of agents that are programs.
	Env []Variable `json:"env,omitempty"`
	// MayBeEmpty accepts an empty reply. Without it an empty reply fails the node. It has
	// no effect with a schema.
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

// An Option is a named setting, of an agent in Prompt.Options or of a workflow in
// Definition.Labels. Value is JSON.
type Option struct {
	Name, Value string
}

// encodedOption is an Option in JSON.
type encodedOption struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
}

// MarshalJSON encodes o as an object with the keys name and value, and Value as it is.
func (o Option) MarshalJSON() ([]byte, error) {
	return kernel.Encode(encodedOption{o.Name, json.RawMessage(cmp.Or(o.Value, "null"))})
}

// UnmarshalJSON decodes what MarshalJSON encodes.
func (o *Option) UnmarshalJSON(data []byte) error {
	var e encodedOption
	err := json.Unmarshal(data, &e)
	o.Name, o.Value = e.Name, string(e.Value)
	return err
}

// With returns o with text as the string at path inside Value, a JSON object. It panics if
// there is no value at path.
func (o Option) With(text string, path ...string) Option {
	o.Value = withString(o.Value, text, path)
	return o
}

func withString(object, text string, path []string) string {
	d := json.NewDecoder(strings.NewReader(object))
	start, end := 0, 0
	_, err := d.Token()
	for err == nil && d.More() {
		var key json.Token
		var value json.RawMessage
		if key, err = d.Token(); err == nil {
			err = d.Decode(&value)
		}
		if key == path[0] { // the last one counts
			end = int(d.InputOffset())
			start = end - len(value)
		}
	}
	if err != nil || end == 0 {
		panic("no value at " + strings.Join(path, ".") + " in " + object)
	}
	if len(path) > 1 {
		text = withString(object[start:end], text, path[1:])
	} else {
		encoded, _ := kernel.Encode(text) // every string has JSON
		text = string(encoded)
	}
	return object[:start] + text + object[end:]
}

// Kind implements Payload.
func (Bash) Kind() string { return "bash" }

// Kind implements Payload.
func (Script) Kind() string { return "script" }

// Kind implements Payload.
func (Prompt) Kind() string { return "prompt" }

// A Delivery is the payload of a message to people: the output of a node, or a
// workflow's result, for channels such as `slack` or `telegram:42`.
type Delivery struct {
	// Targets are channels, such as `slack`, or channels with a receiver, such as
	// `telegram:42`.
	Targets []string `json:"targets"`
	// Workflow is the workflow's name, and Step the key of the node that has the
	// output; "" is the workflow's result.
	Workflow string `json:"workflow"`
	Step     string `json:"step,omitempty"`
	Text     string `json:"text"`
}

// Kind implements Payload.
func (Delivery) Kind() string { return "deliver" }

// A Child is the payload of a run of another workflow, whose steps, questions, log and
// costs are recorded separately. The Result's Text is the output of that run, and its Meta
// has the whole cost of that run.
type Child struct {
	// Workflow is the name of one of Definition.Children.
	Workflow string `json:"workflow"`
	// Inputs are its inputs, a JSON object.
	Inputs json.RawMessage `json:"inputs,omitempty"`
	// Worktree lets the run work in a separate git worktree.
	Worktree bool `json:"worktree,omitempty"`
}

// Kind implements Payload.
func (Child) Kind() string { return "workflow" }

// Child returns the payload of a run of d, one of Definition.Children, with inputs: a struct
// of a generated package, or another value that encodes to a JSON object. It panics if inputs
// has no JSON.
func (d *Definition) Child(inputs any) Child {
	raw, err := kernel.Encode(inputs)
	if err != nil {
		panic("the inputs of workflow " + d.Name + ": " + err.Error())
	}
	return Child{Workflow: d.Name, Inputs: raw}
}

// InWorktree returns ch as a run that works in a separate git worktree.
func (ch Child) InWorktree() Child {
	ch.Worktree = true
	return ch
}

// ChildRun marks the payload of a run; see Payload.
func (Child) ChildRun() {}

// savesStdout reports whether an action also saves its standard output as a file.
func savesStdout(p Payload) bool {
	switch p := p.(type) {
	case Bash:
		return p.SaveStdout
	case Script:
		return p.SaveStdout
	}
	return false
}

// A Question is a question to a person, or a wait for something else: then Wait is set.
type Question struct {
	// Key is the step's key in the run.
	Key string `json:"key"`
	// Message is the text of the question.
	Message string `json:"message"`
	// Output is the text of the output that the question is about, or "": the node's own, or
	// what agents said before it. A structured output is JSON.
	Output string `json:"output,omitempty"`
	// Speakers are the nodes whose words Output contains, in their order, so that nobody takes
	// those for the workflow's. Context.Ask sets the asking node if there are none.
	Speakers []Speaker `json:"speakers,omitempty"`
	// LastEdit is the person's last edit of Output if the node rejected that edit as invalid,
	// so that the person can correct it, or "".
	LastEdit string `json:"draft,omitempty"`
	// Choices are the valid answers; a person may add a comment. Without choices the
	// person's text is the answer.
	Choices []string `json:"choices,omitempty"`
	// Timeout limits the wait; zero means no limit. In JSON it is in nanoseconds.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Wait says what the run waits for, if it asks nobody to decide; "" is a question to a
	// person. When the Timeout is over, a question to a person fails, and any other wait
	// completes with the choice "expired".
	Wait WaitKind `json:"wait,omitempty"`
	// Unattended is the choice that answers the question if the process has nobody to
	// ask; "" lets the run pause instead.
	Unattended string `json:"unattended,omitempty"`
}

// A Speaker is a node, or a step of one, whose words a question's Output contains.
type Speaker struct {
	Node string `json:"node"`
	// Length is that of the words in bytes. An empty line separates them from the next ones.
	Length int `json:"length"`
}

// A WaitKind is the thing that a Question waits for if it asks nobody to decide.
type WaitKind string

const (
	// WaitTime: a time, which is the end of the question's Timeout. So the wait always ends
	// with the choice "expired", as the workflow wants; the output of steps.Wait calls it
	// "satisfied".
	WaitTime WaitKind = "time"
	// WaitEvent: an event outside of the run. A program reports it as an answer with the
	// choice "signal", whose text is the data of the event. (This has nothing to do with
	// signals of the system, nor with package runtime/signal.)
	WaitEvent WaitKind = "event"
	// WaitQuota: an agent's plan or rate, which is used up until the end of the question's
	// Timeout (see Failure.Quota). Message is the agent's name. A person can end the wait
	// with the choice "wake".
	WaitQuota WaitKind = "quota"
	// WaitBudget: a budget, which is used up until the end of the question's Timeout. Message
	// says which. A person can end the wait with the choice "wake": then the run tries again.
	WaitBudget WaitKind = "budget"
	// WaitAttention: the attention of a person, who answers with the choice "wake".
	WaitAttention WaitKind = "attention"
)

// NeedsNobody reports whether the question waits for something that no person decides, so
// that no terminal shows it as a question.
func (q Question) NeedsNobody() bool {
	return q.Wait != "" && q.Wait != WaitAttention
}

// IsReview reports whether the question asks for the review of an output.
func (q Question) IsReview() bool {
	return slices.Contains(q.Choices, kernel.ChoiceAccept) && slices.Contains(q.Choices, kernel.ChoiceEdit)
}
