package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/internal/worktree"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A RunStatus is the state of a run and its steps.
type RunStatus struct {
	store.Run
	// StartedAt equals Started of the embedded store.Run. It is for code that was written
	// for Lango, the program that the dialect lango comes from: its Go interface has this
	// name.
	StartedAt time.Time
	// Steps are the steps: those of nodes in definition order, then the others in the order
	// of their first commit. ListRuns leaves them nil. If the process of the run died, its
	// running steps have the status Interrupted.
	Steps []flow.Record
	// Questions are the open questions, and Answers the answers so far, in their order;
	// both are nil in listings.
	Questions []engine.Question
	Answers   []store.Answer
}

// MarshalJSON encodes the run as the document that `status --json` prints, without the fields
// that only the command knows, such as the commands that answer questions. Other fields of
// the run follow in the same style. The JSON does not decode to a RunStatus.
func (s RunStatus) MarshalJSON() ([]byte, error) {
	parent, step := s.Parent()
	d := document.NewRun(s.Run, filepath.Join(s.LogDir, "log.jsonl"), (*worktree.Tree)(s.Worktree()), parent, step)
	keys := stepkey.KeysOf(s.Steps)
	for _, q := range s.Questions {
		if node := keys.Outermost(q.Key); q.Wait == "" {
			d.Questions = append(d.Questions, document.NewQuestion(q, node))
		} else {
			d.Waits = append(d.Waits, document.NewWait(q, node))
		}
	}
	for _, step := range s.Steps {
		d.Nodes = append(d.Nodes, document.NewStep(step))
	}
	var answers []document.Answer
	for _, a := range s.Answers {
		answers = append(answers, document.Answer(a))
	}
	return kernel.Encode(struct {
		document.Run
		Started         time.Time         `json:"started,omitzero"`
		Updated         time.Time         `json:"updated,omitzero"`
		BaseBranch      string            `json:"base_branch,omitempty"`
		DocsDir         string            `json:"docs_dir,omitempty"`
		DeliverTo       []string          `json:"deliver_to,omitempty"`
		Fingerprint     string            `json:"fingerprint,omitempty"`
		Holder          string            `json:"holder,omitempty"`
		CancelRequested time.Time         `json:"cancel_requested,omitzero"`
		CancelBy        string            `json:"cancel_by,omitempty"`
		Answers         []document.Answer `json:"answers,omitempty"`
	}{
		d, s.Started, s.Updated, s.BaseBranch, s.DocsDir, s.DeliverTo, s.Fingerprint, s.Holder, s.CancelRequested, s.CancelBy, answers,
	})
}

// Worktree returns the separate git worktree of the run, or nil if it has none.
func (s *RunStatus) Worktree() *Worktree { return worktreeOf(s.Settings) }

// Status returns the state of a run by its whole id. A run whose process is
// gone is shown as interrupted.
func (e *Engine) Status(ctx context.Context, id string) (*RunStatus, error) {
	// Before the store is read, so that a run that ends in between does not
	// look interrupted.
	held := e.isRunHeld(id)
	kept, err := e.cfg.Store.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	steps, err := e.cfg.Store.Steps(ctx, id)
	if err != nil {
		return nil, err
	}
	// After the steps, so that no answered question looks open.
	answers, err := e.cfg.Store.Answers(ctx, id)
	if err != nil {
		return nil, err
	}
	s := &RunStatus{Run: placeRun(e, asShown(kept, held)), StartedAt: kept.Started, Steps: steps, Questions: openQuestions(id, steps, answers), Answers: answers}
	for i := range steps {
		switch r := &steps[i]; {
		case s.Status == flow.Interrupted && r.Status == flow.Running:
			r.Status = flow.Interrupted
		case !s.Status.Ended() && r.Status == flow.Skipped && r.Reason == kernel.SkipLimit: // before the run had a higher limit
			r.Status, r.Reason = flow.Pending, ""
		}
	}
	return s, nil
}

// ListRuns returns the selected runs, newest first, without their steps: with statuses, those
// with one of these. Runs can be selected by the status Interrupted too. ListRuns leaves out
// children: runs that steps of other runs began (see Children). It lists them only if the
// Prefix of the filter contains "--", which separates the id of a run from the step in the ids
// of its children.
func (e *Engine) ListRuns(ctx context.Context, f store.Filter, statuses ...flow.Status) ([]RunStatus, error) {
	if len(statuses) == 0 {
		return e.listRuns(ctx, f)
	}
	var list []RunStatus
	seen := map[string]bool{} // a run may have changed its status meanwhile
	for _, f.Status = range statuses {
		runs, err := e.listRuns(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			if !seen[r.ID] {
				list = append(list, r)
			}
			seen[r.ID] = true
		}
	}
	slices.SortStableFunc(list, func(a, b RunStatus) int {
		return cmp.Or(b.Created.Compare(a.Created), strings.Compare(a.ID, b.ID))
	})
	if f.Limit > 0 {
		list = list[:min(f.Limit, len(list))]
	}
	return list, nil
}

func (e *Engine) listRuns(ctx context.Context, f store.Filter) ([]RunStatus, error) {
	want, limit := f.Status, f.Limit
	if want == flow.Interrupted || want == flow.Running {
		// The store cannot distinguish the two.
		f.Status, f.Limit = flow.Running, 0
	}
	kept, err := e.selectRuns(ctx, f)
	if err != nil {
		return nil, err
	}
	var list []RunStatus
	for _, r := range kept {
		if r.Status == flow.Running {
			if r, err = e.refreshInterrupted(ctx, r); err != nil {
				return nil, err
			}
		}
		if want != "" && r.Status != want {
			continue
		}
		list = append(list, RunStatus{Run: placeRun(e, r), StartedAt: r.Started})
		if len(list) == limit {
			break
		}
	}
	return list, nil
}

// refreshInterrupted distinguishes an interrupted run from one that ended after it was listed.
func (e *Engine) refreshInterrupted(ctx context.Context, r store.Run) (store.Run, error) {
	if e.isRunHeld(r.ID) {
		return r, nil
	}
	kept, err := e.cfg.Store.Run(ctx, r.ID)
	return asShown(kept, false), err
}

// asShown returns a run as it is to be shown.
func asShown(r store.Run, held bool) store.Run {
	if r.Status == flow.Running && !held {
		r.Status = flow.Interrupted
	}
	return r
}

// Holder describes, for people, the process that works on a run, and returns its process
// id if it runs on this machine, else 0. name is "" if no process works on the run.
func (e *Engine) Holder(id string) (name string, pid int) {
	held, name, err := e.heldBy(id)
	switch {
	case err == nil && !held:
		return "", 0
	case name == "":
		return "another process", 0
	}
	if _, err := fmt.Sscanf(name, "process %d on ", &pid); err != nil || name != holderName(pid) {
		pid = 0
	}
	return name, pid
}

// Find returns the id of the run that name refers to, among the runs of a workflow. name
// is an id, a unique prefix of one (with or without the workflow's name in front), or
// "latest".
func (e *Engine) Find(ctx context.Context, workflow, name string) (string, error) {
	if name == runid.Latest || name == "" {
		runs, err := e.selectRuns(ctx, store.Filter{Workflow: workflow, Limit: 1, Brief: true})
		if err != nil {
			return "", err
		}
		if len(runs) == 0 {
			return "", noRunsError(fmt.Sprintf("workflow %s has no runs in %s", workflow, e.storeLocation()))
		}
		return runs[0].ID, nil
	}
	switch kept, err := runstore.Brief(ctx, e.cfg.Store, name); {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return "", err
	default:
		root, err := rootRun(ctx, e.cfg.Store, kept)
		if err == nil && workflow != "" && root.Workflow != workflow {
			err = fmt.Errorf("run %s belongs to workflow %s, and this is %s", root.ID, root.Workflow, workflow)
		}
		return kept.ID, err
	}
	runs, err := e.runsWithPrefix(ctx, workflow, name)
	if err == nil && len(runs) == 0 {
		// The letters alone are what people remember.
		runs, err = e.runsWithPrefix(ctx, workflow, runid.Slug(workflow)+"-"+name)
	}
	switch {
	case err != nil:
		return "", err
	case len(runs) == 0:
		return "", fmt.Errorf("run %s: %w in %s", name, store.ErrNotFound, e.storeLocation())
	case len(runs) > 1:
		ids := make([]string, 0, 4)
		for _, r := range runs[:min(len(runs), 4)] {
			ids = append(ids, r.ID)
		}
		return "", fmt.Errorf("%d runs begin with %s: %s", len(runs), name, strings.Join(ids, ", "))
	}
	return runs[0].ID, nil
}

// runsWithPrefix returns the runs of a workflow, and the children of such runs, whose ids begin
// with a prefix.
func (e *Engine) runsWithPrefix(ctx context.Context, workflow, prefix string) ([]store.Run, error) {
	if !strings.Contains(prefix, runid.ChildMark) {
		return e.selectRuns(ctx, store.Filter{Workflow: workflow, Prefix: prefix, Brief: true})
	}
	all, err := e.cfg.Store.Runs(ctx, store.Filter{Prefix: prefix, Brief: true})
	var list []store.Run
	for _, r := range all {
		root, err := rootRun(ctx, e.cfg.Store, r)
		if err != nil {
			return nil, err
		}
		if workflow == "" || root.Workflow == workflow {
			list = append(list, r)
		}
	}
	return list, err
}

// selectRuns returns the selected runs without those that another run began, unless the
// prefix names these.
func (e *Engine) selectRuns(ctx context.Context, f store.Filter) ([]store.Run, error) {
	if strings.Contains(f.Prefix, runid.ChildMark) {
		return e.cfg.Store.Runs(ctx, f)
	}
	for limit := f.Limit; ; f.Limit *= 4 {
		all, err := e.cfg.Store.Runs(ctx, f)
		whole := f.Limit <= 0 || len(all) < f.Limit
		all = slices.DeleteFunc(all, func(r store.Run) bool { return parentOf(r.Settings).Run != "" })
		if limit > 0 && len(all) >= limit {
			return all[:limit], err
		}
		if whole || err != nil {
			return all, err
		}
	}
}

// storeLocation says where the runs are kept, for people.
func (e *Engine) storeLocation() string { return runstore.Place(e.cfg.Store, e.cfg.State) }

// noRunsError says that a workflow has no runs. It is store.ErrNotFound, without its words.
type noRunsError string

func (n noRunsError) Error() string { return string(n) }

// Unwrap implements the interface of package errors.
func (noRunsError) Unwrap() error { return store.ErrNotFound }
