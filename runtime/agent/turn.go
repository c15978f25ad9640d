package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/options"
	"github.com/wfc-lang/wfc/runtime/internal/agent/schema"
	"github.com/wfc-lang/wfc/runtime/internal/format"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
	"github.com/wfc-lang/wfc/runtime/settings"
)

var (
	// errIdle ends the context of a turn whose agent was silent for too long.
	errIdle = errors.New("the agent said nothing")
	// errBudget ends the context of a turn that cost too much.
	errBudget = errors.New("the agent spent too much")
)

// A turn performs one action. It may ask the agent several times.
type turn struct {
	call     *engine.Attempt
	agent    Agent
	settings *Options
	environ  []string
	limits   limits
	// budget limits the cost of the attempt in US dollars; 0 means no limit.
	budget float64
	// price is that of the model, or nil if it is unknown.
	price *settings.Price
	meta  flow.Meta
	asked int
	// circuit is that of the agent, or nil; and waits is what the turn waits for.
	circuit *circuit
	asks    *turnAsks
	waits   string
	// warned are what the performer has warned of or logged.
	warned *sync.Map
}

// supportedOptions returns the options that the agent takes, and logs the others.
func (t *turn) supportedOptions(options []flow.Option) []flow.Option {
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

// checkFork returns the failure of a prompt that needs a copy of a session but cannot have
// one, or nil.
func (t *turn) checkFork(prompt flow.Prompt) *flow.Failure {
	switch {
	case !prompt.Fork:
		return nil
	case prompt.Session == "":
		return failures.Fatal("Node `%s` continues the session of an earlier node, but agent `%s` reported no session there", t.call.Action.Key, prompt.Agent)
	case !t.agent.Capabilities().Forks:
		return failures.Fatal("Node `%s` continues a copy of an earlier session, which agent `%s` cannot make. "+
			"Use another agent for both nodes, such as `claude`, or remove `context`", t.call.Action.Key, prompt.Agent)
	}
	return nil
}

func (t *turn) performPrompt(ctx context.Context, prompt flow.Prompt) flow.Result {
	ctx, stop := t.limits.startAttempt(ctx)
	defer stop()
	result := t.answerPrompt(ctx, prompt)
	result.Meta = t.meta
	return result
}

func (t *turn) answerPrompt(ctx context.Context, prompt flow.Prompt) flow.Result {
	reply, result := t.takeTurn(ctx, prompt)
	if reply == nil {
		return result
	}
	if len(prompt.Schema) > 0 {
		return t.structuredResult(ctx, prompt, reply)
	}
	if strings.TrimSpace(reply.Text) == "" && reply.Structured == nil && !prompt.MayBeEmpty {
		return failedResult("", failures.New(flow.ClassUnknown, failures.ReasonOutput,
			"Node `%s` got an empty answer from its agent: the agent ended its turn without saying anything", t.call.Action.Key))
	}
	if strings.TrimSpace(reply.Text) == "" && reply.Structured != nil {
		return completedJSON(reply.Structured)
	}
	return flow.Result{Status: flow.Completed, Text: reply.Text}
}

// attemptsPerCall is the maximum of turns in one attempt at the action.
const attemptsPerCall = corrections + 1

// takeTurn has the agent take one turn. The reply is nil if the result is final.
func (t *turn) takeTurn(ctx context.Context, prompt flow.Prompt) (*Reply, flow.Result) {
	t.asked++
	var said strings.Builder
	var spent flow.Meta
	request := t.buildRequest(prompt, &said, &spent)
	t.limits.restartIdleTimeout()
	turnCtx := ctx
	if t.asks != nil {
		turnCtx = failures.WithAsks(ctx, t.asks)
	}
	reply, err := t.agent.Turn(turnCtx, request)
	if reply != nil {
		reply.Text = strings.ToValidUTF8(reply.Text, "\uFFFD")
		if reply.Meta != (flow.Meta{}) {
			spent = reply.Meta
		}
	}
	t.meta = t.meta.Plus(t.completeCost(prompt, spent, err))
	result := t.turnResult(ctx, reply, err, said.String())
	if result.Status == flow.Cancelled {
		return nil, result // the agent is asked again when the run resumes
	}
	t.recordTurn(request, reply, spent, result.Failure)
	if reply != nil {
		t.warnOfModel(prompt, reply)
	}
	switch {
	case result.Failure != nil:
		return nil, result
	case t.isOverBudget(flow.Meta{}):
		return nil, t.overBudget(reply.Text)
	}
	if f := failures.Exhaustion(reply.Text); f != nil && reply.Structured == nil {
		return nil, failedResult(reply.Text, f)
	}
	return reply, flow.Result{}
}

func (t *turn) buildRequest(prompt flow.Prompt, said *strings.Builder, spent *flow.Meta) *Request {
	call := t.call
	return &Request{
		Prompt: prompt, RunID: call.Info.ID, Key: call.Action.Key, Inputs: call.Info.Inputs,
		Attempt: (call.Number-1)*attemptsPerCall + t.asked,
		WorkDir: call.Info.WorkDir, Environ: t.environ, RunDir: call.RunDir, ArtifactsDir: call.Info.ArtifactsDir,
		Output: func(piece []byte) {
			t.limits.restartIdleTimeout()
			if len(piece) > 0 && t.circuit != nil {
				t.circuit.answered()
			}
			said.Write(piece)
			t.showOutput("agent", piece)
		},
		Notes: func(piece []byte) {
			t.limits.restartIdleTimeout()
			t.showOutput("stderr", piece)
		},
		ReportCost: func(m flow.Meta) {
			t.limits.restartIdleTimeout()
			if *spent = m; t.isOverBudget(m) {
				t.limits.end(errBudget)
			}
		},
		Warn:     t.logWarning,
		ToolCall: t.recordToolCall,
	}
}

// recordToolCall adds a call of a tool to the run's journal.
func (t *turn) recordToolCall(c ToolCall) {
	if t.call.Event != nil {
		t.call.Event(format.ToolCall(c).Event(t.call.Action.Key))
	}
}

// turnResult returns the result of a turn without a reply. Its status is "" if there
// is a reply.
func (t *turn) turnResult(ctx context.Context, reply *Reply, err error, said string) flow.Result {
	var own *flow.Failure
	switch {
	case err != nil && ctx.Err() != nil:
		return t.stoppedResult(ctx, said)
	case err != nil && t.isOverBudget(flow.Meta{}) && !(errors.As(err, &own) && own.Reason == failures.ReasonBudget):
		return t.overBudget(said)
	case err != nil:
		return failedResult("", describeFailure(err))
	case reply == nil:
		return failedResult("", describeFailure(errors.New("the agent returned neither a reply nor an error")))
	}
	return flow.Result{}
}

// recordTurn records a turn with its cost.
func (t *turn) recordTurn(r *Request, reply *Reply, spent flow.Meta, f *flow.Failure) {
	if t.settings.Record == nil {
		return
	}
	if reply == nil && spent != (flow.Meta{}) {
		reply = &Reply{Meta: spent}
	}
	if err := t.settings.Record(r, reply, f); err != nil {
		t.logWarning(fmt.Sprintf("the turn was not recorded: %v", err))
	}
}

// logWarning reports a problem that does not stop the turn.
func (t *turn) logWarning(message string) { warn(t.call, message) }

// warn reports a warning of an attempt, or logs it if nobody receives warnings.
func warn(call *engine.Attempt, message string) {
	if call.Warn != nil {
		call.Warn(message)
		return
	}
	call.Log.Warn(message, "node", call.Action.Key)
}

func (t *turn) showOutput(stream string, piece []byte) {
	if t.call.Output != nil && len(piece) > 0 {
		t.call.Output(stream, piece)
	}
}

// stoppedResult returns the result of a turn that the end of its context ended.
func (t *turn) stoppedResult(ctx context.Context, said string) flow.Result {
	said = strings.ToValidUTF8(said, "\uFFFD")
	key := t.call.Action.Key
	var message string
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errIdle):
		message = fmt.Sprintf("Node `%s` timed out: its agent sent nothing for %v", key, t.limits.idle)
	case errors.Is(cause, errBudget):
		return t.overBudget(said)
	case errors.Is(cause, context.DeadlineExceeded):
		message = fmt.Sprintf("Node `%s` timed out after %dms", key, t.limits.total.Milliseconds())
	default:
		return flow.Result{Status: flow.Cancelled, Text: said}
	}
	return failedResult(said, failures.New(flow.ClassTransient, failures.ReasonTimeout, "%s", message))
}

// budgetOf returns the cost limit in the options, in US dollars; 0 means none.
func budgetOf(list []flow.Option) (float64, error) {
	i := slices.IndexFunc(list, func(o flow.Option) bool { return o.Name == options.Budget })
	if i < 0 {
		return 0, nil
	}
	o, err := options.Decode(list[i : i+1])
	return max(0, o.BudgetUSD), err
}

// isOverBudget reports whether the attempt exceeds its budget, given the cost so far of a
// turn that is still running.
func (t *turn) isOverBudget(now flow.Meta) bool {
	return t.budget > 0 && t.meta.CostUSD+now.CostUSD > t.budget+format.TinyCost
}

func (t *turn) overBudget(said string) flow.Result {
	return failedResult(strings.ToValidUTF8(said, "\uFFFD"), failures.New(flow.ClassFatal, failures.ReasonBudget,
		"Node `%s` exceeded cost cap of %s: its agent has spent %s", t.call.Action.Key, plain.Dollars(t.budget), plain.Dollars(t.meta.CostUSD)))
}

func failedResult(said string, f *flow.Failure) flow.Result {
	return flow.Result{Status: flow.Failed, Text: said, Failure: f}
}

// describeFailure returns an agent's error as a failure with its class.
func describeFailure(err error) *flow.Failure {
	f := flow.Failure{Message: err.Error(), Reason: failures.ReasonAgent, ExitCode: -1}
	if typed, ok := errors.AsType[*flow.Failure](err); ok {
		f = *typed
		f.Message = err.Error()
	}
	f.Class = failures.Classify(err)
	if f.RetryAfter == 0 && f.Class == flow.ClassTransient {
		// Programs say in words how long to wait.
		now := time.Now()
		f.RetryAfter = max(0, failures.ResetOf(&f, now).Sub(now))
	}
	return &f
}

// limits end a turn that takes too long or is silent for too long.
type limits struct {
	// total limits the whole attempt; zero means no limit.
	total time.Duration
	// idle limits the time without a sign of life.
	idle  time.Duration
	timer *time.Timer
	// end ends the attempt with a cause. Only the first call counts.
	end context.CancelCauseFunc
}

// startAttempt returns the context of an attempt.
func (l *limits) startAttempt(ctx context.Context) (limited context.Context, stop func()) {
	stopTotal := func() {}
	if l.total > 0 {
		ctx, stopTotal = context.WithTimeout(ctx, l.total)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	l.end = cancel
	l.timer = time.AfterFunc(l.idle, func() { cancel(errIdle) })
	return ctx, func() {
		l.timer.Stop()
		cancel(nil)
		stopTotal()
	}
}

// restartIdleTimeout restarts the idle timeout. After the end of the turn it has no effect.
func (l *limits) restartIdleTimeout() { l.timer.Reset(l.idle) }

// corrections is how often the performer asks an agent again whose reply does not
// satisfy its schema.
const corrections = 3

// structuredResult returns the result of a reply to a prompt with a schema. It asks
// again if the agent cannot enforce schemas itself.
func (t *turn) structuredResult(ctx context.Context, prompt flow.Prompt, reply *Reply) flow.Result {
	capable := t.agent.Capabilities().Structured
	for again := 0; ; again++ {
		native := capable && !reply.Unenforced
		value := reply.Structured
		if value == nil && !native {
			value = schema.Extract(reply.Text)
		}
		problem, result := t.checkStructured(prompt.Schema, value)
		if problem == "" {
			return result
		}
		if native || again == corrections {
			return t.unstructuredFailure(problem, again+1)
		}
		if t.call.AtLimit != nil && t.call.AtLimit(t.meta) {
			result = t.unstructuredFailure(problem+"; the run is at a limit, so its agent was not asked again", again+1)
			result.Failure.Reason = kernel.AtLimit
			return result
		}
		t.call.Log.Info("asking the agent again for an answer that satisfies its schema", "node", t.call.Action.Key, "problem", problem)
		next := prompt
		next.Text += correctionText(problem)
		if !next.Fork {
			next.FreshSession, next.Session = true, ""
		}
		if reply, result = t.takeTurn(ctx, next); reply == nil {
			return result
		}
	}
}

// checkStructured returns the problem of a structured reply, or its result.
func (t *turn) checkStructured(wanted, value json.RawMessage) (problem string, result flow.Result) {
	if value == nil {
		return "no JSON was found in it", flow.Result{}
	}
	if !json.Valid(value) {
		return "it is not valid JSON", flow.Result{}
	}
	if t.settings.CheckReply == nil {
		return "", failedResult("", failures.Fatal("Node `%s` needs a structured answer, but this program was built without a validator", t.call.Action.Key))
	}
	problems, err := t.settings.CheckReply(wanted, value)
	if err != nil {
		t.call.Log.Warn("the schema cannot be used, so the answer is not checked", "node", t.call.Action.Key, "error", err.Error())
	} else if len(problems) > 0 {
		return strings.Join(problems, "; "), flow.Result{}
	}
	return "", completedJSON(value)
}

func (t *turn) unstructuredFailure(problem string, answers int) flow.Result {
	times := ""
	if answers > 1 {
		times = fmt.Sprintf(" in %d answers", answers)
	}
	return failedResult("", failures.New(flow.ClassUnknown, failures.ReasonOutput,
		"Node `%s` got no structured answer that satisfies its output_format%s: %s", t.call.Action.Key, times, problem))
}

// completedJSON returns the result of a structured reply. Compact keeps the order
// of keys and the spelling of values.
func completedJSON(value json.RawMessage) flow.Result {
	var text bytes.Buffer
	if err := json.Compact(&text, value); err != nil {
		return failedResult("", failures.New(flow.ClassUnknown, failures.ReasonOutput, "the agent's structured answer is not valid JSON: %v", err))
	}
	return flow.Result{Status: flow.Completed, Text: strings.ToValidUTF8(text.String(), "\uFFFD")}
}

// correctionText returns the text that a repeated prompt ends with.
func correctionText(problem string) string {
	return "\n\n--- CORRECTION ---\nThe last answer could not be used: " + problem +
		".\nAnswer once more with a single JSON value that satisfies the schema, and nothing else: no words around it, no code fence."
}
