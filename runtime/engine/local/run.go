package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/process"
	"github.com/wfc-lang/wfc/runtime/state"
	"github.com/wfc-lang/wfc/runtime/store"
)

// run is a run that this engine holds.
type run struct {
	info     flow.RunInfo
	def      *flow.Definition
	recorded []flow.Record
	host     *host
	folder   state.Folder
	lease    *state.Lock
	checkout *state.Lock
	journal  *runLog
	log      *slog.Logger
	done     chan struct{}
}

// ended does what is left to do after the run's end is committed.
func (r *run) ended(end flow.RunEnd) {
	if end.Status == flow.Completed {
		// A completed run is never resumed, so its binary is not needed.
		os.Remove(r.folder.Executable(r.info.ID))
	}
}

func (r *run) close() {
	r.journal.close()
	r.checkout.Release()
	r.lease.Release()
	close(r.done)
}

// A BusyError says that another process holds what a run needs.
type BusyError struct {
	// Run is the run that cannot be worked on, or "" when the checkout is taken.
	Run string
	// Checkout is the root of the checkout that another run works on, or "".
	Checkout string
	Holder   string
}

func (e *BusyError) Error() string {
	holder := e.Holder
	if holder == "" {
		holder = "another process"
	}
	if e.Checkout != "" {
		return fmt.Sprintf("%s works on the checkout %s; wait for it, or run in another checkout (a workflow that changes nothing may say `mutates_checkout: false`)", holder, e.Checkout)
	}
	return fmt.Sprintf("run %s is being worked on by %s", e.Run, holder)
}

// begin makes a new run and takes its lease.
func (e *Engine) begin(ctx context.Context, def *flow.Definition, inputs json.RawMessage, opt Options) (*run, error) {
	if len(inputs) == 0 {
		inputs = json.RawMessage("{}")
	}
	workDir, err := workDir(opt.WorkDir)
	if err != nil {
		return nil, err
	}
	for range 5 {
		id := opt.ID
		if id == "" {
			id = newID(def.Name)
		}
		info := flow.RunInfo{
			ID: id, Workflow: def.Name, Fingerprint: def.Fingerprint, Inputs: inputs,
			ArtifactsDir: e.cfg.State.Artifacts(id), LogDir: e.cfg.State.Run(id), WorkDir: workDir,
			BaseBranch: opt.BaseBranch, DocsDir: opt.DocsDir,
		}
		if info.DocsDir == "" {
			info.DocsDir = "docs/"
		}
		if info.BaseBranch == "" && def.UsesBaseBranch {
			info.BaseBranch = remoteHead(ctx, workDir)
		}
		r, err := e.create(ctx, def, info, opt)
		if errors.Is(err, store.ErrExists) && opt.ID == "" {
			continue // six random letters met twice
		}
		return r, err
	}
	return nil, fmt.Errorf("no free id for a run of %s was found", def.Name)
}

func (e *Engine) create(ctx context.Context, def *flow.Definition, info flow.RunInfo, opt Options) (*run, error) {
	r, err := e.open(def, info)
	if err != nil {
		return nil, err
	}
	executable := e.pin(info.ID)
	now := time.Now()
	err = e.cfg.Store.CreateRun(context.WithoutCancel(ctx), store.Run{
		RunInfo: info, Status: flow.Running, Executable: executable, Settings: opt.Settings,
		Holder: holder(), Processes: 1, Created: now, Started: now, Updated: now,
	}, pendingSteps(def))
	if err == nil {
		err = e.register(r)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	r.journal.write(entry{Type: "run_started", Workflow: def.Name, Inputs: info.Inputs})
	return r, nil
}

// open takes the lease and the checkout and prepares the run's folder.
func (e *Engine) open(def *flow.Definition, info flow.RunInfo) (*run, error) {
	r := &run{info: info, def: def, folder: e.cfg.State, done: make(chan struct{}), log: discardLog}
	if err := os.MkdirAll(info.ArtifactsDir, 0o700); err != nil {
		return nil, fmt.Errorf("the run's folder: %w", err)
	}
	var err error
	if r.lease, err = acquire(e.cfg.State.Lease(info.ID), &BusyError{Run: info.ID}); err != nil {
		return nil, err
	}
	if def.Exclusive {
		root, err := state.Root(info.WorkDir)
		if err == nil {
			r.checkout, err = acquireAs(e.cfg.State.CheckoutLock(root), "run "+info.ID, &BusyError{Checkout: root})
		}
		if err != nil {
			r.lease.Release()
			return nil, err
		}
	}
	if r.journal, err = openLog(e.cfg.State.Log(info.ID), info.ID, e.cfg.Environ); err != nil {
		r.checkout.Release()
		r.lease.Release()
		return nil, fmt.Errorf("the run's log: %w", err)
	}
	r.log = slog.New(r.journal.handler())
	r.host = newHost(e, r)
	return r, nil
}

// reopen takes up a run that has no live holder.
func (e *Engine) reopen(ctx context.Context, def *flow.Definition, id string, opt Options) (*run, error) {
	kept, err := e.cfg.Store.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	if kept.Workflow != def.Name {
		return nil, fmt.Errorf("run %s is of workflow %s, and this is %s", id, kept.Workflow, def.Name)
	}
	if kept.Status == flow.Completed {
		return nil, fmt.Errorf("run %s has completed; there is nothing to resume", id)
	}
	recorded, err := e.cfg.Store.Steps(ctx, id)
	if err != nil {
		return nil, err
	}
	if kept.Fingerprint != def.Fingerprint {
		if !opt.Force {
			return nil, &OtherBuildError{Run: id, Executable: kept.Executable}
		}
		if err := fits(def, recorded); err != nil {
			return nil, err
		}
	}
	info := kept.RunInfo
	if opt.BaseBranch != "" {
		info.BaseBranch = opt.BaseBranch
	}
	if _, err := os.Stat(info.WorkDir); err != nil {
		return nil, fmt.Errorf("the folder that run %s works in: %w", id, err)
	}
	r, err := e.open(def, info)
	if err != nil {
		return nil, err
	}
	r.recorded = recorded
	// What the process before left running must not act beside what is begun
	// again now.
	survivors, err := process.EndSurvivors(e.cfg.State.Run(id))
	if err == nil {
		err = e.cfg.Store.Begin(context.WithoutCancel(ctx), id, holder(), e.pin(id))
	}
	if err == nil {
		err = e.register(r)
	}
	if err != nil {
		r.close()
		return nil, err
	}
	r.journal.write(entry{Type: "run_resumed", Workflow: def.Name})
	for _, key := range survivors {
		r.journal.write(entry{Type: "survivor_ended", Node: key, Message: "a process that outlived the run's last process was ended"})
	}
	return r, nil
}

// An OtherBuildError says that a run was begun by another build of its
// workflow and is resumed on that.
type OtherBuildError struct {
	Run string
	// Executable is the path of the binary that the run began with, or "".
	Executable string
}

func (e *OtherBuildError) Error() string {
	return fmt.Sprintf("run %s was begun by another build of its workflow; resume it with --force to move it to this one", e.Run)
}

// fits reports whether the steps that a run completed are steps of the
// definition, so that the run can be moved to it.
func fits(def *flow.Definition, recorded []flow.Record) error {
	for _, r := range recorded {
		node, _, _ := strings.Cut(r.Key, "#")
		node, _, _ = strings.Cut(node, "/")
		known := slices.ContainsFunc(def.Nodes, func(n flow.NodeInfo) bool { return n.Key == r.Key || n.Key == node })
		if r.Status == flow.Completed && !known {
			return fmt.Errorf("the run cannot be moved to this build: it has completed step `%s`, which this build does not have", r.Key)
		}
	}
	return nil
}

func pendingSteps(def *flow.Definition) []flow.Record {
	steps := make([]flow.Record, len(def.Nodes))
	for i, n := range def.Nodes {
		steps[i] = flow.Record{Key: n.Key, Kind: n.Kind, Status: flow.Pending}
	}
	return steps
}

func acquire(path string, busy *BusyError) (*state.Lock, error) {
	return acquireAs(path, holder(), busy)
}

func acquireAs(path, holder string, busy *BusyError) (*state.Lock, error) {
	lock, err := state.Acquire(path, holder)
	var held *state.HeldError
	if errors.As(err, &held) {
		busy.Holder = held.Holder
		return nil, busy
	}
	return lock, err
}

// holder says who works on a run, for people.
func holder() string {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	return fmt.Sprintf("process %d on %s", os.Getpid(), host)
}

func workDir(given string) (string, error) {
	dir, err := filepath.Abs(given)
	if err != nil {
		return "", fmt.Errorf("the working folder: %w", err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("the working folder %s is not there", dir)
	}
	return dir, nil
}
