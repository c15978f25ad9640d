package deliver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

var _ outbox.Sender = (*performer)(nil)

// SendNotice implements outbox.Sender.
func (p *performer) SendNotice(ctx context.Context, n *outbox.Notice, environ []string) error {
	t, err := target.Parse(n.Target)
	if err != nil {
		return err
	}
	a, err := p.findAddress(t, environ)
	if err != nil {
		return err // a later process may have the variable
	}
	list, err := p.buildRequests(&a, note{
		Schema: 1, ID: n.ID, Workflow: n.Workflow, Run: n.Run, Step: n.Node, Target: n.Target, Text: n.Text,
		Event: string(n.Event), Title: n.Title, Question: n.Question, Commands: n.Commands,
	}, environ)
	if err != nil {
		return err
	}
	for i := range list {
		if refused := p.postOnce(ctx, &list[i]); refused != nil {
			return &outbox.RefusedError{Problem: refused.problem, Final: !refused.transient, Wait: refused.wait}
		}
	}
	return nil
}

// mailNote sends a note as an e-mail.
func (a *address) mailNote(ctx context.Context, mail outbox.Mailer, n note) *refusal {
	text := n.Text
	if n.Title == "" {
		text = n.chatText()
	}
	err := mail.Send(ctx, a.server, &outbox.Letter{To: a.receiver, Subject: n.subject(), Text: text, ID: n.ID})
	if err == nil {
		return nil
	}
	var refused *outbox.MailRefusedError
	return &refusal{problem: describeWithoutAddress(ctx, err, a.secretMask()), transient: !errors.As(err, &refused)}
}

// The program of a channel reads the text of a note on its standard input, and finds its
// parts in variables. No value is part of its command line. It counts as a program of the
// run's step, so wfc refuses its answers to gates like those of every program of a run.

// runCommand passes a note to the program of the channel.
func (a *address) runCommand(ctx context.Context, n note, environ []string) *refusal {
	path, err := process.LookPath(a.command[0], "", environ)
	if err != nil {
		return &refusal{problem: err.Error(), transient: true}
	}
	document, err := json.Marshal(n)
	if err != nil {
		return &refusal{problem: "the message cannot be written as JSON"}
	}
	variables := []string{
		"WFC_NOTICE_ID=" + n.ID, "WFC_NOTICE_EVENT=" + n.Event, "WFC_NOTICE_WORKFLOW=" + n.Workflow, "WFC_NOTICE_RUN=" + n.Run,
		"WFC_NOTICE_NODE=" + n.Step, "WFC_NOTICE_TITLE=" + n.subject(), "WFC_NOTICE_QUESTION=" + n.Question,
		"WFC_NOTICE_COMMANDS=" + strings.Join(n.Commands, "\n"), "WFC_NOTICE_JSON=" + string(document),
	}
	for i, v := range variables {
		variables[i] = strings.ReplaceAll(v, "\x00", "\uFFFD")
	}
	owner := process.Owner{RunID: n.Run, Key: stepOf(n)}
	if n.Run == "" {
		owner.RunID = n.Workflow
	}
	end, err := process.Run(ctx, &process.Command{
		Path: path, Name: a.command[0], Args: a.command[1:], Env: append(environ[:len(environ):len(environ)], variables...),
		Stdin: []byte(n.chatText() + "\n"), Owner: owner,
	})
	switch {
	case err != nil:
		return &refusal{problem: err.Error(), transient: true}
	case end.Stopped != nil:
		return &refusal{problem: errSlow.Error(), transient: true}
	case end.ExitCode != 0:
		problem := fmt.Sprintf("its program ends with exit code %d", end.ExitCode)
		if end.Signal != "" {
			problem = "its program ends by " + end.Signal
		}
		for _, said := range []string{end.Stderr, end.Printed} {
			if said = oneLine(said, strings.NewReplacer()); said != "" {
				problem += ": " + said
				break
			}
		}
		return &refusal{problem: problem, transient: true}
	}
	return nil
}

// stepOf is the key under which the program of a channel works: that of the step, or one
// that no step has.
func stepOf(n note) string {
	if n.Step != "" {
		return n.Step
	}
	return "/notice"
}
