package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/serving"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A service is what the commands run, resume, status, list and cancel do, for a
// server.
type service struct {
	app     *app
	flags   runFlags
	session *session
	prompts engine.PromptPerformer
	log     *slog.Logger

	mu     sync.Mutex
	closed bool
	// others are the engines of runs that are resumed with settings of their own,
	// and elsewhere the runs that a kept build goes on with.
	others    map[string]*local.Engine
	elsewhere map[string]*os.Process
	work      sync.WaitGroup
}

var _ serving.Service = (*service)(nil)

// serviceCancels is who cancels a run when a client of a server asks for it.
const serviceCancels = "a client of the MCP server"

// newService opens the store and makes an engine that nobody attends.
func (a *app) newService(ctx context.Context, f runFlags) (*service, error) {
	with, prompts, err := a.setupFor(f)
	if err != nil {
		return nil, err
	}
	s := &service{
		app: a, flags: f, prompts: prompts, others: map[string]*local.Engine{}, elsewhere: map[string]*os.Process{},
		log: slog.New(slog.NewTextHandler(a.streams.Err, nil)),
	}
	with.watch = s.logNotice
	if s.session, err = a.openWith(ctx, with); err != nil {
		return nil, err
	}
	// What people are told to type is typed in another folder, perhaps.
	a.stateFlag = s.session.folder.Path
	if path, err := os.Executable(); err == nil && !a.caller.wfc {
		a.typed = plain.ShellWord(path)
	}
	return s, nil
}

// Definition implements serving.Service.
func (s *service) Definition() *flow.Definition { return s.app.program.Definition }

// Log implements serving.Service.
func (s *service) Log() *slog.Logger { return s.log }

// logNotice logs begins and ends of runs.
func (s *service) logNotice(n local.Notice) {
	switch {
	case n.Begin:
		s.log.Info("begun", "run", n.RunID, "resumed", n.Resumed)
	case n.End != nil:
		s.log.Info("over", "run", n.RunID, "status", n.End.Status, "reason", n.End.Reason, "error", n.End.Error)
	}
}

// Start begins a run and returns its id when its records are there. sessionKey names
// the conversation that it belongs to, or is "".
func (s *service) Start(ctx context.Context, given map[string]json.RawMessage, sessionKey string) (id string, err error) {
	a, n := s.app, &newRun{flags: s.flags, task: taskFlags{memory: memorySelf}}
	n.flags.SessionKey = sessionKey
	by := actions.Actor{Name: human.User(), From: serviceCancels}
	if n.flags.runSettings, err = a.withGates(n.flags.runSettings, by, false); err != nil {
		return "", err
	}
	if err := n.readObject(a.call, given); err != nil {
		return "", err
	}
	missing, err := a.checkNew(ctx, n.flags, s.prompts)
	if err != nil {
		return "", err
	}
	for _, line := range missing {
		s.log.Warn(line)
	}
	if err := s.beginWork(); err != nil {
		return "", err
	}
	defer s.work.Done()
	return s.session.engine.RunAsync(ctx, s.Definition(), n.inputs, n.runOptions(a.call))
}

// beginWork keeps the service open until work is done with.
func (s *service) beginWork() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("the server is stopping")
	}
	s.work.Add(1)
	return nil
}

// Status is a run with its steps. name is its id, a prefix of one, or
// `latest`.
func (s *service) Status(ctx context.Context, name string) (json.RawMessage, error) {
	id, err := s.session.resolveRunID(ctx, name)
	if err != nil {
		return nil, err
	}
	d, _, err := s.session.wholeDocument(ctx, id)
	if err != nil {
		return nil, err
	}
	return json.Marshal(maskDocument(s.app.call, d))
}

// List returns the last runs of the workflow, newest first, without their
// steps; 0 is all.
func (s *service) List(ctx context.Context, limit int, statuses []flow.Status) (json.RawMessage, error) {
	if limit < 0 {
		return nil, usageError("a limit of %d: give a positive number, or 0 for all", limit)
	}
	runs, err := s.session.engine.ListRuns(ctx, store.Filter{Workflow: s.Definition().Name, Limit: limit}, statuses...)
	if err != nil {
		return nil, err
	}
	list := make([]document.Run, len(runs))
	for i := range runs {
		list[i] = maskDocument(s.app.call, s.app.showOwn().runDocument(&runs[i], s.session.folder.LogFile(runs[i].ID), flow.Meta{}))
	}
	return json.Marshal(list)
}

// maskDocument returns a document as it may be shown to somebody else than the
// person who may see the secrets.
func maskDocument[T any](c *call, d T) T {
	text, err := json.Marshal(d)
	if err != nil {
		return d // whoever prints it says so
	}
	masked := process.MaskJSON(c.hiddenVariables(), text)
	if bytes.Equal(masked, text) {
		return d
	}
	var clean T
	if json.Unmarshal(masked, &clean) != nil {
		// A secret stood where something else than any text must be, such as a time.
		var none T
		return none
	}
	return clean
}

// Cancel ends a run as cancelled and returns its id when it has ended.
func (s *service) Cancel(ctx context.Context, name string) (id string, err error) {
	if id, err = s.session.resolveRunID(ctx, name); err != nil {
		return "", err
	}
	ctx, stop := context.WithTimeout(ctx, cancelTimeout)
	defer stop()
	if run, err := s.session.engine.Status(ctx, id); err == nil && s.app.cleansUp(run) {
		if _, err := s.takeUp(ctx, id, serviceCancels); err != nil {
			return id, err
		}
		_, err := s.engineOf(id).Wait(ctx, id)
		return id, err
	}
	e := s.engineOf(id)
	if err := e.Cancel(ctx, id, serviceCancels); err != nil {
		return id, err
	}
	s.app.recordCancelled(ctx, e, id)
	return id, nil
}

// cancelTimeout is how long a run has to end.
const cancelTimeout = 30 * time.Second

// engineOf is the engine that works on a run, or could.
func (s *service) engineOf(id string) *local.Engine {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.others[id]; e != nil {
		return e
	}
	return s.session.engine
}

// activeEngines are the engines that work on runs, or could. The caller holds s.mu.
func (s *service) activeEngines() []*local.Engine {
	return append([]*local.Engine{s.session.engine}, slices.Collect(maps.Values(s.others))...)
}

// idleSignal returns a channel that is closed when no run is worked on.
func (s *service) idleSignal() <-chan struct{} {
	idle := make(chan struct{})
	go func() {
		s.work.Wait()
		close(idle)
	}()
	return idle
}

// Close cancels what runs, as an interrupt does to the command run, and waits
// for that until ctx is done; what has not ended by then is stopped where it
// is. by says who wants it. Afterwards nothing begins any more.
func (s *service) Close(ctx context.Context, by string) {
	s.mu.Lock()
	s.closed = true
	engines := s.activeEngines()
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
	select {
	case <-s.idleSignal():
	case <-ctx.Done():
		s.Abandon()
	}
	s.session.closeSession()
}

// Abandon ends the processes of all runs at once; the runs can be resumed.
func (s *service) Abandon() {
	s.mu.Lock()
	engines := s.activeEngines()
	s.mu.Unlock()
	for _, e := range engines {
		e.Abandon()
	}
	s.killElsewhere()
}

// killElsewhere ends the kept builds that still work on runs.
func (s *service) killElsewhere() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, p := range s.elsewhere {
		_ = p.Kill() // it may have ended
		process.KillSurvivors(s.session.folder.RunDir(id))
	}
}
