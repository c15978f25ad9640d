package perform

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/attempt"
)

// Sessions that agents keep for the next run of a workflow are on the worker that has them,
// and so is the agent's own memory of them: a run that another worker begins does not
// continue them.

// sessionFile is the file with the session of an action, or "" if it keeps none.
func (w *Worker) sessionFile(run *flow.RunInfo, a flow.Action) string {
	key := attempt.SessionKey(a)
	if key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(run.Workflow + "\n" + key))
	return filepath.Join(w.State.Path, "sessions", hex.EncodeToString(sum[:])[:32])
}

// continues returns an action with the session that the last run left.
func (w *Worker) continues(run *flow.RunInfo) func(context.Context, flow.Action) (flow.Action, error) {
	return func(_ context.Context, a flow.Action) (flow.Action, error) {
		return attempt.Continue(a, func(string) (string, error) {
			text, err := os.ReadFile(w.sessionFile(run, a))
			if errors.Is(err, fs.ErrNotExist) {
				err = nil
			}
			return string(text), err
		})
	}
}

// keepSession keeps the session of a completed action for the next run. One that cannot be
// kept costs that run its memory, and this one nothing.
func (w *Worker) keepSession(run *flow.RunInfo, a flow.Action, r flow.Result) {
	path := w.sessionFile(run, a)
	if path == "" || r.Status != flow.Completed || r.Meta.Session == "" || r.Meta.Replayed.Turns > 0 {
		return
	}
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		// Another run may be reading it.
		if err = os.WriteFile(path+"."+run.ID, []byte(r.Meta.Session), 0o600); err == nil {
			err = os.Rename(path+"."+run.ID, path)
		}
	}
	if err != nil {
		w.note(run.ID, Entry{Type: "note", Node: a.Key, Message: "the agent's session was not kept for the next run: " + err.Error()})
	}
}
