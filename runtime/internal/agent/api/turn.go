package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/internal/agent/schema"
	"github.com/wfc-lang/wfc/runtime/settings"
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
	used  catalog.Tokens
	// mu guards closed: nothing is said after the turn.
	mu     sync.Mutex
	closed bool
}

// Turn implements agent.Agent.
func (a *apiAgent) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	t := &turn{agent: a, request: r}
	defer t.endCalls()
	if err := t.prepareCall(); err != nil {
		return nil, t.explainError(err)
	}
	reply, err := t.askModels(ctx)
	return reply, t.explainError(err)
}

// prepareCall makes the call of the request.
func (t *turn) prepareCall() error {
	a, r := t.agent, t.request
	options, err := options.Decode(r.Options)
	if err != nil {
		return failures.Fatal("%v", err)
	}
	connection, err := a.newConnection(r.Environ)
	if err != nil {
		return err
	}
	t.call = Call{
		Connection: *connection, Options: options, MaxTokens: a.choice.MaxTokens,
		Model: a.kind.FullModel(r.Model, a.choice.Model),
		Text:  t.passText, Alive: t.passAlive, Used: t.reportUsage,
	}
	if t.call.Model == "" {
		return failures.Fatal("missing model: set `model` for the node, or for the agent in wfc.yaml")
	}
	if options.FallbackModel != "" {
		t.fallback = a.kind.FullModel(options.FallbackModel)
	}
	if err := t.checkBudget(options.BudgetUSD); err != nil {
		return err
	}
	if err := t.recallSession(); err != nil {
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

// recallSession makes the call begin with the messages of the session. If a session of the last
// run is gone, a step that does not require it begins a new one: it would otherwise fail
// in every run from then on.
func (t *turn) recallSession() (err error) {
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

// checkBudget refuses a limit of costs that could not be kept.
func (t *turn) checkBudget(budget float64) error {
	if budget <= 0 {
		return nil
	}
	for _, model := range []string{t.call.Model, t.fallback} {
		if model != "" && t.agent.modelPrice(model) == nil {
			return failures.Fatal("the turn may cost %s, but the price of the model `%s` is unknown: set `price` for the agent in wfc.yaml, or leave out `%s`",
				plain.Dollars(budget), model, options.Budget)
		}
	}
	return nil
}

// askModels asks the model, and another one if it does not answer. The reply beside an error
// has the cost.
func (t *turn) askModels(ctx context.Context) (*agent.Reply, error) {
	c, err := t.completeCall(ctx)
	if why, ok := anotherMayAnswer(err); ok && t.fallback != "" && t.fallback != t.call.Model && ctx.Err() == nil {
		t.passNote(fmt.Sprintf("the model `%s` %s; `%s` is asked\n", t.call.Model, why, t.fallback))
		first := t.call.Model
		t.call.Model = t.fallback
		c, err = t.completeCall(ctx)
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
	return reply, t.keepConversation(reply)
}

// keepConversation writes the conversation down, so that it can be continued.
func (t *turn) keepConversation(reply *agent.Reply) (err error) {
	text := cmp.Or(reply.Text, string(reply.Structured))
	if text == "" {
		return nil // an empty answer fails the node
	}
	reply.Meta.Session, err = keepConversation(t.request.RunDir, t.after, append(t.call.Messages, Message{Role: roleAssistant, Text: text}))
	return err
}

// completeCall asks the model of the call, and counts what that costs.
func (t *turn) completeCall(ctx context.Context) (*Completion, error) {
	t.used = catalog.Tokens{}
	c, err := t.agent.service.Complete(withAlive(ctx, t.passAlive), &t.call)
	model := t.call.Model
	if c != nil {
		if c.Usage != (catalog.Tokens{}) {
			t.used = c.Usage
		}
		if c.Model != "" {
			model = c.Model
		}
	}
	if c == nil && err == nil {
		err = fmt.Errorf("%s gave neither an answer nor an error", t.agent.describeService())
	}
	m := t.costSoFar()
	if m.CostUSD == 0 {
		m = metaOf(t.agent.modelPrice(model), t.used)
	}
	m.Model = model
	if c != nil || t.used != (catalog.Tokens{}) {
		m.Turns = 1
	}
	t.spent = t.spent.Plus(m)
	t.spent.Turns = max(t.spent.Turns, m.Turns)
	return c, err
}

// costSoFar is the cost of the call so far.
func (t *turn) costSoFar() flow.Meta {
	return metaOf(t.agent.modelPrice(t.call.Model), t.used)
}

// metaOf returns the tokens of a turn and their cost.
func metaOf(p *settings.Price, t catalog.Tokens) flow.Meta {
	return flow.Meta{InputTokens: t.Input + t.CachedInput + t.CacheWrite, OutputTokens: t.Output, CostUSD: catalog.CostOf(p, t)}
}

// reportUsage takes the usage of the call so far.
func (t *turn) reportUsage(u catalog.Tokens) {
	t.callUnlessOver(func() {
		t.used = u
		if t.request.ReportCost != nil {
			m := t.spent.Plus(t.costSoFar())
			m.Model = t.call.Model
			t.request.ReportCost(m)
		}
	})
}

func (t *turn) passText(piece string) {
	t.callUnlessOver(func() {
		if t.request.Output != nil {
			t.request.Output([]byte(piece))
		}
	})
}

// passAlive notes a sign of life: an empty piece of the reply.
func (t *turn) passAlive() { t.passText("") }

func (t *turn) passNote(text string) {
	t.callUnlessOver(func() {
		if t.request.Notes != nil {
			t.request.Notes([]byte(t.call.secretTexts().hideIn(text)))
		}
	})
}

// callUnlessOver calls one function of the request at a time, and none after the turn.
func (t *turn) callUnlessOver(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		f()
	}
}

func (t *turn) endCalls() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}

// explainError returns an error with the agent's name, what the user can do, and no
// secret.
func (t *turn) explainError(err error) error {
	if err == nil {
		return nil
	}
	hint := ""
	switch {
	case signedOut(err):
		hint = "; " + t.agent.badKeyHint(&t.call.Connection)
	case isUnknownRequest(err):
		hint = fmt.Sprintf("; check the model `%s`", t.call.Model)
		if t.call.BaseURL != "" {
			hint += " and the base URL"
		}
	}
	return fmt.Errorf("agent `%s`: %w%s", t.request.Agent, t.call.secretTexts().plainFailure(err), hint)
}
