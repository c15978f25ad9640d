// Package claude is the kind of agents that run the command line of Claude Code.
//
//	Prompts: prompts.Opener(structured.Check, claude.Kind()), // in a cli.Program
//
// Users install the program and sign in with it; package catalog has the command and the
// credentials. The agent starts the program once for each turn, as `claude -p
// --output-format stream-json`, with the prompt on standard input. The program prints one
// JSON object on each line. The agent ignores unknown fields and unknown types of events
// and blocks. A known one with an unexpected shape is an error.
package claude

import (
	"context"
	"encoding/json"
	"path/filepath"

	"github.com/wfc-lang/wfc/internal/shared/wholefile"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/agent/failures"
	"github.com/wfc-lang/wfc/runtime/internal/agent/program"
	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// Facts about the program's output, as observed in versions 2.1.0 to 2.1.330, and from
// the vendor's reference of the command line and of permission modes
// (code.claude.com/docs/en/ cli-reference, permission-modes, hooks), its CHANGELOG.md,
// the source of its Python SDK (anthropics/claude-agent-sdk-python, _internal/transport
// and message_parser), which starts the same program, and others' observations of the
// stream.
//
//   - Events differ by `type`: "system" (subtype "init" has the session
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
//   - After SIGINT it prints the result of the turn so far, "error_during_execution" with
//     its cost. After SIGTERM it prints nothing.
//   - `total_cost_usd` and `modelUsage` are of the process up to 2.1.197, and of
//     the whole session in 2.1.283 and 2.1.330, also after --fork-session;
//     `model_usage_since_last_result` (2.1.330) is of the turn. See cost.go.
//   - A session keeps the system prompt of its first turn in 2.1.283 and later,
//     unless --system-prompt-snapshot=off says otherwise.
//   - A request that is refused is tried again ten times, over minutes; each
//     `system/api_retry` names the sort of the error.
//   - A prompt for permission that nobody can answer is a denial; `result` lists
//     them under `permission_denials`, and the turn continues.
//   - An unknown session is "error_during_execution" with the words "No
//     conversation found", and costs nothing.
//   - `claude auth status` came with 2.1.41. It prints a JSON object with
//     `loggedIn`, and its exit code is 1 when that is false.
//   - Inside one of its own sessions (CLAUDECODE is set) the program refuses to start,
//     since 2.1.41.

// Kind returns the kind `claude`.
func Kind() agent.Kind { return claude.Kind() }

var claude = &stream.CLI{
	Name: "claude", Least: program.Version{Major: 2, Minor: 1}, SignIn: signIn, SignedIn: signedIn, Ask: runOnce,
	// By these variables the program knows that one of its own sessions started it.
	Hide: []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID"},
}

// runOnce runs the program once.
func runOnce(ctx context.Context, a *stream.Attempt) (*agent.Reply, error) {
	q, err := buildArguments(a)
	if err != nil {
		return nil, failures.Fatal("agent `%s`: %v", a.Request.Agent, err)
	}
	t := newTurn(a.Request, a.Output)
	t.version, t.thinking, t.reasons = a.Version, q.thinking, q.reasons
	t.projects = func() string { return process.Outside(ctx, filepath.Join(configDir(a.Environ), "projects")) }
	run := &stream.Turn{
		Program: a.Program, Request: a.Request, Args: q.args, Stdin: []byte(stream.Prompt(a.Request, q.skills)),
		Environ: a.Environ, Event: t.handleEvent,
	}
	end, err := run.Run(ctx)
	reply := t.buildReply(&q.form)
	if err == nil && !a.Output.Said() {
		a.Output.Text(reply.Text)
	}
	a.Output.Flush()
	if err != nil {
		return reply, err
	}
	if err = t.turnFailure(end.ExitCode, a.Permission); err != nil && ctx.Err() != nil {
		err = ctx.Err() // the result of an interrupted turn has its cost
	}
	return reply, err
}

// statusSince is the first version that reports whether it is signed in.
var statusSince = ofVersion2_1(41)

func signedIn(ctx context.Context, p *program.Program, v program.Version, q *engine.Inspection) engine.Verdict {
	switch {
	case q.Thorough && v.Compare(statusSince) >= 0:
		return signInStatus(ctx, p, q)
	case hasAccount(q.Environ):
		return engine.Yes
	}
	return engine.Unknown
}

// signInStatus asks the program whether it is signed in.
func signInStatus(ctx context.Context, p *program.Program, q *engine.Inspection) engine.Verdict {
	end, err := p.Ask(ctx, q.Environ, p.Folder(q), "auth", "status")
	if err != nil {
		return engine.Unknown
	}
	var answer struct {
		LoggedIn *bool `json:"loggedIn"`
	}
	switch {
	case json.Unmarshal(end.Stdout, &answer) != nil || answer.LoggedIn == nil:
		return engine.Unknown
	case *answer.LoggedIn:
		return engine.Yes
	}
	return engine.No
}

// hasAccount reports whether the program keeps the tokens of an account in its file, or
// gets its models from a cloud that the environment names. There may be an account
// without either: some systems keep the tokens in a key store.
func hasAccount(environ []string) bool {
	for _, name := range []string{"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"} {
		if v := process.Variable(environ, name); v != "" && v != "0" && v != "false" {
			return true
		}
	}
	dir := configDir(environ)
	if dir == "" {
		return false
	}
	text, err := wholefile.Source.Read(filepath.Join(dir, ".credentials.json"))
	var kept struct {
		OAuth struct {
			Access  string `json:"accessToken"`
			Refresh string `json:"refreshToken"`
		} `json:"claudeAiOauth"`
	}
	return err == nil && json.Unmarshal(text, &kept) == nil && (kept.OAuth.Refresh != "" || kept.OAuth.Access != "")
}
