package runner

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/enginetest"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// A Session is a job on the engine of real programs: a store, an agent that takes its
// time, and deliveries that are kept instead of sent. It says when the caller that began
// the run leaves or cancels it. Its times pass at once and in order.
type Session struct {
	// Async begins the run and looks at it later; else the caller waits.
	Async bool
	// CancelAfter and LeaveAfter are when the run is cancelled and when the context
	// ends that it was begun with; negative is never.
	CancelAfter, LeaveAfter time.Duration
	// MaxParallel is the engine's limit; 0 leaves it to the workflow.
	MaxParallel int
	// Resolve has the run begun as agents begin runs: where the result goes is found
	// among the workflow's targets, Key, the key of a session, and Defaults.
	Resolve  bool
	Key      string
	Defaults []string
	// Unreachable is the target to which nothing can be sent.
	Unreachable string
	// Resume has the run resumed when it has ended.
	Resume bool
}

// A SessionEnd is what came of a session.
type SessionEnd struct {
	// First and Last are the run when it had ended first, and after it was resumed,
	// which is nil when it was not or could not be; ResumeError says why.
	First, Last *RunState
	ResumeError string
	// CancelError says why the run could not be cancelled.
	CancelError string
}

// A RunState is what an engine says of a run.
type RunState struct {
	Status                         flow.Status
	Workflow, Error                string
	Started, ListStarted, Finished bool
	// Records are the rows of all steps, with those of deliveries.
	Records []flow.Record
	Seen
}

// Seen is what an observer outside a run sees of it.
type Seen struct {
	// Asked is how often agents were asked, and AtOnce how many at once.
	Asked, AtOnce int
	// Sent are the messages that arrived: target and text.
	Sent [][2]string
	// Warnings are those of the run.
	Warnings []string
}

// sessions does the jobs that have a session, and then ends the process. Clocks
// that jump are to be had in tests alone, so they are one.
func sessions(world NewWorld, jobs []Job, workflows map[string]*flow.Definition, outcomes []Outcome, end func()) {
	out := os.Stdout
	os.Stdout = os.Stderr // a test says how it ended
	os.Args = os.Args[:1]
	testing.Main(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "sessions", F: func(t *testing.T) {
		for i, job := range jobs {
			if job.Session == nil {
				continue
			}
			synctest.Test(t, func(*testing.T) {
				if err := attend(world, &jobs[i], workflows[job.Workflow], &outcomes[i]); err != nil {
					outcomes[i].Error = err.Error()
				}
			})
			if world != nil {
				unmark(&outcomes[i], i)
			}
		}
		os.Stdout = out
		end()
		os.Stdout = os.Stderr
	}}}, nil, nil)
}

// attend does a job that has a session.
func attend(world NewWorld, job *Job, def *flow.Definition, out *Outcome) error {
	if def == nil {
		return errors.New("there is no workflow " + job.Workflow)
	}
	dir, err := os.MkdirTemp("", "wfc-conformance-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if world != nil {
		return attendIn(world, job, def, dir, out)
	}
	var transcript bytes.Buffer
	agents, err := prompts(job, def, &transcript)
	if err != nil {
		return err
	}
	out.Session = &SessionEnd{}
	w := &witness{Performer: agents, unreachable: job.Session.Unreachable}
	e, err := local.New(local.Config{
		Store: memory.New(), State: filepath.Join(dir, "state"), MaxParallel: job.Session.MaxParallel,
		Performers: []engine.Performer{w, (*mailbox)(w)}, Environ: os.Environ(), Watch: w.watch,
	})
	if err != nil {
		return err
	}
	if err := visit(e, w, job, def, dir, out.Session); err != nil {
		return err
	}
	return errors.Join(e.Shutdown(context.Background()), turns(transcript.Bytes(), out))
}

// visit begins a run, disturbs it, and looks at what came of it.
func visit(e *local.Engine, w *witness, job *Job, def *flow.Definition, dir string, end *SessionEnd) error {
	s := job.Session
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	after := func(d time.Duration, do func()) {
		switch {
		case d == 0:
			do()
		case d > 0:
			time.AfterFunc(d, do)
		}
	}
	after(s.LeaveAfter, leave)
	opt := local.Options{ID: "run-1", WorkDir: dir}
	if s.Resolve {
		opt.DeliverTo = target.Resolve(def.DeliverTo, s.Key, s.Defaults)
	}
	cancelled := make(chan struct{})
	cancel := func() {
		defer close(cancelled)
		if err := e.Cancel(context.Background(), opt.ID, "user"); err != nil {
			end.CancelError = err.Error()
		}
	}
	if s.CancelAfter > 0 {
		time.AfterFunc(s.CancelAfter, cancel)
	}
	var err error
	if s.Async {
		_, err = e.RunAsync(ctx, def, job.Inputs, opt)
		if err == nil && s.CancelAfter == 0 {
			cancel()
		}
	} else {
		_, err = e.Run(ctx, def, job.Inputs, opt)
	}
	if err != nil {
		return err
	}
	if _, err := e.Wait(context.Background(), opt.ID); err != nil {
		return err
	}
	if s.CancelAfter > 0 || s.CancelAfter == 0 && s.Async {
		<-cancelled
	}
	if end.First, err = w.lookAt(e, opt.ID); err != nil || !s.Resume {
		return err
	}
	if _, err := e.Resume(context.Background(), def, opt.ID, local.Options{}); err != nil {
		end.ResumeError = err.Error()
		return nil
	}
	end.Last, err = w.lookAt(e, opt.ID)
	return err
}

func (w *witness) lookAt(e *local.Engine, id string) (*RunState, error) {
	s, err := e.Status(context.Background(), id)
	if err != nil {
		return nil, err
	}
	st := &RunState{Status: s.Status, Workflow: s.Workflow, Error: s.Error, Started: !s.StartedAt.IsZero(), Finished: !s.Finished.IsZero(), Records: s.Steps}
	list, err := e.ListRuns(context.Background(), store.Filter{})
	if err == nil && len(list) == 1 {
		st.ListStarted = list[0].StartedAt.Equal(s.StartedAt)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	st.Seen = w.seen
	return st, err
}

// A witness performs prompts, counts how many run at once, and keeps the messages of a
// run.
type witness struct {
	engine.Performer
	unreachable string

	mu   sync.Mutex
	now  int
	seen Seen
}

// Perform implements engine.Performer.
func (w *witness) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	w.mu.Lock()
	w.now++
	w.seen.Asked++
	w.seen.AtOnce = max(w.seen.AtOnce, w.now)
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.now--
	}()
	return w.Performer.Perform(ctx, call)
}

func (w *witness) watch(n local.Notice) {
	if n.Logged != nil && n.Logged.Type == "warning" {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.seen.Warnings = append(w.seen.Warnings, n.Logged.Message)
	}
}

// A mailbox performs deliveries: messages have the form in which chats get them.
type mailbox witness

// Kind implements engine.Performer.
func (*mailbox) Kind() string { return flow.Delivery{}.Kind() }

// Perform implements engine.Performer.
func (m *mailbox) Perform(_ context.Context, call *engine.Attempt) flow.Result {
	d := call.Action.Payload.(flow.Delivery)
	text := d.Text
	if d.Step != "" {
		text = "[" + d.Workflow + "/" + d.Step + "] " + text
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var missed []string
	for _, to := range d.Targets {
		if to == m.unreachable {
			missed = append(missed, to)
			continue
		}
		m.seen.Sent = append(m.seen.Sent, [2]string{to, text})
	}
	if len(missed) > 0 {
		return flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: "not delivered to " + strings.Join(missed, ", ")}}
	}
	return flow.Result{Status: flow.Completed}
}

// attendIn does a job that has a session in a world.
func attendIn(world NewWorld, job *Job, def *flow.Definition, dir string, out *Outcome) error {
	if os.Getenv(ServerVariable) != "" {
		slow(job)
	}
	var transcript bytes.Buffer
	agents, err := prompts(job, def, &transcript)
	if err != nil {
		return err
	}
	out.Session = &SessionEnd{}
	w := &witness{Performer: agents, unreachable: job.Session.Unreachable}
	return errors.Join(visitWorld(world, w, job, def, dir, out.Session), turns(transcript.Bytes(), out))
}

// slower is by how much the times of a session are longer on a server. Sessions are decided
// by milliseconds, and a step takes more of them there.
const slower = 50

// slow makes the times of a session longer.
func slow(job *Job) {
	job.Replies = delay.ReplaceAllFunc(job.Replies, func(m []byte) []byte {
		ms, err := strconv.ParseFloat(string(delay.FindSubmatch(m)[1]), 64)
		if err != nil {
			return m
		}
		return fmt.Appendf(nil, `"delayMs":%g`, slower*ms)
	})
	if job.Session.CancelAfter > 0 {
		job.Session.CancelAfter *= slower
	}
}

var delay = regexp.MustCompile(`"delayMs":([0-9.]+)`)

// visitWorld does in a world what visit does on the engine of this machine.
func visitWorld(world NewWorld, w *witness, job *Job, def *flow.Definition, dir string, end *SessionEnd) error {
	s := job.Session
	info := &flow.RunInfo{
		ID: "run-1" + job.mark, Workflow: def.Name, Fingerprint: def.Fingerprint, Inputs: job.Inputs, WorkDir: dir,
		ArtifactsDir: filepath.Join(dir, "artifacts"), LogDir: filepath.Join(dir, "log"), DeliverTo: def.DeliverTo,
	}
	if s.Resolve {
		info.DeliverTo = target.Resolve(def.DeliverTo, s.Key, s.Defaults)
	}
	run := &enginetest.Run{Definition: def, Info: info, RunDir: filepath.Join(dir, "state"), Environ: os.Environ(), Performers: []engine.Performer{w, (*mailbox)(w)}}
	at := world(run)
	if os.Getenv(ServerVariable) == "" {
		// Actions that the run no longer waits for end within the hour, which takes no
		// time here.
		defer time.Sleep(time.Hour)
	}
	defer at.Close()
	at.Limit(cmp.Or(s.MaxParallel, def.Concurrency))
	var cancel *time.Timer
	if s.CancelAfter >= 0 {
		cancel = time.AfterFunc(s.CancelAfter, func() { at.Cancel("user") })
		defer cancel.Stop()
	}
	var err error
	if end.First, err = w.lookIn(at, run); err != nil || !s.Resume {
		return err
	}
	if end.First.Status == flow.Completed {
		end.ResumeError = "the run has completed"
		return nil
	}
	end.Last, err = w.lookIn(at, run)
	return err
}

// lookIn has a world work on a run, and returns what came of it.
func (w *witness) lookIn(world World, run *enginetest.Run) (*RunState, error) {
	end, err := world.Process()
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.Warnings = nil
	for _, e := range world.Events() {
		if e.Type == "warning" {
			w.seen.Warnings = append(w.seen.Warnings, e.Message)
		}
	}
	return &RunState{
		Status: end.Status, Workflow: run.Info.Workflow, Error: end.Error, Started: true, ListStarted: true,
		Finished: end.Status.Ended(), Records: run.Steps, Seen: w.seen,
	}, nil
}
