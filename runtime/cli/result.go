package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// exitOf returns the error that carries a run's exit code.
func exitOf(s flow.Status) error {
	switch s {
	case flow.Completed:
		return nil
	case flow.Paused:
		return &exitError{code: ExitPaused}
	case flow.Cancelled:
		return &exitError{code: ExitCancelled}
	case flow.LimitReached:
		return &exitError{code: ExitLimit}
	}
	return &exitError{code: ExitFailed}
}

// showResult prints the result for a person or for a program.
func (a *app) showResult(ctx context.Context, s *session, f runFlags, r *local.Result) error {
	if f.jsonl {
		return nil // the end was the last line
	}
	if a.json {
		status, err := s.engine.Status(ctx, r.ID)
		if err != nil {
			return failed(err)
		}
		d := newRunDocument(status, s.folder.Log(r.ID))
		d.SchemaVersion = schemaVersion
		return printJSON(a.streams.Out, d)
	}
	if r.Summary != "" && r.Status == flow.Completed {
		if _, err := fmt.Fprintln(a.streams.Out, strings.TrimSuffix(r.Summary, "\n")); err != nil {
			return failed(fmt.Errorf("run %s completed, but its result could not be written: %w", r.ID, err))
		}
	}
	if r.Status != flow.Completed {
		return a.explainEnd(ctx, s, r)
	}
	return nil
}

// explainEnd says on standard error why a run did not complete, and what can be
// done.
func (a *app) explainEnd(ctx context.Context, s *session, r *local.Result) error {
	status, err := s.engine.Status(ctx, r.ID)
	if err != nil {
		return failed(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nrun %s %s", r.ID, verb(r.Status))
	why := reasons(r, status.Steps)
	if len(why) > 0 {
		b.WriteString(":")
	}
	for _, line := range why {
		b.WriteString("\n  " + indentRest(line, "    "))
	}
	fmt.Fprintf(&b, "\n\n  log:    %s\n  resume: %s resume %s\n", s.folder.Log(r.ID), a.typed, r.ID+a.stateHint())
	_, err = io.WriteString(a.streams.Err, b.String())
	return failed(err)
}

// reasons are why a run did not complete: the steps that failed, the questions
// that are open, or what the run's end says.
func reasons(r *local.Result, steps []flow.Record) []string {
	var list []string
	for _, s := range steps {
		switch {
		case r.Status == flow.Failed && s.Status == flow.Failed && s.Failure != nil:
			list = append(list, s.Key+": "+s.Failure.Message)
		case r.Status == flow.Paused && s.Status == flow.Waiting && s.Question != nil:
			list = append(list, s.Key+" asks: "+s.Question.Message)
		}
	}
	switch {
	case len(list) > 0:
	case r.Error != "":
		list = append(list, r.Error)
	case r.Reason != "":
		list = append(list, r.Reason)
	}
	return list
}

func indentRest(text, by string) string {
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+by)
}

// verb is a run's status in a sentence.
func verb(s flow.Status) string {
	switch s {
	case flow.Paused:
		return "is paused"
	case flow.Cancelled:
		return "was cancelled"
	case flow.LimitReached:
		return "reached its limit"
	}
	return string(s)
}

// stateHint is the flag that makes another call find the same runs, when this
// one was given it.
func (a *app) stateHint() string {
	if a.stateFlag == "" {
		return ""
	}
	return " --state " + shellWord(a.stateFlag)
}

// shellWord is a text as a word of a command line.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%=,~", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 && text[0] != '~' {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
