package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/human"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/runerr"
	"github.com/wfc-lang/wfc/runtime/internal/sched"
)

// exitOf returns the error that carries a run's exit code.
func exitOf(r *local.Result) error {
	if code := runerr.ExitCode(r.RunState); code != runerr.ExitCompleted {
		return &exitError{code: code}
	}
	return nil
}

// showResult prints the result for a person or for a program.
func (s *session) showResult(ctx context.Context, f runFlags, r *local.Result) error {
	if r.Status == flow.Paused || r.Status != flow.Completed && !s.json && !f.jsonl {
		// What a person has to do is said in every form of output.
		if err := s.explainEnd(ctx, f.runSettings, r); err != nil {
			return err
		}
	}
	if f.jsonl {
		return nil // the end was the last line
	}
	if s.json {
		d, _, err := s.wholeDocument(ctx, r.ID)
		if err != nil {
			return failedError(err)
		}
		if err := printJSON(s.streams.Out, d); !isReaderGone(err) {
			return err
		}
		return nil
	}
	if r.Status == flow.Completed {
		if err := s.writeSummary(r.Summary, f.quiet); err != nil && !isReaderGone(err) {
			return failedError(fmt.Errorf("run %s completed, but its result could not be written: %w", r.ID, err))
		}
	}
	if r.Status == flow.Completed && r.Reason == kernel.ReasonGoals {
		fmt.Fprintf(s.streams.Err, "\nrun %s has ended, but none of its completion conditions holds\n", r.ID)
	}
	if r.Status == flow.Completed && r.Outcome == kernel.OutcomeFailed {
		fmt.Fprintf(s.streams.Err, "\nrun %s completed, but its outcome is failed: `%s` of `%s` is false\n", r.ID, s.program.Definition.OutcomeField, s.program.Definition.Returns)
	}
	if r.Status == flow.Completed && !f.quiet {
		writeWorktree(s.streams.Err, r.Worktree)
	}
	if f.quiet || s.program.Prompts == nil {
		return nil // nothing that is worth a look at the store
	}
	all, err := s.loadFamily(ctx, r.ID)
	if err != nil {
		return err
	}
	status := all.findRun(r.ID)
	if text := format.Usage(s.costOf(all, status)); text != "" {
		if s.before != nil {
			now, err := s.readFamilySteps(ctx, status)
			if err != nil {
				return err
			}
			// Agents that report no cost say nothing of it.
			if again := now.spentAgain(s.before); max(again, s.before.spent()) > format.TinyCost {
				text += "; " + plain.Dollars(again) + " spent again"
			}
		}
		fmt.Fprintf(s.streams.Err, "in total: %s\n", text)
	}
	return nil
}

// writeSummary writes a run's result: at a terminal so that no line of it looks like one of wfc, and
// elsewhere as data.
func (s *session) writeSummary(text string, quiet bool) (err error) {
	file, ok := plain.File(s.streams.Out)
	terminal := ok && term.IsTerminal(int(file.Fd()))
	switch {
	case !terminal && text != "":
		_, err = fmt.Fprintln(dataWriter(s.streams.Out), strings.TrimSuffix(text, "\n"))
	case !terminal:
	case strings.TrimSpace(text) != "":
		_, err = fmt.Fprint(s.streams.Out, human.View{Width: terminalWidth(s.streams.Out)}.Result(text))
	case !quiet:
		_, err = fmt.Fprintln(s.streams.Out, "(empty)")
	}
	return err
}

// explainEnd says on standard error why a run did not complete, and what can be
// done.
func (s *session) explainEnd(ctx context.Context, set runSettings, r *local.Result) error {
	f, err := s.loadFamily(ctx, r.ID)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nrun %s %s", r.ID, statusVerb(r.Status))
	why := s.failureReasons(r, f.root.Steps)
	if len(why) > 0 || r.Status == flow.Paused {
		b.WriteString(":")
	}
	for _, line := range why {
		if width := terminalWidth(s.streams.Err); width > 0 {
			line = plain.Wrap(line, max(1, width-6))
		}
		b.WriteString("\n  " + plain.Below(line, "    "))
	}
	if r.Status == flow.Paused {
		b.WriteString("\n")
		var open strings.Builder
		s.writeAllQuestions(&open, f, r.ID, func(run string) human.View { return s.questionView(s.streams.Err, run) })
		b.WriteString(open.String())
		fmt.Fprintf(&b, "\n  log:    %s\n", s.backend.logPlace(s, r.ID))
	} else {
		fmt.Fprintf(&b, "\n\n  log:    %s\n", s.backend.logPlace(s, r.ID))
		if !endsAgain(r) {
			used, limit := sched.Used(f.root.Steps), ""
			if r.Status == flow.LimitReached {
				limit = r.Reason
			} else if reached := sched.Reached(s.engineLimits(set), used); reached != nil && r.Status == flow.Failed {
				limit = reached.Limit // nothing would be asked again
			}
			fmt.Fprintf(&b, "  resume: %s\n", s.resumeLine(f, raisedLimitFlags(limit, used)))
		}
	}
	writeWorktree(&b, r.Worktree)
	_, _ = io.WriteString(s.streams.Err, b.String()) // the exit code says how the run ended
	return nil
}

// endsAgain reports whether a resumed run would end the same way: the workflow cancelled
// it, because a person rejected a question or a node cancels runs. The journal has both.
func endsAgain(r *local.Result) bool {
	return r.Status == flow.Cancelled && !kernel.CancelledOutside(r.Reason)
}

// failureReasons are why a run did not complete: the nodes that failed, or what the
// run's end says.
func (c *call) failureReasons(r *local.Result, steps []flow.Record) []string {
	var list []string
	if r.Status == flow.LimitReached && r.Error != "" {
		list = append(list, r.Error)
	}
	for _, s := range steps {
		if s.Status != flow.Failed || s.Failure == nil || c.showOwn().nodeOf(s.Key) != s.Key {
			continue // what a part of a node failed of, the node says too
		}
		switch r.Status {
		case flow.Failed, flow.LimitReached:
			// An item of a list names the list.
			list = append(list, strings.Replace(s.Key+": "+s.Failure.Message, s.Key+": "+s.Key+"[", s.Key+"[", 1))
		case flow.Paused:
			list = append(list, s.Key+" failed, and runs again when you resume the run: "+s.Failure.Message)
		}
	}
	switch {
	case len(list) > 0:
	case r.Error != "":
		list = append(list, r.Error)
	case r.Reason != "":
		list = append(list, human.Printable(r.Reason))
	}
	return list
}

// raisedLimitFlags are the flags with which a run goes on that a limit of the command line
// ended; limit is its name, or "". No limit is high enough for a cost that nobody knows.
func raisedLimitFlags(limit string, used flow.Meta) string {
	switch {
	case used.Unpriced != "" && strings.HasPrefix(limit, sched.LimitCost):
		return " --max-cost 0"
	case used.Uncounted != "" && limit == sched.LimitTokens:
		return " --max-tokens 0"
	}
	return limitFlags[limit]
}

// limitFlags are the flags that raise limits: those of all runs, and those of state graphs.
var limitFlags = map[string]string{
	sched.LimitCost: " --max-cost USD", sched.LimitTokens: " --max-tokens N",
	"max_iterations": " --max-iterations N", "max_time_minutes": " --max-minutes N", "max_cost_dollars": " --max-cost USD",
}

// dataWriter returns the writer for the result of a command: w itself where a
// person or GitHub's runner reads it, else what it writes to, so that programs and
// files get every byte.
func dataWriter(w io.Writer) io.Writer {
	f, ok := plain.File(w)
	if !ok {
		return plain.Raw(w)
	}
	info, err := f.Stat()
	github := os.Getenv("GITHUB_ACTIONS") == "true"
	if err != nil || info.Mode()&os.ModeCharDevice != 0 && !isNull(info) || github && !info.Mode().IsRegular() {
		return w
	}
	return plain.Raw(w)
}

func isNull(info os.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(info, null)
}

// isReaderGone reports whether an error of writing says that nobody reads any more: the
// pipe is closed, or the terminal is gone.
func isReaderGone(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EIO)
}
