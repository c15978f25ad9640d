// Package desk is the interface between the pages of the command serve and the places that have
// runs: state folders, databases and clusters. Everything in it comes from journals, so a run
// whose process died looks like one that lives.
package desk

import (
	"context"
	"io"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/waiting"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/serving"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A Desk reads the runs of all its places, and acts on them for people. Its methods are safe for
// concurrent use, and their errors are for people. The key of a place and the id of a run come
// from an address that anybody may have typed.
type Desk interface {
	// Places returns the places, also those that cannot be read.
	Places() []Place
	// Runs returns a page of the selected runs of all places, newest first.
	Runs(ctx context.Context, q Query) (*Page, error)
	// Waiting returns what people should see, in the order of waiting.Compare.
	Waiting(ctx context.Context) (*Waiting, error)
	// Totals sums up the selected runs.
	Totals(ctx context.Context, q Query) (*Totals, error)
	// Run returns a run.
	Run(ctx context.Context, ref Ref) (*Run, error)
	// Step returns a step with its output and prompt.
	Step(ctx context.Context, ref Ref, key string) (flow.Record, error)
	// Picture draws the workflow of a run with the path that the run took, as SVG.
	Picture(ctx context.Context, ref Ref) (string, error)
	// Log returns a part of a run's log.
	Log(ctx context.Context, ref Ref, q LogQuery) (*Log, error)
	// Artifacts lists the files of a run, and OpenArtifact opens one.
	Artifacts(ctx context.Context, ref Ref) ([]Artifact, error)
	OpenArtifact(ctx context.Context, ref Ref, name string) (io.ReadCloser, error)
	// Generation returns a number that differs when a place has changed, or the run's log if ref
	// names one. It's cheap enough for several calls a second.
	Generation(ctx context.Context, ref Ref) (int64, error)

	// Answer answers a question, or counts an approval of one that needs several. The error is an
	// *actions.ChangedError if the question is not the one that the person saw, and an
	// *actions.RefusedError if the person may not answer it. The other actions refuse people, too.
	Answer(ctx context.Context, ref Ref, a Answer) (actions.Outcome, error)
	// Cancel ends a run, and Resume continues one; they return when a process has begun to.
	Cancel(ctx context.Context, ref Ref, by actions.Person) error
	Resume(ctx context.Context, ref Ref, by actions.Person) error

	// Sources returns the places as metrics read them, and why others can't be read.
	Sources(ctx context.Context) (list []serving.Source, problems []string)

	// Workflows returns the workflows of which runs can start, and Start starts one.
	Workflows(ctx context.Context) ([]Workflow, error)
	Start(ctx context.Context, place, workflow string, inputs map[string]string, by actions.Person) (Ref, error)
}

// A Ref names a run, or with an empty ID a place.
type Ref struct{ Place, ID string }

// A Place has runs.
type Place struct {
	// Key names the place in addresses, Name is for people, and Project is the project or "".
	Key, Name, Project string
	// Problem says why the place cannot be read, or is "".
	Problem string
}

// A Query selects runs; zero fields select all.
type Query struct {
	runstore.RunQuery
	// Place is the key of the only place, or "".
	Place string
}

// A Page is a part of a list of runs.
type Page struct {
	Rows []Row
	// Next is where the next page continues, or nil.
	Next *runstore.RunCursor
	// Problems say which places could not be read.
	Problems []string
}

// A Row is a run in a list.
type Row struct {
	Ref
	Project, Workflow string
	Status            flow.Status
	// Note is the error, the reason or what started the run.
	Note              string
	Created, Finished time.Time
	Spent             runstore.SpendingTotal
}

// Waiting is what waits for people or has ended without them; see waiting.Item.
type Waiting struct {
	Items []Item
	// Partial says that there may be more, in a cluster with many.
	Partial  bool
	Problems []string
}

// An Item is one of these in a run of a place.
type Item struct {
	waiting.Item
	Ref
	Project string
}

// Totals sum up runs.
type Totals struct {
	Runs     []runstore.RunTotal
	Spending []runstore.SpendingTotal
	// Failures are those of the newest failed runs. Sampled is the number of these runs.
	Failures []Failure
	Sampled  int
	Problems []string
}

// A Run is a run with its steps.
type Run struct {
	Ref
	Place Place
	document.Run
	// Holder is the process that works on the run, or "".
	Holder string
	// Parts are the steps in their order, without output and prompt.
	Parts []flow.Record
	// Open are the open questions and waits of the run and the runs below it, and Answered the
	// answers that the run has not taken yet.
	Open     []Open
	Answered []string
	// Terms say which answers count.
	Terms actions.Terms
	// Missing says what the place cannot show of the run.
	Missing []string
	// Drawn says that there is a picture.
	Drawn bool
	// CanResume and CanCancel say what the run's state allows.
	CanResume, CanCancel bool
	// Raise is the command that continues a run at its limit with a higher one, or "".
	Raise string
}

// An Open is an open question or wait.
type Open struct {
	Ref
	flow.Question
	Node            string
	Since, Deadline time.Time
	// Hash identifies the question with all that a person sees of it.
	Hash string
	// Rule says who may answer, and Note describes it with the approvals that are there.
	Rule settings.GateRule
	Note string
	// Text says what a wait waits for; "" is a question.
	Text string
	// Readable is the output under review in the form that a person edits.
	Readable string
	// Next are the nodes that depend on the one that asks.
	Next []string
}

// An Answer is a person's answer to a question.
type Answer struct {
	actions.Person
	Key string
	// Hash is that of the question that the person saw.
	Hash string
	// Choice and Text are as in store.Answer; Token is the run's gate token, or "".
	Choice, Text, Token string
}

// A LogQuery selects a part of a log.
type LogQuery struct {
	// Step is the only step, or "".
	Step string
	// Before is the position behind the part; 0 is the end.
	Before int64
}

// A Log is a part of a log.
type Log struct {
	Lines []LogLine
	// From is the position of the first line; 0 is the beginning.
	From int64
	// Missing says why there is no log, or is "".
	Missing string
}

// A LogLine is a line of a log.
type LogLine struct {
	Time         time.Time
	Step, Stream string
	Text         string
}

// An Artifact is a file of a run.
type Artifact struct {
	Name string
	Size int64
	Time time.Time
}

// A Workflow can be started.
type Workflow struct {
	Place             Place
	Key, Name, Source string
	Description       string
	Inputs            []flow.InputInfo
	// Dir is the folder in which its runs work, and Program started the last one.
	Dir, Program string
	// Problem says why it cannot be started, or is "".
	Problem string
}

// A Server serves pages about the runs of a desk.
type Server interface {
	engine.Extension
	// Serve serves until ctx ends.
	Serve(ctx context.Context, d Desk, o Options) error
	// AddUser adds a user to the file of Options.Users.
	AddUser(path, name string, roles []actions.Role, password string) error
}

// Options say how pages are served.
type Options struct {
	// Address is where to listen, host:port, and Person the name of who started the server.
	Address, Person string
	// Hooks is the path of the socket of the program that runs triggers, or "".
	Hooks string
	// Metrics is the address of /metrics, host:port, or "".
	Metrics string
	// Users is the path of the file of who may use the pages, or "" for a token. Cert and Key are the
	// files of a certificate, or "".
	Users, Cert, Key string
	// Listening is called with the address for a browser once the server listens.
	Listening func(address string)
}
