// Package store defines Store, the database in which an engine keeps its runs. Packages
// below it implement it for memory, SQLite and PostgreSQL. Programs pass a Store to an
// engine and rarely call its methods:
//
//	var runs store.Store = memory.New()
//	list, err := runs.Runs(ctx, store.Filter{Workflow: "release", Status: flow.Failed, Limit: 20})
package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
)

// The errors of stores. Compare them with errors.Is, because stores may wrap them.
var (
	// ErrNotFound: there is no such run or step.
	ErrNotFound = errors.New("not found")
	// ErrExists: there is such a run already.
	ErrExists = errors.New("exists already")
	// ErrAnswered: the question was answered before.
	ErrAnswered = errors.New("answered already")
)

// A Run is one run as the store keeps it.
type Run struct {
	flow.RunInfo
	// Status is as last committed; a run whose process died still says Running.
	Status flow.Status `json:"status"`
	// Reason, Error, Outputs, Summary and Outcome are of the run's last end; see
	// flow.RunState.
	Reason  string          `json:"reason,omitempty"`
	Error   string          `json:"error,omitempty"`
	Outputs json.RawMessage `json:"outputs,omitempty"`
	Summary string          `json:"summary,omitempty"`
	Outcome string          `json:"outcome,omitempty"`
	// Executable is the path of the binary that can resume the run, or "".
	Executable string `json:"-"`
	// Settings are the run's settings, for a later resume: JSON whose meaning only the
	// caller of the engine knows; see local.Options.
	Settings json.RawMessage `json:"settings,omitempty"`
	// Holder describes the process that works on the run, or did so last, for people: its
	// host and its process id.
	Holder string `json:"holder,omitempty"`
	// CancelRequested is the time of a request to cancel the run, or the zero time, and
	// CancelBy who asked.
	CancelRequested time.Time `json:"cancel_requested,omitzero"`
	CancelBy        string    `json:"cancel_by,omitempty"`
	// Processes counts the processes that have worked on the run.
	Processes int `json:"processes,omitempty"`
	// Created is the time at which the engine made the run.
	Created time.Time `json:"created"`
	// Started is the time at which a process first started to work on the run.
	Started time.Time `json:"started,omitzero"`
	// Finished is the time of the run's end, or the zero time if its Status has not ended.
	Finished time.Time `json:"finished,omitzero"`
	// Updated is the time of the last change of the run or of a step, accurate to about a
	// second. The store sets it.
	Updated time.Time `json:"-"`
}

// An Answer is the answer to a question. By names who answered and From the place, such as
// a machine and a terminal; Given is the time.
type Answer struct {
	Key string `json:"key"`
	// Choice is one of the question's choices, or "" when it has none.
	Choice string `json:"choice,omitempty"`
	// Text is the person's comment or free answer, or "".
	Text  string    `json:"text,omitempty"`
	By    string    `json:"by"`
	From  string    `json:"from"`
	Given time.Time `json:"given,omitzero"`
}

// A Filter selects runs; zero fields select all.
type Filter struct {
	Workflow string
	Status   flow.Status
	// ID selects the run of this id.
	ID string
	// Prefix selects ids that begin so.
	Prefix string
	// Before selects runs that ended before this time and, of those that have not ended, the
	// ones that last changed before it. The zero time selects all. A store may return more.
	Before time.Time
	// Limit is the largest number of runs returned; 0 means all.
	Limit int
	// Brief asks for the ID, Workflow, Fingerprint, Status, Reason, Error, Settings and times of the runs
	// alone, so that a caller can read all runs of a large store. A store may return more.
	Brief bool
}

// A Store keeps runs, their steps and their events. Its methods are safe for concurrent
// use, also by several processes. When a method returns without an error, its change is
// durable: it survives a crash of the process and of the machine. A store in memory is
// for one process, and nothing in it is durable. A method that takes the id of a run
// returns ErrNotFound if there is no such run.
//
// The static steps of a run are those of the nodes in flow.Definition.Nodes, which a run
// has from its beginning. The engine adds the others while the run proceeds.
//
// A lease is the right of one process to work on a run. The engine takes it by locking a
// file in the state folder, without the store. So processes that share a store must run
// on one machine. Only for PostgreSQL the leases are in the database, by methods that are
// internal to this module.
type Store interface {
	// CreateRun inserts a run as it is, with all its fields and its static steps in that
	// order, as one change. It returns ErrExists if there is a run with this id, or if
	// two steps have the same key.
	CreateRun(ctx context.Context, run Run, steps []flow.Record) error

	// Run returns a run by its whole id.
	Run(ctx context.Context, id string) (Run, error)

	// Runs returns the selected runs in the order of their creation, newest first; runs of
	// the same instant are in the order of their ids.
	Runs(ctx context.Context, f Filter) ([]Run, error)

	// Steps returns a run's steps: the static ones in order, then the others
	// in the order of their first commit.
	Steps(ctx context.Context, id string) ([]flow.Record, error)

	// Events returns a run's events after the one numbered seq, in order, with
	// the number of the last one returned, or seq when there are none. 0 is
	// before the first.
	Events(ctx context.Context, id string, seq int64) (events []flow.Event, last int64, err error)

	// Begin records that a process starts to work on a run. It sets the status Running,
	// the holder (see Run.Holder) and the path of the binary (see Run.Executable), adds
	// one to Processes, sets Started if it is zero, and clears an earlier end and a
	// request to cancel. The caller holds the lease on the run.
	Begin(ctx context.Context, id, holder, executable string) error

	// SetFingerprint records that another version of its workflow continues the run: it replaces the
	// run's Fingerprint and nothing else. The caller holds the lease on the run.
	SetFingerprint(ctx context.Context, id, fingerprint string) error

	// SetSettings replaces the run's Settings and nothing else. The caller holds the lease on the
	// run.
	SetSettings(ctx context.Context, id string, settings json.RawMessage) error

	// Commit applies a batch as one change, all or nothing: it replaces the steps by their
	// keys, adds new steps and the events, and, if b.Run is set, sets Status, Reason,
	// Error, Outputs, Summary, Outcome and Finished of the run. A step that becomes pending loses the
	// answer that was recorded for it. An empty batch changes nothing.
	// Commits of different runs may share a transaction. The caller holds the lease on the
	// run. Begin, SetFingerprint, SetSettings and Commit return the error of ctx as soon as ctx
	// ends; then the change may or may not have been made.
	Commit(ctx context.Context, id string, b flow.Batch) error

	// Answer records the answer to the question of the waiting step a.Key. The first answer
	// counts; for later ones the error is ErrAnswered. It is ErrNotFound if no such step
	// waits with a question.
	Answer(ctx context.Context, id string, a Answer) error

	// Answers returns the answers recorded for a run, in the order in which they were
	// recorded.
	Answers(ctx context.Context, id string) ([]Answer, error)

	// Session returns the agent's session that KeepSession kept for a step key of a
	// workflow, or "".
	Session(ctx context.Context, workflow, key string) (string, error)

	// KeepSession keeps the session of an agent for a step key of a workflow, for later
	// runs. It replaces the session kept before.
	KeepSession(ctx context.Context, workflow, key, session string) error

	// RequestCancel records the request that the process that works on the run cancel it;
	// by names who asks, for people. That process finds the request in Run.CancelRequested.
	RequestCancel(ctx context.Context, id, by string) error

	// DeleteRun removes a run with its steps, events and answers. The caller holds
	// the lease on it.
	DeleteRun(ctx context.Context, id string) error

	// Generation returns a number that differs from that of an earlier call if another process
	// or connection has changed the store in between. A caller polls it, and reads the
	// store again when it differs; the number means nothing else. A call is cheap enough
	// for several a second.
	Generation(ctx context.Context) (int64, error)

	// Close releases the store.
	Close() error
}
