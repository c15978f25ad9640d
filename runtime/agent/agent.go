// Package agent connects workflows to the agents that answer their prompts.
//
// An [Agent] answers one prompt a turn. Six packages below this one are kinds of agents:
// command-line programs (claude, codex, acp) and services (anthropic, openai, google).
// Package prompts adds two kinds that every program has: "command", for programs that
// speak wfc's own protocol, and "scripted", for a file of replies (package scripted). A
// Go program can bring its own agent:
//
//	type echo struct{}
//
//	func (echo) Capabilities() agent.Capabilities { return agent.Capabilities{} }
//
//	func (echo) Turn(_ context.Context, r *agent.Request) (*agent.Reply, error) {
//		return &agent.Reply{Text: "You said: " + r.Text}, nil
//	}
//
// A [Performer] gives the prompts of a run to its agents:
//
//	p := agent.New(agent.Options{Agents: map[string]agent.Agent{"claude": echo{}}})
//
// It applies timeouts and cost limits, checks structured replies, and asks again if a
// reply does not satisfy its schema. Package runtime/agent/prompts makes a Performer of
// the agents that the settings of a project and a command line define.
package agent

import (
	"context"
	"encoding/json"
	"time"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/schema"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// An Agent answers prompts. Its methods are safe for concurrent use.
type Agent interface {
	// Capabilities returns the features that the agent supports.
	Capabilities() Capabilities
	// Turn gives the agent a prompt and waits for its whole reply. Turn should return its
	// errors as *flow.Failure, because Failure.Class decides whether the engine retries the
	// node. With an error it may still return a Reply, whose Meta has the cost of the turn.
	// When ctx ends, Turn returns soon and leaves nothing running.
	Turn(ctx context.Context, r *Request) (*Reply, error)
}

// Capabilities are the features that an agent supports.
type Capabilities struct {
	// Structured says that the agent itself makes replies satisfy a schema and
	// returns them as Reply.Structured. Any other agent describes the schema to its
	// model (see Request.Instruct); the performer then searches Reply.Text for JSON,
	// and asks again if the JSON does not satisfy the schema.
	Structured bool
	// Options are the names of the prompt options that the agent takes; nil means
	// all.
	Options []string
	// Forks says that the agent can continue a copy of a session, as flow.Prompt.Fork
	// asks. The session itself then stays as it is.
	Forks bool
}

// A Request asks for one turn.
type Request struct {
	flow.Prompt
	// RunID and Key are the id of the run and the key of the step that asks.
	RunID string
	Key   string
	// Inputs are the inputs of the run, a JSON object.
	Inputs json.RawMessage
	// Attempt is 1 for the first turn of the step and greater for each retry and each
	// correction of a reply; it may skip numbers.
	Attempt int
	// WorkDir is the agent's working directory, an absolute path: the current directory of
	// its processes.
	WorkDir string
	// Environ is the environment for processes.
	Environ []string
	// RunDir is the absolute path of the run's own folder in the state folder, for files that
	// the agent keeps between turns. It is not the working directory.
	RunDir string
	// ArtifactsDir is the absolute path of the run's folder for artifacts, which the agent may use
	// like WorkDir; "" or a missing folder if the run has none.
	ArtifactsDir string
	// Output takes pieces of the reply as they arrive. Output, Notes and ReportCost may
	// each be nil. Each call of one of them, also with an empty piece, restarts the idle
	// timeout. The agent must not call the three concurrently with each other, nor after
	// Turn has returned.
	Output func(piece []byte)
	// Notes takes other output of the agent, such as its standard error; see Output.
	Notes func(piece []byte)
	// ReportCost takes the cost of the turn so far whenever the agent knows more about it;
	// see Output. The performer ends a turn that exceeds its budget.
	ReportCost func(m flow.Meta)
	// Warn reports a problem that does not stop the turn. The agent may call it from
	// any goroutine until Turn returns; it may be nil.
	Warn func(message string)
	// ToolCall reports a call of a tool that has ended, for the run's trace. The agent may call
	// it from any goroutine until Turn returns; it may be nil.
	ToolCall func(c ToolCall)
}

// A ToolCall is a call of a tool by an agent, without its arguments and its result.
type ToolCall struct {
	Name   string
	Begun  time.Time
	Took   time.Duration
	Failed bool
}

// Instruct returns the text of the prompt followed by its schema in words, for
// agents without structured replies. Without a schema it returns the text.
func (r *Request) Instruct() string { return schema.Instruct(r.Text, r.Schema) }

// A Reply is an agent's answer.
type Reply struct {
	Text string
	// Structured is the reply as JSON, or nil.
	Structured json.RawMessage
	// Unenforced means that the agent did not enforce the schema in this turn, although
	// Capabilities.Structured is true. The performer then validates the reply and may ask
	// again.
	Unenforced bool
	// Meta says what the turn cost, and which session and model answered.
	Meta flow.Meta
}

// A Kind makes agents of one kind, such as claude or openai, from their settings. (The
// methods Kind of performers and payloads return something else: the kind of a payload,
// such as "prompt".) The flag --agent names a kind. The key `use` in wfc.yaml names a kind,
// or another agent whose kind and settings the agent inherits. The generated main lists the
// kinds that its workflow uses, and links no others.
type Kind struct {
	// Name is the kind's name in settings.Agent. wfc.yaml can name only those of wfc.
	Name string
	// Open returns an agent with the given settings. It starts no program and uses no
	// network; Inspector.Inspect checks whether the agent can answer. The error says which
	// settings are invalid.
	Open func(c settings.Agent) (Agent, error)
}

// An Inspector is an Agent that can report whether it is able to answer prompts.
type Inspector interface {
	Agent
	// Inspect inspects this agent, which the caller has named in s.Name, and fills in the
	// fields of s that it finds out: Program, Version, Credentials, Installed, SignedIn,
	// Usable, Problem and Hint. It leaves a verdict that it cannot find out as it is.
	// q.Environ is the environment that the agent would get; q.Names has only this agent,
	// and q.Static is false. Unless q.Thorough is set, Inspect uses no network. When ctx
	// ends, it returns soon and leaves nothing running.
	Inspect(ctx context.Context, q *engine.Inspection, s *engine.AgentState)
}
