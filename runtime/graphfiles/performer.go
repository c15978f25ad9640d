// Package graphfiles saves the state of runs of state graphs in files that people and
// other programs can read, and continues runs from such files. The files are in the
// folder .graph-loop/NAME/ of the run's working directory. NAME is
// flow.GraphOptions.Folder, which the caller of the run chooses, or made of the workflow's
// name:
//
//	workflow.yaml               the compiled workflow file
//	state.json                  the position of the run and the values of its variables
//	history/iteration-007.json  the state after the seventh node that ended
//	memory.md                   notes of agents and people, for later prompts
//	earlier/001/                the files of an earlier run
//	lock                        the process that works on the run
//
// state.json is written last, so it never mentions anything that the other files lack.
// Each file is replaced atomically.
package graphfiles

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/graphstate"
)

// New returns a performer: the one of actions with the payload graphstate.State (package
// runtime/flow/graph), by which a state graph saves its state. An engine that runs a
// state graph needs it, for example in local.Config.Performers. The performer also locks
// the folder .graph-loop/NAME/, so that no other run writes to it.
func New() engine.Performer { return performer{} }

// Continue returns options with which a new run of a workflow continues from the folder, or
// the state file, at path: its From, FromDir and Promise. The error says why no run of the
// workflow can continue from it.
func Continue(path string, def *flow.Definition) (*flow.GraphOptions, error) {
	kept, err := performer{}.Load(path, def, false)
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(kept.Dir)
	if err != nil {
		return nil, err
	}
	from, err := json.Marshal(kept.State)
	return &flow.GraphOptions{From: from, FromDir: dir, Promise: kept.Promise}, err
}

type performer struct{}

var _ graphstate.Keeper = performer{}

// Kind implements engine.Performer.
func (performer) Kind() string { return graphstate.State{}.Kind() }

// Perform implements engine.Performer. The output is the memory for later prompts.
func (performer) Perform(_ context.Context, call *engine.Attempt) flow.Result {
	state := call.Action.Payload.(graphstate.State)
	memory, err := saveFiles(call, &state)
	if err != nil {
		return flow.Result{Status: flow.Failed, Failure: &flow.Failure{
			Reason: "state", ExitCode: -1, Message: fmt.Sprintf("cannot save the state of the task: %v", err),
		}}
	}
	return flow.Result{Status: flow.Completed, Text: memory}
}

// saveFiles writes the files that a state changes, and returns the memory. Doing it again
// changes at most the order of simultaneous events.
func saveFiles(call *engine.Attempt, s *graphstate.State) (memory string, err error) {
	dir, err := openFolder(call.Info, call.Workflow)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	text := textOf(call.Workflow)
	if err := copyWorkflow(dir, text); err != nil {
		return "", err
	}
	d := documentOf(call.Info, call.Workflow, s)
	if err := writeSnapshots(dir, s, &d); err != nil {
		return "", err
	}
	if memory, err = updateMemory(dir, call, s); err != nil {
		return "", err
	}
	return memory, writeJSON(dir, stateFile, d, s.Checkpoint)
}

// The files of a task.
const (
	stateFile    = "state.json"
	workflowFile = "workflow.yaml"
	memoryFile   = "memory.md"
	historyDir   = "history"
	earlierDir   = "earlier"
	lockFile     = "lock"
)

// textOf is the workflow's file as it was compiled, or "".
func textOf(def *flow.Definition) string {
	if def == nil || def.Graph == nil {
		return ""
	}
	return def.Graph.Text
}

// copyWorkflow keeps the workflow's file in the folder, unless there is one.
func copyWorkflow(dir *os.Root, text string) error {
	if text == "" {
		return nil
	}
	if _, err := dir.Stat(workflowFile); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return wholefile.WriteIn(dir, workflowFile, []byte(text), 0o644, false)
}

// writeJSON replaces a file by the JSON of a value, for people.
func writeJSON(dir *os.Root, path string, v any, sync bool) error {
	content, err := plain.FormatJSON(v)
	if err != nil {
		return err
	}
	return wholefile.WriteIn(dir, path, content, 0o644, sync)
}

// A snapshot is the content of a file in history: which node ended, and the state
// behind it.
type snapshot struct {
	Iteration int    `json:"_snapshot_iteration"`
	At        string `json:"_snapshot_at"`
	Node      string `json:"_node_completed"`
	Output    string `json:"_output"`
	// Checkpoint says that the workflow has the state kept there.
	Checkpoint bool      `json:"_checkpoint,omitempty"`
	State      *document `json:"state"`
}

// writeSnapshots writes one snapshot for each node that ended, with the number of nodes that
// had ended then. A parallel and its branches end together and have one state.
func writeSnapshots(dir *os.Root, s *graphstate.State, d *document) error {
	if len(s.Ended) == 0 {
		return nil
	}
	if err := dir.MkdirAll(historyDir, 0o755); err != nil {
		return err
	}
	for _, e := range s.Ended {
		path := filepath.Join(historyDir, fmt.Sprintf("iteration-%03d.json", e.Iteration))
		if err := writeJSON(dir, path, snapshot{e.Iteration, formatTime(s.At), e.Node, e.Label, s.Checkpoint, d}, s.Checkpoint); err != nil {
			return err
		}
	}
	return nil
}
