// Package testfile reads test files of workflows: NAME.test.yaml beside NAME.yaml.
//
// Parse decodes a file by tables of keys. The JSON Schema of test files is made from the
// same tables, so both know the same keys. A fault has the exact line and column in the
// file, and a known name like the wrong one.
//
// The package knows the names of no workflow. Package testrun compares the names of nodes
// and inputs in a file with a workflow.
package testfile

import (
	"encoding/json"
	"regexp"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Place is a position in a test file, counted from 1; Column counts characters. The zero
// Place is the file as a whole.
type Place struct {
	Line, Column int
}

// A Fault is a mistake in a test file.
type Fault struct {
	Place
	Message string
}

// A File is a test file.
type File struct {
	// Path is the path as people are shown it.
	Path string
	// Workflow is the path of the tested workflow, relative to the test file; "" means
	// the file beside the test file, or above the folder tests, that has its name.
	Workflow string
	// WorkflowAt is the place of that path, or the zero Place.
	WorkflowAt Place
	Tests      []*Test
	// Text is the file's content.
	Text []byte
}

// A Test is one test of a file.
type Test struct {
	Place
	Name string
	// Inputs are the run's inputs, in order.
	Inputs Entries[json.RawMessage]
	// Files are the files of the working folder by path, and Fixture a folder whose
	// content is copied there first, relative to the test file.
	Files   Entries[string]
	Fixture string
	// Git makes the working folder a git repository with one commit of all files.
	Git bool
	// Env are environment variables of the run's processes.
	Env Entries[string]
	// Now is when the run begins; the zero time leaves it to the engine.
	Now time.Time
	// Agents are the replies of agents by node.
	Agents Entries[[]Reply]
	// Bash and Scripts are stand-ins for programs by node.
	Bash, Scripts Entries[[]Program]
	// Commands are stand-ins for commands by name.
	Commands Entries[[]Command]
	// Answers are the answers of a person by node.
	Answers Entries[[]Answer]
	// Interrupt are the steps at which the process is killed, each once.
	Interrupt []Name
	// Cancel are the steps during which a person cancels the run.
	Cancel []Name

	Expect Expect
	// Snapshot compares the transcript with the golden file beside the test file.
	Snapshot bool
	// SnapshotAt is the place of the key snapshot.
	SnapshotAt Place
	// Stubs makes the test a fixture of archon, which has no other stand-ins and no Expect;
	// it is nil for other tests.
	Stubs *Stubs
}

// Entries are the entries of a mapping in order.
type Entries[T any] []Entry[T]

// An Entry is a key of a mapping with its value.
type Entry[T any] struct {
	Place
	Key   string
	Value T
}

// Get returns the value of a key.
func (es Entries[T]) Get(key string) (value T, ok bool) {
	for _, e := range es {
		if e.Key == key {
			return e.Value, true
		}
	}
	return value, false
}

// A Name is a name in a list.
type Name struct {
	Place
	Name string
}

// A Reply is the reply of an agent to a prompt.
type Reply struct {
	Place
	// Text is the reply; that of a structured reply is JSON.
	Text string
	// Fail is the message of the failure in place of a reply, and Class its class.
	Fail  string
	Class flow.Class
	// Prompt matches the prompts that get the reply; nil matches all.
	Prompt *regexp.Regexp
	// Cost is in US dollars.
	Cost   float64
	Tokens int64
	// Files are files that the agent writes into the working folder, by path.
	Files Entries[string]
	// Delay is the duration of the turn on the virtual clock.
	Delay   time.Duration
	Session string
	// Quota makes the failure a refusal because the agent's quota is used up; it is reset after
	// that time on the virtual clock. It is below zero if the agent names no time, and 0 for
	// other replies.
	Quota time.Duration
}

// A Program is a stand-in for a bash or script node.
type Program struct {
	Place
	// Real runs the program; then the other fields have no meaning.
	Real   bool
	Output string
	Error  string
	Exit   int
	Delay  time.Duration
	// Fail is the message of a failure without a usual exit, such as a timeout, and Class its
	// class.
	Fail  string
	Class flow.Class
}

// A Command is a stand-in for a command in real scripts.
type Command struct {
	Place
	// Args is a pattern of the arguments, joined by spaces, in which * matches any
	// characters; "" matches all.
	Args   string
	Output string
	Error  string
	Exit   int
	// Real runs the command.
	Real bool
}

// An Answer is the answer of a person to a question.
type Answer struct {
	Place
	// Choice is the choice; "" leaves the question open.
	Choice string
	Text   string
	// After is the time that the person takes on the virtual clock.
	After time.Duration
}

// Expect are the expectations of a test.
type Expect struct {
	Place
	// Status is the run's expected status; "" is completed.
	Status Name
	Exit   *Number
	Ends
	Reason   *Matcher
	Error    *Matcher
	Summary  *Matcher
	Outputs  Entries[*Matcher]
	Nodes    Entries[Node]
	Prompts  Entries[Matchers]
	Values   Entries[Matchers]
	Programs Entries[Matchers]
	Order    []Name
	Before   [][2]Name
	Loops    Entries[Number]
	State    Entries[*Matcher]
	Asked    Entries[Matchers]
	Waits    Entries[Matchers]
	Files    Entries[*Matcher]
	Messages Entries[Matchers]
	Commands Entries[Matchers]
	Cost     *Number
	Turns    *Number
	Warnings []*Matcher
	// Diagnostics are the codes of the findings of wfc check; nil expects nothing.
	Diagnostics *Names
}

// Ends are the expected ends of nodes.
type Ends struct {
	Ran, Skipped, Failed *Names
}

// Names is a list of names with the place of its key.
type Names struct {
	Place
	List []Name
	// All means that no other names may appear.
	All bool
}

// A Number is a number, or a range.
type Number struct {
	Place
	Min, Max float64
}

// A Node is the expectation of a node.
type Node struct {
	Place
	Status   Name
	Output   *Matcher
	Reason   *Matcher
	Error    *Matcher
	Attempts *Number
}
