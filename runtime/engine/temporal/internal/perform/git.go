package perform

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/branch"
	"github.com/wfc-lang/wfc/runtime/engine/temporal/internal/wire"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/attempt"
)

// repositories are the repositories that a worker has opened, by URL.
type repositories struct {
	mu   sync.Mutex
	open map[string]*branch.Repository
}

// openRepository opens a repository, once.
func (w *Worker) openRepository(ctx context.Context, url string) (*branch.Repository, error) {
	all := &w.repositories
	all.mu.Lock()
	defer all.mu.Unlock()
	if r := all.open[url]; r != nil {
		return r, nil
	}
	r, err := branch.Open(ctx, filepath.Join(w.State.Path, "repositories"), url, w.Environ)
	if err != nil {
		return nil, err
	}
	if all.open == nil {
		all.open = map[string]*branch.Repository{}
	}
	all.open[url] = r
	return r, nil
}

// prepareGit makes the branch of a run. The folders have paths on this worker; each attempt
// replaces them by its own.
func (w *Worker) prepareGit(ctx context.Context, p wire.Preparation, place *wire.Place) error {
	r, err := w.openRepository(ctx, p.Repository)
	if err != nil {
		return err
	}
	start, err := r.Begin(ctx, p.Run.ID, p.Base)
	if err != nil {
		return err
	}
	root := filepath.Join(w.State.RunDir(p.Run.ID), branch.Work)
	place.WorkDir = filepath.Join(root, filepath.FromSlash(p.Folder))
	place.BaseBranch = start.Default
	place.Git = &wire.Checkout{
		Repository: p.Repository, Default: start.Default, Root: root, Work: start.Work, Artifacts: start.Artifacts,
	}
	return nil
}

// PerformGit performs an attempt at an action in a clone at the last commit of the run, and
// saves its changes.
func (w *Worker) PerformGit(ctx context.Context, call wire.Call) (_ *wire.Performed, err error) {
	a, err := call.Action.Decode()
	if err != nil {
		return nil, refusal(err)
	}
	if result, ok := w.Results[a.Key]; ok {
		return &wire.Performed{Result: wire.Result(result)}, nil
	}
	def, err := w.findDefinition(call.Run.Workflow)
	if err != nil {
		return nil, refusal(err)
	}
	defer startHeartbeats(ctx)()
	if p, ok := a.Payload.(flow.Prompt); ok && p.Session != "" {
		return newPerformed(attempt.Failed("workspace", "step `%s` continues a session of its agent, which only the worker of the session has; run the workflow with --workspace host", a.Key)), nil
	}
	clone, err := w.cloneAttempt(ctx, &call)
	if err != nil {
		return newPerformed(unsavedResult("the files of step `%s` could not be fetched: %v", a.Key, err)), nil
	}
	defer func() {
		if err := clone.Remove(); err != nil {
			w.logEntry(call.Run.ID, Entry{Type: "note", Node: a.Key, Message: "the clone of the step was not removed: " + err.Error()})
		}
	}()
	here, back := w.pathMappers(&call, clone)
	a.Payload = wire.Map(a.Payload, here)
	run := &call.Run
	run.WorkDir, run.ArtifactsDir, run.LogDir, run.SharedDir = here(run.WorkDir), here(run.ArtifactsDir), here(run.LogDir), call.SharedDir
	if err := errors.Join(w.makeRunFolders(run), os.MkdirAll(run.WorkDir, 0o700)); err != nil {
		return newPerformed(unsavedResult("the files of step `%s` could not be made: %v", a.Key, err)), nil
	}
	w.restoreArtifacts(run, def, call.Artifacts)
	site := w.attemptSite(&call, def)
	result, err := w.performInSlot(ctx, site, a, call.Attempt)
	if err != nil {
		return nil, err
	}
	p := newPerformed(wire.Map(result, back))
	if err := w.saveChanges(ctx, p, clone, call.Checkout); err != nil {
		lost := unsavedResult("the changes of step `%s` could not be saved: %v", a.Key, err)
		lost.Text, lost.Meta = p.Result.Text, p.Result.Meta
		return newPerformed(lost), nil
	}
	return p, nil
}

func newPerformed(r flow.Result) *wire.Performed { return &wire.Performed{Result: wire.Result(r)} }

// unsavedResult is the failure of a step whose files could not be exchanged with the repository.
func unsavedResult(format string, args ...any) flow.Result {
	r := attempt.Failed("workspace", format, args...)
	r.Failure.Class = flow.ClassTransient
	return r
}

// cloneAttempt makes the clones of an attempt.
func (w *Worker) cloneAttempt(ctx context.Context, call *wire.Call) (*branch.Attempt, error) {
	r, err := w.openRepository(ctx, call.Checkout.Repository)
	if err != nil {
		return nil, err
	}
	var id [8]byte
	rand.Read(id[:]) // never fails
	a := &branch.Attempt{
		Repository: r, Run: call.Run.ID, Step: call.Action.Key, ID: hex.EncodeToString(id[:]), Default: call.Checkout.Default,
	}
	dir := filepath.Join(w.State.RunDir(call.Run.ID), "attempts", a.ID)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	// Programs print the paths without symbolic links.
	if a.Dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	err = a.Checkout(ctx, branch.Work, call.Checkout.Work)
	if err == nil {
		err = a.Checkout(ctx, branch.Artifacts, call.Checkout.Artifacts)
	}
	if err != nil {
		return nil, errors.Join(err, a.Remove())
	}
	return a, nil
}

// pathMappers returns functions that replace the run's paths by those of an attempt, and back.
func (w *Worker) pathMappers(call *wire.Call, a *branch.Attempt) (here, back func(string) string) {
	// The folder for logs is above the others.
	pairs := [][2]string{
		{call.Checkout.Root, a.Folder(branch.Work)},
		{call.Run.ArtifactsDir, a.Folder(branch.Artifacts)},
		{call.Run.LogDir, w.State.RunDir(call.Run.ID)},
	}
	var there, home []string
	for _, p := range pairs {
		there, home = append(there, p[0], p[1]), append(home, p[1], p[0])
	}
	return strings.NewReplacer(there...).Replace, strings.NewReplacer(home...).Replace
}

// saving limits how long the changes of a step take to save.
const saving = 5 * time.Minute

// saveChanges saves the changes of an attempt, also if it failed or was cancelled.
func (w *Worker) saveChanges(ctx context.Context, p *wire.Performed, clone *branch.Attempt, base *wire.Checkout) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), saving)
	defer stop()
	work, ignored, err := clone.Save(ctx, branch.Work, base.Work)
	if err != nil {
		return err
	}
	artifacts, _, err := clone.Save(ctx, branch.Artifacts, base.Artifacts)
	if err != nil {
		return err
	}
	if len(ignored) > 0 {
		shown := strings.Join(ignored[:min(5, len(ignored))], ", ")
		w.logEntry(clone.Run, Entry{Type: "note", Node: clone.Step, Message: "git ignores these files, so later steps do not have them: " + shown})
	}
	p.Attempt = clone.ID
	if work != base.Work {
		p.Work = work
	}
	if artifacts != base.Artifacts {
		p.Artifacts = artifacts
	}
	return nil
}

// Join makes the changes of an attempt part of the run's branch.
func (w *Worker) Join(ctx context.Context, j wire.Joining) (*wire.Joined, error) {
	r, err := w.openRepository(ctx, j.Checkout.Repository)
	if err != nil {
		return nil, err
	}
	a := &branch.Attempt{Repository: r, Run: j.Run, Step: j.Step, ID: j.Attempt}
	joined := &wire.Joined{Work: j.Checkout.Work, Artifacts: j.Checkout.Artifacts}
	for _, line := range []struct {
		name, commit, folder string
		head                 *string
	}{
		{branch.Work, j.Work, "", &joined.Work}, {branch.Artifacts, j.Artifacts, "artifacts: ", &joined.Artifacts},
	} {
		if line.commit == "" {
			continue
		}
		next, err := a.Join(ctx, line.name, *line.head, line.commit)
		if c := branch.IsConflict(err); c != nil {
			joined.Conflict = conflictMessage(j.Step, line.folder, c)
			break
		}
		if err != nil {
			return nil, err
		}
		*line.head = next
	}
	return joined, nil
}

// mostFiles is how many files a message names.
const mostFiles = 10

func conflictMessage(step, folder string, c *branch.Conflict) string {
	files := c.Files
	more := ""
	if len(files) > mostFiles {
		more = fmt.Sprintf(" and %d more", len(files)-mostFiles)
		files = files[:mostFiles]
	}
	others := "a commit on the run's branch"
	switch len(c.Steps) {
	case 0:
	case 1:
		others = "step `" + c.Steps[0] + "`"
	default:
		others = "steps `" + strings.Join(c.Steps, "`, `") + "`"
	}
	return fmt.Sprintf("step `%s` and %s, which ran at the same time, changed the same lines: %s%s%s; let one wait for the other by depends_on", step, others, folder, strings.Join(files, ", "), more)
}

// Release gives back everything that Prepare took for a run.
func (w *Worker) Release(ctx context.Context, back wire.Returned) error {
	w.letGo(back.Run.ID)
	if back.Place.Git != nil {
		r, err := w.openRepository(ctx, back.Place.Git.Repository)
		if err != nil {
			return err
		}
		return r.End(ctx, back.Run.ID)
	}
	return nil
}
