package confine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A step can write the program of a channel, or what that program reads, so the program of a notice
// runs in the sandbox like that of a delivery. No run may be there any more, so each such program
// has a box of its own. Notices that need no program need no box.

// Override returns the sandbox of a project with what a run was given in its place.
func Override(own settings.Sandbox, mode settings.SandboxMode, grants []string) settings.Sandbox {
	if mode != "" {
		own.Default, own.Agents, own.Kinds, own.Nodes = mode, nil, nil, nil
	}
	own.Grants.Default = slices.Concat(own.Grants.Default, grants)
	return own
}

// Notices returns what lets the programs of notices start in the sandbox, for an outbox. states is the
// state folder.
func Notices(own settings.Sandbox, states string, environ []string) outbox.Contain {
	return func(ctx context.Context, n *outbox.Notice, about store.Run) (context.Context, func(error) error) {
		var kept struct {
			Sandbox settings.SandboxMode `json:"sandbox"`
			Grants  []string             `json:"grants"`
		}
		_ = json.Unmarshal(about.Settings, &kept) // those of another kind of caller name none
		s := Override(own, kept.Sandbox, kept.Grants)
		action := flow.Action{Key: "notice-" + n.ID, Payload: flow.Delivery{}}
		if mode, _ := s.Of(action.Payload.Kind(), "", ""); mode != settings.SandboxOn {
			return ctx, func(err error) error { return err }
		}
		info, dir := about.RunInfo, (state.Folder{Path: states}).RunDir(about.ID)
		if about.ID == "" {
			dir = filepath.Join(states, "notices", n.ID)
		}
		if _, err := os.Stat(info.WorkDir); err != nil {
			info.WorkDir, _ = os.Getwd()
		}
		e := &errand{run: New(&s, &flow.Definition{}, &info, dir, func() []string { return environ }), action: action}
		info.ArtifactsDir = cmp.Or(info.ArtifactsDir, e.Folder())
		return process.WithContainer(ctx, e), e.end
	}
}

// An errand is the sandbox of a program that belongs to no step of a run. It opens when a program starts.
type errand struct {
	run    *Run
	action flow.Action
	step   *step
}

// Folder implements process.Container.
func (e *errand) Folder() string { return e.run.stepFolder(e.action.Key, 1) }

// Start implements process.Container. Calls are not concurrent.
func (e *errand) Start(cmd *exec.Cmd, tag uint64, readOnly bool) (process.Contained, error) {
	if e.step == nil {
		s, err := e.run.newStep(e.action, 1)
		if err == nil {
			err = s.beginWork()
		}
		if err != nil {
			return nil, err
		}
		e.step = s
	}
	return e.step.Start(cmd, tag, readOnly)
}

// end closes the sandbox, and adds to an error what it refused. It is an error if the program made a
// guarded file.
func (e *errand) end(err error) error {
	if e.step == nil {
		return err
	}
	result := flow.Result{Status: flow.Completed}
	if err != nil {
		result = flow.Result{Status: flow.Failed, Failure: &flow.Failure{Message: err.Error()}}
	}
	result = e.step.finishAttempt(result)
	e.run.Close()
	_ = os.Remove(filepath.Join(e.run.Dir, "steps")) // if it is empty
	_ = os.Remove(e.run.Dir)
	if result.Failure == nil {
		return err
	}
	refused := &outbox.RefusedError{Final: err == nil}
	if known, ok := errors.AsType[*outbox.RefusedError](err); ok {
		*refused = *known
	}
	refused.Problem = result.Failure.Message
	return refused
}
