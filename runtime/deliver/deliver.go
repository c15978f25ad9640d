// Package deliver sends the results of workflows, and notices about their runs, to Slack,
// Discord, Telegram, webhooks, e-mail addresses and programs.
//
//	p := deliver.New(settings.Channel{Name: "ops", Kind: "webhook", URLVariable: "OPS_HOOK"})
//
// A delivery is a step of the run. The engine performs it once, or again if a process
// died during it. The receiver of a webhook recognises the repetition: the header
// Idempotency-Key and the field id of the JSON body are the same. The secrets of a
// channel are in environment variables; no error and no log shows them.
package deliver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/runid"
	"github.com/wfc-lang/wfc/internal/shared/target"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/outbox"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/internal/repeat"
	"github.com/wfc-lang/wfc/runtime/settings"
)

type performer struct {
	channels []settings.Channel
	client   *http.Client
	// mail sends e-mails, or is nil.
	mail outbox.Mailer
	// limit is how long one request may take.
	limit time.Duration
	// sleep waits; it returns ctx's error if ctx ends first.
	sleep func(ctx context.Context, d time.Duration) error
}

var _ engine.Deliverer = (*performer)(nil)

// longest limits a delivery whose action has no timeout. It allows all tries, and
// one long wait that a service asks for.
const longest = 10 * time.Minute

// New returns a performer of flow.Delivery actions for the given channels. Environment
// variables configure all other channels: WFC_SLACK_URL or WFC_SLACK_TOKEN for slack,
// WFC_DISCORD_URL or WFC_DISCORD_TOKEN for discord, WFC_TELEGRAM_URL or WFC_TELEGRAM_TOKEN
// for telegram, and WFC_WEBHOOK_NAME_URL for the target webhook:name. See settings.Channel
// for the addresses and tokens. The performer is safe for concurrent use.
func New(channels ...settings.Channel) engine.Deliverer {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &performer{channels: channels, client: client, limit: answerLimit, sleep: repeat.Sleep}
}

// WithMail returns a performer like New that also sends e-mails, to targets such as
// mailto:ann@example.com. sender is mail.Sender(), of package runtime/deliver/mail. The
// environment variable WFC_MAIL_URL has the server unless a channel names another variable.
func WithMail(sender engine.Extension, channels ...settings.Channel) engine.Deliverer {
	p := New(channels...).(*performer)
	p.mail, _ = sender.(outbox.Mailer)
	return p
}

// Kind implements engine.Performer.
func (p *performer) Kind() string { return flow.Delivery{}.Kind() }

// Unready implements engine.Deliverer. An address is missing, or has not the form
// of one.
func (p *performer) Unready(targets, environ []string) []error {
	var list []error
	for _, text := range removeRepeated(targets) {
		t, err := target.Parse(text)
		if err == nil {
			_, err = p.findAddress(t, environ)
		}
		if err != nil {
			list = append(list, fmt.Errorf("%s: %w", text, err))
		}
	}
	return list
}

// Perform implements engine.Performer. Targets are served side by side. The text
// of the result lists those that were reached.
func (p *performer) Perform(ctx context.Context, call *engine.Attempt) flow.Result {
	d, ok := call.Action.Payload.(flow.Delivery)
	if !ok {
		return failedResult(flow.ClassFatal, "deliver", fmt.Sprintf("a step of kind `%s` is not a delivery", call.Action.Payload.Kind()))
	}
	limit := call.Action.Timeout
	if limit <= 0 {
		limit = longest
	}
	limited, cancel := context.WithTimeoutCause(ctx, limit, errLate)
	defer cancel()
	d.Text = process.Mask(process.Secrets(call.Environ, p.Secrets()), d.Text)
	targets := removeRepeated(d.Targets)
	problems := make([]error, len(targets))
	var wait sync.WaitGroup
	for i, text := range targets {
		wait.Go(func() { problems[i] = p.deliverToTarget(limited, call, d, text) })
	}
	wait.Wait()
	if ctx.Err() != nil {
		return flow.Result{Status: flow.Cancelled}
	}
	return deliveryResult(targets, problems)
}

var errLate = errors.New("it took too long")

// deliveryResult is the result of a delivery to several targets.
func deliveryResult(targets []string, problems []error) flow.Result {
	var reached, missed []string
	class, reason := flow.ClassTransient, "deliver"
	for i, err := range problems {
		if err == nil {
			reached = append(reached, targets[i])
			continue
		}
		missed = append(missed, targets[i]+": "+err.Error())
		var refused *outbox.RefusedError
		switch {
		case errors.Is(err, errLate):
			reason = "timeout"
		case !errors.As(err, &refused) || refused.Final:
			class = flow.ClassUnknown
		}
	}
	text := strings.Join(reached, ", ")
	if len(missed) == 0 {
		return flow.Result{Status: flow.Completed, Text: text}
	}
	message := "not delivered to " + strings.Join(missed, "; to ")
	if len(reached) > 0 {
		message += "; delivered to " + text
	}
	r := failedResult(class, reason, message)
	r.Text = text
	return r
}

// deliverToTarget delivers to one target.
func (p *performer) deliverToTarget(ctx context.Context, call *engine.Attempt, d flow.Delivery, text string) error {
	list, err := p.requestsFor(outbox.Note{
		Schema: 1, ID: deliveryID(call.Info.ID, call.Action.Key, text), Workflow: d.Workflow, Run: call.Info.ID, Step: d.Step, Target: text, Text: d.Text,
	}, call.Environ)
	if err != nil {
		return err
	}
	for i := range list {
		err := p.deliverRequest(ctx, &list[i], func(problem string, wait time.Duration) {
			call.Log.Info("a message has not arrived yet", "target", text, "problem", problem, "again_in", wait)
		})
		if err != nil {
			if i > 0 {
				return fmt.Errorf("%w, after %d of %d messages", err, i, len(list))
			}
			return err
		}
	}
	return nil
}

// secretMask replaces the secret parts of an address.
func (a *address) secretMask() *strings.Replacer {
	secrets := append(strings.Split(a.token, ":"), a.url, a.token)
	if u, err := url.Parse(a.url); err == nil {
		secrets = append(secrets, u.RequestURI(), u.EscapedPath(), u.Path, u.RawQuery)
		if u.User != nil {
			password, _ := u.User.Password()
			secrets = append(secrets, u.User.String(), password)
		}
		for part := range strings.SplitSeq(u.Path, "/") {
			if len(part) >= 12 { // `services` is none
				secrets = append(secrets, part)
			}
		}
	}
	slices.SortFunc(secrets, func(x, y string) int { return len(y) - len(x) })
	var pairs []string
	for _, s := range secrets {
		if len(s) >= 8 { // nothing shorter is a secret, but may be a word
			pairs = append(pairs, s, "***")
		}
	}
	return strings.NewReplacer(pairs...)
}

// deliveryID is the same whenever a delivery is performed again, and of no other
// one.
func deliveryID(run, key, target string) string {
	return runid.Hash(32, run, key, target)
}

// removeRepeated removes repeated items of a list. An empty one stays: nobody can deliver to it.
func removeRepeated(list []string) []string {
	var out []string
	for _, text := range list {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

func failedResult(class flow.Class, reason, message string) flow.Result {
	return flow.Result{Status: flow.Failed, Failure: failures.New(class, reason, "%s", message)}
}
