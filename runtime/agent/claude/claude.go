// Package claude is the agent that is the command line of Claude Code.
//
// It is started once a turn, as `claude -p --output-format stream-json`, with
// the prompt on standard input, and prints one JSON object a line. The facts
// below are those of versions 2.1.0 to 2.1.330, as they were seen, and from the vendor's reference of
// the command line and of permission modes (code.claude.com/docs/en/
// cli-reference, permission-modes, hooks), its CHANGELOG.md, the source of its
// Python SDK (anthropics/claude-agent-sdk-python, _internal/transport and
// message_parser), which starts the same program, and what others observed of
// the stream.
//
//   - Events are told apart by `type`: "system" (subtype "init" has the session
//     and the model), "stream_event" (pieces of messages, as the API streams
//     them; only with --include-partial-messages), "assistant" (a whole block of
//     a message; all blocks of a message have its id), "user" (results of
//     tools), "rate_limit_event" and, last, "result".
//   - "parent_tool_use_id" is set in what helper agents say.
//   - "result" has `subtype` "success", "error_max_turns",
//     "error_max_budget_usd", "error_during_execution" or
//     "error_max_structured_output_retries", and `is_error`, which is also true
//     of a "success" whose text is the service's error. Exit code 1 goes with
//     an error. When a helper worked in the background, there are two of them, at
//     the end; `num_turns` and `usage` are of what came since the one before.
//   - `total_cost_usd` and `modelUsage` are of the process up to 2.1.197, and of
//     the whole session in 2.1.283 and 2.1.330, also after --fork-session;
//     `model_usage_since_last_result` (2.1.330) is of the turn. See cost.go.
//   - A session keeps the system prompt of its first turn in 2.1.283 and later,
//     unless --system-prompt-snapshot=off says otherwise.
//   - A request that is refused is tried again ten times, over minutes; each
//     `system/api_retry` names the sort of the error.
//   - A prompt for permission that nobody can answer is a denial; `result` lists
//     them under `permission_denials`, and the turn goes on.
//   - An unknown session is "error_during_execution" with the words "No
//     conversation found", and costs nothing.
//   - `claude auth status` came with 2.1.41. It prints a JSON object with
//     `loggedIn`, and its exit code is 1 when that is false.
//   - Inside a session of its own (CLAUDECODE is set) the program refuses to
//     start, since 2.1.41.
//
// Types of events and of blocks that are not known, and fields, are passed over;
// a known one of another shape is an error.
package claude

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
	"github.com/wfc-lang/wfc/runtime/agent/program"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

const kind = "claude"

// least is the oldest version that has what is asked of it.
var least = program.Version{Major: 2, Minor: 1}

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

// Agent asks Claude Code.
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

// inside are the variables by which the program knows that one of its own
// sessions started it.
var inside = []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID"}

// Turn implements agent.Agent.
func (a *Agent) Turn(ctx context.Context, r *agent.Request) (*agent.Reply, error) {
	environ := stream.Environ(r.Environ, inside...)
	p, err := program.Find(a.choice, environ, r.WorkDir)
	if err != nil {
		return nil, err
	}
	version, err := a.versions.Least(ctx, p, environ, r.WorkDir, least)
	if err != nil {
		return nil, err
	}
	return stream.GoOn(r, func(r *agent.Request) (*agent.Reply, error) { return a.ask(ctx, r, p, version, environ) })
}

// ask runs the program once.
func (a *Agent) ask(ctx context.Context, r *agent.Request, p *program.Program, version program.Version, environ []string) (reply *agent.Reply, err error) {
	files := &stream.Files{Dir: r.Dir}
	defer func() {
		if gone := files.Remove(); err == nil && gone != nil {
			err = gone
		}
	}()
	output := stream.NewOutput(r)
	q, err := a.arguments(r, version, environ, files, output)
	if err != nil {
		return nil, &flow.Failure{Message: "agent `" + r.Agent + "`: " + err.Error(), Class: flow.ClassFatal, Reason: agent.ReasonAgent, ExitCode: -1}
	}
	t := newTurn(r, output)
	t.version, t.environ, t.thinking, t.reasons = version, environ, q.thinking, q.reasons
	run := &stream.Turn{
		Program: p, Request: r, Args: q.args, Stdin: []byte(stream.Prompt(r, q.skills)),
		Environ: environ, Event: t.event, Limits: a.Limits,
	}
	end, err := run.Run(ctx)
	reply = t.reply(q.wrapped)
	if err == nil && !output.Said() {
		output.Text(reply.Text)
	}
	output.Flush()
	if err != nil {
		return reply, err
	}
	return reply, t.failure(end.ExitCode, a.permission)
}
