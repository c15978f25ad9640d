// Package ir is the typed form in which every dialect's workflow reaches the checks
// and the generator.
//
// One model serves all: nodes with an action, composed as a DAG with trigger rules,
// as a sequence, or as a state graph with guarded edges; loops and parallel blocks
// hold bodies of the same kinds. Only Program.Dialect names the dialect, for users.
package ir

import (
	"time"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/expr"
	"github.com/wfc-lang/wfc/internal/template"
	"github.com/wfc-lang/wfc/internal/types"
)

// A Program is the compiled form of one workflow file.
type Program struct {
	// File is the workflow file.
	File *source.File `fingerprint:"omit"`
	// Dialect is the format of the file, for users.
	Dialect  string
	Workflow *Workflow
	// Resources are the other files whose content went into the program.
	Resources []*source.File `fingerprint:"omit"` // their content is in the nodes
	// Used are the workflow files whose nodes are in the program, with each place that
	// includes them.
	Used []Use `fingerprint:"omit"`
	// Prompts are the references to other prompts, which are already expanded in the
	// workflow, for editors.
	Prompts []PromptRef `fingerprint:"omit"` // their content is in the nodes, too
	// Offered are the prompts that references may name, for editors. It is empty if the
	// workflow has no #.
	Offered []OfferedPrompt `fingerprint:"omit"`
	// Triggers start runs of the workflow while the command listen runs. They aren't part of
	// its fingerprint.
	Triggers []*Trigger `fingerprint:"omit"` // they are not what a run does
}

// A Use is a place that includes the nodes of another workflow file.
type Use struct {
	File *source.File
	At   source.Span
}

// An OfferedPrompt is a prompt that references may name.
type OfferedPrompt struct {
	Name string
	// Doc is its description, or "".
	Doc string
	// File is the file of the prompt, or nil for one in the workflow's file.
	File   *source.File
	Inputs []PromptInput
}

// A PromptInput is an argument of an OfferedPrompt.
type PromptInput struct {
	Name     string
	Type     types.Type
	Required bool
}

// A PromptRef is a reference to another prompt.
type PromptRef struct {
	// Name is the name of the prompt, and At its place in the reference.
	Name string
	At   source.Span
	// File is the file of the prompt, or nil for one in the workflow's file.
	File *source.File
	// Def is the place of the name, or no place if it is that of the file.
	Def source.Span
}

// A Workflow is a named flow with inputs.
type Workflow struct {
	Name        string
	NameSpan    source.Span
	Description string
	Inputs      []*Input
	// Constants are the names of the inputs whose values the build has fixed.
	Constants []string `fingerprint:"omit"` // their values are in the expressions
	// Env are the environment variables that every script of the workflow
	// gets, in order.
	Env []EnvVar
	// MoreEnv are further environment variables, such as those of inputs.
	MoreEnv []EnvVar `fingerprint:"optional"`
	// Environment are the environment variables of the author that every script and
	// every agent gets, in order. Their values read only inputs.
	Environment []EnvVar `fingerprint:"optional"`
	Body        Body
	// Exclusive says that at most one run at a time may work on a checkout. ExclusiveSpan is
	// where the file sets it.
	Exclusive     bool
	ExclusiveSpan source.Span
	// Worktree says whether runs must or must not use a separate git worktree; nil
	// leaves that to the caller.
	Worktree *bool
	// Schedule is the schedule of the workflow; nil means that users start it.
	Schedule *Schedule
	// Delivers says that the final result goes to channels: those of DeliverTo, or
	// else those that are named when the workflow runs.
	Delivers  bool
	DeliverTo []Target
	// NodeTags are the tags that workers need to perform nodes on a cluster.
	NodeTags []NodeTags `fingerprint:"omit"` // where nodes run, not what they do
	// Concurrency is how many nodes may run at once, or 0 for no limit of the
	// workflow's own.
	Concurrency int
	// Returns is the node whose output is the result of the workflow; nil leaves the
	// choice to the engine.
	Returns *Node `fingerprint:"optional"`
	// Outcome says in the output of Returns whether the run achieved its purpose; nil
	// means that every completed run did.
	Outcome *Outcome `fingerprint:"optional"`
	// Evidence says that a run completes only if it has left the file evidence.json in
	// its folder for artifacts.
	Evidence bool `fingerprint:"optional"`
	// OpenInputs says that callers may give inputs that the workflow does not have.
	OpenInputs bool `fingerprint:"omit"` // it concerns callers, when they are compiled
	// Deprecated tells users why not to use the workflow, or is "".
	Deprecated string `fingerprint:"optional"`
	// Tags are free labels, for users.
	Tags []string
	// Options are settings that `info` shows and agents inherit.
	Options []Option
	// Span is the whole definition.
	Span source.Span
}

// An Outcome is the author's verdict on a run, beside its status: the value of a
// required bool field in the output of the node Workflow.Returns.
type Outcome struct {
	Field string
	Span  source.Span
}

// An EnvVar is an environment variable of the workflow's scripts. Reading an
// unknown base branch for one gives empty text and fails nothing.
type EnvVar struct {
	Name  string
	Value expr.Expr
}

// An Option is a named setting in its JSON form, kept for agents and users.
type Option struct {
	Name string
	// JSON is the value in compact JSON, keys in file order.
	JSON string
	// Text makes the value, a string, if only the run knows it; then JSON is that of the
	// string as written. Otherwise it is nil.
	Text *template.Template `fingerprint:"optional"`
	// Inner are the strings inside the value that only the run knows, in order.
	Inner []InnerText `fingerprint:"optional"`
	Span  source.Span
}

// An InnerText is a string inside the JSON of an Option.
type InnerText struct {
	// Start and End are the place of the string in the JSON, with its quotes.
	Start, End int
	Text       *template.Template
}

// Templates returns the templates in an option, whose values only the run knows.
func (o *Option) Templates() []*template.Template {
	var list []*template.Template
	if o.Text != nil {
		list = append(list, o.Text)
	}
	for _, inner := range o.Inner {
		list = append(list, inner.Text)
	}
	return list
}

// An Input is a value that the caller supplies.
type Input struct {
	// Name is the name that expressions use.
	Name string
	Doc  string
	Type types.Type
	// Default is the value when none is given; nil makes the input required.
	Default expr.Expr
	// Rest says that a command line's free arguments, joined by single spaces, are
	// the input's value.
	Rest bool
	// Position is the place of the input among the command line's free
	// arguments, from 1 on; 0 means that it has none.
	Position int
	// Replaces is the id of the node that a value given for the input replaces,
	// or "".
	Replaces string
	// Choices are the strings that the input, or each item of a list, may be; empty for any.
	Choices []string `fingerprint:"optional"`
	Span    source.Span
}

// A Body says how nodes are put together: *DAG, *Sequence or *Graph.
type Body interface {
	// All returns the body's own nodes in definition order.
	All() []*Node
}

// A DAG runs each node as soon as its dependencies are settled and its
// trigger rule and condition allow it.
type DAG struct {
	Nodes []*Node
	// Halts says that nothing new starts once a node has failed.
	Halts bool
}

// A Sequence runs its nodes one after the other; a failure ends it.
type Sequence struct {
	Nodes []*Node
}

func (b *DAG) All() []*Node      { return b.Nodes }
func (b *Sequence) All() []*Node { return b.Nodes }

// TriggerRule says which ends of a DAG node's dependencies let it run.
type TriggerRule int

const (
	// AllSuccess: every dependency completed. The default.
	AllSuccess TriggerRule = iota
	// OneSuccess: at least one dependency completed.
	OneSuccess
	// NoneFailedMinOneSuccess: none failed, at least one completed.
	NoneFailedMinOneSuccess
	// AllDone: the dependencies are settled, however they ended.
	AllDone
)

var triggerNames = [...]string{"all_success", "one_success", "none_failed_min_one_success", "all_done"}

func (r TriggerRule) String() string { return triggerNames[r] }

// A Node is one step of a flow.
type Node struct {
	// ID is the node's name, unique in the program. The name of a node in the body of a
	// Loop or a Block begins with that of the node around it and a dot; Local is the rest.
	ID     string
	local  int `fingerprint:"omit"` // where the name in the body begins in ID
	IDSpan source.Span
	// Span is the whole definition.
	Span source.Span
	// Doc is a description, for users.
	Doc string

	// Needs are the dependencies of a DAG node, in order, each once.
	Needs []*Need
	// Rule is the DAG node's trigger rule.
	Rule TriggerRule `recorded:"Trigger"`
	// SkipCountsAsFailure shows the rule a dependency as failed that was skipped because of a
	// failure upstream.
	SkipCountsAsFailure bool `fingerprint:"optional" recorded:"FailedUpstream"`
	// Include is the node of kind include whose block the node belongs to; nil means none.
	// The node is skipped unless that one completed, whatever its own trigger rule says.
	Include *Node `fingerprint:"optional" recorded:"Within"`
	// When is the condition; nil means none. It is decided once, after the
	// trigger rule.
	When expr.Expr
	// WhenText is the condition as written, for messages.
	WhenText string `fingerprint:"omit"`

	GraphNode

	Action Action
	// Unread are values that the node is given and nothing reads. It evaluates them before
	// its action, because one that cannot be evaluated fails the node.
	Unread []expr.Expr `fingerprint:"optional"`
	Result
	// Review asks a person to review the output; nil means no review.
	Review *Review
	// Given is the input whose value replaces the node: the node is skipped, and
	// its output is that value. It may be nil.
	Given *Input
	// DeliverTo are the channels that get the output.
	DeliverTo []Target

	Policy
	// AlwaysRun says that a resumed run performs the node again.
	AlwaysRun bool
	// Artifact is the type under which the output is kept as an artifact, or "".
	Artifact string
	// SaveStdout says that the run also keeps the program's standard output as a file,
	// whose path is the field _artifact of the output.
	SaveStdout bool `fingerprint:"optional" recorded:"Captures"`
	// Finally says that the step of a Sequence also runs after a failure and after
	// the cancellation of the run. Only other such steps follow it.
	Finally bool `fingerprint:"optional"`
}

// A GraphNode is what a node has only in a Graph; see graph.go.
type GraphNode struct {
	// Out are the outgoing edges in file order.
	Out []*Edge
	// Labels are the outputs that the node may have, in order; its handlers run when it has
	// had one.
	Labels   []*Label
	Handlers []*Handler
	// Broken says that a fault of the node has been reported, so its action, labels or
	// edges may be missing or incomplete: consequences of these are not further faults.
	Broken bool `fingerprint:"omit"` // it is set in programs with errors, which are not built
}

// A Result describes the output of a node.
type Result struct {
	// Output is the type of the node's output value: Text for a plain one.
	Output types.Type
	// Schema is the JSON Schema of the output in compact JSON, or "".
	Schema string
	// SchemaSpan is where the schema is declared.
	SchemaSpan source.Span
	// Parsing selects how the output is built from the result of the action, and
	// Spec describes the required output; see steps.go.
	Parsing Parsing
	Spec    *OutputSpec
}

// A Policy says how long the action of a node may take, and which ends of it are failures.
type Policy struct {
	// Retry says how a failed action is tried again; nil means the action
	// kind's default.
	Retry *Retry
	// Timeout limits the action's time; zero means the default of its kind.
	Timeout     time.Duration
	TimeoutSpan source.Span
	// IdleTimeout limits the time in which an agent says nothing.
	IdleTimeout time.Duration
	// SkipOnTimeout says that a node which reaches its time limit is skipped instead of
	// failed.
	SkipOnTimeout bool `fingerprint:"optional" recorded:"SkipTimeout"`
	// ReadOnly says that the node fails if it changes files of the checkout.
	ReadOnly bool `fingerprint:"optional"`
	// CheckArtifactRefs says that the node fails if its output refers to an artifact that the
	// run does not have.
	CheckArtifactRefs bool `fingerprint:"optional" recorded:"ArtifactRefs"`
}

// A Need is one dependency of a DAG node.
type Need struct {
	Node *Node
	// Span is where the dependency is written.
	Span source.Span
	// Order says that the dependency only orders the two nodes, because one
	// reads the other's output: how it ends does not count for the trigger
	// rule.
	Order bool
}

// Retry says how a failed action is tried again.
type Retry struct {
	// Max is the number of further attempts after the first. MaxSpan is where the file of a
	// graph sets it.
	Max     int
	MaxSpan source.Span
	// Delay is the wait before the second attempt; it doubles with each.
	Delay time.Duration
	// All says that every failure is tried again except those that can never
	// succeed; otherwise only passing ones are.
	All  bool
	Span source.Span
}

// DefaultRetry is flow.DefaultRetry, of which generated code has the name.
var DefaultRetry = Retry{Max: 2, Delay: 3 * time.Second}

// An Action is the work of a node: *Bash, *Script, *Prompt, *Cancel, *Fail, *Loop,
// *Approval, *Wait, *Call, *Include, *Block; in a Sequence also *ForEach, *Repeat, *Fork, and in a Graph *Decision,
// *Parallel, *Join, *Human, *Checkpoint.
type Action interface {
	// Kind is the action's name as it is shown and journalled.
	Kind() string
}

// A Binding hands a run-time value to a program by name. The value never
// becomes part of the program's text.
type Binding struct {
	// Name is the variable's name in the program.
	Name string
	// Value is the value of the variable.
	Value expr.Expr
	// Integer says that the text must be a whole number, which is checked before
	// the program starts: it is where the program evaluates text.
	Integer bool
	// Literal says that the value is inserted as a value of the program's
	// language (an object, a number) and not as text.
	Literal bool
	// Words says that the program gets a shell array of the text's words.
	Words bool
	// Echoed says that the text is escaped for an `echo` that interprets
	// backslashes, so that it prints the text even if it resembles an option.
	Echoed bool
	Span   source.Span
}

// Bash runs a bash script.
type Bash struct {
	// Script is the program as it is run: every hole replaced by a variable.
	Script string
	// Original is the script as written.
	Original *template.Template `fingerprint:"omit"`
	Bindings []Binding
	// Template makes the script when it has statements; then Script is "" and
	// Bindings nil, and its values are template.Bound parts.
	Template *template.Template
	// Calls are the programs that the script calls by plain names and does not look for.
	// Programs that every system has are not among them.
	Calls []string `fingerprint:"omit"` // they are in Script
	// EchoEscapes says that `echo` interprets backslashes, as that of /bin/sh does.
	EchoEscapes bool `recorded:"Echo"`
	// Dir is the folder it runs in, relative to the run's, or "" for that.
	Dir string
	// Env are environment variables of this script. They replace those of the workflow with
	// the same names.
	Env []EnvVar `fingerprint:"optional"`
}

// Script runs a program of another language.
type Script struct {
	// Runtime is "bun", "uv" or "python".
	Runtime string
	// Source is the program as it is run: every hole replaced by an
	// expression.
	Source string
	// Template makes the program when it has statements, as in Bash.
	Template *template.Template
	// Name is the file name of a named script, or "" for an inline one.
	Name     string
	Original *template.Template `fingerprint:"omit"`
	Bindings []Binding
	// Deps are packages to install first.
	Deps []string
	// Env are environment variables of this program. They replace those of the workflow
	// with the same names.
	Env []EnvVar `fingerprint:"optional"`
}

// Prompt asks an agent.
type Prompt struct {
	Text *template.Template
	// Command is the name of the command file that the text came from, or "".
	Command string
	Agent   Agent
	// AppendContext says that the run's context (the input named "context"),
	// when it is not empty, is added to the prompt because the text does not
	// mention it.
	AppendContext bool
	// Continues are the ids of earlier nodes whose conversation the prompt
	// continues with: that of the first one that completed and has one. It is empty
	// for a prompt that begins anew, which FreshSession demands.
	Continues []string
	// ContinuesPrevious are further such nodes, behind those of Continues: nodes of the same
	// body of a Loop, in its previous iteration.
	ContinuesPrevious []string `fingerprint:"optional"`
	// Resumes is the id of an earlier node. The prompt must continue a copy of that
	// node's conversation: without one the node fails. "" means none.
	Resumes     string `fingerprint:"optional"`
	ResumesSpan source.Span
	// Persist says that the conversation is kept for the node's prompt in the
	// next run of the workflow.
	Persist bool
	// Files are files that the agent is to read first, relative to the folder it
	// works in.
	Files []string
	// MayBeEmpty says that an answer without any text is one, too.
	MayBeEmpty bool
}

// An Agent says which agent answers and how.
type Agent struct {
	// Name is the agent's name.
	Name string
	// Model is the model's name, or "" for the agent's own choice.
	Model string
	// FreshSession says that the turn starts without memory of earlier ones.
	FreshSession bool
	// Options are all further settings in file order, handed on as they are.
	Options []Option
	// Span is where the agent is named, or else where the prompt is.
	Span source.Span
}

// Cancel ends the run with a reason.
type Cancel struct {
	Reason *template.Template
}

// WhenCompiled ends the Message of a Fail for what the compilation missed, such as a file.
const WhenCompiled = " when the workflow was compiled; mend that, and resume the run with --force"

// Fail fails the node: a file that the node needs was missing at compile time. The
// compiler has warned about it, and the run reports it when the node starts.
type Fail struct {
	// Step is the kind of action that the node would have had.
	Step string
	// Message names the missing file.
	Message string
}

// A Loop repeats its body: a Sequence of one prompt, or a DAG, whose output is that of the
// first node of Last with a non-blank output.
type Loop struct {
	Body Body
	// Last are the nodes of a DAG on which no other node of it depends, in order.
	Last []*Node `fingerprint:"optional"`
	// Signal ends the loop when the body's output contains it; "" means none.
	Signal     string
	SignalSpan source.Span
	// Strict says that the signal must be alone or at the end.
	Strict bool
	// Until ends the loop when it exits with 0; nil means none.
	Until *Bash
	// Max is the number of iterations after which the loop fails.
	Max int
	// FreshSession says that each iteration starts without memory of the one
	// before.
	FreshSession bool
	// Field ends the loop when this bool field of the iteration's output is true; "" means
	// none.
	Field string `fingerprint:"optional"`
	// Gate asks a person after each iteration; nil means none.
	Gate *Gate
	// Pass says when the gate does not ask, or does not lead to another iteration.
	Pass GatePass `fingerprint:"optional"`
}

// GatePass says what an iteration that completes its loop means for the gate after it.
type GatePass int

const (
	// PassLater: the gate does not ask after an iteration that completes the loop, but
	// after the first one it always does, and another iteration follows.
	PassLater GatePass = iota
	// PassApproved: as PassLater, but an approval without a comment ends a loop that its
	// first iteration has completed.
	PassApproved
	// PassCompleted: the gate never asks after an iteration that completes the loop.
	PassCompleted
)

// A Gate is a question to a person.
type Gate struct {
	Message *template.Template
}

// An Approval waits for a person's consent.
type Approval struct {
	Gate Gate
	// Capture makes the person's words the node's output.
	Capture bool `recorded:"CaptureResponse"`
	// Rework runs after a rejection, before the gate asks again; nil means
	// that a rejection cancels the run.
	Rework *Prompt
	// MaxRejections is the number of rejections that cancels the run.
	MaxRejections int
	// Decisions are the choices of a person, instead of only approving; the output then
	// has the fields decision and text.
	Decisions []string `fingerprint:"optional"`
}

// A Wait waits for one of a duration, a time, an event and a person. Its output has the
// fields status, waited_ms, event and payload.
type Wait struct {
	// For is a duration; zero means another kind.
	For time.Duration
	// Until makes a time in the form of RFC 3339, in UTC; nil means another kind.
	Until *template.Template
	// Event is the name of an event, which must come within Deadline; "" means another
	// kind.
	Event    string
	Deadline time.Duration
	// Attention makes a message to a person; nil means another kind.
	Attention *template.Template
}

func (*Bash) Kind() string     { return "bash" }
func (*Script) Kind() string   { return "script" }
func (*Prompt) Kind() string   { return "prompt" }
func (*Cancel) Kind() string   { return "cancel" }
func (f *Fail) Kind() string   { return f.Step }
func (*Loop) Kind() string     { return "loop" }
func (*Approval) Kind() string { return "approval" }
func (*Wait) Kind() string     { return "wait" }
