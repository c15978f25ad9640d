package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/state"
	"github.com/wfc-lang/wfc/runtime/store"
)

// session is an engine on an open store.
type session struct {
	engine *local.Engine
	store  store.Store
	folder state.Folder
	leaves bool
}

// folder returns the state folder for this call.
func (a *app) folder() (state.Folder, error) {
	dir, err := os.Getwd()
	if err != nil {
		return state.Folder{}, failed(fmt.Errorf("the current folder: %w", err))
	}
	given := a.stateFlag
	if given == "" && os.Getenv("WFC_STATE") == "" {
		given = a.program.Defaults.State
	}
	f, err := state.Locate(given, dir)
	return f, failed(err)
}

// setup is what an engine needs beyond the state folder.
type setup struct {
	performers  []engine.Performer
	maxParallel int
	watch       func(local.Notice)
	asker       engine.Asker
}

// open opens the store and makes an engine. Commands that only look need no
// performers.
func (a *app) open(ctx context.Context, s setup) (*session, error) {
	folder, err := a.folder()
	if err != nil {
		return nil, err
	}
	st, err := a.openStore(ctx, folder)
	if err != nil {
		return nil, failed(err)
	}
	if a.adopts && s.performers != nil {
		process.AdoptOrphans()
		process.KeepTerminals()
		s.watch = keepingKin(folder, s.watch)
	}
	e, err := a.engine(st, folder, s)
	if err != nil {
		st.Close()
		return nil, err
	}
	return &session{engine: e, store: st, folder: folder, leaves: a.leaves}, nil
}

// keepingKin returns a watcher that notes what runs leave behind that may ask
// something later, while they are still held.
func keepingKin(folder state.Folder, watch func(local.Notice)) func(local.Notice) {
	return func(n local.Notice) {
		if end, ok := n.(*local.EndNotice); ok && end.End.Status != flow.Completed {
			process.KeepKin(folder.Run(n.RunID()))
		}
		if watch != nil {
			watch(n)
		}
	}
}

// engine makes an engine on an open store.
func (a *app) engine(st store.Store, folder state.Folder, s setup) (*local.Engine, error) {
	executable, err := os.Executable()
	if err != nil {
		executable = "" // runs are then not pinned to this binary
	}
	e, err := local.New(local.Config{
		Store: st, State: folder, Performers: s.performers, MaxParallel: s.maxParallel,
		Executable: executable, OnInterrupt: a.program.Defaults.OnInterrupt, Watch: a.keepOrigin(st, folder, s.watch), Asker: s.asker,
		Environ: a.environ(), Secrets: a.secretNames(), Scripts: a.program.Defaults.Environment.Scripts,
	})
	return e, failed(err)
}

func (s *session) close() {
	if !s.leaves {
		s.store.Close()
	}
}

// find returns the id that a name given by the user stands for.
func (s *session) find(ctx context.Context, a *app, name string) (string, error) {
	id, err := s.engine.Find(ctx, a.program.Definition.Name, name)
	return id, failed(err)
}

// asking is what is known of a run for whoever wants to answer it.
func (s *session) asking(id string) human.Run {
	name, pid := s.engine.Holder(id)
	return human.Run{ID: id, Holder: pid, Name: name, Mark: state.LastMark(s.folder.Lease(id)), Dir: s.folder.Run(id)}
}

// performers returns the performers of the workflow's nodes, with the agents
// that were chosen, and among them that of prompts, or nil.
func (a *app) performers(agents engine.Agents) ([]engine.Performer, engine.Prompts, error) {
	list := a.program.Performers
	if a.program.Prompts == nil {
		return list, nil, nil
	}
	prompts, err := a.program.Prompts(agents)
	if err != nil {
		return nil, nil, usage("%v", err)
	}
	return append(list[:len(list):len(list)], prompts), prompts, nil
}

// environ is the environment of processes. Of two settings the later counts.
// The gate token is not in it.
func (a *app) environ() []string {
	own := slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, gateTokenVariable+"=") })
	return append(own, a.program.Defaults.Environ...)
}
