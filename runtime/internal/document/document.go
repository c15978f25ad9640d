// Package document has the JSON documents about runs: those that the commands of a built
// workflow print with --json and its MCP server returns, and the JSON of local.RunStatus.
package document

import (
	"encoding/json"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// A Run is a run.
type Run struct {
	SchemaVersion int         `json:"schema_version,omitempty"`
	ID            string      `json:"run_id"`
	Workflow      string      `json:"workflow"`
	Status        flow.Status `json:"status"`
	Reason        string      `json:"reason,omitempty"`
	Error         string      `json:"error,omitempty"`
	Summary       string      `json:"summary,omitempty"`
	// Outcome is the author's verdict: succeeded or failed, or "" if there is none.
	Outcome string `json:"outcome,omitempty"`
	Origin
	Inputs   json.RawMessage `json:"inputs,omitempty"`
	Outputs  json.RawMessage `json:"outputs,omitempty"`
	Created  time.Time       `json:"created"`
	Finished time.Time       `json:"finished,omitzero"`
	Folders
	Used
	// DurationMS is the time from the run's start to its end in milliseconds, including
	// pauses.
	DurationMS int64 `json:"duration_ms,omitempty"`
	// Task is the task of a state graph's run.
	Task *Task `json:"task,omitempty"`
	// Undelivered says which deliveries of the run failed, and why.
	Undelivered []string `json:"undelivered,omitempty"`
	// FailedNotices are the notices about the run that could not be sent, and why.
	FailedNotices []string `json:"failed_notices,omitempty"`
	// Parent is the run that began this one by a step, and Children are the runs that steps
	// of this one began, and theirs, parents first.
	Parent   *Parent `json:"parent,omitempty"`
	Children []Child `json:"children,omitempty"`
	Open
	Counts *Counts `json:"node_counts,omitempty"`
	Nodes  []Step  `json:"nodes,omitempty"`
	// Warnings are problems that did not stop the run.
	Warnings []Warning `json:"warnings,omitempty"`
}

// An Origin is what and who started a run, and resumed it.
type Origin struct {
	// SessionKey names the conversation in which the run was started, or is "".
	SessionKey string `json:"session_key,omitempty"`
	// Trigger is what started the run, or nil.
	Trigger *Trigger `json:"trigger,omitempty"`
	// StartedBy is the person who started the run and the place from which they did, or "".
	StartedBy string `json:"started_by,omitempty"`
	// Resumed says who has resumed the run, from where and when.
	Resumed []Resumption `json:"resumed,omitempty"`
}

// Folders are the folders and files of a run.
type Folders struct {
	WorkDir      string    `json:"work_dir"`
	Worktree     *Worktree `json:"worktree,omitempty"`
	ArtifactsDir string    `json:"artifacts_dir"`
	LogFile      string    `json:"log_file"`
}

// Used is what a run has used.
type Used struct {
	// CostUSD, the tokens and Turns are the sums over all nodes and all processes of the
	// run, as far as agents reported them.
	CostUSD      float64 `json:"cost_usd,omitempty"`
	InputTokens  int64   `json:"input_tokens,omitempty"`
	OutputTokens int64   `json:"output_tokens,omitempty"`
	Turns        int     `json:"turns,omitempty"`
	// Replayed is the original cost of turns that came from a recording; the amounts above
	// do not include it.
	Replayed flow.Usage `json:"replayed,omitzero"`
}

// Open is what a run waits for.
type Open struct {
	// Questions wait for an answer.
	Questions []Question `json:"questions,omitempty"`
	// Waits are waits for a time, an event or a person's attention.
	Waits []Wait `json:"waits,omitempty"`
}

// A Resumption is a person's act of resuming a run.
type Resumption struct {
	// By is the person and the place.
	By   string    `json:"by"`
	Time time.Time `json:"time"`
}

// A Parent is the run that began another one, and the step by which it did.
type Parent struct {
	Run  string `json:"run_id"`
	Step string `json:"node"`
}

// A Child is a run that a step of another run began. Its steps are in its own document.
type Child struct {
	ID       string      `json:"run_id"`
	Workflow string      `json:"workflow"`
	Parent   Parent      `json:"parent"`
	Status   flow.Status `json:"status"`
	Reason   string      `json:"reason,omitempty"`
	Error    string      `json:"error,omitempty"`
	Summary  string      `json:"summary,omitempty"`
	Created  time.Time   `json:"created"`
	Finished time.Time   `json:"finished,omitzero"`
	// CostUSD is the cost of this run and its children.
	CostUSD   float64    `json:"cost_usd,omitempty"`
	LogFile   string     `json:"log_file"`
	Questions []Question `json:"questions,omitempty"`
	Waits     []Wait     `json:"waits,omitempty"`
	Counts    *Counts    `json:"node_counts,omitempty"`
}

// A Wait is a wait for something else than the answer to a question.
type Wait struct {
	Key  string `json:"id"`
	Node string `json:"node"`
	// Kind is time, event, quota, budget or attention.
	Kind flow.WaitKind `json:"kind"`
	// Event is the name of the event, Agent that of the agent whose quota is used up, and
	// Message the text for the person whose attention the wait needs.
	Event   string    `json:"event,omitempty"`
	Agent   string    `json:"agent,omitempty"`
	Message string    `json:"message,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	// Until is the end of the wait, or the time by which the event must come.
	Until time.Time `json:"until,omitzero"`
	// Command is the command line that ends the wait, or "" for a time.
	Command string `json:"command,omitempty"`
	// ContinuedBy says, for people, who continues the run when the time is over.
	ContinuedBy string `json:"continued_by,omitempty"`
}

// A Trigger is what started a run.
type Trigger struct {
	// Name is the trigger, such as "webhook /hooks/triage", Event the event of the service, or
	// "", and Delivery the id of the delivery.
	Name     string    `json:"name"`
	Event    string    `json:"event,omitempty"`
	Delivery string    `json:"delivery,omitempty"`
	Received time.Time `json:"received,omitzero"`
	// PayloadFile has what arrived: content that a stranger chose.
	PayloadFile string `json:"payload_file,omitempty"`
}

// A Worktree is the worktree of a run.
type Worktree struct {
	// Path is the root of the worktree. A run whose files are on a branch alone has none.
	Path       string `json:"path,omitempty"`
	Branch     string `json:"branch"`
	Base       string `json:"base"`
	Repository string `json:"repository"`
	// Worker is the worker of a cluster that has the worktree, or "".
	Worker string `json:"worker,omitempty"`
	// Gone means that the worktree no longer exists.
	Gone bool `json:"gone,omitempty"`
	// Remove is the command that removes it, on the machine that has it.
	Remove string `json:"remove,omitempty"`
}

// A Task is the task of a state graph's run.
type Task struct {
	// Folder holds the state. If another run has taken it since, the other fields are
	// empty.
	Folder string `json:"folder"`
	Status string `json:"status,omitempty"`
	// CurrentNode is the node that runs, or with which the run continues; END after the
	// last.
	CurrentNode string `json:"current_node,omitempty"`
	Reason      string `json:"exit_reason,omitempty"`
	Limits      Limits `json:"limits"`
	Usage       *Usage `json:"usage,omitempty"`
}

// Limits are the limits of a task; 0 means no limit.
type Limits struct {
	Iterations int     `json:"max_iterations,omitempty"`
	Minutes    float64 `json:"max_time_minutes,omitempty"`
	CostUSD    float64 `json:"max_cost_dollars,omitempty"`
	Parallel   int     `json:"max_parallel_branches,omitempty"`
}

// Usage is the used part of the limits.
type Usage struct {
	Iterations int     `json:"iterations_used"`
	Minutes    float64 `json:"time_elapsed_minutes"`
	CostUSD    float64 `json:"estimated_cost_dollars"`
}

// A Question is an open question.
type Question struct {
	Key  string `json:"id"`
	Node string `json:"node"`
	// Message is the text of the workflow, which may have terminal control characters.
	Message string `json:"message"`
	// Kind is gate, or budget_gate if the question is whether the run may exceed its budgets.
	Kind string `json:"kind"`
	// Output is the output under review, or what agents said before the question: JSON as it
	// is, other text as a JSON string.
	// Draft is the person's last edit of it, if the step rejected the edit.
	Output   json.RawMessage `json:"output,omitempty"`
	Draft    string          `json:"draft,omitempty"`
	Choices  []string        `json:"choices,omitempty"`
	Since    time.Time       `json:"since,omitzero"`
	Deadline time.Time       `json:"deadline,omitzero"`
	// Needs says what the rule of the gate asks for besides an answer, and Approvals are those
	// that people have given so far if several have to.
	Needs     string   `json:"needs,omitempty"`
	Approvals []Answer `json:"approvals,omitempty"`
	// Commands are the command lines that answer the question, one for each choice.
	Commands []string `json:"commands,omitempty"`
}

// An Answer is the answer to a question.
type Answer struct {
	Key    string    `json:"id"`
	Choice string    `json:"choice,omitempty"`
	Text   string    `json:"text,omitempty"`
	By     string    `json:"by,omitempty"`
	From   string    `json:"from,omitempty"`
	Given  time.Time `json:"given,omitzero"`
}

// A Warning is a problem that did not stop the run.
type Warning struct {
	Key     string `json:"node,omitempty"`
	Message string `json:"message"`
}

// Counts are the numbers of nodes by status.
type Counts struct {
	Completed int `json:"completed"`
	Failed    int `json:"failed"`
	Skipped   int `json:"skipped"`
	Cancelled int `json:"cancelled"`
	Total     int `json:"total"`
}

// A Step is a step of a run.
type Step struct {
	Key        string         `json:"id"`
	Kind       string         `json:"kind"`
	Status     flow.Status    `json:"status"`
	Reason     string         `json:"reason,omitempty"`
	Output     string         `json:"output,omitempty"`
	Error      *flow.Failure  `json:"error,omitempty"`
	Attempt    int            `json:"attempt,omitempty"`
	Started    time.Time      `json:"started,omitzero"`
	Finished   time.Time      `json:"finished,omitzero"`
	DurationMS int64          `json:"duration_ms,omitempty"`
	Meta       *flow.Meta     `json:"meta,omitempty"`
	Question   *flow.Question `json:"question,omitempty"`
}
