package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/internal/confine"
	"github.com/wfc-lang/wfc/runtime/internal/schedule"
	"github.com/wfc-lang/wfc/runtime/store"
)

// localBackend is the engine of programs that perform their runs themselves. The state
// folder has the runs, or a database.
type localBackend struct {
	*call
	// database is the URL that --database gives, or "".
	database string
	// keep and timing are flags of prune and schedule.
	keep   keepFlags
	timing timingFlags
}

// timingFlags are the flags of a schedule that this process keeps.
type timingFlags struct {
	// undelivered starts although targets cannot be delivered to.
	undelivered bool
	now         bool
	missed      string
	overlap     string
	grace       time.Duration
}

// keepFlags are the flags of prune that select runs of this machine.
type keepFlags struct {
	keep       int
	counts     bool // keep was given
	statuses   []string
	force, all bool
}

// databaseVariable is the environment variable with the database's URL.
const databaseVariable = "WFC_DATABASE_URL"

func (b *localBackend) addConnectionFlags(flags *pflag.FlagSet) {
	if b.program.OpenDatabase != nil {
		flags.StringVar(&b.database, "database", "", "")
	}
}

func (b *localBackend) connectionHint() string { return hintOf("database", b.database) }

func (b *localBackend) ownVariables() (all, secret []string) {
	if b.program.OpenDatabase == nil {
		return nil, nil
	}
	return []string{databaseVariable}, []string{databaseVariable}
}

func (b *localBackend) keepsRunsInFolder() bool { return b.program.OpenDatabase == nil }

func (b *localBackend) connectStore(ctx context.Context, folder state.Folder) (store.Store, error) {
	if b.program.OpenDatabase == nil {
		return b.program.OpenStore(ctx, folder.Path)
	}
	given := b.databaseURL()
	if given == "" {
		return nil, usageError("this program keeps its runs in PostgreSQL: set %s or give --database, to a URL such as postgres://user:password@host/name", databaseVariable)
	}
	b.warnOfNetwork(given)
	patience := time.AfterFunc(databaseNotice, func() {
		fmt.Fprintf(b.streams.Err, "%s: waiting for the database %s\n", b.name, shownURL(given))
	})
	defer patience.Stop()
	return b.program.OpenDatabase(ctx, given)
}

// databaseNotice is how long a database may keep people waiting without a word.
const databaseNotice = time.Second

// databaseURL is the URL of the database, or "" when nobody gives one.
func (b *localBackend) databaseURL() string {
	return cmp.Or(b.database, os.Getenv(databaseVariable), b.program.Defaults.Database, b.call.caller.database)
}

func (*localBackend) refuseCommand(verb string) error {
	if verb == "worker" {
		return &unsupportedError{"this program performs its runs itself: only programs of `wfc build --engine temporal` have the command `worker`"}
	}
	return nil
}

func (b *localBackend) extendCommand(cmd *cobra.Command) {
	switch cmd.Name() {
	case "prune":
		b.extendPrune(cmd)
	case "schedule":
		b.extendSchedule(cmd)
	case "listen":
		b.addTiming(cmd)
	}
}

func (b *localBackend) extendSchedule(cmd *cobra.Command) {
	cmd.Long = "Run the workflow at scheduled times until you stop the command. It asks nobody: a\n" +
		"run with a question pauses, and `approve`, `reject` and `answer` continue it. It\n" +
		"also continues paused runs whose waits are over, as `wake` does.\n\n" +
		"The first interrupt stops the schedule and waits for the current run. The second\n" +
		"stops that run where it is; `resume` continues it."
	flags, t := cmd.Flags(), &b.timing
	flags.BoolVar(&t.now, "now", false, "also start a run immediately")
	b.addTiming(cmd)
}

// addTiming adds the flags of a schedule that this process keeps.
func (b *localBackend) addTiming(cmd *cobra.Command) {
	flags, t := cmd.Flags(), &b.timing
	flags.StringVar(&t.missed, "missed", string(schedule.MissedOnce), "runs for missed times: once, one for all, or skip")
	flags.DurationVar(&t.grace, "grace", schedule.Grace, "maximum age of a missed time: a `DURATION`")
	flags.StringVar(&t.overlap, "overlap", string(schedule.OverlapSkip), "times during the previous run: skip, queue or allow")
	if b.newDeliverer() != nil {
		flags.BoolVar(&t.undelivered, "skip-delivery-check", false, "start even if a target has no usable address")
	}
}

func (b *localBackend) extendPrune(cmd *cobra.Command) {
	cmd.Use, cmd.Args = "prune [RUN]", atMostOneRun
	cmd.Long = "Remove runs with their logs, artifacts, worktrees and branches. Give RUN (a run's id or a\nprefix of one), --older-than, --keep or --status; prune removes a run if all given\nconditions apply. --keep counts the newest runs with the statuses.\n\n" +
		"prune keeps paused, interrupted and running runs unless --status names them, and\nalways keeps a run that a process works on. It also keeps a run whose worktree has\nuncommitted changes or whose branch is not merged, unless you give --force.\n\nUnfinished runs keep copies of their binaries. prune counts them, and removes those\nthat no run needs."
	cmd.Example = "  " + b.name + " " + b.usageLine("prune") + " --older-than 30d --dry-run\n  " + b.name + " " + b.usageLine("prune") + " --keep 20 --status completed"
	flags := cmd.Flags()
	flags.IntVar(&b.keep.keep, "keep", 0, "")
	flags.StringSliceVar(&b.keep.statuses, "status", nil, statusUse)
	flags.BoolVar(&b.keep.force, "force", false, "")
	b.projectFlag(cmd, &b.keep.all)
	cmd.PreRun = func(*cobra.Command, []string) { b.keep.counts = flags.Changed("keep") }
}

func (b *localBackend) addInfo(d *infoDocument) {
	if b.program.OpenDatabase != nil {
		d.Database, d.Variables = shownURL(b.databaseURL()), append(d.Variables, databaseVariable)
	}
}

func (b *localBackend) placeRun(_ context.Context, n *newRun) (err error) {
	n.worktree, err = n.tree.worktreeRequest(b.program.Definition.Worktree)
	return err
}

func (b *localBackend) attendRun(ctx context.Context, f runFlags, resumed string, show *progress) (*attended, error) {
	with, prompts, err := b.setupFor(f)
	if err != nil {
		return nil, err
	}
	if folder, err := b.stateFolder(); err == nil && b.adopts {
		confine.Ahead(&with.sandbox, folder.Path)
	}
	if resumed == "" {
		missing, err := b.checkNew(ctx, f, prompts)
		if err != nil {
			return nil, err
		}
		b.warnBefore(f, show, missing)
	}
	asker, stopAsking := b.newAsker(f, show, resumed)
	ruled := &ruledAsker{Asker: asker, print: show.printAlways}
	if asker != nil && len(f.GateRules) > 0 {
		asker = ruled
	}
	with.watch, with.asker = show.handleNotice, asker
	s, err := b.openWith(ctx, with)
	ruled.session = s
	if err == nil && resumed != "" && !f.cancels {
		if err = b.checkAgents(ctx, f, prompts, s.agentsToAsk(ctx, f, resumed)); err != nil {
			s.closeSession()
		}
	}
	if err != nil {
		stopAsking()
		return nil, err
	}
	return &attended{s, stopAsking, catchSignals(s, show)}, nil
}

// warnBefore says before a run that somebody watches that its workflow is deprecated, which
// programs may be missing, and what cannot be delivered.
func (b *localBackend) warnBefore(f runFlags, show *progress, missing []string) {
	if f.quiet || f.jsonl {
		return
	}
	if why := b.program.Definition.Deprecated; why != "" {
		show.printAlways("! this workflow is deprecated: " + plain.Line(why))
	}
	for _, line := range missing {
		show.printAlways("! " + plain.Line(line))
	}
	for _, problem := range b.deliveryProblems(f.SessionKey) {
		show.printAlways("! this run cannot deliver to " + problem)
	}
	for _, problem := range b.noticeProblems() {
		show.printAlways("! no notice can reach " + problem)
	}
}

func (b *localBackend) beginRun(ctx context.Context, s *session, n *newRun) (*local.Result, error) {
	return s.engine.Run(ctx, b.program.Definition, n.inputs, n.runOptions(b.call))
}

func (b *localBackend) continueRun(ctx context.Context, s *session, id string, opt local.Options) (*local.Result, error) {
	return s.engine.Resume(ctx, b.program.Definition, id, opt)
}

func (b *localBackend) logPlace(s *session, id string) string { return s.folder.LogFile(id) }

func (b *localBackend) performSteps(context.Context, runFlags) error {
	return b.refuseCommand("worker")
}

// scheduleFile is a file that this process and others keep for the schedule of the workflow.
func (s *session) scheduleFile(suffix string) string {
	return schedule.File(s.folder, s.program.Definition.Name, suffix)
}
