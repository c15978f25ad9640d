// Package cluster is the interface between the command line of a program and an engine
// that runs its workflow on many machines. The generated main of such a program names the
// engine; other programs do not link it.
package cluster

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// An Opener is an engine.Extension that can be used.
type Opener interface {
	engine.Extension
	// Open connects to the cluster.
	Open(ctx context.Context, c Connection) (Cluster, error)
}

// A Connection says where the cluster is.
type Connection struct {
	Definition *flow.Definition
	// Address is host:port, and Namespace the part of the cluster.
	Address, Namespace string
	// Queue is the task queue of the workflow's runs; "" is the workflow's name.
	Queue string
	// TLS encrypts the connection. CA, Cert and Key are files with certificates; without CA
	// those of the system count.
	TLS           bool
	CA, Cert, Key string
	ServerName    string
	// APIKey is sent with each request unless it is "".
	APIKey string
	// Blobs is the place of values over 16 KiB, which all workers and clients share: a folder
	// or the URL of a PostgreSQL database; "" leaves them in the histories. Keys encrypt the
	// values; see the guide.
	Blobs, Keys string
	// Remember is for a process that shows the same runs again and again: it keeps what it has
	// read of them, and does not ask workers that did not answer a moment ago.
	Remember bool
}

// A Cluster has the runs of a workflow. As a store it is for reading, for answers and for
// requests to cancel; the cluster itself writes the rest.
type Cluster interface {
	runstore.Store
	runstore.Lister
	runstore.Approver
	// Asking returns up to limit open runs that wait for a person or an event, in their own steps or
	// those of a child.
	Asking(ctx context.Context, limit int) ([]store.Run, error)
	// Description returns the definition of a run's workflow, as a worker knows it.
	Description(ctx context.Context, id string) (*flow.Definition, error)
	// Script returns the script of a step with its values, or "".
	Script(ctx context.Context, id, key string) (string, error)
	// Missing says why a run's steps are not known, or returns "".
	Missing(ctx context.Context, id string) (string, error)
	// Version returns a number that differs if a run, or with "" any open one, has changed.
	Version(ctx context.Context, id string) (int64, error)
	// Continue resumes a run of any workflow on its build, with its limits. by names who does it.
	Continue(ctx context.Context, id, by string) error
	// Start begins a run.
	Start(ctx context.Context, s Start) error
	// Resume continues a run that has ended.
	Resume(ctx context.Context, id string, r Resume) error
	// Await returns when the run has ended or paused, and calls see with the steps that have
	// changed meanwhile.
	Await(ctx context.Context, id string, see func(flow.Record)) (flow.RunState, error)
	// Logs writes the output of a run's steps, in lines of JSON, each with one call of Write.
	Logs(ctx context.Context, l Logs, to io.Writer) error
	// Prune removes large values, and logs, that no run needs.
	Prune(ctx context.Context, p Prune) (Pruned, error)
	// Work performs work of the cluster until ctx ends, or w.Drain and no run needs this
	// build.
	Work(ctx context.Context, w Worker) error
	// Schedule begins a run at each time of a cron expression; "" ends that.
	Schedule(ctx context.Context, cron string, s Start) error
}

// A Start describes a new run.
type Start struct {
	Run         flow.RunInfo
	Settings    json.RawMessage
	MaxParallel int
	Limits      settings.Limits
	OnInterrupt settings.Interrupts
	// Workspace is host, git or none; "" is what the workflow needs.
	Workspace string
	// DeadWorker is fail or move.
	DeadWorker string
	// Repository, Base and Folder say where the files of the workspace git are: the URL of
	// the repository, the branch, tag or commit at which the run starts, or "" for the
	// default branch, and the folder of the repository in which steps work.
	Repository, Base, Folder string
	// Worktree, if not nil, lets a run with the workspace host work in a separate git
	// worktree; its Branch and Base may be "".
	Worktree *worktree.Tree
}

// A Resume says how a run continues.
type Resume struct {
	Limits settings.Limits
	// Settings replace those of the run that have the same keys; nil changes none.
	Settings json.RawMessage
	// Force lets a run of another build continue on this one.
	Force bool
	// From is the completed step that is repeated with those that depend on it, or "". By names
	// who does it, for people.
	From, By string
}

// Logs selects the logs of a run.
type Logs struct {
	Run string
	// State is the state folder, which has the logs if the cluster has no shared folder.
	State state.Folder
	// Follow waits for more until the run ends.
	Follow bool
}

// A Prune selects large values and logs to remove.
type Prune struct {
	// OlderThan is the time since their last use. It must exceed the retention of the
	// namespace by a day; 0 is that time.
	OlderThan time.Duration
	// DryRun counts and removes nothing.
	DryRun bool
}

// Pruned counts the removed items.
type Pruned struct {
	Values int
	Bytes  int64
	// Logs is the number of runs whose logs were removed.
	Logs int
}

// A Worker describes a process that performs work.
type Worker struct {
	Performers []engine.Performer
	State      state.Folder
	WorkDir    string
	// Environ, Scripts and Secrets are as for the engine on one machine.
	Environ, Scripts, Secrets []string
	// Sandbox says which steps the worker performs in the sandbox. If any step is to and the
	// machine has no sandbox, Work returns an error.
	Sandbox settings.Sandbox
	// MaxActions is how many actions the worker performs at once; 0 is four for each
	// processor. Limits are those of single kinds of actions; nil is none.
	MaxActions int
	Limits     map[string]int
	// Tags are the tags of the worker: it also performs nodes that need some of them.
	Tags []string
	// Grace is how long actions may continue when the worker is to end.
	Grace time.Duration
	// Drain ends the worker when no run of this build is open.
	Drain bool
	// Health is the address of an HTTP server that says whether the worker works; "" is none.
	Health string
	// Ready is called when the worker takes work.
	Ready func()
	Log   *slog.Logger
}
