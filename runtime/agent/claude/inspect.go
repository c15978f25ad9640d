package claude

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/wfc-lang/wfc/runtime/agent/program"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/agent/stream"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// statusSince is the first version that says whether it is signed in.
var statusSince = program.Version{Major: 2, Minor: 1, Patch: 41}

// Inspect implements agent.Inspector.
func (a *Agent) Inspect(ctx context.Context, q *engine.Inspection, s *engine.AgentState) {
	own := *q
	own.Environ = stream.Environ(q.Environ, inside...)
	p, version := program.Look(ctx, a.choice, &own, s, least)
	if p == nil {
		return
	}
	signedIn := engine.Unknown
	switch {
	case program.HasCredential(s):
		signedIn = engine.Yes
	case q.Thorough && version.Compare(statusSince) >= 0:
		if signedIn = status(ctx, p, &own); ctx.Err() != nil {
			return
		}
	case hasAccount(own.Environ):
		signedIn = engine.Yes
	}
	program.Conclude(s, signedIn, signIn)
}

// status asks the program whether it is signed in.
func status(ctx context.Context, p *program.Program, q *engine.Inspection) engine.Verdict {
	end, err := p.Ask(ctx, q.Environ, q.WorkDir, "auth", "status")
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

// hasAccount reports whether the program keeps the tokens of an account in its
// file, or gets its models from a cloud that the environment names. Without
// either there may be an account all the same: some systems keep the tokens in
// a store of their own.
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
	text, err := os.ReadFile(filepath.Join(dir, ".credentials.json"))
	var kept struct {
		OAuth struct {
			Access  string `json:"accessToken"`
			Refresh string `json:"refreshToken"`
		} `json:"claudeAiOauth"`
	}
	return err == nil && json.Unmarshal(text, &kept) == nil && (kept.OAuth.Refresh != "" || kept.OAuth.Access != "")
}
