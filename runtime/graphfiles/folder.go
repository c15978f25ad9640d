package graphfiles

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
	"github.com/wfc-lang/wfc/runtime/state"
)

// Take implements engine.TaskKeeper.
func (*Performer) Take(run *flow.RunInfo, def *flow.Definition, holder string, resumed bool) (*engine.TakenTask, error) {
	dir, err := folderOf(run, def)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("the task's folder: %w", err)
	}
	lock, err := state.Acquire(filepath.Join(dir, lockFile), "run "+run.ID+" ("+holder+")")
	var held *state.HeldError
	if errors.As(err, &held) {
		return nil, &BusyError{Dir: dir, Holder: held.Holder}
	}
	if err != nil {
		return nil, err
	}
	task := &engine.TakenTask{Release: lock.Release}
	if resumed {
		err = reclaim(task, dir, run, def)
	} else {
		err = clear(dir, run, def)
	}
	if err == nil {
		err = inherit(dir, run)
	}
	if err != nil {
		lock.Release()
		return nil, err
	}
	return task, nil
}

// A BusyError says that another run works on a task.
type BusyError struct {
	Dir    string
	Holder string
}

func (e *BusyError) Error() string {
	holder := e.Holder
	if holder == "" {
		holder = "another run"
	}
	return fmt.Sprintf("%s works on the task in %s; wait for it, or give the task another name: --task NAME", holder, e.Dir)
}

// clear makes a folder that is locked a new run's own.
func clear(dir string, run *flow.RunInfo, def *flow.Definition) error {
	s, err := read(filepath.Join(dir, stateFile))
	text := textOf(def)
	forced := run.Graph != nil && run.Graph.Force
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return keep(dir, text)
	case err != nil && !forced:
		return fmt.Errorf("%w; give the task another name by --task NAME, or put what is there aside by --force", err)
	case err == nil && (s.RunID == run.ID || goesOnFrom(run, dir)):
		return keep(dir, text)
	case err == nil && s.Workflow != "" && s.Workflow != run.Workflow && !forced:
		return fmt.Errorf("%s is the folder of workflow `%s`, and this is `%s`; give the task another name by --task NAME, or put what is there aside by --force", dir, s.Workflow, run.Workflow)
	}
	if _, err := putAside(dir, stateFile, memoryFile, historyDir); err != nil {
		return err
	}
	return keep(dir, text)
}

// reclaim makes a folder that is locked the own of a run that had it before. The
// journal knows all that the state file says, so nothing in the folder keeps the
// run from going on.
func reclaim(task *engine.TakenTask, dir string, run *flow.RunInfo, def *flow.Definition) error {
	s, err := read(filepath.Join(dir, stateFile))
	if err == nil && s.RunID == run.ID {
		_, err = s.done()
	}
	switch {
	case err == nil && (s.RunID == run.ID || goesOnFrom(run, dir)):
	case errors.Is(err, fs.ErrNotExist):
		task.Lost = true
	case err != nil:
		task.Lost = true
		if task.Aside, err = putAside(dir, stateFile); err != nil {
			return err
		}
	default: // another run has had the folder since
		task.Lost = true
		if task.Aside, err = putAside(dir, stateFile, memoryFile, historyDir); err != nil {
			return err
		}
	}
	return keep(dir, textOf(def))
}

// goesOnFrom reports whether a run goes on from what a folder keeps.
func goesOnFrom(run *flow.RunInfo, dir string) bool {
	if run.Graph == nil || run.Graph.FromDir == "" {
		return false
	}
	there, err := os.Stat(run.Graph.FromDir)
	here, wrong := os.Stat(dir)
	return err == nil && wrong == nil && os.SameFile(here, there)
}

// inherit takes over what is written down in the folder that a run goes on from,
// when that is another.
func inherit(dir string, run *flow.RunInfo) error {
	if run.Graph == nil || run.Graph.FromDir == "" || goesOnFrom(run, dir) {
		return nil
	}
	own := filepath.Join(dir, memoryFile)
	if _, err := os.Stat(own); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := os.ReadFile(filepath.Join(run.Graph.FromDir, memoryFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return write(own, text, false)
}

// keep has the folder hold the workflow's file. One that is another is put aside.
func keep(dir, text string) error {
	there, err := os.ReadFile(filepath.Join(dir, workflowFile))
	if err == nil && text != "" && string(there) != text {
		if _, err := putAside(dir, workflowFile); err != nil {
			return err
		}
	}
	return copyWorkflow(dir, text)
}

// putAside moves files of a folder into one of their own below earlier, which it
// returns.
func putAside(dir string, names ...string) (to string, err error) {
	for n := 1; to == ""; n++ {
		to = filepath.Join(dir, earlierDir, fmt.Sprintf("%03d", n))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return "", err
		}
		if err := os.Mkdir(to, 0o755); errors.Is(err, fs.ErrExist) {
			to = ""
		} else if err != nil {
			return "", err
		}
	}
	for _, name := range names {
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(to, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("put aside what an earlier run has left: %w", err)
		}
	}
	return to, nil
}

// Folder implements engine.TaskKeeper.
func (*Performer) Folder(run *flow.RunInfo, def *flow.Definition) string {
	return filepath.Join(run.WorkDir, root, TaskName(run, def))
}

// Look implements engine.TaskKeeper.
func (*Performer) Look(run *flow.RunInfo, def *flow.Definition) *engine.Task {
	dir, err := folderOf(run, def)
	if err != nil {
		return nil
	}
	s, err := read(filepath.Join(dir, stateFile))
	if err != nil || s.RunID != run.ID {
		return nil
	}
	iteration, err := s.done()
	if err != nil {
		return nil
	}
	t := &engine.Task{Dir: dir, Name: s.TaskName, Promise: s.Promise}
	t.State = graph.State{
		Workflow: s.Workflow, Version: s.Version, Next: s.at(), Iteration: iteration, Started: s.started(), Status: s.Status,
		Reason: s.ExitReason, Executed: s.Executed, Usage: graph.Usage{Elapsed: s.elapsed(), CostUSD: s.Usage.CostUSD}, Warnings: s.Warnings,
		Limits: flow.Limits{Iterations: s.Limits.Iterations, Time: time.Duration(s.Limits.Minutes * float64(time.Minute)), CostUSD: s.Limits.CostUSD, Parallel: s.Limits.Parallel},
	}
	return t
}
