package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/internal/filelock"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/schedule"
	"github.com/wfc-lang/wfc/runtime/store"
)

func (a *app) signalCommand() *cobra.Command {
	r := &reply{verb: "signal", choice: kernel.ChoiceSignal, wait: flow.WaitEvent}
	cmd := &cobra.Command{
		Use:   "signal RUN EVENT [PAYLOAD]",
		Short: "Report an event that a run waits for",
		Long: "Report an event that a run waits for.\n\n" +
			"RUN is the whole id of the run. PAYLOAD is text or JSON for the run. An event is not\na gate: every program may report it.\n\n" + answerNote,
		Example: strings.Join(a.exampleLines("signal", []string{"RUN deployed", `RUN deployed '{"url": "https://example.com"}'`}), "\n"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) < 2 || len(args) > 3 {
				return usageError("`%s` takes the id of a run, an event and perhaps a payload, quoted if it has spaces, and was given: %s", cmd.CommandPath(), strings.Join(plain.Texts(args, plain.ShellWord), " "))
			}
			if err := r.checkValues(&a.program); err != nil {
				return err
			}
			if err := a.exactRun(cmd.Context(), args[0]); err != nil {
				return err
			}
			if r.event = args[1]; r.event == "" {
				return usageError("the name of the event is empty")
			}
			payload := ""
			if len(args) == 3 {
				payload = args[2]
			}
			return a.deliverAnswer(cmd.Context(), r, args[0], payload, passedOn(cmd.Flags()))
		},
	}
	r.addToCommand(a.call, cmd)
	cmd.Flags().StringVar(&r.node, "node", "", "")
	cmd.Flags().BoolVar(&r.noResume, "no-resume", false, "")
	return cmd
}

// exactRun refuses everything but the whole id of a run: a program that reports an event
// must not reach another run by mistake.
func (c *call) exactRun(ctx context.Context, name string) error {
	s, err := openReading(ctx, c)
	if err != nil {
		return err
	}
	defer s.store.Close()
	_, err = s.store.Run(ctx, name)
	if !errors.Is(err, store.ErrNotFound) {
		return failedError(err)
	}
	if id, err := s.resolveRunID(ctx, name); err == nil {
		return usageError("`signal` needs the id of a run, such as %s", id)
	}
	return usageError("run %s: %w in %s", name, store.ErrNotFound, runstore.Place(s.store, s.folder.Path))
}

func (a *app) wakeCommand() *cobra.Command {
	r := &reply{verb: "wake", choice: kernel.ChoiceWake, wait: flow.WaitAttention}
	cmd := &cobra.Command{
		Use:   "wake [RUN]",
		Short: "Continue runs whose waits are over",
		Long: "Continue the paused runs of the workflow that wait for a time, an event, an agent's quota or\na budget, if the time of the wait is over, and those whose questions are answered. A run that a process\nworks on continues by itself.\n\n" +
			"RUN is a run's id, a prefix of one, or `latest`; the default is every run. With\n--node, wake ends the wait of a node for a person's attention, an agent's quota or a budget. That is an\nanswer to a gate: only a person can give it.\n\n" +
			"With RUN, the exit code is that of the run. Without it, it is 1 if a run failed.",
		Example: strings.Join(a.exampleLines("wake", []string{"", "RUN", "RUN --node review"}), "\n"),
		Args:    atMostOneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.checkValues(&a.program); err != nil {
				return err
			}
			if r.node != "" {
				return a.deliverAnswer(cmd.Context(), r, firstOrEmpty(args), "", passedOn(cmd.Flags()))
			}
			if r.noResume || r.token != "" {
				return usageError("`--no-resume` and `--token` need `--node`")
			}
			if len(args) > 0 {
				return a.wakeRun(cmd.Context(), r, args[0])
			}
			if r.jsonl || r.Record != "" {
				return usageError("`--jsonl` and `--record` are for one run: name it")
			}
			return a.wakeAll(cmd.Context(), r.runFlags)
		},
	}
	r.addToCommand(a.call, cmd)
	cmd.Flags().StringVar(&r.node, "node", "", "")
	cmd.Flags().StringVar(&r.token, "token", "", "")
	cmd.Flags().BoolVar(&r.noResume, "no-resume", false, "")
	return cmd
}

// wakeRun continues a run if the time of one of its waits is over.
func (a *app) wakeRun(ctx context.Context, r *reply, name string) error {
	s, err := openReading(ctx, a.call)
	if err != nil {
		return err
	}
	var f *family
	id, err := s.findRoot(ctx, name)
	if err == nil {
		f, err = s.loadFamily(ctx, id)
	}
	s.store.Close()
	switch {
	case err != nil:
		return err
	case f.onlyAnswered():
	case !f.onlyWaits():
		return failedError(fmt.Errorf("run %s does not wait: it is %s", id, f.root.Status))
	case f.firstWait().Deadline.IsZero() || f.firstWait().Deadline.After(time.Now()):
		var list []string
		for _, r := range f.allRuns() {
			for _, q := range waitQuestions(r.Questions) {
				list = append(list, "\n  "+a.runDisplay(r.Workflow).nodeOf(q.Key)+" "+plain.Below(waitText(q.Question, q.Deadline), "    "))
			}
		}
		return failedError(fmt.Errorf("no wait of run %s is over%s", id, strings.Join(list, "")))
	}
	return a.resumeRun(ctx, r.runFlags, resumption{
		id: id, settings: f.root.Settings, fingerprint: f.root.Fingerprint, elsewhere: []string{os.Args[0], "resume", id},
	})
}

// wakeAll continues all runs of which the time of a wait is over, side by side, and waits
// until they have ended or paused.
func (a *app) wakeAll(ctx context.Context, f runFlags) error {
	f.noAsk = true
	sayNone := func() {
		if !f.quiet {
			fmt.Fprintf(a.streams.Err, "no wait of a run of %s is over\n", a.program.Definition.Name)
		}
	}
	if folder, err := a.stateFolder(); err == nil && a.backend.keepsRunsInFolder() && !isFile(folder.Database()) {
		sayNone()
		return nil
	}
	s, err := a.newService(ctx, f)
	if err != nil {
		return err
	}
	due, _, err := s.session.dueRuns(ctx)
	if err != nil {
		s.Close(ctx, "")
		return err
	}
	if len(due) == 0 {
		sayNone()
	}
	incoming := make(chan os.Signal, 1)
	notifyEnds(incoming)
	outliveReaders()
	defer signal.Stop(incoming)
	var ids, wrong []string
	pacing, endPacing := context.WithCancel(ctx)
	defer endPacing()
	started := make(chan bool, 1)
	go func() {
		schedule.Pace(pacing, due, func(run schedule.Due) {
			ids = append(ids, run.ID)
			if _, err := s.Resume(ctx, run.ID); err != nil {
				wrong = append(wrong, fmt.Sprintf("run %s: %v", run.ID, err))
			}
		})
		close(started)
	}()
	idle := make(chan bool)
	go func() {
		<-started
		<-s.idleSignal()
		close(idle)
	}()
	select {
	case <-idle:
	case sig := <-incoming:
		endPacing()
		<-started
		closing, stop := context.WithTimeout(context.Background(), closeTimeout)
		defer stop()
		s.Close(closing, "signal "+signalName(sig))
		return &exitError{code: codeOf(sig)}
	}
	defer s.Close(ctx, "")
	for _, id := range ids {
		status, err := s.session.engine.Status(ctx, id)
		switch {
		case err != nil:
			return failedError(err)
		case !a.json && !f.quiet:
			fmt.Fprintf(a.streams.Err, "run %s %s\n", id, statusVerb(status.Status))
		}
		if status.Status == flow.Failed || status.Status == flow.LimitReached {
			wrong = append(wrong, fmt.Sprintf("run %s %s: %s", id, statusVerb(status.Status), plain.Below(status.Error, "  ")))
		}
	}
	if a.json {
		if err := printJSON(a.streams.Out, wakeDocument{schemaVersion, append([]string{}, ids...)}); err != nil {
			return err
		}
	}
	if len(wrong) > 0 {
		return &exitError{runerr.ExitFailed, errors.New(strings.Join(wrong, "\n"))}
	}
	return nil
}

// wakeDocument is what wake prints with --json when no run is named.
type wakeDocument struct {
	SchemaVersion int `json:"schema_version"`
	// Woken are the ids of the runs that were continued.
	Woken []string `json:"woken"`
}

// dueRuns returns the waiting runs of the workflow of which the time of a wait is over, in the order
// in which the waits began, and the next time at which that holds for another one; zero is none.
func (s *session) dueRuns(ctx context.Context) (due []schedule.Due, next time.Time, err error) {
	runs, err := s.engine.ListRuns(ctx, store.Filter{Workflow: s.program.Definition.Name}, flow.Paused, flow.Interrupted)
	if err != nil {
		return nil, next, failedError(err)
	}
	for _, r := range slices.Backward(runs) {
		f, err := s.loadFamily(ctx, r.ID)
		if err != nil {
			return nil, next, err
		}
		first := f.firstWait()
		switch {
		case f.onlyAnswered(): // its process was killed before it went on
			due = append(due, schedule.Due{ID: r.ID, Since: r.Updated})
		case !f.onlyWaits() || first.Deadline.IsZero():
		case !first.Deadline.After(time.Now()):
			due = append(due, schedule.Due{ID: r.ID, Since: first.Since, Paced: first.Wait == flow.WaitQuota})
		case next.IsZero() || first.Deadline.Before(next):
			next = first.Deadline
		}
	}
	slices.SortStableFunc(due, func(a, b schedule.Due) int { return a.Since.Compare(b.Since) })
	return due, next, nil
}

// onlyWaits reports whether no process works on the family and nothing but waits and
// questions is left of its steps that have begun: it is paused, or its process died while
// it waited.
func (f *family) onlyWaits() bool {
	return f.root.Status == flow.Paused || f.root.Status == flow.Interrupted && !slices.ContainsFunc(f.allRuns(), func(r *local.RunStatus) bool {
		return slices.ContainsFunc(r.Steps, func(s flow.Record) bool {
			return s.Status == flow.Interrupted && s.Kind != (flow.Child{}).Kind()
		})
	})
}

// firstWait is the wait of the family that is over first; without a deadline, there is none.
func (f *family) firstWait() (first engine.Question) {
	for _, r := range f.allRuns() {
		for _, q := range waitQuestions(r.Questions) {
			if !q.Deadline.IsZero() && (first.Deadline.IsZero() || q.Deadline.Before(first.Deadline)) {
				first = q
			}
		}
	}
	return first
}

// notAwaited says that a run does not wait for what a command reports, and for what it
// does wait.
func (r *reply) notAwaited(status *local.RunStatus) error {
	what, open := "the event `"+r.event+"`", []string{}
	if r.wait == flow.WaitAttention {
		what = "a person"
	}
	if r.node != "" {
		what += " in `" + r.node + "`"
	}
	for _, q := range status.Questions {
		if r.endsWait(q.Wait) {
			open = append(open, fmt.Sprintf("`%s` %s", q.Key, format.FirstLine(waitText(q.Question, q.Deadline))))
		}
	}
	text := fmt.Sprintf("run %s does not wait for %s: it is %s", status.ID, what, status.Status)
	if len(open) > 0 {
		text = fmt.Sprintf("run %s does not wait for %s; %s", status.ID, what, strings.Join(open, "; "))
	}
	return errors.New(plain.Line(text))
}

// asksPeople are the open questions that are no waits.
func asksPeople(open []engine.Question) []engine.Question {
	return slices.DeleteFunc(slices.Clone(open), func(q engine.Question) bool { return q.Wait != "" })
}

// waitQuestions are the open questions that are waits.
func waitQuestions(open []engine.Question) []engine.Question {
	return slices.DeleteFunc(slices.Clone(open), func(q engine.Question) bool { return q.Wait == "" })
}

// continuedBy says who continues a run when what it waits for has come: the process that
// works on it, or the one that keeps the workflow's schedule, or else a command. held reports whether
// it is a process.
func (s *session) continuedBy(root *local.RunStatus) (by string, held bool) {
	if holder, _ := s.engine.Holder(root.ID); holder != "" {
		return holder, true
	}
	if held, holder, err := filelock.Held(schedule.File(s.folder, root.Workflow, ".lock")); err == nil && held {
		return cmp.Or(holder, "another process") + ", which keeps the schedule", true
	}
	elsewhere := s.call
	if s.wfc { // it finds the run by its id
		elsewhere = s.typedElsewhere(s.folder)
		if s.stateFlag == "" {
			elsewhere.stateFlag = ""
		}
	}
	return "`" + elsewhere.commandLine("wake", root.ID) + elsewhere.stateHint() + "`", false
}

// writeWait writes what a step waits for, how a person ends the wait, and who continues
// the run.
func (v *shown) writeWait(b *strings.Builder, q engine.Question, of, by string) {
	fmt.Fprintf(b, "  %s%s %s\n", plain.Line(v.nodeOf(q.Key)), of, plain.Line(waitText(q.Question, q.Deadline)))
	switch q.Wait {
	case flow.WaitTime:
		fmt.Fprintf(b, "    then %s continues the run\n", by)
	case flow.WaitBudget:
		fmt.Fprintf(b, "    then %s continues the run", by)
		if strings.HasPrefix(by, "`") { // a command: no process works on the run
			build := ""
			if !v.wfc {
				build = " and build again"
			}
			fmt.Fprintf(b, "; to continue earlier, raise the budget%s, then: %s", build, plain.Line(v.waitCommand(q)))
		}
		b.WriteByte('\n')
	case flow.WaitQuota:
		fmt.Fprintf(b, "    then %s continues the run; to try at once: %s\n", by, plain.Line(v.waitCommand(q)))
	case flow.WaitEvent:
		fmt.Fprintf(b, "    signal: %s\n    after that time, %s continues the run\n", plain.Line(v.waitCommand(q)), by)
	default:
		fmt.Fprintf(b, "    wake: %s\n", plain.Line(v.waitCommand(q)))
	}
}

// waitCommand is the command line that ends a wait, or "".
func (v *shown) waitCommand(q engine.Question) string {
	switch q.Wait {
	case flow.WaitEvent:
		return v.commandLine("signal", q.RunID) + " " + plain.ShellWord(q.Message) + v.stateHint()
	case flow.WaitBudget: // to try at once would only wait again
		return v.commandLine("resume", q.RunID) + " --force" + v.stateHint()
	case flow.WaitAttention, flow.WaitQuota:
		return v.commandLine("wake", q.RunID) + " --node " + plain.ShellWord(v.nodeOf(q.Key)) + v.tokenHint() + v.stateHint()
	}
	return ""
}

func (v *shown) waitDocuments(open []engine.Question, by string) []document.Wait {
	var list []document.Wait
	for _, q := range waitQuestions(open) {
		d := document.NewWait(q, v.nodeOf(q.Key))
		d.Command = v.waitCommand(q)
		if q.Wait != flow.WaitAttention {
			d.ContinuedBy = by
		}
		list = append(list, d)
	}
	return list
}

// noteWidth is the space for a note in a list of runs.
const noteWidth = 80

// waitNote is a wait of a step in a few words. It leaves out who continues the run if that does
// not fit: nobody could use half of a command.
func waitNote(node string, q engine.Question, by string) string {
	text := node + " " + format.FirstLine(waitText(q.Question, q.Deadline))
	more := text + "; then " + by
	if q.Wait == flow.WaitAttention || by == "" || plain.Clip(more, noteWidth) != more {
		return text
	}
	return more
}
