package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/cron"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/filelock"
	"github.com/wfc-lang/wfc/runtime/internal/repeat"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/schedule"
)

// scheduleFlags are the flags of schedule that all engines have.
type scheduleFlags struct {
	cron  string
	next  int
	print bool // next was given
}

// mostTimes is how many times --next prints at most.
const mostTimes = 1000

func (a *app) scheduleCommand() *cobra.Command {
	var f scheduleFlags
	n := a.newRun()
	n.scheduled = true
	cmd := &cobra.Command{
		Use:   strings.TrimSpace("schedule " + restUsage(a.program.Definition)),
		Short: "Run the workflow at scheduled times",
		Long:  "Run the workflow at scheduled times.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.print = cmd.Flags().Changed("next"); !f.print {
				return a.backend.keepSchedule(cmd, args, f, n)
			}
			s, _, err := f.parseSchedule(a.program.Definition)
			if err != nil {
				return err
			}
			return a.printTimes(s, f.next)
		},
	}
	n.flags.addToCommand(a.call, cmd)
	n.tree.addToCommand(cmd)
	cmd.Flags().StringVar(&f.cron, "cron", "", "cron expression `EXPR` that replaces the workflow's schedule")
	cmd.Flags().IntVar(&f.next, "next", 0, "print the next `N` times; run nothing")
	a.backend.extendCommand(cmd)
	n.in.addToFlagSet(cmd.Flags())
	return cmd
}

// checkValues checks what the flags say.
func (t *timingFlags) checkValues() error {
	if t.grace < 0 {
		return usageError("`--grace %s`: give a duration that is not negative", t.grace)
	}
	check := schedule.Scheduler{Missed: schedule.Missed(t.missed), Overlap: schedule.Overlap(t.overlap)}
	if err := check.Check(); err != nil {
		return usageError("%w", err)
	}
	return nil
}

// parseSchedule reads the schedule that counts, and what is odd about it.
func (f *scheduleFlags) parseSchedule(def *flow.Definition) (*cron.Schedule, []cron.Finding, error) {
	text := cmp.Or(f.cron, def.Schedule)
	if strings.TrimSpace(text) == "" {
		return nil, nil, usageError("the workflow has no schedule: give one, such as `--cron '0 9 * * MON'` for nine o'clock on Mondays")
	}
	s, notes := cron.Parse(text)
	if s == nil {
		var faults []error
		for _, n := range notes {
			if n.Fault() {
				faults = append(faults, errors.New(n.String()))
			}
		}
		return nil, nil, usageError("the schedule `%s`: %w", text, errors.Join(faults...))
	}
	if _, err := s.Location(); err != nil {
		return nil, nil, usageError("%w", err)
	}
	if f.print && (f.next < 1 || f.next > mostTimes) {
		return nil, nil, usageError("`--next %d`: give a number from 1 to %d", f.next, mostTimes)
	}
	return s, notes, nil
}

// timesDocument is what --next --json prints.
type timesDocument struct {
	SchemaVersion int         `json:"schema_version"`
	Schedule      string      `json:"schedule"`
	Description   string      `json:"description"`
	Zone          string      `json:"zone"`
	Next          []time.Time `json:"next"`
}

// printTimes prints the next times.
func (a *app) printTimes(s *cron.Schedule, n int) error {
	times, err := s.Next(time.Now(), n)
	if err != nil {
		return failedError(err)
	}
	if a.json {
		zone := cmp.Or(s.Zone, time.Local.String())
		return failedError(printJSON(a.streams.Out, timesDocument{schemaVersion, s.Text, s.Describe(), zone, times}))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", s.Text, s.Describe())
	for _, at := range times {
		b.WriteString(at.Format("2006-01-02 15:04 Mon -0700 MST") + "\n")
	}
	_, err = fmt.Fprint(a.streams.Out, b.String())
	return failedError(err)
}

// scheduled is the workflow on its schedule.
type scheduled struct {
	backend *localBackend
	session *session
	// begins describes the runs.
	begins *newRun
	// prompts performs their prompts, or is nil.
	prompts engine.PromptPerformer
	show    *progress
	log     *slog.Logger
	memory  *schedule.Memory
	// lock and lease, which may be nil, are those of takeTurn.
	lock  *filelock.Lock
	lease runstore.Lease
	// begun, if not nil, is called before the first step of a run in this process.
	begun func(id string)
	// missed counts the runs whose result or steps were not all delivered.
	missed atomic.Int64
	// reporting lets one run's result at a time be printed.
	reporting sync.Mutex
}

// keepSchedule runs the workflow on time until it is stopped.
func (b *localBackend) keepSchedule(cmd *cobra.Command, args []string, f scheduleFlags, n *newRun) error {
	ctx, def := cmd.Context(), b.program.Definition
	s, notes, err := f.parseSchedule(def)
	if err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintf(b.streams.Err, "%s: %v\n", b.name, note)
	}
	if b.json {
		return usageError("`--json` is for `--next`; `--jsonl` prints what happens in the runs")
	}
	if err := n.readCommandLine(b.call, cmd, args); err != nil {
		return err
	}
	w, err := b.openUnattended(ctx, n)
	if err != nil {
		return err
	}
	defer w.closeUnattended()
	if err := w.takeTurn(ctx); err != nil {
		return failedError(err)
	}
	stopped, exit, release := w.catchSignals(ctx)
	defer release()
	if w.memory, err = schedule.Recall(w.session.scheduleFile(".json"), s.Text); err != nil {
		return failedError(err)
	}
	if err := w.startOnTime(ctx, stopped, s, nil); err != nil {
		return err
	}
	w.reportLeft()
	return w.exitError(exit)
}

// exitError returns the error for the end of the process; exit is the code of a signal, or 0.
func (w *scheduled) exitError(exit *atomic.Int64) error {
	b := w.backend
	if code := int(exit.Load()); code != 0 {
		return &exitError{code: code}
	}
	if n := w.missed.Load(); n > 0 {
		return failedError(fmt.Errorf("%d of the runs could not deliver everything; `%s list` shows them", n, b.typed+b.stateHint()))
	}
	return nil
}

// openUnattended checks what runs without a person need, and opens the store until closeUnattended.
func (b *localBackend) openUnattended(ctx context.Context, n *newRun) (_ *scheduled, err error) {
	if err := b.timing.checkValues(); err != nil {
		return nil, err
	}
	if n.flags.Record != "" {
		return nil, usageError("`--record`: a recording is of one run, and this makes many")
	}
	if n.flags.runSettings, err = b.withGates(n.flags.runSettings, actions.Actor{From: "schedule"}, false); err != nil {
		return nil, err
	}
	with, prompts, err := b.setupFor(n.flags)
	if err != nil {
		return nil, err
	}
	missing, err := b.checkNew(ctx, n.flags, prompts)
	if err != nil {
		return nil, err
	}
	if !b.timing.undelivered {
		if err := b.checkDelivery(n.flags.SessionKey); err != nil {
			return nil, err
		}
	}
	for _, problem := range b.noticeProblems() {
		missing = append(missing, "no notice can reach "+plain.Line(problem))
	}
	w := &scheduled{backend: b, begins: n, prompts: prompts, show: b.newProgress(n.flags)}
	defer func() {
		if err != nil {
			w.closeUnattended()
		}
	}()
	w.log = slog.New(slog.NewTextHandler(lines{w.show}, nil))
	for _, line := range missing {
		w.log.Warn(line)
	}
	with.watch = w.handleNotice
	if w.session, err = b.openWith(ctx, with); err != nil {
		return nil, err
	}
	return w, nil
}

// A heldError says that another process starts the workflow by itself.
type heldError struct{ holder, workflow, place string }

func (e *heldError) Error() string {
	return fmt.Sprintf("%s already runs the schedule and the triggers of `%s`%s", cmp.Or(e.holder, "another process"), e.workflow, e.place)
}

// takeTurn makes this process the only one that starts the workflow by itself, until
// closeUnattended: a lock keeps out the processes with the state folder, and a lease other machines
// with the database. The error is a *heldError if there is another one.
func (w *scheduled) takeTurn(ctx context.Context) (err error) {
	name, self := w.backend.program.Definition.Name, fmt.Sprintf("process %d", os.Getpid())
	if w.lock == nil {
		w.lock, err = filelock.Acquire(w.session.scheduleFile(".lock"), self)
		if held, ok := errors.AsType[*filelock.HeldError](err); ok {
			return &heldError{held.Holder, name, ", with the state folder " + w.session.folder.Path}
		} else if err != nil {
			return err
		}
	}
	shared, ok := w.session.store.(runstore.Store)
	if !ok || w.lease != nil {
		return nil
	}
	host, _ := os.Hostname() // without it, the process alone says who this is
	lease, err := shared.Lease(ctx, "triggers--"+runid.Slug(name), strings.TrimSpace(self+" "+prefixNonEmpty("on ", host)))
	if held, ok := errors.AsType[*runstore.HeldError](err); ok {
		return &heldError{held.Holder, name, ""}
	}
	w.lease = lease
	return err
}

// turnPoll is the time between two attempts to become the process that starts the workflow.
const turnPoll = time.Second

// awaitTurn takes the turn once no other process has it. It reports false if stopped ended before.
func (w *scheduled) awaitTurn(ctx, stopped context.Context) (bool, error) {
	for told := ""; ; {
		err := w.takeTurn(ctx)
		held, busy := errors.AsType[*heldError](err)
		if !busy {
			return err == nil, err
		}
		if told != held.holder {
			told = held.holder
			w.log.Info("standing by: " + held.Error())
		}
		if repeat.Sleep(stopped, turnPoll) != nil {
			return false, nil
		}
	}
}

// closeUnattended releases what openUnattended took.
func (w *scheduled) closeUnattended() {
	if w.lease != nil {
		w.lease.Release()
	}
	if w.lock != nil {
		w.lock.Release()
	}
	if w.session != nil {
		w.session.closeSession()
	}
	w.show.stopDrawing()
}

// startOnTime starts runs on time until stopped ends. Runs that others resume are in skip.
func (w *scheduled) startOnTime(ctx, stopped context.Context, s *cron.Schedule, skip map[string]bool) error {
	scheduler := &schedule.Scheduler{
		Schedule: s, Missed: schedule.Missed(w.backend.timing.missed), Overlap: schedule.Overlap(w.backend.timing.overlap), Grace: w.backend.timing.grace,
		Last: w.memory.Last, Keep: w.memory.Keep, Log: w.log,
		Start: func(due time.Time) { w.performRun(ctx, due) }, Skipped: func(due time.Time, why string) { w.queueMissed(ctx, due, why) },
	}
	next, err := s.Next(w.memory.Now(), 1)
	if err != nil {
		return failedError(err)
	}
	notes := []any{"workflow", w.backend.program.Definition.Name, "runs", s.Describe()}
	if len(next) > 0 {
		notes = append(notes, "next", next[0].Format(time.RFC3339))
	}
	w.log.Info("running the schedule", notes...)
	if now := time.Now(); w.memory.Last.Sub(now) > time.Minute {
		w.log.Warn("the clock is behind the last scheduled time, and each time starts at most one run; if that time was wrong, stop and remove the file", "last", w.memory.Last, "file", w.memory.Path())
	}
	w.resumeInterrupted(ctx, skip, scheduler.Busy)
	if w.backend.timing.now {
		scheduler.Now()
	}
	waking, stopWaking := context.WithCancel(stopped)
	defer stopWaking()
	var woken sync.WaitGroup
	woken.Go(func() { w.wakeDue(ctx, waking) })
	err = scheduler.Run(stopped)
	stopWaking()
	woken.Wait()
	return failedError(err)
}

// wakeDue continues the runs whose waits are over until stopped ends, and then waits for them.
func (w *scheduled) wakeDue(ctx, stopped context.Context) {
	waker := &schedule.Waker{
		Log: w.log, Wake: func(id string) error { return w.wakeRun(ctx, id) },
		Due: w.session.dueRuns,
	}
	waker.Run(stopped)
}

// reportLeft tells which runs this process leaves where they are.
func (w *scheduled) reportLeft() {
	if w.memory == nil {
		return // it never had its turn
	}
	for _, id := range w.memory.Left() {
		w.log.Warn("stopped; you or the schedule's next start can resume it", "run", id, "resume", w.backend.commandLine("resume", id)+w.backend.stateHint())
	}
	w.log.Info("stopped")
}

// resumeInterrupted resumes the runs that an earlier process left where they were, except those
// in skip. begin calls a function on a separate goroutine.
func (w *scheduled) resumeInterrupted(ctx context.Context, skip map[string]bool, begin func(resume func())) {
	for _, id := range w.memory.Left() {
		if skip[id] {
			continue
		}
		status, err := w.session.engine.Status(ctx, id)
		if err != nil || status.Status != flow.Interrupted {
			w.memory.Over(id) // it has ended, or waits for a person
			continue
		}
		w.log.Warn("resuming a run that was interrupted", "run", id)
		begin(func() {
			r, err := w.session.engine.Resume(ctx, w.backend.program.Definition, id, w.begins.runOptions(w.backend.call))
			w.reportEnd(ctx, id, r, err)
		})
	}
}

// performRun performs the run of a time.
func (w *scheduled) performRun(ctx context.Context, due time.Time) {
	w.log.Info("time for a run", "due", due.Format(time.RFC3339))
	r, err := w.backend.beginRun(ctx, w.session, w.begins)
	w.reportEnd(ctx, "", r, err)
}

// wakeRun continues a run that waited for a time that has come.
func (w *scheduled) wakeRun(ctx context.Context, id string) error {
	w.log.Info("the wait of a run is over: it continues", "run", id)
	opt := w.begins.runOptions(w.backend.call)
	opt.BaseBranch, opt.Graph = "", nil // it keeps its own
	r, err := w.session.engine.Resume(ctx, w.backend.program.Definition, id, opt)
	if err == nil || errors.Is(err, sched.ErrStopped) {
		w.reportEnd(ctx, id, r, err)
		return nil
	}
	if busy, ok := errors.AsType[*local.BusyError](err); ok && busy.RunID != "" {
		return nil // somebody else continues it
	}
	return err
}

// reportEnd tells how a run ended. The schedule goes on however that was.
func (w *scheduled) reportEnd(ctx context.Context, id string, r *local.Result, err error) {
	w.reporting.Lock()
	defer w.reporting.Unlock()
	if r != nil {
		id = r.ID
	}
	switch {
	case errors.Is(err, sched.ErrStopped):
		// It is told of when all are.
	case err != nil:
		w.log.Error("no run", "run", id, "error", err)
	default:
		w.log.Info("the run is over", "run", id, "status", r.Status)
		w.checkDelivered(ctx, id)
		if err := w.session.showResult(ctx, w.begins.flags, r); err != nil {
			w.log.Error("its result could not be shown", "run", id, "error", err)
		}
	}
}

// checkDelivered looks whether all of a run was delivered that was to be.
func (w *scheduled) checkDelivered(ctx context.Context, id string) {
	if w.backend.newDeliverer() == nil {
		return
	}
	status, err := w.session.engine.Status(ctx, id)
	if err != nil {
		w.log.Error("it is unknown whether it was delivered", "run", id, "error", err)
		return
	}
	list := undeliveredReasons(status.Steps)
	if len(list) > 0 {
		w.missed.Add(1)
	}
	for _, problem := range list {
		w.log.Error("not delivered", "run", id, "problem", problem)
	}
}

// handleNotice keeps account of the runs that go on.
func (w *scheduled) handleNotice(n local.Notice) {
	switch {
	case n.Begin && n.Parent == "":
		w.memory.Begun(n.RunID)
		if w.begun != nil {
			w.begun(n.RunID)
		}
	case n.End != nil:
		w.memory.Over(n.RunID)
	}
	w.show.handleNotice(n)
}

// catchSignals returns a context that the first signal ends. The second one stops the
// runs where they are; exit is then the exit code.
func (w *scheduled) catchSignals(ctx context.Context) (stopped context.Context, exit *atomic.Int64, release func()) {
	stopped, stop := context.WithCancel(ctx)
	exit = &atomic.Int64{}
	_, end := onSignals(func(sig os.Signal) {
		if stopped.Err() == nil {
			w.show.printAlways(w.backend.name + ": stopping: no more runs start; once more to stop the current run where it is")
			stop()
			return
		}
		exit.Store(int64(codeOf(sig)))
		_ = w.session.engine.Shutdown(ctx) // it waits for the runs' processes
	})
	return stopped, exit, func() {
		end()
		stop()
	}
}

// lines writes a log where the progress is shown.
type lines struct{ show *progress }

// Write implements io.Writer.
func (l lines) Write(text []byte) (int, error) {
	l.show.printAlways(strings.TrimSuffix(string(text), "\n"))
	return len(text), nil
}
