package deliver

import (
	"cmp"
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
	list, err := p.requestsFor(n.Note, environ)
	if err != nil {
		return err // a later process may have the variable
	}
	for i := range list {
		if refused := p.postOnce(ctx, &list[i]); refused != nil {
			return refused
		}
	}
	return nil
}

// requestsFor returns the messages to a note's target, in order.
func (p *performer) requestsFor(n outbox.Note, environ []string) ([]request, error) {
	t, err := target.Parse(n.Target)
	if err != nil {
		return nil, err
	}
	a, err := p.findAddress(t, environ)
	if err != nil {
		return nil, err
	}
	return p.buildRequests(&a, n, environ)
}

// mailNote sends a note as an e-mail.
func (a *address) mailNote(ctx context.Context, mail outbox.Mailer, n *outbox.Note) *outbox.RefusedError {
	text := n.Text
	if n.Title == "" {
		text = chatText(n)
	}
	err := mail.Send(ctx, a.server, &outbox.Letter{To: a.receiver, Subject: subjectOf(n), Text: text, ID: n.ID})
	if err == nil {
		return nil
	}
	var refused *outbox.RefusedError
	return &outbox.RefusedError{Problem: describeWithoutAddress(ctx, err, a.secretMask()), Final: errors.As(err, &refused)}
}

// The program of a channel reads the text of a note on its standard input, and finds its
// parts in variables. No value is part of its command line. It counts as a program of a run,
// so wfc refuses its answers to gates, and it leaves nothing running that could answer later.

// runCommand passes a note to the program of the channel.
func (a *address) runCommand(ctx context.Context, n *outbox.Note, environ []string) *outbox.RefusedError {
	path, err := process.LookPath(a.command[0], "", environ)
	if err != nil {
		return &outbox.RefusedError{Problem: err.Error()}
	}
	document, err := json.Marshal(n)
	if err != nil {
		return &outbox.RefusedError{Problem: "the message cannot be written as JSON", Final: true}
	}
	variables := []string{
		"WFC_NOTICE_ID=" + n.ID, "WFC_NOTICE_EVENT=" + string(n.Event), "WFC_NOTICE_WORKFLOW=" + n.Workflow, "WFC_NOTICE_RUN=" + n.Run,
		"WFC_NOTICE_NODE=" + n.Step, "WFC_NOTICE_TITLE=" + subjectOf(n), "WFC_NOTICE_QUESTION=" + n.Question,
		"WFC_NOTICE_COMMANDS=" + strings.Join(n.Commands, "\n"), "WFC_NOTICE_JSON=" + string(document),
	}
	for i, v := range variables {
		variables[i] = strings.ReplaceAll(v, "\x00", "\uFFFD")
	}
	// Its own owner, so that what it leaves running is ended with it, and no step of the run.
	owner := process.Owner{RunID: cmp.Or(n.Run, n.Workflow) + ".notice-" + n.ID, Key: cmp.Or(n.Step, "/notice")}
	defer process.EndLeftovers(owner.RunID)
	end, err := process.Run(ctx, &process.Command{
		Path: path, Name: a.command[0], Args: a.command[1:], Env: append(environ[:len(environ):len(environ)], variables...),
		Stdin: []byte(chatText(n) + "\n"), Owner: owner,
	})
	switch {
	case err != nil:
		return &outbox.RefusedError{Problem: err.Error()}
	case end.Stopped != nil:
		return &outbox.RefusedError{Problem: errSlow.Error()}
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
		return &outbox.RefusedError{Problem: problem}
	}
	return nil
}
