package sim

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// epoch is when simulated runs begin.
var epoch = time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)

// Run runs the world's workflow to its end, or to a pause that no answer ends. The seed
// decides every order that the outside world decides. crash lists, in ascending order, the
// points at which the process dies. Points count from 1 over all processes: before and
// after every commit, before every start of an action, and between an action's effect and
// its result. After each death another process resumes the run from the journal.
func Run(w World, seed uint64, crash ...int) *Result {
	begin := w.Start
	if begin.IsZero() {
		begin = epoch
	}
	u := &universe{world: &w, rng: rand.New(rand.NewPCG(seed, 0)), crash: crash, begun: begin, now: begin}
	main := u.newHost(w.Definition, w.Inputs, w.Resumes)
	main.info.Graph = w.Graph
	for goesOn := true; goesOn; {
		u.dead = false
		main.startProcess()
		u.driveRuns()
		main.endChildren()
		goesOn = main.goesOn()
	}
	out := main.runOutcome()
	out.Points, out.Deaths, out.Elapsed = u.points, u.deaths, u.now.Sub(u.begun)
	for _, child := range u.hosts[1:] {
		if out.Children == nil {
			out.Children = map[string]*Result{}
		}
		out.Children[child.path] = child.runOutcome()
	}
	return out
}

// newHost returns the host of a run that no process has worked on; before is the outcome
// of a run that it resumes, or nil.
func (u *universe) newHost(d *flow.Definition, inputs json.RawMessage, before *Result) *host {
	j := newJournal(d.Nodes)
	if before != nil {
		j = resumedJournal(before)
	}
	if d.Graph != nil {
		j.nodes = map[string]bool{}
		for _, n := range d.Nodes {
			j.nodes[n.Key] = true
		}
	}
	w := u.world
	h := &host{
		universe: u, def: d, journal: j,
		asked: map[string]time.Time{}, out: Result{Begun: map[string]int{}, Effects: map[string]int{}},
		info: &flow.RunInfo{
			ID: d.Name + "-simula", Workflow: d.Name, Fingerprint: d.Fingerprint, Inputs: inputs,
			ArtifactsDir: "/sim/artifacts", LogDir: "/sim/log", SharedDir: "/sim/state", WorkDir: "/sim/work", DocsDir: "docs/", BaseBranch: "main",
		},
		opt: sched.Options{MaxParallel: w.MaxParallel, Nodes: d.Nodes, Returns: d.Returns, Attended: w.Attended, OnInterrupt: w.OnInterrupt, Limits: w.Limits},
	}
	if given := w.Info; given != nil {
		own := *given
		own.Workflow, own.Fingerprint, own.Inputs = d.Name, d.Fingerprint, inputs
		h.info = &own
	}
	u.hosts = append(u.hosts, h)
	return h
}

// runOutcome returns the state of the run.
func (h *host) runOutcome() *Result {
	if h.journal.end != nil {
		h.out.End = *h.journal.end
	}
	h.out.Steps, h.out.Events = h.journal.steps, h.journal.events
	h.out.fresh = h.journal.fresh
	return &h.out
}

// checkEnd compares the scheduler's result with the journal.
func (h *host) checkEnd(end flow.RunState, err error) {
	switch {
	case h.dead && (errors.Is(err, sched.ErrStopped) || errors.Is(err, errDied)):
	case h.dead || err != nil:
		h.reportFault("a process that %s returned %+v and the error %v", map[bool]string{true: "died", false: "lived"}[h.dead], end, err)
	case h.journal.end == nil || h.journal.end.Status != end.Status:
		h.reportFault("the run's end %s is not committed", end.Status)
	}
}

// goesOn reports whether another process works on the run, and moves the clock to its
// start: at once after a death; after a pause, also one whose process died, with the next
// answer.
func (h *host) goesOn() bool {
	switch {
	case h.journal.hasFinalEnd():
		return false
	case h.dead && h.journal.end == nil:
		return true
	}
	next, ok := time.Time{}, false
	for _, c := range h.requested {
		next, ok = h.begun.Add(c.At), true
	}
	for _, run := range h.hosts {
		if at, asked := run.nextAnswer(); asked && (!ok || at.Before(next)) {
			next, ok = at, true
		}
	}
	h.advanceClock(next)
	return ok
}

// nextAnswer returns the time of the next answer to a question that is open, or of the end
// of a wait.
func (h *host) nextAnswer() (next time.Time, ok bool) {
	for _, r := range h.journal.steps {
		waits := r.Status == flow.Waiting && r.Question != nil && r.Question.Wait != "" && !r.Deadline.IsZero()
		due := waits && !h.world.PauseOnWait && !(h.world.PausesOn != nil && h.world.PausesOn(h.path, r.Key))
		if due && (!ok || r.Deadline.Before(next)) {
			next, ok = r.Deadline, true
		}
	}
	for _, a := range h.plannedAnswers() {
		at, asked := h.asked[a.Key]
		if !asked || h.journal.stepRecord(a.Key).Status != flow.Waiting {
			continue
		}
		at = at.Add(a.After)
		if deadline := h.journal.stepRecord(a.Key).Deadline; !deadline.IsZero() && at.After(deadline) {
			at = deadline // the answer comes too late
		}
		if !ok || at.Before(next) {
			next, ok = at, true
		}
	}
	return next, ok
}

// Explore runs the world with each seed from first to last: undisturbed, and once for each
// point at which a process could have died. It returns the number of runs and the first
// difference: a fault, or the error of same for an undisturbed and a disturbed run of one
// seed. A nil same is Same.
func Explore(w World, first, last uint64, same func(undisturbed, disturbed *Result) error) (runs int, err error) {
	if same == nil {
		same = Same
	}
	for seed := first; seed <= last; seed++ {
		whole := Run(w, seed)
		runs++
		if len(whole.Faults) > 0 {
			return runs, fmt.Errorf("seed %d: %s", seed, whole.Faults[0])
		}
		for point := 1; point <= whole.Points; point++ {
			got := Run(w, seed, point)
			runs++
			if len(got.Faults) > 0 {
				return runs, fmt.Errorf("seed %d, crash at %d of %d: %s", seed, point, whole.Points, got.Faults[0])
			}
			if got.Deaths != 1 || whole.Deaths != 0 {
				return runs, fmt.Errorf("seed %d, crash at %d of %d: %d processes died instead of one", seed, point, whole.Points, got.Deaths)
			}
			if err := same(whole, got); err != nil {
				return runs, fmt.Errorf("seed %d, crash at %d of %d: %w", seed, point, whole.Points, err)
			}
		}
	}
	return runs, nil
}

// Same returns the first difference that a user can see between two results: in the run's
// end, or in the status, the reason, the text or the failure of a step. Attempts, times
// (also readings of the clock) and costs may differ.
func Same(a, b *Result) error {
	if a.End.Status != b.End.Status || a.End.Reason != b.End.Reason || a.End.Error != b.End.Error ||
		string(a.End.Outputs) != string(b.End.Outputs) || a.End.Summary != b.End.Summary {
		return fmt.Errorf("the run ended as %+v instead of %+v", b.End, a.End)
	}
	for _, want := range a.Steps {
		got := b.Step(want.Key)
		if want.Kind == "now" && got.Kind == "now" {
			got.Text = want.Text // the clock is read later after a death
		}
		if got.Status != want.Status || got.Reason != want.Reason || got.Text != want.Text || !sameFailure(got.Failure, want.Failure) {
			return fmt.Errorf("step %s ended as %+v instead of %+v", want.Key, got, want)
		}
	}
	if len(a.Steps) != len(b.Steps) {
		return fmt.Errorf("there are %d steps instead of %d", len(b.Steps), len(a.Steps))
	}
	if len(a.Children) != len(b.Children) {
		return fmt.Errorf("there are %d children instead of %d", len(b.Children), len(a.Children))
	}
	for path, child := range a.Children {
		other := b.Children[path]
		if other == nil {
			return fmt.Errorf("missing child %s", path)
		}
		if err := Same(child, other); err != nil {
			return fmt.Errorf("child %s: %w", path, err)
		}
	}
	return nil
}

func sameFailure(a, b *flow.Failure) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
