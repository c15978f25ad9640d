package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/shared/tuning"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/serving"
	"github.com/wfc-lang/wfc/runtime/internal/spending"
	"github.com/wfc-lang/wfc/runtime/internal/tape"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// session is an engine on an open store.
type session struct {
	*call
	engine *local.Engine
	store  store.Store
	folder state.Folder
	// telemetry exports the traces of the session's runs, or is nil.
	telemetry serving.Sink
	// follower shows a run that this process only follows, or is nil.
	follower *progress
	// before are the steps of a resumed run, as they were when this process resumed it.
	before familySteps
}

// setup is what an engine needs beyond the state folder.
type setup struct {
	performers  []engine.Performer
	maxParallel int
	watch       func(local.Notice)
	asker       engine.Asker
	sandbox     settings.Sandbox
	agents      settings.Agents
	// recording is the file to which the run is recorded, or nil.
	recording *tape.File
	// storeFolder has the store if it is not the state folder, else "".
	storeFolder string
}

// setupFor returns the setup for runs with the given flags, and the performer of
// prompts or nil.
func (c *call) setupFor(f runFlags) (setup, engine.PromptPerformer, error) {
	choices, err := f.chooseAgents(c.program.Defaults, c.secretNames())
	if err != nil {
		return setup{}, nil, err
	}
	tapes := f.runSettings.tapeFor(c)
	performers, prompts, err := c.newPerformers(choices, tapes)
	if err != nil {
		return setup{}, nil, err
	}
	if err := c.checkReplies(f, choices); err != nil {
		return setup{}, nil, err
	}
	s := setup{
		performers: performers, maxParallel: cmp.Or(f.MaxParallel, c.program.Defaults.MaxParallel), sandbox: f.effectiveSandbox(c.program.Defaults.Sandbox),
		agents: choices.List,
	}
	guardOwnFiles(c, &s.sandbox, choices.List)
	if f.Record != "" {
		if s.recording, err = tape.Open(tapes); err != nil {
			return setup{}, nil, usageError("%v", err)
		}
		s.performers = s.recording.Performers(s.performers)
	}
	return s, prompts, nil
}

// engineLimits are the limits of a run besides those that a state graph keeps itself.
func (c *call) engineLimits(s runSettings) settings.Limits {
	return s.effectiveLimits(c.program.Defaults.Limits, c.program.Definition.Graph != nil)
}

// openSession opens the store, for commands that perform nothing themselves.
func (c *call) openSession(ctx context.Context) (*session, error) { return c.openWith(ctx, setup{}) }

// openReading opens the store for a command that only reads. If the state folder has none, it
// reads an empty one elsewhere: reading makes no state.
func openReading(ctx context.Context, c *call) (*session, error) {
	folder, err := c.stateFolder()
	if err != nil || !c.backend.keepsRunsInFolder() {
		return c.openSession(ctx)
	}
	if _, err := os.Lstat(folder.Database()); !errors.Is(err, fs.ErrNotExist) {
		return c.openSession(ctx)
	}
	empty, err := os.MkdirTemp("", "wfc-empty-")
	if err != nil {
		return nil, failedError(err)
	}
	s, err := c.openWith(ctx, setup{storeFolder: empty})
	if err != nil {
		_ = os.RemoveAll(empty)
		return nil, err
	}
	ledger, _ := s.store.(spending.Ledger)
	s.store = emptyStore{s.store, ledger, empty}
	return s, nil
}

// An emptyStore is a store that openReading has made. Close removes it.
type emptyStore struct {
	store.Store
	spending.Ledger
	folder string
}

func (s emptyStore) Close() error { return errors.Join(s.Store.Close(), os.RemoveAll(s.folder)) }

// openWith opens the store and makes an engine.
func (c *call) openWith(ctx context.Context, s setup) (*session, error) {
	folder, err := c.stateFolder()
	if err != nil {
		return nil, err
	}
	st, err := c.backend.connectStore(ctx, state.Folder{Path: cmp.Or(s.storeFolder, folder.Path)})
	if err != nil {
		return nil, failedError(err)
	}
	if c.adopts && s.performers != nil {
		process.AdoptOrphans(!s.sandbox.Has(settings.SandboxOn))
		process.KeepTerminals()
		s.watch = keepingKin(folder, s.watch)
	}
	var r *recorder
	if s.recording != nil {
		r = &recorder{file: s.recording, warn: c.warnRecording}
		s.watch = r.recordingWatcher(s.watch)
	}
	sink, err := openTelemetry(ctx, c, st, folder, s.performers != nil, s.agents)
	if err != nil {
		st.Close()
		return nil, err
	}
	if sink != nil {
		s.watch = tracingWatcher(sink, s.watch)
	}
	e, err := c.newEngine(st, folder, s)
	if err != nil {
		st.Close()
		return nil, err
	}
	if r != nil {
		r.engine = e
	}
	return &session{call: c, engine: e, store: st, folder: folder, telemetry: sink}, nil
}

// keepingKin returns a watcher that notes what runs leave behind that may ask
// something later, while they are still held.
func keepingKin(folder state.Folder, watch func(local.Notice)) func(local.Notice) {
	return func(n local.Notice) {
		if n.End != nil && n.End.Status != flow.Completed {
			process.KeepKin(folder.RunDir(n.RunID))
		}
		if watch != nil {
			watch(n)
		}
	}
}

// guardOwnFiles keeps steps in the sandbox from changing the programs that are executed outside, and the
// settings of the workflow. Before a run, programs of agents are asked for their state, but not commands.
func guardOwnFiles(c *call, s *settings.Sandbox, agents settings.Agents) {
	for _, a := range agents {
		switch {
		case a.Kind != settings.KindCommand:
			if filepath.IsAbs(a.Program) {
				s.Programs = append(s.Programs, a.Program)
			}
		case mayBeOutside(s, flow.Prompt{}.Kind()):
			words := append([]string{a.Program}, a.Args...)
			if a.Args == nil {
				words = strings.Fields(a.Program)
			}
			s.Programs = append(s.Programs, words...)
		}
	}
	if mayBeOutside(s, flow.Delivery{}.Kind()) {
		for _, channel := range c.program.Defaults.Channels {
			s.Programs = append(s.Programs, channel.Command...)
		}
	}
	if o, err := originHere(c); err == nil {
		s.Programs, s.Sources = append(s.Programs, o.Program), append(s.Sources, o.Source)
	}
	if c.caller.program != "" {
		s.Programs = append(s.Programs, c.caller.program)
	}
}

// mayBeOutside reports whether some action of a kind runs outside of the sandbox.
func mayBeOutside(s *settings.Sandbox, kind string) bool {
	outside := func(m settings.SandboxMode) bool { return m != settings.SandboxOn }
	return outside(cmp.Or(s.Kinds[kind], s.Default)) || slices.ContainsFunc(slices.Concat(slices.Collect(maps.Values(s.Agents)), slices.Collect(maps.Values(s.Nodes))), outside)
}

// originHere is the origin of runs that this process begins, without the run.
func originHere(c *call) (state.Origin, error) {
	program, err := os.Executable()
	o := state.Origin{Workflow: c.program.Definition.Name, Program: program, Store: state.StoreOf(c.program.OpenDatabase != nil)}
	if c.caller.wfc && c.caller.file != "" {
		if path, err := filepath.Abs(c.caller.file); err == nil && isFile(path) {
			o.Source = path
		}
	}
	return o, err
}

// keepOrigin has a watch record what began each run that it is told of.
func (c *call) keepOrigin(st store.Store, folder state.Folder, watch func(local.Notice)) func(local.Notice) {
	o, err := originHere(c)
	if _, forgets := st.(interface{ Forgets() }); forgets || err != nil || watch == nil {
		return watch
	}
	// Beside the start of the run's first step, whose notice waits for it.
	var writing sync.Map // chan struct{} by the id of the run
	return func(n local.Notice) {
		if n.Begin {
			o := o
			o.Run, o.Parent, o.Created = n.RunID, n.Parent, time.Now()
			written := make(chan struct{})
			writing.Store(n.RunID, written)
			go func() {
				defer close(written)
				tuning.ReserveSmallStack()
				_ = folder.KeepOrigin(o) // a run that wfc finds less quickly is no reason to fail
				keepDefinitions(folder, c.program.Definition)
			}()
		} else if written, ok := writing.LoadAndDelete(n.RunID); ok {
			<-written.(chan struct{})
		}
		watch(n)
	}
}

// keepDefinitions keeps what pages show of a program's workflows, also when the program is gone.
func keepDefinitions(folder state.Folder, of *flow.Definition) {
	for _, def := range flow.Reachable(of) {
		_ = folder.KeepDefinition(def.Fingerprint, func() ([]byte, error) { return json.Marshal(def) })
	}
}

// newEngine makes an engine on an open store.
func (c *call) newEngine(st store.Store, folder state.Folder, s setup) (*local.Engine, error) {
	executable, err := os.Executable()
	if err != nil {
		executable = "" // runs are then not pinned to this binary
	}
	var notices local.Notices
	if s.performers != nil && c.newDeliverer() != nil {
		notices = c.noticeSettings(folder)
	}
	e, err := local.New(local.Config{
		Store: st, State: folder.Path, Performers: s.performers, MaxParallel: s.maxParallel,
		Executable: executable, OnInterrupt: c.program.Defaults.OnInterrupt, Sandbox: s.sandbox,
		Budgets: c.program.Defaults.Budgets, Defaults: local.Options{BaseBranch: c.program.Defaults.BaseBranch},
		Watch: c.keepOrigin(st, folder, s.watch), Asker: s.asker,
		Notices: notices, Environ: c.processEnviron(), SecretVariables: c.secretNames(), ScriptVariables: c.program.Defaults.PassEnv.Scripts,
	})
	return e, failedError(err)
}

// closeSession sends the notices that are due, if the session performs runs, and closes the
// store.
func (s *session) closeSession() {
	s.finishNotices()
	s.finishTelemetry()
	if !s.leaves {
		s.store.Close()
	}
}

// resolveRunID returns the id that a name given by the user stands for.
func (s *session) resolveRunID(ctx context.Context, name string) (string, error) {
	id, err := s.engine.Find(ctx, s.program.Definition.Name, name)
	return id, s.notFound(name, err, "")
}

// notFound returns the error of a search for the run that a name stands for: an unknown name
// is a mistake of the command line. hint is the way out.
func (c *call) notFound(name string, err error, hint string) error {
	if !errors.Is(err, store.ErrNotFound) {
		return failedError(err)
	}
	err = fmt.Errorf("%w%s%s", err, hint, c.placeNote())
	if name == "" || name == runid.Latest {
		return failedError(err) // the workflow has no runs
	}
	return usageError("%w", err)
}

// findRoot returns the id of the run that a process works on for the run that a name
// stands for, and says so if that is another one.
func (s *session) findRoot(ctx context.Context, name string) (string, error) {
	id, err := s.resolveRunID(ctx, name)
	if err != nil {
		return "", err
	}
	root, err := s.engine.Root(ctx, id)
	if err == nil {
		s.noteParent(id, root, "which is resumed")
	}
	return root, failedError(err)
}

// agentsToAsk returns the agents that resuming a run here may ask. A run at its limit asks nobody,
// and one of another build is resumed by that.
func (s *session) agentsToAsk(ctx context.Context, f runFlags, id string) []string {
	run, err := s.store.Run(ctx, id)
	if err != nil || run.Fingerprint != s.program.Definition.Fingerprint && !f.force {
		return nil // resuming tells why
	}
	if run.Status == flow.Completed && !f.repeats {
		return nil
	}
	steps, err := s.store.Steps(ctx, id)
	if err != nil || sched.Reached(s.engineLimits(f.runSettings), sched.Used(steps)) != nil {
		return nil
	}
	if f.repeats || f.force {
		return s.program.askedAgents()
	}
	return s.program.remainingAgents(steps)
}

// withRun opens the store and finds a run of the workflow for a command that only looks.
func (c *call) withRun(ctx context.Context, name string, do func(context.Context, *session, string) error) error {
	return withRunOf(ctx, c, c.program.Definition.Name, name, do)
}

// withRunOf is withRun for a run of a workflow; "" is any.
func withRunOf(ctx context.Context, c *call, workflow, name string, do func(context.Context, *session, string) error) error {
	s, err := openReading(ctx, c)
	if err != nil {
		return err
	}
	defer s.closeSession()
	s.sendLeftNotices()
	id, err := s.engine.Find(ctx, workflow, name)
	if err != nil {
		return s.notFound(name, err, "")
	}
	return do(ctx, s, id)
}

// finishTelemetry exports what is left of the traces.
func (s *session) finishTelemetry() {
	if s.telemetry == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), telemetryLimit)
	defer stop()
	for _, run := range s.telemetry.Close(ctx) {
		fmt.Fprintf(s.streams.Err, "%s: the trace of run %s is not exported completely; export it by `%s --export`\n", s.name, run, s.commandLine("trace", run))
	}
	s.telemetry = nil
}
