// Package codex is the kind of agents that run the command line of Codex.
//
//	Prompts: prompts.Opener(structured.Check, codex.Kind()), // in a cli.Program
//
// Users install the program and sign in with it; package catalog has the command and the
// credentials. The agent starts the program once for each turn, as `codex exec --json`,
// with the prompt on standard input. The program prints one JSON object on each line. The
// agent ignores unknown fields and unknown types of events and items. A known one with an
// unexpected shape is an error.
package codex

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// The program is started once a turn, as `codex exec --json`, with the prompt on standard
// input, and prints one JSON object a line. The facts below were observed in versions
// 0.100 to 0.169, or come from the program's source (openai/codex:
// codex-rs/exec/src/{cli,exec_events,event_processor_with_jsonl_output}.rs,
// codex-rs/utils/cli, sdk/typescript/src/exec.ts), the vendor's reference of config.toml
// (developers.openai.com/codex/config-reference) and the issues of that repository.
//
//   - Events differ by `type`: "thread.started" (`thread_id` is the session),
//     "turn.started", "item.started", "item.updated" and "item.completed" (an `item` with
//     its own `id` and `type`), and, last, "turn.completed" with `usage` or "turn.failed"
//     with `error.message`. "error" reports one that may pass: the program connects
//     again.
//   - Types of items are "agent_message" (the last one is the answer, JSON when a
//     schema was given), "reasoning", "command_execution" (its `status` may be
//     "declined", but never is since 0.169: what the sandbox stops fails by its own
//     words), "file_change", "mcp_tool_call", "web_search", "todo_list", …
//   - The model is not named, and `usage` counts the tokens of the whole session,
//     not those of the turn (openai/codex#17539), cached ones among the input.
//   - A turn that is interrupted or fails reports no usage. The file of the session,
//     $CODEX_HOME/sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl, has it after each answer of
//     the model: `payload` of type "token_count" with `info.total_token_usage`.
//   - `exec … resume ID -` continues a session; flags of `exec` come before
//     that word. An unknown one is an error on standard error that has the words
//     "no rollout found".
//   - It keeps the system prompt that it began with, see keepSystem.
//   - Settings are `-c key=value` with a value in TOML. It ignores unknown keys, which is
//     why there is a least version.
//   - A patch that the sandbox rejects is not an item. Only standard error has it: "patch
//     rejected: writing is blocked by read-only sandbox". See failure.go.
//   - With approval_policy="never", tools of MCP servers that want an approval are
//     refused, which is all of them unless their server's table says otherwise.
//   - The variables of MCP servers are literal: it replaces none in them. It passes on
//     variables of its own environment by name (`env_vars`, `env_http_headers`).
//   - `codex login status` exits with 0 when it is signed in, and with 1 and "Not
//     logged in" when it is not. CODEX_API_KEY is a key for `exec` alone, and
//     it ignores OPENAI_API_KEY.
//   - Schemas are strict: every key is required and no other one allowed. See
//     schema.Codex.
//
// Unknown types of events and items, and unknown fields, are ignored; a known one of
// another shape is an error.

// Kind returns the kind `codex`.
func Kind() agent.Kind { return codex.Kind() }

var codex = &stream.CLI{Name: "codex", Least: program.Version{Minor: 100}, SignIn: signIn, SignedIn: signInStatus, Ask: runOnce}

// runOnce runs the program once.
func runOnce(ctx context.Context, a *stream.Attempt) (*agent.Reply, error) {
	r := a.Request
	contained := process.IsContained(ctx)
	if contained && a.Permission == program.Safe {
		ctx = process.ReadOnly(ctx)
	}
	q, err := buildArguments(a, contained)
	if err != nil {
		return nil, failures.Fatal("agent `%s`: %v", r.Agent, err)
	}
	t := &turn{request: r, output: a.Output, price: priceOf(a.Choice, r.Model), permission: a.Permission, said: map[string]int{}, form: q.form, system: q.system}
	t.meta.Model = r.Model
	run := &stream.Turn{
		Program: a.Program, Request: r, Args: q.args, Stdin: []byte(systemPreface(r, q.system) + stream.Prompt(r, q.skills)),
		Environ: q.environ, Event: t.handleEvent, Printed: t.handleStderr,
	}
	end, err := run.Run(ctx)
	a.Output.Flush()
	t.warnOfDenials()
	t.countLeft(process.Outside(ctx, filepath.Join(dataFolder(r.Environ), "sessions")))
	reply := t.buildReply()
	switch {
	case ctx.Err() != nil && err != nil:
		return reply, err
	case err == nil:
		return reply, t.turnFailure(end.ExitCode)
	case end != nil && end.Signal == "" && strings.Contains(end.Stderr, "no rollout found"):
		return reply, stream.Gone(r, end.ExitCode)
	case end != nil && end.Signal == "" && end.Consumed == nil && t.problem != "":
		// It said why before it ended without the event that says so.
		t.failed = t.problem
		return reply, t.turnFailure(end.ExitCode)
	}
	return reply, err
}

// signInStatus asks the program whether it is signed in.
func signInStatus(ctx context.Context, p *program.Program, _ program.Version, q *engine.Inspection) engine.Verdict {
	if !q.Thorough {
		return engine.Unknown
	}
	end, err := p.Ask(ctx, q.Environ, p.Folder(q), "login", "status")
	switch {
	case err != nil:
		return engine.Unknown
	case end.ExitCode == 0:
		return engine.Yes
	case strings.Contains(strings.ToLower(end.Stderr+string(end.Stdout)), "not logged in"):
		return engine.No
	}
	return engine.Unknown
}
