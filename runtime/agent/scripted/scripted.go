// Package scripted is the agent that answers from a file, for tests and demos and for
// trying a workflow without a model. Package prompts makes such agents of settings of kind
// "scripted"; so the package has no function Kind.
//
//	a, err := scripted.New([]byte(`{"classify": ["bug"]}`), scripted.Options{})
//
// The file is one JSON object. Its keys are steps, its values lists of replies:
//
//	{
//	  "classify": ["first answer", {"text": "second", "cost": 0.02}],
//	  "fix#3":    ["only in the third iteration of fix"],
//	  "*":        ["for every other step"]
//	}
//
// The turns of a step get the replies of its list in order; then the last reply repeats.
// A step that iterates ("fix#3", "review@5", "items[2]") takes the list of its own key,
// else the list of the key without iterations ("fix"), else, if it is inside a node
// ("fix.review"), that of its own name ("review"), else, if it is a part of a node
// ("gate/rework#1"), that of the node ("gate"), else the list of "*". Without any of
// these, the reply is ECHO[PROMPT], with the step's prompt; a prompt that ends with the question
// for one of several outputs of a node of a state graph ([OUTPUT:name]) fails.
//
// All iterations of fix without a list of their own share the list "fix": each takes the
// next reply. These are fix#1, fix#2 and so on, fix/attempt2#1 after a retry of the whole
// loop, and fix/make2 after a reviewer asked for another draft (see steps.Review). The
// list "*" is not shared: each step starts at its first reply.
//
// A reply is a string or an object:
//
//	text          the answer; for a prompt with a schema, a JSON object is structured, too
//	chunks        a list of strings: the answer in pieces, as they are shown
//	json          the answer as JSON, for prompts with a schema; also structured
//	fail          the turn fails with this message; also throw
//	class         "transient" or "fatal": the class of the failure; absent: the
//	              message decides
//	isError       true: the turn ends with an error of the agent itself
//	errorSubtype  the kind of that error: "error_max_turns", "error_max_budget_usd", …
//	errors        the messages of that error: a list
//	cost          the cost of the turn in US dollars
//	delayMs       how long the agent thinks, in milliseconds
//	session       the session's id
//
// A resumed run continues with the next reply. A turn that was interrupted by the
// end of its process gets the same reply again.
package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/ledger"
	"github.com/wfc-lang/wfc/runtime/internal/agent/schema"
	"github.com/wfc-lang/wfc/runtime/internal/repeat"
	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

// Options configure an agent.
type Options struct {
	// Unenforced makes the agent one that cannot enforce schemas itself (see
	// agent.Capabilities.Structured), so that it is asked again if a structured reply does
	// not satisfy its schema.
	Unenforced bool
	// Transcript takes each requested turn as one line of JSON; it may be nil.
	Transcript io.Writer
}

// scripted answers from a file.
type scripted struct {
	replies map[string][]reply
	options Options

	mu       sync.Mutex
	progress map[string]*ledger.Turns // by run folder and step
}

var _ agent.Inspector = (*scripted)(nil)

// New returns an agent that answers with replies: the content of a file. The
// error says what is wrong with them.
func New(replies []byte, options Options) (agent.Agent, error) {
	parsed, err := parseReplies(replies)
	if err != nil {
		return nil, err
	}
	return &scripted{replies: parsed, options: options, progress: map[string]*ledger.Turns{}}, nil
}

// Inspect implements agent.Inspector: a file that was read can answer.
func (*scripted) Inspect(_ context.Context, _ *engine.Inspection, s *engine.AgentState) {
	s.Installed, s.SignedIn, s.Usable = engine.Yes, engine.Yes, engine.Yes
}

// Capabilities implements agent.Agent.
func (a *scripted) Capabilities() agent.Capabilities {
	return agent.Capabilities{Structured: !a.options.Unenforced, Forks: true}
}

// A line is one turn in a transcript.
type line struct {
	Step         string          `json:"step"`
	Attempt      int             `json:"attempt"`
	Agent        string          `json:"agent"`
	Prompt       string          `json:"prompt"`
	Model        string          `json:"model,omitempty"`
	Schema       json.RawMessage `json:"schema,omitempty"`
	Session      string          `json:"session,omitempty"`
	FreshSession bool            `json:"fresh_session,omitempty"`
	Fork         bool            `json:"fork_session,omitempty"`
}

// Turn implements agent.Agent.
func (a *scripted) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	next, end, err := a.takeReply(r)
	if err != nil {
		return nil, err
	}
	if err := repeat.Sleep(ctx, time.Duration(next.DelayMs*float64(time.Millisecond))); err != nil {
		return nil, err
	}
	for _, piece := range next.textPieces() {
		if r.Output != nil {
			r.Output([]byte(piece))
		}
	}
	answer := &agent.Reply{Text: next.fullText(), Structured: next.Structured, Meta: flow.Meta{CostUSD: next.Cost, Turns: 1, Session: next.Session, Model: r.Model}}
	if text := strings.TrimSpace(answer.Text); answer.Structured == nil && len(r.Schema) > 0 && strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		answer.Structured = json.RawMessage(text)
	}
	failure := next.describedFailure(r)
	if err := end(failure != nil || a.isUseless(r, answer)); err != nil {
		return nil, err
	}
	if failure != nil {
		return answer, failure
	}
	return answer, nil
}

// isUseless reports whether the step will fail or ask again because of a reply.
func (a *scripted) isUseless(r *agent.Request, answer *agent.Reply) bool {
	if answer.Structured != nil {
		return false
	}
	if len(r.Schema) > 0 && (!a.options.Unenforced || schema.Extract(answer.Text) == nil) {
		return true
	}
	return strings.TrimSpace(answer.Text) == "" || failures.Exhaustion(answer.Text) != nil
}

// asksForOutput reports whether a prompt ends with the question for one of several outputs
// of a node of a state graph: with the markers of all, so that its echo would choose the
// last one. Markers before the end may be of earlier answers, which the prompt quotes.
func asksForOutput(prompt string) bool {
	lines := strings.Split(strings.TrimSpace(prompt), "\n")
	names := map[string]bool{}
	for _, line := range slices.Backward(lines) {
		_, rest, marked := strings.Cut(line, "[OUTPUT:")
		for marked {
			name, after, _ := strings.Cut(rest, "]")
			names[name] = true
			_, rest, marked = strings.Cut(after, "[OUTPUT:")
		}
		if len(names) > 1 || !strings.Contains(line, "[OUTPUT:") {
			break
		}
	}
	return len(names) > 1
}

// takeReply takes the next reply for a turn. The caller must call end and say whether
// the step can use the reply.
func (a *scripted) takeReply(r *agent.Request) (next *reply, end func(useless bool) error, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.recordRequest(r); err != nil {
		return nil, nil, err
	}
	name, list := a.repliesForStep(r.Key)
	if list == nil && asksForOutput(r.Text) {
		return nil, nil, failures.Fatal("missing replies for step `%s`: an echo of its prompt cannot choose an output; add `%s` to the file of replies, or `*` for all other steps",
			r.Key, stepkey.Unnumbered(r.Key))
	}
	if list == nil {
		echo := &reply{Text: "ECHO[" + r.Text + "]"}
		return echo, func(bool) error { return nil }, nil
	}
	p := a.progress[r.RunDir+"\x00"+name]
	if p == nil {
		if p, err = ledger.ReadTurns(r.RunDir, "scripted", name); err != nil {
			return nil, nil, err
		}
		a.progress[r.RunDir+"\x00"+name] = p
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

// repliesForStep returns the replies for a step and the name under which its turns are
// counted.
func (a *scripted) repliesForStep(key string) (name string, list []reply) {
	if list, ok := a.replies[key]; ok {
		return key, list
	}
	whole := stepkey.Unnumbered(key)
	for end := len(whole); end > 0; end = strings.LastIndexByte(whole[:end], '/') {
		for _, name := range []string{whole[:end], whole[strings.LastIndexByte(whole[:end], '.')+1 : end]} {
			if list, ok := a.replies[name]; ok {
				return name, list
			}
		}
	}
	return key, a.replies["*"]
}

func (a *scripted) recordRequest(r *agent.Request) error {
	if a.options.Transcript == nil {
		return nil
	}
	text, err := json.Marshal(line{Step: r.Key, Attempt: r.Attempt, Agent: r.Agent, Prompt: r.Text, Model: r.Model, Schema: r.Schema, Session: r.Session, FreshSession: r.FreshSession, Fork: r.Fork})
	if err == nil {
		_, err = a.options.Transcript.Write(append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("write the transcript: %w", err)
	}
	return nil
}
