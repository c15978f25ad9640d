package local

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/attempt"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A child is a separate run that a step of its parent began: it has its own id, lease,
// folder, log, questions and costs. Only the parent's process works on it, on a goroutine
// that performs the step. People answer its questions under its id.
//
// The id of a child begins with that of its parent and names the step, so a later process
// of the parent finds the child that an earlier one began, and continues it.

// A parent is the run, and the step in it, to which a child belongs.
type parent = runstore.Parent

// Parent returns the id of the run that began this one, and the key of the step by which
// it did; both are "" for a run that no other run began.
func (s *RunStatus) Parent() (run, step string) {
	p := parentOf(s.Settings)
	return p.Run, p.Step
}

// Root returns the id of the run at the top of a run's family: the run that began it, the
// run that began that one, and so on. A run that no other run began is its own root. A
// process works on a root and all its children.
func (e *Engine) Root(ctx context.Context, id string) (string, error) {
	kept, err := runstore.Brief(ctx, e.cfg.Store, id)
	if err != nil {
		return "", err
	}
	root, err := rootRun(ctx, e.cfg.Store, kept)
	return root.ID, err
}

func rootRun(ctx context.Context, runs store.Store, r store.Run) (store.Run, error) {
	for up := parentOf(r.Settings).Run; up != ""; up = parentOf(r.Settings).Run {
		next, err := runstore.Brief(ctx, runs, up)
		if err != nil {
			return r, fmt.Errorf("run %s, which started run %s: %w", up, r.ID, err)
		}
		r = next
	}
	return r, nil
}

// Children returns the descendants of a run with their steps: the runs that its steps
// began, the children of those, and so on. Each run comes before its children; otherwise
// they are in the order of their creation.
func (e *Engine) Children(ctx context.Context, id string) ([]*RunStatus, error) {
	kept, err := runstore.Descendants(ctx, e.cfg.Store, id)
	if err != nil {
		return nil, err
	}
	list := make([]*RunStatus, len(kept))
	for i, r := range kept {
		if list[i], err = e.Status(ctx, r.ID); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func parentOf(settings []byte) parent { return runstore.ParentOf(settings) }

// performChild performs the action that is a run of another workflow.
func (h *host) performChild(ctx context.Context, a flow.Action, call flow.Child, limits settings.Limits) flow.Result {
	ids := h.run.childIDs(a.Key)
	c := &child{
		of: h, ctx: ctx, step: a.Key, id: ids[len(ids)-1], earlier: ids[:len(ids)-1], wake: make(chan struct{}, 1),
		opt: Options{
			WorkDir: h.run.info.WorkDir, BaseBranch: h.run.info.BaseBranch, DocsDir: h.run.info.DocsDir,
			DeliverTo: h.run.info.DeliverTo, Force: h.run.force,
			parent: &parent{Run: h.run.info.ID, Step: a.Key}, lifted: h.lifted.Load(),
		},
	}
	i := slices.IndexFunc(h.run.def.Children, func(d *flow.Definition) bool { return d.Name == call.Workflow })
	if i < 0 {
		return attempt.Failed("workflow", "this program has no workflow `%s`", call.Workflow)
	}
	c.def, c.opt.ID = h.run.def.Children[i], c.id
	c.opt.Limits = sched.Remaining(limits, earlierCost(ctx, h.engine.cfg.Store, c.earlier))
	if call.Worktree {
		c.opt.Worktree = &Worktree{}
	}
	h.run.journal.writeEntries(entry{Type: "child_run", Node: a.Key, Message: fmt.Sprintf("run %s of workflow %s, whose log is %s", c.id, call.Workflow, h.engine.folder.LogFile(c.id))})
	r, err := c.performRun(call.Inputs)
	switch {
	case ctx.Err() != nil && r.Status != flow.Completed:
		r.Status, r.Failure = flow.Cancelled, nil
	case err != nil:
		return attempt.Failed(kernel.ChildFailed, "run %s: %v", c.id, err)
	}
	return r
}

// A child is one attempt at the action of a parent that is a run.
type child struct {
	of   *host
	ctx  context.Context // of the action
	step string
	id   string
	// earlier are the runs that the step began before it was repeated.
	earlier []string
	def     *flow.Definition
	opt     Options
	// wake holds a token when the run, which is paused, is worth a look.
	wake chan struct{}
}

// performRun works on the run until it has ended or the action is cancelled.
func (c *child) performRun(inputs []byte) (flow.Result, error) {
	e := c.of.engine
	// worked says that this process has just worked on the run: if it is paused, it waits for
	// somebody, and otherwise it has ended.
	for worked := false; ; {
		kept, err := e.cfg.Store.Run(c.ctx, c.id)
		switch {
		case errors.Is(err, store.ErrNotFound) && !worked:
			err = c.workUntilPaused(func() (*run, error) { return e.beginRun(context.WithoutCancel(c.ctx), c.def, inputs, c.opt) })
			worked = true
		case err != nil:
		case parentOf(kept.Settings) != *c.opt.parent:
			err = errors.New("another run has this id")
		case sched.IsFinal(c.of.run.info.ID, kept.Status, kept.Reason), worked && kept.Status != flow.Paused:
			return c.storedResult()
		case worked:
			err = c.waitUntilMovable()
			worked = false
		default:
			err = c.workUntilPaused(func() (*run, error) { return e.reopenRun(context.WithoutCancel(c.ctx), c.def, c.id, c.opt) })
			worked = true
		}
		if err != nil {
			return flow.Result{}, err
		}
	}
}

// workUntilPaused works on the run until it has ended or paused. When the action is cancelled, so is
// the run; when the parent's process stops, the run stops with it.
func (c *child) workUntilPaused(begin func() (*run, error)) error {
	r, err := begin()
	if err != nil {
		return err
	}
	over := context.AfterFunc(c.ctx, func() {
		if c.of.ctx.Err() != nil {
			r.host.sendSignal(sched.Stop{})
			return
		}
		r.host.sendSignal(sched.CancelRun{Reason: kernel.CancelReason(sched.ByParent(c.of.run.info.ID))})
	})
	defer over()
	_, err = c.of.engine.executeRun(r, c.opt)
	return err
}

// waitUntilMovable waits, while the run is paused, until there is something for it to do: an answer, a
// question that expires, or its end by a person.
func (c *child) waitUntilMovable() error {
	e := c.of.engine
	spent := flow.Meta{}
	if r, err := c.storedResult(); err == nil { // else the child's end tells
		spent = r.Meta
	}
	c.of.beginRest(c, spent)
	tick := time.NewTicker(e.cfg.Poll)
	defer tick.Stop()
	for {
		if c.canProceed(c.ctx) && c.of.endRest(c) {
			return nil
		}
		select {
		case <-tick.C:
		case <-c.wake:
		case <-c.ctx.Done():
			c.of.endRest(c)
			if c.of.ctx.Err() == nil {
				return e.Cancel(context.Background(), c.id, sched.ByParent(c.of.run.info.ID))
			}
			return c.ctx.Err()
		}
	}
}

// beginRest notes that a child rests, and notifies the scheduler.
func (h *host) beginRest(c *child, spent flow.Meta) {
	h.mu.Lock()
	plain.PutEntry(&h.resting, c.id, c)
	h.mu.Unlock()
	h.sendSignal(sched.Idle{Key: c.step, Spent: spent})
}

// endRest is the contrary of beginRest. It reports false if the run pauses: then the child must
// rest on, because nobody would learn of what it does.
func (h *host) endRest(c *child) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.pausing {
		return false
	}
	delete(h.resting, c.id)
	h.addSignal(sched.Idle{Key: c.step, Ended: true})
	return true
}

// wakeChildren ends the rest of the children that have something to do. The scheduler
// calls it, through Next, before the run pauses: an answer that came to a child until then
// keeps the run from that.
func (h *host) wakeChildren() {
	h.mu.Lock()
	resting := slices.Collect(maps.Values(h.resting))
	h.mu.Unlock()
	for _, c := range resting {
		if c.canProceed(h.ctx) {
			h.sendSignal(sched.Idle{Key: c.step, Ended: true})
			c.wakeUp()
		}
	}
}

// wakeUp has the child look at its run now.
func (c *child) wakeUp() {
	select {
	case c.wake <- struct{}{}:
	default: // the token is there already
	}
}

// canProceed reports whether the paused run, or a run that it began, could continue or has
// ended.
func (c *child) canProceed(ctx context.Context) bool {
	status, err := c.of.engine.Status(ctx, c.id)
	if err != nil {
		return false
	}
	if status.Status != flow.Paused || status.canContinue() {
		return true
	}
	if len(c.def.Children) == 0 {
		return false
	}
	below, err := c.of.engine.Children(ctx, c.id)
	if err != nil {
		return false
	}
	family := map[string]*RunStatus{c.id: status}
	for _, r := range below {
		family[r.ID] = r
		up, step := r.Parent()
		ended := r.Status.Ended() && slices.ContainsFunc(family[up].Steps, func(s flow.Record) bool { return s.Key == step && s.Status == flow.Waiting })
		if ended || r.Status == flow.Paused && r.canContinue() {
			return true
		}
	}
	return false
}

// canContinue reports whether a paused run could continue: one of its questions has an answer
// or has expired.
func (s *RunStatus) canContinue() bool {
	waiting := 0
	for _, step := range s.Steps {
		if step.Status == flow.Waiting && step.Question != nil {
			waiting++
		}
	}
	return waiting > len(s.Questions) || slices.ContainsFunc(s.Questions, func(q engine.Question) bool {
		return !q.Deadline.IsZero() && !time.Now().Before(q.Deadline)
	})
}

// storedResult is the end of the run as the store has it, or what it has cost so far.
func (c *child) storedResult() (flow.Result, error) {
	ctx := context.WithoutCancel(c.ctx)
	kept, err := c.of.engine.cfg.Store.Run(ctx, c.id)
	if err != nil {
		return flow.Result{}, err
	}
	steps, err := c.of.engine.cfg.Store.Steps(ctx, c.id)
	if err != nil {
		return flow.Result{}, err
	}
	end := flow.RunState{Status: kept.Status, Reason: kept.Reason, Error: kept.Error, Outputs: kept.Outputs, Summary: kept.Summary}
	r := sched.ChildResult(c.id, end, steps)
	r.Meta = earlierCost(ctx, c.of.engine.cfg.Store, c.earlier).Plus(r.Meta)
	return r, nil
}

// cancelChildren cancels the children of a cancelled run that it did not come to again.
func (e *Engine) cancelChildren(ctx context.Context, id string) error {
	list, err := runstore.Descendants(ctx, e.cfg.Store, id)
	for _, r := range list {
		if r.Status.Ended() {
			continue
		}
		if failed := e.Cancel(ctx, r.ID, sched.ByParent(parentOf(r.Settings).Run)); failed != nil {
			err = errors.Join(err, fmt.Errorf("run %s, which run %s started, is not cancelled: %w", r.ID, id, failed))
		}
	}
	return err
}

// shareCheckout takes the right of a child to work on a checkout from the nearest run
// around it that has one, and reports whether there is such a run. No other child has the
// right meanwhile.
func (e *Engine) shareCheckout(r *run) (shared bool, err error) {
	root, err := state.Root(r.info.WorkDir)
	if err != nil {
		return false, err
	}
	up := e.liveRun(r.parent.Run)
	for up != nil && up.checkout == nil {
		up = e.liveRun(up.parent.Run)
	}
	if up == nil {
		return false, nil
	}
	if own, err := state.Root(up.info.WorkDir); err != nil || own != root {
		return false, err // it works elsewhere
	}
	if holder := e.shared.take(root, r.info.ID); holder != "" {
		busy := busyCheckout(root, r.def, true)
		busy.Holder = "run " + holder
		return true, busy
	}
	return true, nil
}

// sharedCheckouts are the checkouts that a parent has taken and on which one of its children
// works.
type sharedCheckouts struct {
	mu     sync.Mutex
	byRoot map[string]string // the child's id
}

// take gives a checkout to a child, or returns the id of the child that has it. The children
// of that one share it.
func (s *sharedCheckouts) take(root, child string) (holder string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if by := s.byRoot[root]; by != "" {
		if by == child || strings.HasPrefix(child, by+runid.ChildMark) {
			return ""
		}
		return by
	}
	plain.PutEntry(&s.byRoot, root, child)
	return ""
}

// release gives back what a child took.
func (s *sharedCheckouts) release(child string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.byRoot, func(_, by string) bool { return by == child })
}
