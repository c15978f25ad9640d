// Package graphfiles keeps the state of runs of state graphs in files that people
// and other programs read, and goes on from such files. A task's folder is
// .graph-loop/<task>/ in the folder that the run works in:
//
//	workflow.yaml               the workflow as it was compiled
//	state.json                  how far the run is
//	history/iteration-007.json  the state behind the seventh node that ended
//	memory.md                   what agents, or people, want to be remembered
//	earlier/001/                what an earlier run has left
//	lock                        who works on it
//
// state.json comes last when a state is saved: there is no time at which it tells
// of something that the other files do not know yet. All files are replaced at
// once, so none is ever half written.
package graphfiles

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/graph"
)

// Performer performs graph.State actions and keeps tasks. The zero value is
// ready to use.
type Performer struct{}

var _ engine.TaskKeeper = (*Performer)(nil)

// Kind implements engine.Performer.
func (*Performer) Kind() string { return graph.State{}.Kind() }

// Perform implements engine.Performer. The output is what is written down for the
// prompts to come.
func (*Performer) Perform(_ context.Context, call *engine.Call) flow.Result {
	state := call.Action.Payload.(graph.State)
	memory, err := save(call, &state)
	if err != nil {
		return flow.Result{Status: flow.Failed, Failure: &flow.Failure{
			Reason: "state", ExitCode: -1, Message: fmt.Sprintf("the state of the task cannot be kept: %v", err),
		}}
	}
	return flow.Result{Status: flow.Completed, Text: memory}
}

// save writes all that a state changes, and returns what is written down. Doing
// it again changes nothing but the order of things that happened at once.
func save(call *engine.Call, s *graph.State) (memory string, err error) {
	dir, err := folderOf(call.Run, call.Workflow)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	text := textOf(call.Workflow)
	if err := copyWorkflow(dir, text); err != nil {
		return "", err
	}
	d := documentOf(call.Run, call.Workflow, s)
	if err := snapshots(dir, s, &d); err != nil {
		return "", err
	}
	if memory, err = remember(dir, call, s); err != nil {
		return "", err
	}
	return memory, writeJSON(filepath.Join(dir, stateFile), d, s.Checkpoint)
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
func copyWorkflow(dir, text string) error {
	path := filepath.Join(dir, workflowFile)
	if text == "" {
		return nil
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return write(path, []byte(text), false)
}
