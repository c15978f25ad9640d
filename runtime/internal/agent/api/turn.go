package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/internal/agent/price"
	"github.com/wfc-lang/wfc/runtime/internal/agent/schema"
)

// turn is the work on one prompt.
type turn struct {
	agent   *apiAgent
	request *agent.Request
	call    Call
	// after is the session that the turn continues, or "".
	after string
	// fallback is the model that is asked when the first does not answer, or "".
	fallback string
	// spent is the cost of earlier calls of the turn, used the usage of this one.
	spent flow.Meta
	used  price.Usage
	// mu guards closed: nothing is said after the turn.
	mu     sync.Mutex
	closed bool
}

// Turn implements agent.Agent.
func (a *apiAgent) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	t := &turn{agent: a, request: r}
	defer t.close()
	if err := t.prepare(); err != nil {
		return nil, t.explained(err)
	}
	reply, err := t.answer(ctx)
	return reply, t.explained(err)
}

// prepare makes the call of the request.
func (t *turn) prepare() error {
	a, r := t.agent, t.request
	options, err := options.Decode(r.Options)
	if err != nil {
		return failures.Fatal("%v", err)
	}
	connection, err := a.connect(r.Environ)
	if err != nil {
		return err
	}
	t.call = Call{
		Connection: *connection, Options: options, MaxTokens: a.choice.MaxTokens,
		Model: a.model(r.Model, a.choice.Model),
		Text:  t.text, Alive: t.alive, Used: t.report,
	}
	if t.call.Model == "" {
		return failures.Fatal("missing model: set `model` for the node, or for the agent in wfc.yaml")
	}
	if options.FallbackModel != "" {
		t.fallback = a.model(options.FallbackModel)
	}
	if err := t.affordable(options.BudgetUSD); err != nil {
		return err
	}
	if err := t.recall(); err != nil {
		return err
	}
	prompt := r.Prompt
	if prompt.Text, err = withFiles(prompt.Text, r.WorkDir, r.Files); err != nil {
		return err
	}
	if a.vendor.Structured {
		t.call.Schema = r.Schema
	} else {
		prompt.Text = schema.Instruct(prompt.Text, prompt.Schema)
	}
	t.call.Messages = append(t.call.Messages, Message{Role: roleUser, Text: prompt.Text})
	return nil
}

// recall makes the call begin with the messages of the session. If a session of the last
// run is gone, a step that does not require it begins a new one: it would otherwise fail
// in every run from then on.
func (t *turn) recall() (err error) {
	r := t.request
	if r.FreshSession || r.Session == "" {
		return nil
	}
	t.call.Messages, err = loadConversation(r.RunDir, r.Session)
	if missing, ok := errors.AsType[*failures.SessionGone](err); ok && r.Persist && !r.Fork {
		if r.Warn != nil {
			r.Warn(missing.Message + "; a new session starts")
		}
		return nil
	}
	t.after = r.Session
	return err
}

// affordable refuses a limit of costs that could not be kept.
func (t *turn) affordable(budget float64) error {
	if budget <= 0 {
		return nil
	}
	for _, model := range []string{t.call.Model, t.fallback} {
		if model != "" && t.agent.price(model) == nil {
			return failures.Fatal("the turn may cost $%.2f, but the price of the model `%s` is unknown: set `price` for the agent in wfc.yaml, or leave out `%s`",
				budget, model, options.Budget)
		}
	}
	return nil
}

// answer asks the model, and another one if it does not answer. The reply beside an error
// has the cost.
func (t *turn) answer(ctx context.Context) (*agent.Reply, error) {
	c, err := t.complete(ctx)
	if why, ok := another(err); ok && t.fallback != "" && t.fallback != t.call.Model && ctx.Err() == nil {
		t.note(fmt.Sprintf("the model `%s` %s; `%s` is asked\n", t.call.Model, why, t.fallback))
		first := t.call.Model
		t.call.Model = t.fallback
		c, err = t.complete(ctx)
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("%w (the model `%s` %s as well)", err, first, why)
		}
	}
	reply := &agent.Reply{Meta: t.spent}
	if c == nil {
		return reply, err
	}
	reply.Text = c.Text
	if err == nil && c.Stop != "" {
		err = failures.New(flow.ClassUnknown, failures.ReasonOutput, "the answer of the model `%s` is incomplete: %s", t.call.Model, c.Stop)
	}
	if err != nil {
		return reply, err
	}
	if len(t.call.Schema) > 0 {
		reply.Structured, reply.Unenforced = c.Structured, c.Unenforced || c.Structured == nil
		if reply.Structured == nil {
			// A server may take the schema and leave its own words around the JSON.
			reply.Structured = schema.Extract(c.Text)
		}
	}
	return reply, t.keep(reply)
}

// keep writes the conversation down, so that it can be continued.
func (t *turn) keep(reply *agent.Reply) (err error) {
	text := cmp.Or(reply.Text, string(reply.Structured))
	if text == "" {
		return nil // an empty answer fails the node
	}
	reply.Meta.Session, err = keepConversation(t.request.RunDir, t.after, append(t.call.Messages, Message{Role: roleAssistant, Text: text}))
	return err
}

// complete asks the model of the call, and counts what that costs.
func (t *turn) complete(ctx context.Context) (*Completion, error) {
	t.used = price.Usage{}
	c, err := t.agent.service.Complete(listening(ctx, t.alive), &t.call)
	model := t.call.Model
	if c != nil {
		if c.Usage != (price.Usage{}) {
			t.used = c.Usage
		}
		if c.Model != "" {
			model = c.Model
		}
	}
	if c == nil && err == nil {
		err = fmt.Errorf("%s gave neither an answer nor an error", t.agent.doc())
	}
	m := t.meta()
	if m.CostUSD == 0 {
		m = price.Meta(t.agent.price(model), t.used)
	}
	m.Model = model
	if c != nil || t.used != (price.Usage{}) {
		m.Turns = 1
	}
	t.spent = t.spent.Plus(m)
	t.spent.Turns = max(t.spent.Turns, m.Turns)
	return c, err
}

// meta is the cost of the call so far.
func (t *turn) meta() flow.Meta { return price.Meta(t.agent.price(t.call.Model), t.used) }

// report takes the usage of the call so far.
func (t *turn) report(u price.Usage) {
	t.say(func() {
		t.used = u
		if t.request.ReportCost != nil {
			m := t.spent.Plus(t.meta())
			m.Model = t.call.Model
			t.request.ReportCost(m)
		}
	})
}

func (t *turn) text(piece string) {
	t.say(func() {
		if t.request.Output != nil {
			t.request.Output([]byte(piece))
		}
	})
}

// alive notes a sign of life: an empty piece of the reply.
func (t *turn) alive() { t.text("") }

func (t *turn) note(text string) {
	t.say(func() {
		if t.request.Notes != nil {
			t.request.Notes([]byte(t.call.secrets().hide(text)))
		}
	})
}

// say calls one function of the request at a time, and none after the turn.
func (t *turn) say(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		f()
	}
}

func (t *turn) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}

// explained returns an error with the agent's name, what the user can do, and no
// secret.
func (t *turn) explained(err error) error {
	if err == nil {
		return nil
	}
	hint := ""
	switch {
	case signedOut(err):
		hint = "; " + t.agent.badKeyHint(&t.call.Connection)
	case unanswerable(err):
		hint = fmt.Sprintf("; check the model `%s`", t.call.Model)
		if t.call.BaseURL != "" {
			hint += " and the base URL"
		}
	}
	return fmt.Errorf("agent `%s`: %w%s", t.request.Agent, t.call.secrets().plain(err), hint)
}
