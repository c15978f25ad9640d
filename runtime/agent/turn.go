package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// turn is the work on one action.
type turn struct {
	call     *engine.Call
	agent    Agent
	settings *Settings
	environ  []string
	limits   limits
	// budget is what the attempt may cost in US dollars; 0 is any amount.
	budget float64
	meta   flow.Meta
	asked  int
}

// supported returns the options that the agent takes, and logs the others.
func (t *turn) supported(options []flow.Option) []flow.Option {
	known := t.agent.Capabilities().Options
	if known == nil {
		return options
	}
	var kept []flow.Option
	for _, o := range options {
		if slices.Contains(known, o.Name) {
			kept = append(kept, o)
			continue
		}
		t.call.Log.Warn("the agent does not take this option; it is ignored", "node", t.call.Action.Key, "option", o.Name)
	}
	return kept
}

func (t *turn) perform(ctx context.Context, prompt flow.Prompt) flow.Result {
	ctx, stop := t.limits.start(ctx)
	defer stop()
	result := t.answer(ctx, prompt)
	result.Meta = t.meta
	return result
}

func (t *turn) answer(ctx context.Context, prompt flow.Prompt) flow.Result {
	reply, result := t.ask(ctx, prompt)
	if reply == nil {
		return result
	}
	if len(prompt.Schema) > 0 {
		return t.structured(ctx, prompt, reply)
	}
	if strings.TrimSpace(reply.Text) == "" && reply.Structured == nil && !prompt.MayBeEmpty {
		return failure(&flow.Failure{Reason: ReasonOutput, ExitCode: -1,
			Message: fmt.Sprintf("Node '%s' got an empty answer from its agent: the agent ended its turn without saying anything", t.call.Action.Key)})
	}
	if strings.TrimSpace(reply.Text) == "" && reply.Structured != nil {
		return completedJSON(reply.Structured)
	}
	return flow.Result{Status: flow.Completed, Text: reply.Text}
}

// attemptsPerCall is how many turns one attempt at the action may take.
const attemptsPerCall = corrections + 1

// ask has the agent take one turn. The reply is nil when the result is final.
func (t *turn) ask(ctx context.Context, prompt flow.Prompt) (*Reply, flow.Result) {
	t.asked++
	var said strings.Builder
	var spent flow.Meta
	request := t.request(prompt, &said, &spent)
	t.limits.alive()
	reply, err := t.agent.Turn(ctx, request)
	if reply != nil {
		reply.Text = strings.ToValidUTF8(reply.Text, "\uFFFD")
		if reply.Meta != (flow.Meta{}) {
			spent = reply.Meta
		}
	}
	t.add(spent)
	result := t.ended(ctx, reply, err, said.String())
	if result.Status == flow.Cancelled {
		return nil, result // it is asked again when the run goes on
	}
	t.record(request, reply, spent, result.Failure)
	switch {
	case result.Failure != nil:
		return nil, result
	case t.over(flow.Meta{}):
		return nil, t.overBudget(reply.Text)
	}
	if message := Exhaustion(reply.Text); message != "" && reply.Structured == nil {
		return nil, flow.Result{Status: flow.Failed, Text: reply.Text, Failure: &flow.Failure{
			Message: message, Class: flow.ClassFatal, Reason: ReasonCredit, ExitCode: -1}}
	}
	return reply, flow.Result{}
}

func (t *turn) request(prompt flow.Prompt, said *strings.Builder, spent *flow.Meta) *Request {
	call := t.call
	return &Request{
		Prompt: prompt, RunID: call.Run.ID, Key: call.Action.Key,
		Attempt: (call.Attempt-1)*attemptsPerCall + t.asked,
		WorkDir: call.Run.WorkDir, Environ: t.environ, Dir: call.Dir,
		Output: func(piece []byte) {
			t.limits.alive()
			said.Write(piece)
			t.show("agent", piece)
		},
		Notes: func(piece []byte) {
			t.limits.alive()
			t.show("stderr", piece)
		},
		Spent: func(m flow.Meta) {
			t.limits.alive()
			if *spent = m; t.over(m) {
				t.limits.end(errBudget)
			}
		},
		Warn: t.warn,
	}
}

// ended is the result of a turn that gave no reply; its status is "" when there
// is one.
func (t *turn) ended(ctx context.Context, reply *Reply, err error, said string) flow.Result {
	var own *flow.Failure
	switch {
	case err != nil && ctx.Err() != nil:
		return t.stopped(ctx, said)
	case err != nil && t.over(flow.Meta{}) && !(errors.As(err, &own) && own.Reason == ReasonBudget):
		return t.overBudget(said)
	case err != nil:
		return failure(described(err))
	case reply == nil:
		return failure(described(errors.New("the agent returned neither a reply nor an error")))
	}
	return flow.Result{}
}

// record hands a turn to whoever records turns, together with what it cost.
func (t *turn) record(r *Request, reply *Reply, spent flow.Meta, f *flow.Failure) {
	if t.settings.Record == nil {
		return
	}
	if reply == nil && spent != (flow.Meta{}) {
		reply = &Reply{Meta: spent}
	}
	if err := t.settings.Record(r, reply, f); err != nil {
		t.warn(fmt.Sprintf("the turn was not recorded: %v", err))
	}
}

// warn tells people of something that stops nothing.
func (t *turn) warn(message string) {
	if t.call.Warn != nil {
		t.call.Warn(message)
		return
	}
	t.call.Log.Warn(message, "node", t.call.Action.Key)
}

func (t *turn) show(stream string, piece []byte) {
	if t.call.Output != nil && len(piece) > 0 {
		t.call.Output(stream, piece)
	}
}

// add sums what the turns of one attempt cost. The session and the model are
// those of the last turn that names them.
func (t *turn) add(m flow.Meta) { t.meta = t.meta.Plus(m) }

// stopped tells why the end of the context ended the turn.
func (t *turn) stopped(ctx context.Context, said string) flow.Result {
	said = strings.ToValidUTF8(said, "\uFFFD")
	key := t.call.Action.Key
	var message string
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errIdle):
		message = fmt.Sprintf("Node '%s' timed out: its agent said nothing for %v", key, t.limits.idle)
	case errors.Is(cause, errBudget):
		return t.overBudget(said)
	case errors.Is(cause, context.DeadlineExceeded):
		message = fmt.Sprintf("Node '%s' timed out after %dms", key, t.limits.total.Milliseconds())
	default:
		return flow.Result{Status: flow.Cancelled, Text: said}
	}
	return flow.Result{Status: flow.Failed, Text: said, Failure: &flow.Failure{
		Message: message, Class: flow.ClassTransient, Reason: ReasonTimeout, ExitCode: -1}}
}

func failure(f *flow.Failure) flow.Result {
	return flow.Result{Status: flow.Failed, Failure: f}
}

func fatal(format string, args ...any) *flow.Failure {
	return &flow.Failure{Message: fmt.Sprintf(format, args...), Class: flow.ClassFatal, Reason: ReasonAgent, ExitCode: -1}
}

// described returns an agent's error as a failure with its class.
func described(err error) *flow.Failure {
	f := flow.Failure{Message: err.Error(), Reason: ReasonAgent, ExitCode: -1}
	var typed *flow.Failure
	if errors.As(err, &typed) {
		f = *typed
		f.Message = err.Error()
	}
	f.Class = Classify(err)
	return &f
}
