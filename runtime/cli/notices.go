package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/engine/local"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/confine"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
	"github.com/wfc-lang/wfc/runtime/internal/runstore"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/store"
	"github.com/wfc-lang/wfc/runtime/trigger"
)

// The times that a command which ends takes to send notices: one that worked on runs, and one
// that only looked.
const (
	finishLimit = 10 * time.Second
	lookLimit   = 3 * time.Second
)

// noticeSettings are those of an engine that performs runs.
func (c *call) noticeSettings(folder state.Folder) local.Notices {
	elsewhere := c.typedElsewhere(folder)
	return local.Notices{
		Notify: c.program.Defaults.Notify, Buttons: c.program.answersIn(settings.WebhookSlack), Workflows: []*flow.Definition{c.program.Definition},
		Commands: func(run *flow.RunInfo, q *engine.Question) []string {
			v := elsewhere.runDisplay(run.Workflow)
			if q == nil {
				return []string{v.commandLine("status", run.ID) + v.stateHint(), v.commandLine("resume", run.ID) + v.stateHint()}
			}
			lines := v.endingCommands(*q, namesOf([]engine.Question{*q}))
			if q.Wait == "" && c.program.answersIn(settings.WebhookGitHub) {
				lines = append(lines, commentLines(*q)...)
			}
			return lines
		},
	}
}

// answersIn reports whether users of a service can answer the questions of the program's runs. They
// cannot give a token, and have no terminal.
func (p *Program) answersIn(service settings.WebhookKind) bool {
	return (p.Defaults.Gates.Mode == "" || p.Defaults.Gates.Mode == settings.GatesAny) && slices.ContainsFunc(p.Triggers, func(t trigger.Trigger) bool {
		return t.On.Webhook == service && len(t.Answer) > 0
	})
}

// commentLines say which comments answer a question. No line is such a comment itself, because the
// notice may become one.
func commentLines(q engine.Question) (lines []string) {
	verbs := []string{"answer"}
	if slices.Contains(q.Choices, kernel.ChoiceApprove) {
		verbs = []string{"approve", "reject"}
	}
	for _, verb := range verbs {
		lines = append(lines, "or comment on GitHub: "+trigger.Comment(verb, q.RunID, outbox.QuestionCode(q)))
	}
	return lines
}

// endingCommands are the command lines that answer a question, or end a wait.
func (v *shown) endingCommands(q engine.Question, names stepkey.Names) []string {
	lines := []string{}
	if q.Wait == "" {
		for _, l := range v.answerLines(q, names) {
			lines = append(lines, l.command)
		}
	} else if line := v.waitCommand(q); line != "" {
		lines = append(lines, line)
	}
	return lines
}

// typedElsewhere returns a call whose command lines work in every folder.
func (c *call) typedElsewhere(folder state.Folder) *call {
	other := &call{program: c.program, streams: c.streams, backend: c.backend, caller: c.caller, argv: c.argv, gateToken: c.gateToken, shownToken: c.shownToken}
	other.file = ""
	if path, err := os.Executable(); err == nil && !c.wfc {
		other.typed = plain.ShellWord(path)
	}
	other.stateFlag = folder.Path
	if path, err := filepath.Abs(folder.Path); err == nil {
		other.stateFlag = path
	}
	return other
}

// finishNotices sends the notices that are due, for a short time.
func (s *session) finishNotices() {
	ctx, stop := context.WithTimeout(context.Background(), finishLimit)
	defer stop()
	if err := s.engine.FinishNotices(ctx); err != nil {
		fmt.Fprintf(s.streams.Err, "%s: notices could not be sent: %s\n", s.name, plain.Message(s.maskSecrets(err.Error())))
	}
}

// sendLeftNotices sends the notices of the workflow that earlier processes left, for a
// command that performs no run.
func (s *session) sendLeftNotices() {
	if len(s.program.Defaults.Notify.Rules) == 0 {
		return
	}
	o := outbox.New(s.store, s.program.Performers, []*flow.Definition{s.program.Definition}, s.program.Defaults.Notify.Quiet, s.processEnviron(),
		confine.Notices(s.program.Defaults.Sandbox, s.folder.Path, s.processEnviron()))
	if o == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), lookLimit)
	defer stop()
	_, _ = o.SendDue(ctx) // what remains waits in the store
}

// failedNotices are the notices that nobody tries to send any more: of a run, or of all.
func failedNotices(ctx context.Context, s store.Store, run string) ([]runstore.Message, error) {
	box, ok := s.(runstore.Mailbox)
	if !ok {
		return nil, nil
	}
	return box.Messages(ctx, runstore.MessageFilter{Box: runstore.BoxNotice, State: runstore.MessageFailed, RunID: run})
}

// unsentReason describes a notice that was not sent.
func unsentReason(n runstore.Message) string {
	return fmt.Sprintf("notice `%s` to %s: %s", n.Event, n.Target, n.Problem)
}

// noticeProblems says of the targets of notices which could not be sent to, one a line.
func (c *call) noticeProblems() []string {
	return unreadyTargets(c, c.program.Defaults.Notify.Targets())
}

// queueMissed queues the notices about a scheduled time at which no run starts.
func (w *scheduled) queueMissed(ctx context.Context, due time.Time, why string) {
	box, ok := w.session.store.(runstore.Mailbox)
	list := outbox.Missed(w.backend.program.Defaults.Notify, w.backend.program.Definition.Name, due, why, time.Now())
	if !ok || len(list) == 0 {
		return
	}
	if _, err := box.AddMessages(ctx, list); err != nil {
		w.log.Error("the notice about a missed time could not be queued", "due", due, "error", err)
		return
	}
	go w.session.sendLeftNotices() // the schedule goes on meanwhile
}
