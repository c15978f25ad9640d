package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/input"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/plain"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A Service is the workflow for a server: what the commands run, resume,
// status, list and cancel do, without a terminal and without waiting for runs.
// It has no way to answer a question, whoever asks for it: gates are passed by
// the commands approve, reject and answer alone.
//
// Its methods are safe for concurrent use. Their errors are for people.
type Service struct {
	app     *app
	flags   runFlags
	session *session
	prompts engine.Prompts
	log     *slog.Logger

	mu     sync.Mutex
	closed bool
	// begun hear that a run was taken up.
	begun map[string]chan struct{}
	// others are the engines of runs that are resumed with settings of their own,
	// and elsewhere the runs that a kept build goes on with.
	others    map[string]*local.Engine
	elsewhere map[string]*os.Process
	work      sync.WaitGroup
}

// RunDocument is a run as `status --json` prints it.
type RunDocument = runDocument

// A Begun run was begun or resumed.
type Begun struct {
	// ID is the run's, and Workflow the name of its workflow.
	ID, Workflow string
}

// serviceCancels is who cancels a run when a client of a server asks for it.
const serviceCancels = "a client of the MCP server"

// newService opens the store and makes an engine that nobody attends.
func (a *app) newService(ctx context.Context, f runFlags) (*Service, error) {
	choices, err := f.choices(a.program.Defaults, a.secretNames())
	if err != nil {
		return nil, err
	}
	s := &Service{
		app: a, flags: f, begun: map[string]chan struct{}{}, others: map[string]*local.Engine{}, elsewhere: map[string]*os.Process{},
		log: slog.New(slog.NewTextHandler(a.streams.Err, nil)),
	}
	var performers []engine.Performer
	if performers, s.prompts, err = a.performers(a.taped(f.runSettings, choices)); err != nil {
		return nil, err
	}
	s.session, err = a.open(ctx, setup{performers: performers, maxParallel: cmp.Or(f.MaxParallel, a.program.Defaults.MaxParallel), watch: s.watch})
	if err != nil {
		return nil, err
	}
	// What people are told to type is typed in another folder, perhaps.
	a.stateFlag = s.session.folder.Path
	if path, err := os.Executable(); err == nil && !a.caller.wfc {
		a.typed = plain.ShellWord(path)
	}
	return s, nil
}

// Definition is the workflow.
func (s *Service) Definition() *flow.Definition { return s.app.program.Definition }

// Log takes what people should know of the service; it does not reach clients.
func (s *Service) Log() *slog.Logger { return s.log }

// watch tells who waits for it that a run was taken up, and the log of begins
// and ends.
func (s *Service) watch(n local.Notice) {
	switch n := n.(type) {
	case *local.BeginNotice:
		s.log.Info("begun", "run", n.RunID(), "resumed", n.Resumed)
		s.mu.Lock()
		if c := s.begun[n.RunID()]; c != nil {
			delete(s.begun, n.RunID())
			close(c)
		}
		s.mu.Unlock()
	case *local.EndNotice:
		s.log.Info("over", "run", n.RunID(), "status", n.End.Status, "reason", n.End.Reason, "error", n.End.Error)
	}
}

// Start begins a run and returns when its records are there. sessionKey names
// the conversation that it belongs to, or is "".
func (s *Service) Start(ctx context.Context, given map[string]json.RawMessage, sessionKey string) (Begun, error) {
	a, def := s.app, s.Definition()
	in := &inputs{def: def, stdin: strings.NewReader("")}
	if err := in.give(given); err != nil {
		return Begun{}, err
	}
	f := s.flags
	f.SessionKey = sessionKey
	var err error
	if f.runSettings, err = a.gated(f.runSettings, false); err != nil {
		return Begun{}, err
	}
	graph, err := a.graph(&taskFlags{memory: "self"}, f.runSettings, in)
	if err != nil {
		return Begun{}, err
	}
	values, err := in.object()
	if err != nil {
		return Begun{}, errors.New(strings.Replace(err.Error(), ": give it by its flag, by --input NAME=VALUE or in --inputs FILE", "", 1))
	}
	if err := a.checkAgents(ctx, f, s.prompts); err != nil {
		return Begun{}, err
	}
	if err := s.enter(); err != nil {
		return Begun{}, err
	}
	defer s.work.Done()
	defaults := a.program.Defaults
	id, err := s.session.engine.RunAsync(ctx, def, values, local.Options{
		BaseBranch: cmp.Or(f.BaseBranch, defaults.BaseBranch), DocsDir: defaults.DocsDir, Settings: f.runSettings.encode(),
		Limits: f.limits(defaults.Limits, def.Graph != nil), Graph: graph, DeliverTo: a.deliverTo(sessionKey),
	})
	return Begun{id, def.Name}, err
}

// give takes inputs as a client sends them.
func (in *inputs) give(object map[string]json.RawMessage) error {
	in.values, in.saved = map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for name, value := range object {
		if string(value) == "null" {
			continue // as good as not given
		}
		i := slices.IndexFunc(in.def.Inputs, func(spec flow.InputInfo) bool { return spec.Name == name })
		if i < 0 {
			return usage("the workflow has no input `%s`%s; it has: %s", name, didYouMean(name, inputNames(in.def)), in.names())
		}
		checked, err := input.Value(in.def.Inputs[i], value, "")
		if err != nil {
			return usage("input `%s`: %v", name, err)
		}
		in.values[name] = checked
	}
	return nil
}

func inputNames(def *flow.Definition) []string {
	names := make([]string, len(def.Inputs))
	for i, spec := range def.Inputs {
		names[i] = spec.Name
	}
	return names
}

// enter keeps the service open until work is done with.
func (s *Service) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("the server is about to end")
	}
	s.work.Add(1)
	return nil
}

// Status is a run with its steps. name is its id, the beginning of one, or
// `latest`.
func (s *Service) Status(ctx context.Context, name string) (*RunDocument, error) {
	id, err := s.session.find(ctx, s.app, name)
	if err != nil {
		return nil, err
	}
	status, err := s.session.engine.Status(ctx, id)
	if err != nil {
		return nil, err
	}
	d := s.app.runDocument(status, s.session.folder.Log(id))
	d.SchemaVersion = schemaVersion
	d.Warnings, err = s.session.warnings(ctx, id)
	d = maskDocument(s.app, d)
	return &d, err
}

// List returns the last runs of the workflow, newest first, without their
// steps; 0 is all. status selects those of one status, unless it is "".
func (s *Service) List(ctx context.Context, limit int, status flow.Status) ([]RunDocument, error) {
	if err := CheckStatus(status); err != nil {
		return nil, err
	}
	if limit < 0 {
		return nil, usage("a limit of %d: give a positive number, or 0 for all", limit)
	}
	runs, err := s.session.engine.ListRuns(ctx, store.Filter{Workflow: s.Definition().Name, Status: status, Limit: limit})
	if err != nil {
		return nil, err
	}
	list := make([]RunDocument, len(runs))
	for i := range runs {
		list[i] = maskDocument(s.app, s.app.runDocument(&runs[i], s.session.folder.Log(runs[i].ID)))
	}
	return list, nil
}

// CheckStatus reports a status that no run has; "" stands for all.
func CheckStatus(s flow.Status) error {
	if s != "" && !slices.Contains(runStatuses, s) {
		return usage("`%s` is no status of a run; those are %s", s, statusList())
	}
	return nil
}

// Cancel ends a run as cancelled and returns its id when it has ended.
func (s *Service) Cancel(ctx context.Context, name string) (id string, err error) {
	if id, err = s.session.find(ctx, s.app, name); err != nil {
		return "", err
	}
	ctx, stop := context.WithTimeout(ctx, cancelPatience)
	defer stop()
	return id, s.engineOf(id).Cancel(ctx, id, serviceCancels)
}

// cancelPatience is how long a run has to end.
const cancelPatience = 30 * time.Second

// engineOf is the engine that works on a run, or could.
func (s *Service) engineOf(id string) *local.Engine {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.others[id]; e != nil {
		return e
	}
	return s.session.engine
}

// Close cancels what runs, as an interrupt does to the command run, and waits
// for that until ctx is done; what has not ended by then is stopped where it
// is. by says who wants it. Afterwards nothing begins any more.
func (s *Service) Close(ctx context.Context, by string) {
	s.mu.Lock()
	s.closed = true
	engines := []*local.Engine{s.session.engine}
	for _, e := range s.others {
		engines = append(engines, e)
	}
	type live struct {
		engine *local.Engine
		id     string
	}
	var runs []live
	for id := range s.elsewhere {
		runs = append(runs, live{s.session.engine, id})
	}
	s.mu.Unlock()
	for _, e := range engines {
		for _, id := range e.Live() {
			runs = append(runs, live{e, id})
		}
	}
	var cancels sync.WaitGroup
	for _, r := range runs {
		cancels.Go(func() { _ = r.engine.Cancel(ctx, r.id, by) }) // one that has ended needs none
	}
	cancels.Wait()
	for _, e := range engines {
		if err := e.Shutdown(ctx); err != nil {
			s.log.Warn("some runs have not ended", "runs", e.Live(), "error", err)
		}
	}
	gone := make(chan struct{})
	go func() {
		s.work.Wait()
		close(gone)
	}()
	select {
	case <-gone:
	case <-ctx.Done():
		s.Abandon()
	}
	s.session.close()
}

// Abandon ends the processes of all runs at once; the runs can be resumed.
func (s *Service) Abandon() {
	s.mu.Lock()
	engines := []*local.Engine{s.session.engine}
	for _, e := range s.others {
		engines = append(engines, e)
	}
	s.mu.Unlock()
	for _, e := range engines {
		for _, id := range e.Live() {
			process.KillSurvivors(s.session.folder.Run(id))
		}
	}
	s.killElsewhere()
}

// killElsewhere ends the kept builds that still work on runs.
func (s *Service) killElsewhere() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, p := range s.elsewhere {
		_ = p.Kill() // it may have ended
		process.KillSurvivors(s.session.folder.Run(id))
	}
}

// An MCPServer serves a workflow to the client at the other end of in and out,
// until that leaves or ctx is done.
type MCPServer func(ctx context.Context, s *Service, in io.Reader, out io.Writer) error

// otherBuild reports the build with which a run goes on, or nil.
func otherBuild(err error) *local.OtherBuildError {
	var other *local.OtherBuildError
	if errors.As(err, &other) && other.Executable != "" {
		return other
	}
	return nil
}

// notResumed words the error of a run that did not go on.
func notResumed(id string, err error) error {
	return fmt.Errorf("run %s does not go on: %w", id, err)
}

// sessionKeyOf is the session key that is kept with a run, or "".
func sessionKeyOf(kept json.RawMessage) string {
	var s struct {
		SessionKey string `json:"session_key"`
	}
	if json.Unmarshal(kept, &s) != nil {
		return "" // settings of another kind of caller
	}
	return s.SessionKey
}
