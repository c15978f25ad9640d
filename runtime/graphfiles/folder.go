package graphfiles

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/filelock"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
)

// root is the folder, below the one that a run works in, that holds a folder for
// each task, and reserved what else it may hold.
const (
	root     = ".graph-loop"
	reserved = "templates"
)

// taskName is the name of the folder that a run's state is kept in: the one that
// the caller chose, or one made of the name of the workflow's file.
func taskName(run *flow.RunInfo, def *flow.Definition) string {
	if run.Graph != nil && run.Graph.Folder != "" {
		return run.Graph.Folder
	}
	source := ""
	if def != nil {
		source = strings.TrimSuffix(strings.TrimSuffix(def.Source, ".yaml"), ".yml")
	}
	for _, from := range []string{source, run.Workflow} {
		switch name := slugOfName(from); {
		case name == reserved:
			return name + "-task"
		case strings.Trim(name, "-") != "":
			return name
		}
	}
	return "task"
}

// slugOfName is a name in small letters, digits and dashes.
func slugOfName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '_':
			return '-'
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-':
			return r
		}
		return -1
	}, name)
}

// longestName is how many bytes the name of a folder may have everywhere.
const longestName = 100

// checkName says why a name cannot be that of a task's folder.
func checkName(name string) error {
	bad := func(r rune) bool { return strings.ContainsRune(`/\<>:"|?*`, r) || unicode.IsControl(r) }
	switch {
	case name == "":
		return errors.New("the name is empty")
	case name == reserved:
		return fmt.Errorf("`%s` is the folder of templates", name)
	case len(name) > longestName:
		return fmt.Errorf("the name has %d bytes, and at most %d are possible", len(name), longestName)
	case strings.HasPrefix(name, "."), strings.HasSuffix(name, "."), strings.TrimSpace(name) != name:
		return fmt.Errorf("`%s` begins or ends with a dot or space", name)
	case strings.ContainsFunc(name, bad), !filepath.IsLocal(name):
		return fmt.Errorf("`%s` is not the name of one folder", name)
	}
	return nil
}

// Name implements graphstate.Keeper.
func (performer) Name(name string) error { return checkName(name) }

// folderOf is the folder of a run's task.
func folderOf(run *flow.RunInfo, def *flow.Definition) (string, error) {
	name := taskName(run, def)
	if err := checkName(name); err != nil {
		return "", fmt.Errorf("the task's name: %w", err)
	}
	return filepath.Join(run.WorkDir, root, name), nil
}

// openFolder opens the folder of a run's task, which it makes. A step may put links in the place of
// its files and folders: what they lead to outside of the run's folder is not written.
func openFolder(run *flow.RunInfo, def *flow.Definition) (*os.Root, error) {
	dir, err := folderOf(run, def)
	if err != nil {
		return nil, err
	}
	work, err := os.OpenRoot(run.WorkDir)
	if err != nil {
		return nil, fmt.Errorf("the task's folder: %w", err)
	}
	defer work.Close()
	below := filepath.Join(root, filepath.Base(dir))
	err = work.MkdirAll(below, 0o755)
	var folder *os.Root
	if err == nil {
		folder, err = work.OpenRoot(below)
	}
	if err != nil {
		return nil, fmt.Errorf("the task's folder: %w", err)
	}
	return folder, nil
}

// Take implements graphstate.Keeper.
func (performer) Take(run *flow.RunInfo, def *flow.Definition, holder string, resumed bool) (*graphstate.Taken, error) {
	dir, err := openFolder(run, def)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	lock, err := filelock.AcquireIn(dir, lockFile, "run "+run.ID+" ("+holder+")")
	if held, ok := errors.AsType[*filelock.HeldError](err); ok {
		return nil, &busyError{Dir: dir.Name(), Holder: held.Holder, err: held}
	}
	if err != nil {
		return nil, err
	}
	task := &graphstate.Taken{Release: lock.Release}
	if resumed {
		err = reclaimFolder(task, dir, run, def)
	} else {
		err = clearFolder(dir, run, def)
	}
	if err == nil {
		err = inheritMemory(dir, run)
	}
	if err != nil {
		lock.Release()
		return nil, err
	}
	return task, nil
}

// A busyError says that another run works on a task.
type busyError struct {
	Dir    string
	Holder string
	err    error
}

// Unwrap returns the *filelock.HeldError.
func (e *busyError) Unwrap() error { return e.err }

func (e *busyError) Error() string {
	holder := cmp.Or(e.Holder, "another run")
	return fmt.Sprintf("%s works on the task in %s; wait for it, or give the task another name: --task NAME", holder, e.Dir)
}

// clearFolder makes a folder that is locked a new run's own.
func clearFolder(dir *os.Root, run *flow.RunInfo, def *flow.Definition) error {
	s, err := readState(filepath.Join(dir.Name(), stateFile))
	text := textOf(def)
	forced := run.Graph != nil && run.Graph.Force
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return keepWorkflowFile(dir, text)
	case err != nil && !forced:
		return fmt.Errorf("%w; give the task another name by --task NAME, or move the folder's files aside by --force", err)
	case err == nil && (s.RunID == run.ID || goesOnFrom(run, dir.Name())):
		return keepWorkflowFile(dir, text)
	case err == nil && s.Workflow != "" && s.Workflow != run.Workflow && !forced:
		return fmt.Errorf("%s is the folder of workflow `%s`, and this is `%s`; give the task another name by --task NAME, or move its files aside by --force", dir.Name(), s.Workflow, run.Workflow)
	}
	if _, err := putAside(dir, stateFile, memoryFile, historyDir); err != nil {
		return err
	}
	return keepWorkflowFile(dir, text)
}

// reclaimFolder gives a locked folder back to a run that had it before. The journal has all
// data of the state file, so the run can continue whatever is in the folder.
func reclaimFolder(task *graphstate.Taken, dir *os.Root, run *flow.RunInfo, def *flow.Definition) error {
	s, err := readState(filepath.Join(dir.Name(), stateFile))
	if err == nil && s.RunID == run.ID {
		_, err = s.countEnded()
	}
	switch {
	case err == nil && (s.RunID == run.ID || goesOnFrom(run, dir.Name())):
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
	return keepWorkflowFile(dir, textOf(def))
}

// goesOnFrom reports whether a run continues from the state in a folder.
func goesOnFrom(run *flow.RunInfo, dir string) bool {
	if run.Graph == nil || run.Graph.FromDir == "" {
		return false
	}
	there, err := os.Stat(run.Graph.FromDir)
	here, wrong := os.Stat(dir)
	return err == nil && wrong == nil && os.SameFile(here, there)
}

// inheritMemory copies the memory from the folder that a run continues from, if that is another
// one.
func inheritMemory(dir *os.Root, run *flow.RunInfo) error {
	if run.Graph == nil || run.Graph.FromDir == "" || goesOnFrom(run, dir.Name()) {
		return nil
	}
	if _, err := dir.Stat(memoryFile); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := wholefile.Output.Read(filepath.Join(run.Graph.FromDir, memoryFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return wholefile.WriteIn(dir, memoryFile, text, 0o644, false)
}

// keepWorkflowFile writes the workflow's file into the folder. It puts a different one aside.
func keepWorkflowFile(dir *os.Root, text string) error {
	there, err := wholefile.Output.Read(filepath.Join(dir.Name(), workflowFile))
	if err == nil && text != "" && string(there) != text {
		if _, err := putAside(dir, workflowFile); err != nil {
			return err
		}
	}
	return copyWorkflow(dir, text)
}

// putAside moves files of a folder into a new folder below earlier, which it returns.
func putAside(dir *os.Root, names ...string) (string, error) {
	to := ""
	for n := 1; to == ""; n++ {
		to = filepath.Join(earlierDir, fmt.Sprintf("%03d", n))
		if err := dir.MkdirAll(earlierDir, 0o755); err != nil {
			return "", err
		}
		if err := dir.Mkdir(to, 0o755); errors.Is(err, fs.ErrExist) {
			to = ""
		} else if err != nil {
			return "", err
		}
	}
	for _, name := range names {
		if err := dir.Rename(name, filepath.Join(to, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("move the files of an earlier run aside: %w", err)
		}
	}
	return filepath.Join(dir.Name(), to), nil
}

// Folder implements graphstate.Keeper.
func (performer) Folder(run *flow.RunInfo, def *flow.Definition) string {
	return filepath.Join(run.WorkDir, root, taskName(run, def))
}

// Look implements graphstate.Keeper.
func (performer) Look(run *flow.RunInfo, def *flow.Definition) *graphstate.Task {
	dir, err := folderOf(run, def)
	if err != nil {
		return nil
	}
	s, err := readState(filepath.Join(dir, stateFile))
	if err != nil || s.RunID != run.ID {
		return nil
	}
	iteration, err := s.countEnded()
	if err != nil {
		return nil
	}
	t := &graphstate.Task{Dir: dir, Name: s.TaskName, Promise: s.Promise}
	t.State = graphstate.State{
		Workflow: s.Workflow, Version: s.Version, Next: s.nextNode(), Iteration: iteration, Started: s.startTime(), Status: s.Status,
		Reason: s.ExitReason, Executed: s.Executed, Usage: graphstate.Usage{Elapsed: s.elapsedTime(), CostUSD: s.Usage.CostUSD}, Warnings: s.Warnings,
		Limits: flow.GraphLimits{Iterations: s.Limits.Iterations, Time: time.Duration(s.Limits.Minutes * float64(time.Minute)), CostUSD: s.Limits.CostUSD, Parallel: s.Limits.Parallel},
	}
	return t
}
