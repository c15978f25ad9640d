// Package testjob has the messages between `wfc test` and the test programs that it builds, as
// JSON: the request, and the answers about mutants and about candidates for tests.
package testjob

import "github.com/wfc-lang/wfc/runtime/settings"

// A Job is the request, which a test program reads from its standard input.
type Job struct {
	// Schema asks for the JSON Schema of test files, and nothing else.
	Schema bool `json:"schema,omitempty"`
	// Files are the test files, in order.
	Files                 []Source
	Only                  string
	Shuffle               uint64
	Count                 int
	Update, Keep, Verbose bool
	Format                string
	// Repeat is the command line that repeats a test, without the test's name.
	Repeat string
	// Isolated means that the process has no network.
	Isolated bool
	// Recording is the path of a recording of the first file's workflow to make a test of,
	// and nothing else.
	Recording string `json:",omitempty"`
	// Crash repeats each test with a kill at each point, and Orders is the number of other
	// orders of ready steps in which to repeat it.
	Crash  bool `json:",omitempty"`
	Orders int  `json:",omitempty"`
	// Cover is the file for the covered facts, or "".
	Cover string `json:",omitempty"`
	// Probes are candidates for tests of the first file's workflow, each a test file with one
	// test. The program runs them, and nothing else.
	Probes []string `json:",omitempty"`
	// Document is a test file in JSON to print as YAML, and nothing else; Comments are those
	// at its beginning.
	Document, Comments string `json:",omitempty"`
	// Mutants are the mutants to run, and Verdicts the file for the Verdicts.
	Mutants  []Mutant `json:",omitempty"`
	Verdicts string   `json:",omitempty"`
	// Worker makes the program run single mutants, for a program that runs them all.
	Worker bool `json:",omitempty"`
}

// A Source is a test file with its workflow.
type Source struct {
	Path, Shown string
	// Workflow is the name of the workflow in the test program, or "" if there is none;
	// Problem then says why.
	Workflow, Problem string
	// Diagnostics are the codes of the workflow's findings.
	Diagnostics []string
	// Project are the settings of the workflow's project.
	Project Project
	// Syntax says why the file is not YAML. The test program reports them in place of its own.
	Syntax []Fault `json:",omitempty"`
	// Label is set for fixtures of archon, and Placeholders are the outputs of nodes that they
	// need not stub.
	Label        string            `json:",omitempty"`
	Placeholders map[string]string `json:",omitempty"`
	// WorkflowPath is the path of the workflow file, which the test program does not need.
	WorkflowPath string `json:"-"`
}

// A Fault is what is wrong in a test file, with its place: both numbers count from 1, and the
// column counts characters.
type Fault struct {
	Line, Column int
	Message      string
}

// A Project has the settings of wfc.yaml that decide how runs go.
type Project struct {
	// BaseBranch and DocsDir are those of runs; "" is main and docs/.
	BaseBranch, DocsDir string
	// OnInterrupt decides about the actions during which `interrupt` kills the process.
	OnInterrupt settings.Interrupts
	// Sandbox says which scripts run in the sandbox.
	Sandbox settings.Sandbox
	Limits  settings.Limits
	// OnQuota decides about prompts whose agent's quota is used up, and AgentQuotas does so for
	// the agents with a policy of their own.
	OnQuota     settings.Quota
	AgentQuotas map[string]settings.Quota `json:",omitempty"`
}

// A Mutant is a workflow with one fault, in the test program.
type Mutant struct {
	// Workflow is the name of the workflow in the program, and ID the number of the mutant.
	Workflow string
	ID       int
	// Places are the functions that differ: a test that comes to none of them cannot notice
	// the mutant.
	Places []int
	// Facts are names of testrun.Hits: a test with one of them comes to the place of the
	// fault. None means every test does.
	Facts []string
}

// A Verdict is the end of a mutant.
type Verdict struct {
	Workflow string
	ID       int
	// Killed says how the tests noticed the mutant, or is "".
	Killed string
	// By is the first test that did.
	By string
	// Covered reports whether a test comes to the place of the fault.
	Covered bool
}

// Verdicts are those about all mutants.
type Verdicts struct {
	Verdicts []Verdict
	// ReadOnly says that the scripts of mutants could change only temporary files.
	ReadOnly bool
}
