package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/commandline"
	"github.com/wfc-lang/wfc/internal/shared/cron"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/actions"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/inbox"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
	"github.com/wfc-lang/wfc/runtime/internal/schedule"
	"github.com/wfc-lang/wfc/runtime/internal/serving"
	"github.com/wfc-lang/wfc/runtime/internal/watch"
	"github.com/wfc-lang/wfc/runtime/store"
)

// listenFlags are the flags of listen.
type listenFlags struct {
	address, cert, key string
	// metrics is the address for /metrics, or "".
	metrics string
	most    int
	drain   time.Duration
	// standby lets it wait while another process runs the triggers.
	standby bool
	// stdin stops listen at the end of standard input: wfc starts several programs so.
	stdin bool
}

func (a *app) listenCommand() *cobra.Command {
	var f listenFlags
	n := a.newRun()
	n.scheduled = true
	cmd := &cobra.Command{
		Use:   "listen",
		Short: "Start runs when webhooks, files, branches or the schedule say so",
		Long: `Start runs of the workflow by its triggers and its schedule, and continue runs whose
waits are over, until a signal comes. wfc.yaml has the triggers.

Each delivery is queued in the store before the sender gets an answer, and starts one
run, also if this process dies in between. At most one process runs the triggers of a
workflow; with --standby, others queue deliveries meanwhile, and one of them takes over.

On SIGINT or SIGTERM, listen accepts nothing more and waits --drain for its runs. Then,
or on a second signal, it stops them where they are. The next listen resumes them.`,
		Args: commandline.NoArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.checkValues(); err != nil {
				return err
			}
			return a.backend.listen(cmd, f, n)
		},
	}
	n.flags.addToCommand(a.call, cmd)
	n.tree.addToCommand(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.address, "address", "127.0.0.1:8480", "`ADDRESS` for webhooks and /healthz: host:port, or unix: and a path")
	flags.StringVar(&f.cert, "cert", "", "certificate `FILE` (PEM) for HTTPS; read again when it changes")
	flags.StringVar(&f.key, "key", "", "private key `FILE` (PEM) of the certificate")
	flags.StringVar(&f.metrics, "metrics", "", "`ADDRESS` that serves Prometheus metrics at /metrics: host:port")
	flags.IntVar(&f.most, "parallel", 4, "maximum `RUNS` that triggers start at once")
	flags.DurationVar(&f.drain, "drain", time.Minute, "maximum wait for current runs after SIGTERM; 0: unlimited")
	flags.BoolVar(&f.standby, "standby", false, "while another process runs the triggers, wait and take over when it ends")
	flags.BoolVar(&f.stdin, "stdin", false, "stop at the end of standard input, too")
	_ = flags.MarkHidden("stdin") // there is such a flag
	cmd.MarkFlagsRequiredTogether("cert", "key")
	a.backend.extendCommand(cmd)
	return cmd
}

// checkValues checks what the flags say.
func (f *listenFlags) checkValues() error {
	if f.most < 1 {
		return usageError("`--parallel %d`: give a positive number", f.most)
	}
	if f.drain < 0 {
		return usageError("`--drain %s`: give a duration that is not negative", f.drain)
	}
	if path, ok := strings.CutPrefix(f.address, "unix:"); ok && path != "" {
		return nil
	}
	if _, _, err := net.SplitHostPort(f.address); err != nil {
		return usageError("`--address %s`: give host:port, such as 127.0.0.1:8480, or unix:/path/of/a/socket", f.address)
	}
	return nil
}

// isLoopback reports whether only this machine reaches the address.
func (f *listenFlags) isLoopback() bool {
	if strings.HasPrefix(f.address, "unix:") {
		return true
	}
	host, _, err := net.SplitHostPort(f.address)
	ip := net.ParseIP(host)
	return err != nil || host == "localhost" || ip != nil && ip.IsLoopback()
}

// A listener is the workflow with its triggers.
type listener struct {
	*scheduled
	flags  listenFlags
	dir    string
	queue  *inbox.Queue
	worker *inbox.Worker
	// payloads are those of the runs that are about to begin, by the run's id.
	payloads sync.Map
}

// listen runs the triggers and the schedule until a signal comes.
func (b *localBackend) listen(cmd *cobra.Command, f listenFlags, n *newRun) error {
	ctx, def := cmd.Context(), b.program.Definition
	if b.json {
		return usageError("`listen` has no `--json`; `--jsonl` prints what happens in the runs")
	}
	if f.metrics != "" && b.program.Webhooks == nil {
		return usageError("`--metrics` needs a web server, which this program has only with a webhook among its triggers")
	}
	if len(b.program.Triggers) == 0 && def.Schedule == "" {
		return usageError("the workflow has no trigger and no schedule: add `workflows: {\"%s\": {triggers: […]}}` to wfc.yaml, and build it again", def.Source)
	}
	if err := n.flags.checkValues(&b.program); err != nil {
		return err
	}
	if err := b.placeRun(ctx, n); err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return failedError(err)
	}
	w, err := b.openUnattended(ctx, n)
	if err != nil {
		return err
	}
	defer w.closeUnattended()
	box, ok := w.session.store.(runstore.Mailbox)
	if _, forgets := w.session.store.(interface{ Forgets() }); forgets || !ok {
		return usageError("the store of this program keeps nothing, so deliveries would be lost: use `store: sqlite` or `store: postgres` in wfc.yaml")
	}
	l := &listener{scheduled: w, flags: f, dir: dir}
	w.begun = l.keepPayload
	l.queue = &inbox.Queue{Box: box, Definition: def, Dir: dir, Log: w.log, Foreign: l.isForeign}
	l.worker = &inbox.Worker{Queue: l.queue, Most: f.most, Handle: l.handle}
	l.queue.Arrived = l.worker.Wake
	if !f.standby {
		if err := w.takeTurn(ctx); err != nil {
			return failedError(err)
		}
	}
	stopped, exit, release := w.catchSignals(ctx)
	defer release()
	if f.stdin {
		var end context.CancelFunc
		stopped, end = context.WithCancel(stopped)
		go func() {
			_, _ = io.Copy(io.Discard, b.streams.In) // its end counts, however it comes
			end()
		}()
	}
	if err := l.runAll(ctx, stopped); err != nil {
		return failedError(err)
	}
	w.reportLeft()
	if w.memory != nil {
		l.reportQueued(ctx)
	}
	return w.exitError(exit)
}

// runAll receives webhooks and, once it's this process's turn, does everything that starts or
// continues runs, until stopped ends, a part fails, or another machine takes over.
func (l *listener) runAll(ctx, stopped context.Context) error {
	stopped, stop := context.WithCancelCause(stopped)
	defer stop(nil)
	var parts sync.WaitGroup
	begin := func(part func() error) {
		parts.Go(func() {
			if err := part(); err != nil {
				stop(err)
			}
		})
	}
	begin(func() error { return l.receive(stopped) })
	begin(func() error {
		turn, err := l.awaitTurn(ctx, stopped)
		if err == nil && turn {
			err = l.beginFiring(ctx, stopped, begin)
		}
		return err
	})
	over := make(chan struct{})
	go l.stopLate(ctx, stopped, over)
	parts.Wait()
	close(over)
	if err := context.Cause(stopped); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// beginFiring begins all parts that only one process may do.
func (l *listener) beginFiring(ctx, stopped context.Context, begin func(part func() error)) (err error) {
	if l.memory, err = schedule.Recall(l.session.scheduleFile(".json"), l.backend.program.Definition.Schedule); err != nil {
		return err
	}
	skip := l.queuedRuns(ctx)
	if l.lease != nil {
		begin(func() error {
			select {
			case <-stopped.Done():
				return nil
			case <-l.lease.Lost():
				_ = l.session.engine.Shutdown(ctx)
				return errors.New("another machine may have taken over: the lease on the triggers is lost")
			}
		})
	}
	for i := range l.backend.program.Triggers {
		t := &l.backend.program.Triggers[i]
		if t.On.Webhook != "" {
			continue
		}
		begin(func() error {
			return (&watch.Watcher{
				Trigger: t, Dir: l.dir, Environ: l.backend.processEnviron(), Accept: l.queue.Accept, Log: l.log,
				Memory: watch.MemoryFile(l.session.folder, l.backend.program.Definition.Name, t.Name()),
			}).Run(stopped)
		})
	}
	begin(func() error {
		l.worker.Run(stopped, ctx)
		return nil
	})
	begin(func() error { return l.keepTimes(ctx, stopped, skip) })
	return nil
}

// keepTimes runs the schedule, if there is one, and continues runs whose waits are over.
func (l *listener) keepTimes(ctx, stopped context.Context, skip map[string]bool) error {
	if text := l.backend.program.Definition.Schedule; text != "" {
		s, _ := cron.Parse(text) // the compiler has checked it
		return l.startOnTime(ctx, stopped, s, skip)
	}
	var resumed sync.WaitGroup
	l.resumeInterrupted(ctx, skip, func(resume func()) { resumed.Go(resume) })
	l.wakeDue(ctx, stopped)
	resumed.Wait()
	return nil
}

// receive receives webhooks, if there are some.
func (l *listener) receive(stopped context.Context) error {
	p := &l.backend.program
	receiver, ok := p.Webhooks.(inbox.Receiver)
	if !ok {
		return nil
	}
	if !l.flags.isLoopback() && l.flags.cert == "" {
		l.log.Warn("webhooks arrive unencrypted from other machines; use --cert and --key, or a proxy with HTTPS", "address", l.flags.address)
	}
	return receiver.Serve(stopped, inbox.Site{
		Address: l.flags.address, Cert: l.flags.cert, Key: l.flags.key, Triggers: p.Triggers,
		Secret: os.Getenv, Accept: l.queue.Accept, Log: l.log,
		Metrics: l.flags.metrics, Source: serving.Source{Store: l.session.store, Runs: l.session.engine.ListRuns, Counts: l.backend.program.reaches},
		Ready: func(address string) { l.log.Info("listening", "address", address) },
	})
}

// reaches reports whether a workflow is the program's, or one that it runs.
func (p *Program) reaches(workflow string) bool {
	return slices.ContainsFunc(flow.Reachable(p.Definition), func(def *flow.Definition) bool { return def.Name == workflow })
}

// queuedRuns are the runs of queued deliveries, which the worker resumes.
func (l *listener) queuedRuns(ctx context.Context) map[string]bool {
	items, err := l.worker.Left(ctx)
	if err != nil {
		l.log.Error("the queue of deliveries cannot be read", "error", err)
	}
	runs := map[string]bool{}
	for _, item := range items {
		runs[item.RunID] = item.RunID != ""
	}
	return runs
}

// reportQueued tells which deliveries this process leaves in the queue without a run.
func (l *listener) reportQueued(ctx context.Context) {
	items, _ := l.worker.Left(ctx)
	for _, item := range items {
		l.log.Warn("still queued; the next listen handles it", "trigger", item.Trigger, "delivery", plain.Clip(plain.Line(item.ID), 80))
	}
}

// handle acts on a queued delivery.
func (l *listener) handle(ctx context.Context, item inbox.Item) error {
	switch {
	case item.Answer != nil:
		return l.answerQuestion(ctx, item)
	case item.Request.Event != "":
		return l.reportEvent(ctx, item)
	}
	status, err := l.session.engine.Status(ctx, item.RunID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return l.startTriggered(ctx, item)
	case err != nil:
		return &inbox.Later{Reason: err}
	case status.Status != flow.Interrupted && status.Status != flow.Pending:
		return nil // it has ended, waits, or somebody works on it
	}
	l.log.Warn("resuming a run that was interrupted", "run", item.RunID)
	return l.continueTriggered(ctx, item.RunID)
}

// startTriggered starts the run of a delivery, and returns when it has ended or paused.
func (l *listener) startTriggered(ctx context.Context, item inbox.Item) error {
	l.payloads.Store(item.RunID, item.Payload)
	defer l.payloads.Delete(item.RunID)
	begins := *l.begins
	begins.flags.Trigger = &document.Trigger{Name: item.Trigger, Event: item.Event, Delivery: plain.Clip(item.ID, 200), Received: item.Received}
	begins.flags.StartedBy = &actions.Actor{From: "trigger " + item.Trigger}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(item.Inputs, &given); err != nil {
		return err
	}
	if err := begins.readObject(l.backend.call, given); err != nil {
		return err
	}
	opt := begins.runOptions(l.backend.call)
	opt.ID, opt.WorkDir = item.RunID, l.dir
	r, err := l.session.engine.Run(ctx, l.backend.program.Definition, begins.inputs, opt)
	return l.endTriggered(ctx, item.RunID, r, err)
}

// continueTriggered resumes a run, and returns when it has ended or paused.
func (l *listener) continueTriggered(ctx context.Context, id string) error {
	opt := l.begins.runOptions(l.backend.call)
	opt.BaseBranch, opt.Graph = "", nil // it keeps its own
	r, err := l.session.engine.Resume(ctx, l.backend.program.Definition, id, opt)
	return l.endTriggered(ctx, id, r, err)
}

// endTriggered tells how a run ended, and returns what that means for its delivery.
func (l *listener) endTriggered(ctx context.Context, id string, r *local.Result, err error) error {
	busy, isBusy := errors.AsType[*local.BusyError](err)
	_, elsewhere := errors.AsType[*runerr.EmbeddedError](err)
	switch {
	case errors.Is(err, sched.ErrStopped), errors.Is(err, local.ErrShutdown):
		return inbox.ErrLeft
	case isBusy && busy.RunID != "", elsewhere:
		return nil // somebody else works on it, or will
	case isBusy:
		return &inbox.Later{Reason: err, After: checkoutPoll, Patient: true}
	case errors.Is(err, store.ErrExists):
		return &inbox.Later{Reason: err, After: time.Second}
	case err != nil:
		return &inbox.Later{Reason: err}
	}
	l.reportEnd(ctx, id, r, nil)
	return nil
}

// checkoutPoll is the time between two looks at a checkout that another run works on.
const checkoutPoll = 2 * time.Second

// stopLate stops the runs where they are if, after the end of stopped, they have had their time
// before all is over.
func (l *listener) stopLate(ctx, stopped context.Context, over <-chan struct{}) {
	select {
	case <-over:
		return
	case <-stopped.Done():
	}
	if l.flags.drain == 0 {
		return
	}
	select {
	case <-over:
	case <-time.After(l.flags.drain):
		l.log.Warn("the time to drain is over: the current runs stop where they are")
		_ = l.session.engine.Shutdown(ctx) // it waits for the runs' processes
	}
}

// keepPayload writes the payload of a run into the folder of the run, before its first step.
func (l *listener) keepPayload(id string) {
	payload, ok := l.payloads.Load(id)
	if !ok {
		return
	}
	path := filepath.Join(l.session.folder.RunDir(id), payloadName)
	if err := wholefile.Write(path, append(bytes.Clone(payload.([]byte)), '\n'), 0o600, true); err != nil {
		l.log.Error("the payload is not kept beside the run", "run", id, "error", err)
	}
}
