// Package codex is the agent that is the command line of Codex.
//
// It is started once a turn, as `codex exec --json`, with the prompt on standard
// input, and prints one JSON object a line. The facts below are those of
// versions 0.100 to 0.169, as they were seen, and from the program's source (openai/codex:
// codex-rs/exec/src/{cli,exec_events,event_processor_with_jsonl_output}.rs,
// codex-rs/utils/cli, sdk/typescript/src/exec.ts), the vendor's reference of
// config.toml (developers.openai.com/codex/config-reference) and the issues of
// that repository.
//
//   - Events are told apart by `type`: "thread.started" (`thread_id` is the
//     session), "turn.started", "item.started", "item.updated" and
//     "item.completed" (an `item` with an `id` and a `type` of its own), and,
//     last, "turn.completed" with `usage` or "turn.failed" with `error.message`.
//     "error" tells of one that may pass: the program connects again.
//   - Types of items are "agent_message" (the last one is the answer, JSON when a
//     schema was given), "reasoning", "command_execution" (its `status` may be
//     "declined", but never is since 0.169: what the sandbox stops fails by its own
//     words), "file_change", "mcp_tool_call", "web_search", "todo_list", …
//   - The model is not named, and `usage` counts the tokens of the whole session,
//     not those of the turn (openai/codex#17539), cached ones among the input.
//   - A session goes on with `exec … resume ID -`; flags of `exec` come before
//     that word. An unknown one is an error on standard error that has the words
//     "no rollout found".
//   - It keeps the system prompt that it began with, see system.go.
//   - Settings are `-c key=value` with a value in TOML. Keys that it does not know
//     are passed over, which is why there is a least version.
//   - A patch that the sandbox does not let pass is no item. Only standard error
//     has it: "patch rejected: writing is blocked by read-only sandbox". See
//     denials.go.
//   - With approval_policy="never", tools of MCP servers that want an approval are
//     refused, which is all of them unless their server's table says otherwise.
//   - The variables of MCP servers are literal: it replaces none in them. It hands
//     on variables of its own by name (`env_vars`, `env_http_headers`).
//   - `codex login status` exits with 0 when it is signed in, and with 1 and "Not
//     logged in" when it is not. CODEX_API_KEY is a key for `exec` alone, and
//     OPENAI_API_KEY is not looked at.
//   - Schemas are strict: every key is required and no other one allowed. Those
//     that are not so are made so, see strict.go.
//
// Types of events and of items that are not known, and fields, are passed over;
// a known one of another shape is an error.
package codex

import (
	"context"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
	"github.com/wfc-lang/wfc/runtime/agent/program"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

const kind = "codex"

// least is the oldest version that has what is asked of it.
var least = program.Version{Minor: 100}

// Kind returns the kind of agents that this package opens.
func Kind() agent.Kind {
	return agent.Kind{Name: kind, Open: func(c settings.Agent) (agent.Agent, error) {
		c.Kind = kind
		permission, err := program.Permission(c)
		if err != nil {
			return nil, err
		}
		return &Agent{choice: c, permission: permission}, nil
	}}
}

// Agent asks Codex.
type Agent struct {
	// Limits bound its process; the zero value has the defaults.
	Limits process.Limits

	choice     settings.Agent
	permission string
	versions   program.Versions
}

var _ agent.Inspector = (*Agent)(nil)

// Capabilities implements agent.Agent.
func (*Agent) Capabilities() agent.Capabilities {
	k, _ := catalog.KindNamed(kind)
	return agent.Capabilities{Structured: true, Options: k.Options}
}

// Turn implements agent.Agent.
func (a *Agent) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	p, err := program.Find(a.choice, r.Environ, r.WorkDir)
	if err != nil {
		return nil, err
	}
	if _, err := a.versions.Least(ctx, p, r.Environ, r.WorkDir, least); err != nil {
		return nil, err
	}
	return stream.GoOn(r, func(r *agent.Request) (*agent.Reply, error) { return a.ask(ctx, r, p) })
}

// ask runs the program once.
func (a *Agent) ask(ctx context.Context, r *agent.Request, p *program.Program) (reply *agent.Reply, err error) {
	files := &stream.Files{Dir: r.Dir}
	defer func() {
		if gone := files.Remove(); err == nil && gone != nil {
			err = gone
		}
	}()
	output := stream.NewOutput(r)
	q, err := a.arguments(r, files, output)
	if err != nil {
		return nil, &flow.Failure{Message: "agent `" + r.Agent + "`: " + err.Error(), Class: flow.ClassFatal, Reason: agent.ReasonAgent, ExitCode: -1}
	}
	t := &turn{request: r, output: output, price: priceOf(a.choice, r.Model), permission: a.permission, said: map[string]int{}, shape: q.shape, system: q.system}
	t.meta.Model = r.Model
	run := &stream.Turn{
		Program: p, Request: r, Args: q.args, Stdin: []byte(preface(r, q.system) + stream.Prompt(r, q.skills)),
		Environ: q.environ, Event: t.event, Printed: t.printed, Limits: a.Limits,
	}
	end, err := run.Run(ctx)
	output.Flush()
	t.denials()
	reply = t.reply()
	switch {
	case ctx.Err() != nil && err != nil:
		return reply, err
	case err == nil:
		return reply, t.failure(end.ExitCode)
	case end != nil && end.Signal == "" && strings.Contains(end.Stderr, "no rollout found"):
		return reply, stream.Gone(r, end.ExitCode)
	case end != nil && end.Signal == "" && end.Consumed == nil && t.problem != "":
		// It said why before it ended without the event that says so.
		t.failed = t.problem
		return reply, t.failure(end.ExitCode)
	}
	return reply, err
}
