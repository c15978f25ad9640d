// Package wire has the messages between the parts of the engine on Temporal: the input of
// a run, actions, updates, queries and signals. All encode to JSON.
package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
	"go.temporal.io/sdk/temporal"
)

// Names of activities.
const (
	// Perform performs an attempt at an action: Call to Result.
	Perform = "perform"
	// Prepare makes the folders of a run: Preparation to Place.
	Prepare = "prepare"
	// Ping answers at once; it shows that a worker lives.
	Ping = "ping"
	// Keep writes the artifacts of a run: Call.
	Keep = "keep"
	// Child completes the inputs of a child run, and finds its end if an earlier process of
	// its parent began it: ChildQuery to ChildPlan.
	Child = "child"
)

// Names of updates, signals and queries.
const (
	// Answer answers a question: update or signal with an Answer.
	Answer = "answer"
	// Cancel cancels a run: signal with a Cancellation.
	Cancel = "cancel"
	// Suspend ends a run so that another build can resume it: signal without data.
	Suspend = "suspend"
	// ChildNews reports a child to its parent: signal with a News.
	ChildNews = "child"
	// Approve records the approval of one of several people: update, which returns whether it is new,
	// or signal with a runstore.Approval.
	Approve = "approve"
	// State is the query of a run's State, and Description that of its flow.Definition.
	State       = "state"
	Description = "description"
)

// Reasons by which the failure of a workflow says how the run ended. A run that completed
// or paused completes its workflow.
const (
	TypeFailed = "run_failed"
	TypeLimit  = "limit_reached"
)

// TypeLost is the type of the error of an activity whose worker stops before the action has
// ended.
const TypeLost = "lost"

// TypeBusy is the type of the error of an activity that waits for a lock of another run.
const TypeBusy = "busy"

// DeadMove lets a run whose worker is gone move to another one; see Options.DeadWorker.
const DeadMove = "move"

// Workspaces: where the files of a run's steps are.
const (
	// WorkspaceHost: on the worker that began the run, which performs all of its actions.
	WorkspaceHost = "host"
	// WorkspaceGit: on a branch of the run.
	WorkspaceGit = "git"
	// WorkspaceNone: nowhere; the steps use no files.
	WorkspaceNone = "none"
)

// Kept is what a run takes along from one workflow to the next, with all that is needed to resume it.
type Kept struct {
	Run flow.RunInfo `json:"run"`
	// Options are those of every process of the run.
	Options Options `json:"options"`
	// Parent is the run that began this one, or nil.
	Parent *Parent `json:"parent,omitempty"`
	// Created is when the run began.
	Created time.Time `json:"created"`
	// Steps is the journal: nil for a run that begins.
	Steps Records `json:"steps,omitempty"`
	// Events are the last events of the journal, and Dropped counts those before them.
	Events  []flow.Event `json:"events,omitempty"`
	Dropped int          `json:"dropped,omitempty"`
	// Answers are the answers that the run was given, and Approvals those of single people, in order.
	Answers   []store.Answer      `json:"answers,omitempty"`
	Approvals []runstore.Approval `json:"approvals,omitempty"`
	// Place is where the run's actions are performed, once that is known.
	Place *Place `json:"place,omitempty"`
	// Children are the children that have begun and not ended, in order.
	Children []Begun `json:"children,omitempty"`
}

// Clone returns a copy whose lists the caller may change.
func (k Kept) Clone() Kept {
	k.Steps, k.Events, k.Children = slices.Clone(k.Steps), slices.Clone(k.Events), slices.Clone(k.Children)
	k.Answers, k.Approvals = slices.Clone(k.Answers), slices.Clone(k.Approvals)
	return k
}

// A Start is the input of a workflow: a run that begins, or that continues.
type Start struct {
	Kept
	// Cancel is the request for the run's cancellation, or nil.
	Cancel *Cancellation `json:"cancel,omitempty"`
	// Near is the place of the parent, near which a child works, or nil.
	Near *Place `json:"near,omitempty"`
	// Clocks are the starts of time limits that still run; see sched.Options. Lost counts
	// the workers that were lost with a step that still runs, by the step's key.
	Clocks map[string]time.Time `json:"clocks,omitempty"`
	Lost   map[string]int       `json:"lost,omitempty"`
	// Died says that the last process of the run committed no end of it.
	Died bool `json:"died,omitempty"`
}

// Options are the settings of a run.
type Options struct {
	// MaxParallel is how many actions of the run are performed at once; 0 means no limit.
	MaxParallel int                 `json:"max_parallel,omitempty"`
	OnInterrupt settings.Interrupts `json:"on_interrupt"`
	Limits      settings.Limits     `json:"limits"`
	// Workspace is WorkspaceHost, WorkspaceGit or WorkspaceNone; "" is WorkspaceHost.
	Workspace string `json:"workspace,omitempty"`
	// DeadWorker says how a run with WorkspaceHost continues if its worker is gone: "fail",
	// which "" means, or "move", to another worker.
	DeadWorker string `json:"dead_worker,omitempty"`
	// Repository is the URL of the repository of a run with WorkspaceGit. Base is the branch,
	// tag or commit at which the run starts, "" for the default branch, and Folder the folder
	// of the repository in which its steps work, with slashes.
	Repository string `json:"repository,omitempty"`
	Base       string `json:"base,omitempty"`
	Folder     string `json:"folder,omitempty"`
	// Worktree, if not nil, gives a run with WorkspaceHost a separate git worktree; its Branch
	// and Base may be "".
	Worktree *worktree.Tree `json:"worktree,omitempty"`
	// Attributes says that the namespace has the search attributes of runs.
	Attributes bool `json:"attributes,omitempty"`
	// MaxEvents and MaxBytes are the size of a history at which the run begins a new one;
	// 0 is the default.
	MaxEvents int `json:"max_events,omitempty"`
	MaxBytes  int `json:"max_bytes,omitempty"`
	// Gates are the settings of the command line for answers, which it keeps with the run.
	Settings []byte `json:"settings,omitempty"`
}

// A Parent is the workflow, and the step in it, that began a run.
type Parent struct {
	Run  string `json:"run"`
	Step string `json:"step"`
	// Apart says that the parent does not take the files of the run.
	Apart bool `json:"apart,omitempty"`
}

// A Begun is a child run that a step began and whose end the scheduler has not taken.
type Begun struct {
	Step string `json:"step"`
	Run  string `json:"run"`
	// Idle says that it only waits for people.
	Idle bool `json:"idle,omitempty"`
	// Result is its end, once it has come, and Work the last commit of its branch or "".
	Result *Result `json:"result,omitempty"`
	Work   string  `json:"work,omitempty"`
}

// A Preparation asks a worker for the folders of a run.
type Preparation struct {
	Run       flow.RunInfo `json:"run"`
	Workspace string       `json:"workspace"`
	// Parent is the run that began this one, or "". Worktree is that of Options. Old is the
	// place that the run had before, or nil: then the run continues.
	Parent   string         `json:"parent,omitempty"`
	Worktree *worktree.Tree `json:"worktree,omitempty"`
	Old      *Place         `json:"old,omitempty"`
	// Repository, Base and Folder are those of Options.
	Repository string `json:"repository,omitempty"`
	Base       string `json:"base,omitempty"`
	Folder     string `json:"folder,omitempty"`
}

// A Place is where actions of a run are performed.
type Place struct {
	// Queue is the task queue of the one worker that performs the run's actions, and Probe
	// the one on which it answers Ping; both are "" if any worker does.
	Queue string `json:"queue,omitempty"`
	Probe string `json:"probe,omitempty"`
	// Worker names the worker for people.
	Worker string `json:"worker,omitempty"`
	// The folders of the run; see flow.RunInfo.
	WorkDir      string `json:"work_dir"`
	ArtifactsDir string `json:"artifacts_dir"`
	LogDir       string `json:"log_dir"`
	SharedDir    string `json:"state_dir"`
	BaseBranch   string `json:"base_branch,omitempty"`
	// Worktree is the run's separate git worktree on the worker, or nil.
	Worktree *worktree.Tree `json:"worktree,omitempty"`
	// Held says that the worker holds the locks of the run: that of its checkout, and that
	// of the folder of its task.
	Held bool `json:"held,omitempty"`
	// Unsaved says that the folder of the run's task lacks its last state.
	Unsaved bool `json:"unsaved,omitempty"`
	// Git is the state of the files with WorkspaceGit, or nil.
	Git *Checkout `json:"git,omitempty"`
}

// A Call asks a worker to perform an attempt at an action.
type Call struct {
	Run       flow.RunInfo `json:"run"`
	SharedDir string       `json:"state_dir,omitempty"`
	Workspace string       `json:"workspace"`
	Action    Action       `json:"action"`
	Attempt   int          `json:"attempt"`
	// CostLimit is as in engine.Attempt, and Left is what is left of the run's limits.
	CostLimit string          `json:"cost_limit,omitempty"`
	Left      settings.Limits `json:"left,omitzero"`
	// Artifacts are the completed steps whose outputs are kept as files.
	Artifacts Records `json:"artifacts,omitempty"`
	// Checkout has the files that the attempt starts with, or is nil.
	Checkout *Checkout `json:"checkout,omitempty"`
}

// A ChildQuery asks about a child run that is to begin.
type ChildQuery struct {
	// ID is the id of the child.
	ID       string          `json:"id"`
	Workflow string          `json:"workflow"`
	Inputs   json.RawMessage `json:"inputs,omitempty"`
	WorkDir  string          `json:"work_dir"`
	// Began says that an earlier process of the parent may have begun the child.
	Began bool `json:"began,omitempty"`
}

// A ChildPlan is the answer to a ChildQuery.
type ChildPlan struct {
	// Inputs are the inputs with their defaults.
	Inputs json.RawMessage `json:"inputs"`
	// Final is the end of the child, or nil.
	Final *Final `json:"final,omitempty"`
	// Error says why the child cannot begin, or is "".
	Error string `json:"error,omitempty"`
}

// A Cancellation asks for the end of a run.
type Cancellation struct {
	// By names who asks, for people.
	By string `json:"by,omitempty"`
}

// News reports a child run to its parent.
type News struct {
	Step string `json:"step"`
	// Idle says that the child only waits for people from now on; without it and without
	// Result, that it no longer does.
	Idle   bool    `json:"idle,omitempty"`
	Result *Result `json:"result,omitempty"`
	// Spent is what the child has cost so far, unless Result says it.
	Spent flow.Meta `json:"spent,omitzero"`
	// Work is the last commit of the child's branch, or "".
	Work string `json:"work,omitempty"`
}

// A RunState is a run as the query State returns it.
type RunState struct {
	Kept
	// End is the state of the run: Running, Paused or how it ended.
	End      flow.RunState `json:"end"`
	Finished time.Time     `json:"finished,omitzero"`
	// Partial says that only the status and the questions are known.
	Partial bool `json:"-"`
}

// A Final is a run that has ended: the result of its workflow, or the details of its error.
type Final = RunState

// Names of the activities of runs whose files Prepare provided.
const (
	// PerformGit performs an attempt at an action in a clone: Call to Performed.
	PerformGit = "perform_git"
	// Join makes the changes of an attempt part of the run's branch: Joining to Joined.
	Join = "join"
	// Hold takes the locks of a run again on the worker that has its files: Preparation to
	// Place.
	Hold = "hold"
	// Release gives back what Prepare took for a run: Returned.
	Release = "release"
)

// A Checkout is the state of the files of a run with WorkspaceGit.
type Checkout struct {
	// Repository is the URL of the repository, and Default its default branch or "".
	Repository string `json:"repository"`
	Default    string `json:"default,omitempty"`
	// Root is the path of the clone, and Place.WorkDir the folder in it where steps work.
	// Each attempt has a separate clone, and its worker replaces the path.
	Root string `json:"root"`
	// Work and Artifacts are the last commits of the working folder and of the artifacts.
	Work      string `json:"work"`
	Artifacts string `json:"artifacts"`
}

// A Performed is the end of an attempt in a clone.
type Performed struct {
	Result Result `json:"result"`
	// Attempt identifies the attempt among all others.
	Attempt string `json:"attempt,omitempty"`
	// Work and Artifacts are the commits of its changes, or "".
	Work      string `json:"work,omitempty"`
	Artifacts string `json:"artifacts,omitempty"`
}

// Of names the attempt of a call within its run.
func (c *Call) Of() string { return fmt.Sprintf("%s/%d", c.Action.Key, c.Attempt) }

// A Report is the result of an attempt, which names the attempt: a server cannot give the
// encrypted result of one step for that of another. Of is "" in histories of earlier versions.
type Report struct {
	Of string
	// Result is a *Result or a *Performed, whose fields the message has.
	Result any
}

// MarshalJSON implements json.Marshaler.
func (r *Report) MarshalJSON() ([]byte, error) {
	of, err := json.Marshal(r.Of)
	if err != nil {
		return nil, err
	}
	text, err := kernel.Encode(r.Result)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte(`{"of":`), of, []byte(","), text[1:]), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *Report) UnmarshalJSON(text []byte) error {
	var named struct {
		Of string `json:"of"`
	}
	if err := json.Unmarshal(text, &named); err != nil {
		return err
	}
	r.Of = named.Of
	return json.Unmarshal(text, r.Result)
}

// A Joining asks a worker to make the changes of an attempt part of a run's branch.
type Joining struct {
	Run      string   `json:"run"`
	Step     string   `json:"step"`
	Checkout Checkout `json:"checkout"`
	// Attempt, Work and Artifacts are those of Performed.
	Attempt   string `json:"attempt,omitempty"`
	Work      string `json:"work,omitempty"`
	Artifacts string `json:"artifacts,omitempty"`
}

// A Joined has the last commits of the run.
type Joined struct {
	Work      string `json:"work"`
	Artifacts string `json:"artifacts"`
	// Conflict says why the changes cannot be part of the branch, or is "".
	Conflict string `json:"conflict,omitempty"`
}

// A Returned asks a worker to give back what Prepare took for a run.
type Returned struct {
	Run   flow.RunInfo `json:"run"`
	Place Place        `json:"place"`
}

// TagQueue returns the task queue of workers that have tags, which are in order; without
// tags it is the queue of all workers.
func TagQueue(queue string, tags []string) string {
	return strings.Join(append([]string{queue}, tags...), "+")
}

// RunTags returns the tags that one worker needs to perform all steps of a workflow and of
// the workflows that it runs, in order.
func RunTags(def *flow.Definition) []string {
	var tags []string
	for _, d := range flow.Reachable(def) {
		for _, n := range d.Nodes {
			tags = append(tags, n.WorkerTags...)
		}
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}

// Map returns v with all its strings changed by f.
func Map[T any](v T, f func(string) string) T { return mapValueStrings(v, f) }

// Names of search attributes, which are also those in the memo.
const (
	// AttributeStatus is the status of the run: a keyword.
	AttributeStatus = "WfcStatus"
	// AttributeWaiting lists what the run waits for: keywords such as `person: gate#1`.
	AttributeWaiting = "WfcWaitingFor"
	// AttributeCost is the cost in US dollars: a double. It is that of the last change of
	// the status.
	AttributeCost = "WfcCostUSD"
	// MemoQuestions are the open questions; only the memo has them.
	MemoQuestions = "WfcQuestions"
	// MemoStep is the step that began a child run; only the memo has it.
	MemoStep = "WfcStep"
)

// Waits says whom or what a question waits for: person, event or time.
func Waits(q *flow.Question) string {
	switch q.Wait {
	case flow.WaitTime:
		return "time"
	case flow.WaitEvent:
		return "event"
	case flow.WaitQuota:
		return "quota"
	}
	return "person"
}

// Ended reads the end of a run from the error of its workflow. It returns nil if the error has
// one, or else why there is none.
func Ended(err error, final *Final) error {
	var app *temporal.ApplicationError
	var cancelled *temporal.CanceledError
	switch {
	case errors.As(err, &app) && app.HasDetails():
		return app.Details(final)
	case errors.As(err, &cancelled) && cancelled.HasDetails():
		return cancelled.Details(final)
	}
	return err
}
