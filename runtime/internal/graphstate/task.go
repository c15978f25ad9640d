package graphstate

import "github.com/wfc-lang/wfc/runtime/flow"

// A Keeper is a performer that keeps the state of runs of state graphs in
// folders that people and other programs look into: one for each task.
type Keeper interface {
	// Take makes a task's folder the run's own before a process works on it, and keeps
	// other runs away until its release is called. It puts aside the files of an earlier
	// run, unless the run continues from them. holder names the holder of the folder for
	// people.
	//
	// A resumed run gets its folder whatever is in it: files that are damaged or another
	// run's are put aside too.
	Take(run *flow.RunInfo, def *flow.Definition, holder string, resumed bool) (*Taken, error)
	// Load reads the state in a folder, so that a run can continue from it. dir is the
	// folder or its state file. The error is an *UnfitError if no run of the workflow can
	// continue from it; force ignores minor mismatches.
	Load(dir string, def *flow.Definition, force bool) (*Task, error)
	// Look returns what the folder of a run keeps of it, or nil when that is not
	// there, or is of another run by now.
	Look(run *flow.RunInfo, def *flow.Definition) *Task
	// Folder is the folder of a run's task, whether it is there or not.
	Folder(run *flow.RunInfo, def *flow.Definition) string
	// Name checks the name of a task.
	Name(name string) error
}

// A Taken is a task whose folder a run has taken.
type Taken struct {
	// Release gives the folder back.
	Release func()
	// Lost says that the folder does not have the state of a run that is resumed:
	// the run must save it again.
	Lost bool
	// Aside is the folder with the damaged files, or "".
	Aside string
}

// SaveAgain has the state that was saved last be saved once more by the next process of a
// run: its record becomes that of an action which was interrupted, and saving may be
// repeated.
func SaveAgain(steps []flow.Record) {
	last := -1
	for i, s := range steps {
		if s.Kind == (State{}).Kind() && s.Status == flow.Completed && (last < 0 || !s.Finished.Before(steps[last].Finished)) {
			last = i
		}
	}
	if last >= 0 {
		steps[last].Status = flow.Running
	}
}

// A Task is the content of a folder.
type Task struct {
	// Dir is the folder, and Name the task's name in its file, or "".
	Dir, Name string
	// State is the saved state. Its Next is a node, START, or "" for the end.
	State State
	// Promise is the text by which an agent ends the run, or "".
	Promise string
	// Notes are what people should know of how the file was read.
	Notes []string
}

// An UnfitError says why no run of a workflow can continue from a folder.
type UnfitError struct {
	Dir string
	// Problems are the mismatches; at least one.
	Problems []string
	// Forced says that there would be none if they were overlooked.
	Forced bool
}

func (e *UnfitError) Error() string {
	text := "no run can continue from " + e.Dir + ":"
	for _, p := range e.Problems {
		text += "\n  " + p
	}
	if e.Forced {
		text += "\n--force continues without the values that do not fit"
	}
	return text
}
