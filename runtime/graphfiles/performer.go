// Package graphfiles keeps the state of runs of state graphs in files that people
// and other programs read: .graph-loop/<task>/state.json in the folder that the
// run works in.
package graphfiles

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// Performer performs flow.GraphState actions. The zero value is ready to use.
type Performer struct{}

var _ engine.Performer = (*Performer)(nil)

// Kind implements engine.Performer.
func (*Performer) Kind() string { return flow.GraphState{}.Kind() }

// Perform implements engine.Performer. The output is the path of the file.
func (*Performer) Perform(_ context.Context, call *engine.Call) flow.Result {
	state := call.Action.Payload.(flow.GraphState)
	path, err := save(call.Run.WorkDir, &state)
	if err != nil {
		return flow.Result{Status: flow.Failed, Failure: &flow.Failure{
			Reason: "state", ExitCode: -1, Message: fmt.Sprintf("the state of the task cannot be kept: %v", err),
		}}
	}
	return flow.Result{Status: flow.Completed, Text: path}
}

// save writes the state and returns the file's path. The file is whole at any
// time; a checkpoint is also on the disk for certain.
func save(workDir string, s *flow.GraphState) (path string, err error) {
	dir := filepath.Join(workDir, ".graph-loop", TaskName(s))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	var content bytes.Buffer
	enc := json.NewEncoder(&content)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(documentOf(s)); err != nil {
		return "", err
	}
	path = filepath.Join(dir, "state.json")
	return path, write(path, content.Bytes(), s.Checkpoint)
}

// write replaces a file's content.
func write(path string, content []byte, sync bool) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".state-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if sync && err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
