package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/store"
)

func (a *app) resumeCommand() *cobra.Command {
	var f runFlags
	var again repeatFlags
	var force, checkOnly bool
	cmd := &cobra.Command{
		Use:   "resume [RUN]",
		Short: "Resume a run that has not completed",
		Long: "Resume a run. Completed steps do not run again; all others do. The run asks its\nquestions at the terminal or pauses again: resume answers nothing.\n\n" +
			"--from repeats a completed step and those that depend on it, also in a completed run:\nit shows them with their cost first. Gates among them ask again. STEP is a node, or\na part such as `fix#3`; in a state graph, a visit such as `fix@3`.\n\n" +
			"RUN is a run's id, a prefix of one, or `latest` (the default). The build that\nstarted the run also resumes it; the state folder keeps that build. --force moves\nthe run to this build.",
		Args: atMostOneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.checkValues(&a.program); err != nil {
				return err
			}
			if err := again.checkValues(); err != nil {
				return err
			}
			if again.list {
				return a.withRun(cmd.Context(), firstOrEmpty(args), func(ctx context.Context, s *session, id string) error { return s.listSteps(ctx, id) })
			}
			run, err := a.findResumableRun(cmd.Context(), firstOrEmpty(args))
			if err != nil {
				return err
			}
			if checkOnly {
				return a.withRun(cmd.Context(), run.ID, func(ctx context.Context, s *session, _ string) error { return s.checkAgentsOf(ctx, f, &run) })
			}
			// Another build shows the steps itself.
			if again.from != "" && (force || run.Fingerprint == a.program.Definition.Fingerprint) {
				if err := a.confirmRepeat(cmd.Context(), run, again); err != nil {
					return err
				}
			}
			err = a.resumeRun(cmd.Context(), f, resumption{
				id: run.ID, settings: run.Settings, fingerprint: run.Fingerprint, completed: run.Status == flow.Completed && again.from == "", force: force, from: again.from, elsewhere: os.Args,
			})
			if busy, ok := errors.AsType[*local.BusyError](err); ok && busy.RunID != "" {
				hint := a.stateHint()
				return failedError(fmt.Errorf("%w; watch it with `%s -f%s`, or end it with `%s%s`", busy, a.commandLine("logs", busy.RunID), hint, a.commandLine("cancel", busy.RunID), hint))
			}
			return err
		},
	}
	f.addToCommand(a.call, cmd)
	again.addToCommand(cmd)
	cmd.Flags().BoolVar(&force, "force", false, "")
	cmd.Flags().BoolVar(&checkOnly, "check-only", false, "") // for pages; see runDesk.Answer
	_ = cmd.Flags().MarkHidden("check-only")                 // there is such a flag
	a.backend.extendCommand(cmd)
	return cmd
}

// findResumableRun finds the run to resume, with the settings that are kept with it. The
// store is closed again: the performers depend on the settings, and a pinned
// binary opens the store itself.
func (a *app) findResumableRun(ctx context.Context, name string) (store.Run, error) {
	s, err := openReading(ctx, a.call)
	if err != nil {
		return store.Run{}, err
	}
	defer s.store.Close()
	id, err := s.findRoot(ctx, name)
	if err != nil {
		return store.Run{}, err
	}
	run, err := s.store.Run(ctx, id)
	return run, failedError(err)
}

// resumption is a run to be resumed.
type resumption struct {
	id string
	// settings are those that are kept with the run.
	settings json.RawMessage
	// fingerprint is that of the build that the run belongs to.
	fingerprint string
	// completed says that the run has completed, so there is no version to continue with.
	completed bool
	// answers says that the command answers a question of the run, and continues it.
	answers bool
	// force moves it to this build.
	force bool
	// from is the step that is repeated, or "".
	from string
	// cancelBy cancels it at once, or is "".
	cancelBy string
	// elsewhere is the command line that resumes it in another build.
	elsewhere []string
}

// resumeRun goes on with a run, in the build that it began with.
func (a *app) resumeRun(ctx context.Context, f runFlags, r resumption) (err error) {
	given := f.runSettings
	if f.runSettings, err = f.runSettings.mergeOver(r.settings); err != nil {
		return failedError(err)
	}
	f.force, f.cancels, f.repeats = r.force, r.cancelBy != "", r.from != ""
	by := ""
	if answered := r.answers || a.actsFor != nil && a.actsFor.Name == ""; !answered {
		by = a.actor().String()
	}
	err = a.workOnRun(ctx, f, r.id, func(ctx context.Context, s *session) (*local.Result, error) {
		a.noteVersion(r)
		return a.backend.continueRun(ctx, s, r.id, local.Options{
			BaseBranch: f.BaseBranch, Force: r.force, CancelBy: r.cancelBy, From: r.from, By: by, Limits: a.engineLimits(f.runSettings),
			Graph: s.graphOf(ctx, r.id, given, f.runSettings), Settings: given.keptOf(f.runSettings),
		})
	})
	if other := otherBuild(err); other != nil {
		return a.resumeElsewhere(other, r.elsewhere)
	}
	return err
}

// noteVersion says which version of its workflow or settings a run continues with, if it moves
// to another one, or if the workflow file or wfc.yaml has changed since the run started.
func (a *app) noteVersion(r resumption) {
	own := a.program.Definition.Fingerprint
	current, newSettings := strings.CutSuffix(a.current, changedSettings)
	if r.completed {
		return
	}
	if r.force {
		if program := local.EmbeddedIn(r.settings); program != "" {
			fmt.Fprintf(a.streams.Err, "%s: run %s leaves the Go program %s, and its next answer continues it here\n", a.name, r.id, plain.Line(program))
			return
		}
		to := "this build"
		switch {
		case r.fingerprint == own && newSettings:
			to = "the current wfc.yaml"
		case r.fingerprint == own:
			return
		case a.wfc:
			to = "the current version of its workflow file"
		}
		fmt.Fprintf(a.streams.Err, "%s: run %s moves to %s\n", a.name, r.id, to)
		return
	}
	if current == "" || current == own && !newSettings || r.fingerprint != own || r.cancelBy != "" {
		return
	}
	file, noun := "the workflow of run "+r.id+" has changed since it started", "version"
	switch {
	case current == own:
		file, noun = "wfc.yaml has changed since run "+r.id+" started", "settings"
	case a.file != "":
		file = plain.Line(a.file) + " has changed since run " + r.id + " started"
	}
	way := "`" + a.commandLine("resume", r.id) + a.stateHint() + " --force` moves it to the new " + noun
	switch {
	case current == currentInvalid:
		way = "the file has errors: see `wfc check`"
	case r.answers:
		way = "to move it to the new " + noun + " first, add --no-resume to the answer, then call `" + a.commandLine("resume", r.id) + a.stateHint() + " --force`"
	}
	fmt.Fprintf(a.streams.Err, "%s: %s; it continues with the old %s (%s)\n", a.name, file, noun, way)
}

// otherBuild reports the build with which a run goes on, or nil.
func otherBuild(err error) *runerr.OtherBuildError {
	if other, ok := errors.AsType[*runerr.OtherBuildError](err); ok && other.Executable != "" {
		return other
	}
	return nil
}

// elsewhereVariable is set in the environment of a build that another one
// called to resume a run, so that two builds that are both not the right one do
// not call each other forever.
const elsewhereVariable = "WFC_RESUMED_FOR"

// resumeElsewhere goes on in the binary that the run began with, called by argv.
func (a *app) resumeElsewhere(other *runerr.OtherBuildError, argv []string) error {
	if os.Getenv(elsewhereVariable) == other.Run {
		return failedError(fmt.Errorf("the build %s, kept for run %s, is not the one that started the run; resume it with --force to move it to this build", other.Executable, other.Run))
	}
	fmt.Fprintf(a.streams.Err, "%s: run %s continues in the build that started it\n", a.name, other.Run)
	environ := a.caller.passOn(append(os.Environ(), elsewhereVariable+"="+other.Run))
	if a.actsFor != nil {
		environ = append(environ, actorEnviron(*a.actsFor)...)
	}
	err := replaceProcess(other.Executable, argv, environ)
	var exit *exitError
	if err == nil || errors.As(err, &exit) {
		return err
	}
	return failedError(fmt.Errorf("the build that started run %s does not start: %w; resume it with --force to move it to this one", other.Run, err))
}
