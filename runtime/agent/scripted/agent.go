package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/turns"
)

// Options change what an Agent pretends to be.
type Options struct {
	// BestEffort makes the agent one that cannot hold to schemas by itself, so
	// that it is asked again when a structured reply does not satisfy.
	BestEffort bool
	// Transcript takes each turn that is asked for as one line of JSON; it may
	// be nil.
	Transcript io.Writer
}

// Agent answers from a file.
type Agent struct {
	replies Replies
	options Options

	mu       sync.Mutex
	progress map[string]*turns.List // by run folder and step
}

var _ agent.Agent = (*Agent)(nil)

// New returns an agent with the given replies.
func New(replies Replies, options Options) *Agent {
	return &Agent{replies: replies, options: options, progress: map[string]*turns.List{}}
}

// Capabilities implements agent.Agent.
func (a *Agent) Capabilities() agent.Capabilities {
	return agent.Capabilities{Structured: !a.options.BestEffort}
}

// A Turn is one line of a transcript.
type Turn struct {
	Step         string          `json:"step"`
	Attempt      int             `json:"attempt"`
	Agent        string          `json:"agent"`
	Prompt       string          `json:"prompt"`
	Model        string          `json:"model,omitempty"`
	Schema       json.RawMessage `json:"schema,omitempty"`
	Session      string          `json:"session,omitempty"`
	FreshSession bool            `json:"fresh_session,omitempty"`
}

// Turn implements agent.Agent.
func (a *Agent) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	reply, end, err := a.next(r)
	if err != nil {
		return nil, err
	}
	if err := agent.Wait(ctx, time.Duration(reply.DelayMs*float64(time.Millisecond))); err != nil {
		return nil, err
	}
	for _, piece := range reply.pieces() {
		if r.Output != nil {
			r.Output([]byte(piece))
		}
	}
	answer := &agent.Reply{Text: reply.all(), Structured: reply.Structured, Meta: flow.Meta{CostUSD: reply.Cost, Turns: 1, Session: reply.Session, Model: r.Model}}
	failure := reply.failure(r)
	if err := end(failure != nil || a.useless(r, answer)); err != nil {
		return nil, err
	}
	if failure != nil {
		return answer, failure
	}
	return answer, nil
}

// useless reports whether the step will fail or ask again because of a reply.
func (a *Agent) useless(r *agent.Request, answer *agent.Reply) bool {
	if answer.Structured != nil {
		return false
	}
	if len(r.Schema) > 0 && (!a.options.BestEffort || agent.Extract(answer.Text) == nil) {
		return true
	}
	return strings.TrimSpace(answer.Text) == "" || agent.Exhaustion(answer.Text) != ""
}

// next takes the next reply for a turn. end must be told whether it was of no
// use.
func (a *Agent) next(r *agent.Request) (reply *Reply, end func(useless bool) error, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.record(r); err != nil {
		return nil, nil, err
	}
	name, list := a.list(r.Key)
	if list == nil {
		echo := &Reply{Text: "ECHO[" + r.Text + "]"}
		return echo, func(bool) error { return nil }, nil
	}
	p := a.progress[r.Dir+"\x00"+name]
	if p == nil {
		if p, err = turns.Read(r.Dir, "scripted", name); err != nil {
			return nil, nil, err
		}
		a.progress[r.Dir+"\x00"+name] = p
	}
	number, err := p.Begin(r.Key, r.Attempt)
	if err != nil {
		return nil, nil, err
	}
	end = func(useless bool) error {
		a.mu.Lock()
		defer a.mu.Unlock()
		return p.End(number, useless)
	}
	return &list[min(number, len(list)-1)], end, nil
}

// list returns the replies for a step and the name under which its turns are
// counted.
func (a *Agent) list(key string) (name string, list []Reply) {
	if list, ok := a.replies[key]; ok {
		return key, list
	}
	name = withoutIterations(key)
	if list, ok := a.replies[name]; ok {
		return name, list
	}
	return key, a.replies["*"]
}

// withoutIterations cuts the numbers of iterations, of attempts at a whole loop, and
// of what is made for a review, out of a key: "gate/rework#1" is a turn of "gate/rework",
// "items[2]/ask" of "items/ask", "fix/attempt2#1" and "fix/make2" of "fix".
func withoutIterations(key string) string {
	var out strings.Builder
	for i := 0; i < len(key); {
		if n := iteration(key[i:]); n > 0 {
			i += n
			continue
		}
		out.WriteByte(key[i])
		i++
	}
	return out.String()
}

// iteration returns the length of the iteration's or attempt's number at the
// beginning of a text, with its marks, or 0.
func iteration(text string) int {
	const attempt, made = "/attempt", "/make"
	begin := 1
	switch {
	case strings.HasPrefix(text, attempt):
		begin = len(attempt)
	case strings.HasPrefix(text, made):
		begin = len(made)
	case !strings.ContainsRune("#@[", rune(text[0])):
		return 0
	}
	end := begin
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	switch {
	case end == begin:
		return 0
	case text[0] == '/' && end < len(text) && text[end] != '#':
		return 0
	case text[0] != '[':
		return end
	case end < len(text) && text[end] == ']':
		return end + 1
	}
	return 0
}

func (a *Agent) record(r *agent.Request) error {
	if a.options.Transcript == nil {
		return nil
	}
	line, err := json.Marshal(Turn{Step: r.Key, Attempt: r.Attempt, Agent: r.Agent, Prompt: r.Text, Model: r.Model, Schema: r.Schema, Session: r.Session, FreshSession: r.FreshSession})
	if err == nil {
		_, err = a.options.Transcript.Write(append(line, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the transcript: %w", err)
	}
	return nil
}

// failure returns the failure that the reply stands for, or nil.
func (r *Reply) failure(q *agent.Request) *flow.Failure {
	var message string
	reason := agent.ReasonAgent
	switch {
	case r.Throw != "":
		message = r.Throw
	case !r.IsError:
		return nil
	case r.ErrorSubtype == "error_max_budget_usd":
		reason = agent.ReasonBudget
		message = fmt.Sprintf("Node '%s' exceeded cost cap%s.", q.Key, budget(q.Options))
	default:
		kind := r.ErrorSubtype
		if kind == "" {
			kind = "an error"
		}
		message = fmt.Sprintf("Node '%s' failed: SDK returned %s", q.Key, kind)
		if len(r.Errors) > 0 {
			message += " — " + strings.Join(r.Errors, "; ")
		}
	}
	return &flow.Failure{Message: message, Class: r.Class, Reason: reason, ExitCode: -1}
}

// budget returns the cap that the node set, as messages show it.
func budget(options []flow.Option) string {
	for _, o := range options {
		if o.Name != "maxBudgetUsd" && o.Name != "max_budget_usd" {
			continue
		}
		if amount, err := strconv.ParseFloat(string(o.Value), 64); err == nil {
			return fmt.Sprintf(" of $%.2f", amount)
		}
	}
	return ""
}
