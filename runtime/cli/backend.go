package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/cluster"
	"github.com/wfc-lang/wfc/runtime/store"
)

// A backend is what commands need of the engine that a program was built for: this process
// performs the runs, or workers of a cluster do. Commands are written once, over it. Reading,
// answers and requests to cancel need no backend: they go through the store that connect
// opens.
type backend interface {
	// addConnectionFlags adds the flags of all commands that say where the runs are.
	addConnectionFlags(flags *pflag.FlagSet)
	// connectionHint returns those of these flags that this call was given, for a command
	// line that finds the same runs. No password is among them.
	connectionHint() string
	// ownVariables returns the environment variables with which the program reaches its runs,
	// and those of them whose values are secrets whatever they look like.
	ownVariables() (all, secret []string)
	// keepsRunsInFolder reports whether the state folder has the runs.
	keepsRunsInFolder() bool
	// connectStore opens the store with the runs.
	connectStore(ctx context.Context, folder state.Folder) (store.Store, error)

	// refuseCommand returns an *unsupportedError if the engine has nothing to do for a command.
	refuseCommand(verb string) error
	// extendCommand adds to a command the help and the flags that only this engine has.
	extendCommand(cmd *cobra.Command)
	// addInfo adds to a description of the program what only this engine has.
	addInfo(d *infoDocument)

	// placeRun decides where the steps of a new run work.
	placeRun(ctx context.Context, n *newRun) error
	// attendRun opens the engine for a new run or, unless resumed is "", for that run.
	attendRun(ctx context.Context, f runFlags, resumed string, show *progress) (*attended, error)
	// beginRun begins a run, and returns when it has ended or paused. The result is nil if it does
	// not wait for that.
	beginRun(ctx context.Context, s *session, n *newRun) (*local.Result, error)
	// continueRun continues a run, and returns when it has ended or paused.
	continueRun(ctx context.Context, s *session, id string, opt local.Options) (*local.Result, error)
	// printLog passes the lines of a run's log to print; with follow, until the run ends.
	printLog(ctx context.Context, s *session, id string, follow bool, print *logPrinter) error
	// logPlace says where people find the log of a run: a file, or a command.
	logPlace(s *session, id string) string
	// pruneRuns removes what no run needs any more.
	pruneRuns(ctx context.Context, p pruning) error
	// keepSchedule has runs like n begin at the times of a schedule.
	keepSchedule(cmd *cobra.Command, args []string, f scheduleFlags, n *newRun) error
	// listen has runs like n begin when triggers or the schedule say so.
	listen(cmd *cobra.Command, f listenFlags, n *newRun) error
	// performSteps performs the steps of runs that other processes begin.
	performSteps(ctx context.Context, f runFlags) error
}

// backendOf returns the backend of a call's program.
func backendOf(c *call) backend {
	if c.program.Cluster == nil {
		return &localBackend{call: c}
	}
	opener, _ := c.program.Cluster.(cluster.Opener)
	return &clusterBackend{call: c, opener: opener}
}

// A newRun is what a command line says of a run to begin.
type newRun struct {
	flags runFlags
	tree  worktreeFlags
	task  taskFlags
	in    *inputs
	// scheduled says that runs begin later, without a person.
	scheduled bool

	// readCommandLine sets these, and readObject the first two.
	inputs   json.RawMessage
	graph    *flow.GraphOptions
	worktree *local.Worktree
}

// newRun returns a run of the program's workflow; flags and readCommandLine fill it.
func (c *call) newRun() *newRun {
	taken := pflag.NewFlagSet("", pflag.ContinueOnError)
	c.backend.addConnectionFlags(taken)
	return &newRun{
		task: taskFlags{memory: memorySelf},
		in:   &inputs{def: c.program.Definition, stdin: c.streams.In, argv: c.argv, taken: taken},
	}
}

// readCommandLine checks the flags of a command line, and reads its inputs.
func (n *newRun) readCommandLine(c *call, cmd *cobra.Command, args []string) (err error) {
	if err := n.flags.checkValues(&c.program); err != nil {
		return err
	}
	if err := c.backend.placeRun(cmd.Context(), n); err != nil {
		return err
	}
	if err := n.in.collectValues(cmd.Flags(), args); err != nil {
		return err
	}
	if n.graph, err = c.graphOptions(&n.task, n.flags.runSettings, n.in); err != nil {
		return err
	}
	n.inputs, err = n.in.encodeObject(": give it by its flag, by --input NAME=VALUE or in --inputs FILE")
	return err
}

// readObject reads the inputs of a run that no command line begins.
func (n *newRun) readObject(c *call, given map[string]json.RawMessage) (err error) {
	n.in = &inputs{def: c.program.Definition, stdin: strings.NewReader("")}
	if err := n.in.setFromObject(given); err != nil {
		return err
	}
	if n.graph, err = c.graphOptions(&n.task, n.flags.runSettings, n.in); err != nil {
		return err
	}
	n.inputs, err = n.in.encodeObject("")
	return err
}

// runOptions returns the options of the run.
func (n *newRun) runOptions(c *call) local.Options {
	f, defaults := &n.flags, c.program.Defaults
	return local.Options{
		BaseBranch: cmp.Or(f.BaseBranch, defaults.BaseBranch), DocsDir: defaults.DocsDir, Worktree: n.worktree, Settings: f.runSettings.encodeJSON(),
		Limits: c.engineLimits(f.runSettings), Graph: n.graph, DeliverTo: c.deliverTo(f.SessionKey),
	}
}

// attended is an engine at work on a run, and the person at the terminal.
type attended struct {
	*session
	// stopAsking ends questions at the terminal, and signals is nil if an interrupt only ends
	// this process.
	stopAsking func()
	signals    *signals
}

func (w *attended) stopAttending() {
	w.stopAsking()
	w.signals.stopHandling()
	w.session.closeSession()
}

// workOnRun has the engine work on a new run or, unless resumed is "", on that run. It asks
// people, and shows progress and result.
func (a *app) workOnRun(ctx context.Context, f runFlags, resumed string, do func(context.Context, *session) (*local.Result, error)) error {
	show := a.newProgress(f)
	defer show.stopDrawing()
	w, err := a.backend.attendRun(ctx, f, resumed, show)
	if err != nil {
		return err
	}
	defer w.stopAttending()
	if resumed != "" && !f.quiet && w.program.Prompts != nil { // see showResult
		if status, err := w.engine.Status(ctx, resumed); err == nil { // else the run's end says what is wrong
			w.before, err = w.readFamilySteps(ctx, status)
			if err != nil {
				return err
			}
		}
	}
	result, err := do(ctx, w.session)
	w.stopAsking()
	show.stopDrawing()
	if err != nil || result == nil {
		return failedError(err)
	}
	defer a.remindOfToken(result)
	if err := w.showResult(ctx, f, result); err != nil {
		return err
	}
	if code := w.signals.signalExitCode(); code != 0 && result.Status == flow.Cancelled {
		return &exitError{code: code}
	}
	return exitOf(result)
}
