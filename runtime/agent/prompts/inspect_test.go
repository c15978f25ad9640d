package prompts_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wfc-lang/wfc/internal/shared/catalog"
	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/prompts"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// member is an agent of a linked kind, which says how it was set up.
type member struct {
	choice  settings.Agent
	inspect func(ctx context.Context, q *engine.Inspection, s *engine.AgentState)
}

func (member) Capabilities() agent.Capabilities { return agent.Capabilities{} }

func (m member) Turn(_ context.Context, r *agent.Request) (*agent.Reply, error) {
	c := m.choice
	return &agent.Reply{Text: fmt.Sprintf("%s %s %v|%s|%s|%s|%v", c.Name, c.Program, c.Args, c.Permission, c.KeyVariable, r.Model, r.Environ)}, nil
}

func (m member) Inspect(ctx context.Context, q *engine.Inspection, s *engine.AgentState) {
	if m.inspect != nil {
		m.inspect(ctx, q, s)
	}
}

// kind is a linked kind; opened takes the choices that agents were opened for.
func kind(name string, opened *[]settings.Agent, inspect func(context.Context, *engine.Inspection, *engine.AgentState)) agent.Kind {
	return agent.Kind{Name: name, Open: func(c settings.Agent) (agent.Agent, error) {
		if c.Program == "bad" {
			return nil, errors.New("not that")
		}
		if opened != nil {
			*opened = append(*opened, c)
		}
		return member{c, inspect}, nil
	}}
}

// Agents that use another one are opened with its program and their own settings,
// and those that are set up alike are one agent.
func TestLinkedKinds(t *testing.T) {
	var opened []settings.Agent
	p, err := prompts.Opener(nil, kind("claude", &opened, nil), kind("acp", nil, nil))(engine.Agents{List: []settings.Agent{
		{Name: "claude", Kind: "claude", Program: "/bin/c", Permission: "edit", KeyVariable: "X_KEY"},
		{Name: "same", Use: "claude", SystemPrompt: "be brief"},
		{Name: "free", Use: "same", Permission: "all", Model: "big", PassEnv: []string{"MY_TOKEN"}},
		{Name: "pilot", Kind: "copilot"}, {Name: "other", Kind: "copilot", Program: "/x/copilot"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(p.AgentKinds(), " "); got != "command scripted claude acp" {
		t.Errorf("kinds %s", got)
	}
	if len(opened) != 2 {
		t.Errorf("opened %+v", opened)
	}
	copilot, _ := catalog.AgentNamed("copilot")
	for name, want := range map[string]string{
		"claude": "claude /bin/c []|edit|X_KEY||[A=1 X_KEY=k]",
		"same":   "claude /bin/c []|edit|X_KEY||[A=1 X_KEY=k]",
		"free":   "claude /bin/c []|all|X_KEY|big|[A=1 X_KEY=k MY_TOKEN=m]",
		"pilot":  fmt.Sprintf("pilot %s %v||||[A=1]", copilot.Program, copilot.Args),
		"other":  fmt.Sprintf("other /x/copilot %v||||[A=1]", copilot.Args),
	} {
		call := called(t, flow.Prompt{Agent: name, Text: "x"})
		call.Environ = []string{"A=1", "X_KEY=k", "MY_TOKEN=m"}
		if r := p.Perform(t.Context(), call); r.Text != want {
			t.Errorf("%s: %s, want %s", name, r.Text, want)
		}
	}
	for want, c := range map[string]settings.Agent{
		"agent `a`: not that": {Name: "a", Kind: "claude", Program: "bad"},
		"agent `a`: this program was built without agents of kind `codex`; it has: `command`, `scripted`, `claude`. Name the agent in wfc.yaml (`agents: {a: {use: codex}}`) and build again": {Name: "a", Kind: "codex"},
		"without agents of kind `copilot`": {Name: "a", Kind: "copilot"},
	} {
		if _, err := prompts.Opener(nil, kind("claude", nil, nil))(engine.Agents{List: []settings.Agent{c}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestInspect(t *testing.T) {
	var asked []string
	claude := kind("claude", nil, func(_ context.Context, q *engine.Inspection, s *engine.AgentState) {
		asked = append(asked, fmt.Sprintf("%v %v %v %v", q.Names, q.Environ, q.WorkDir, q.Thorough))
		s.Installed = engine.Yes
	})
	p, err := prompts.Opener(nil, claude)(engine.Agents{List: []settings.Agent{
		{Name: "planner", Use: "claude", Model: "big"}, {Name: "claude", Kind: "claude"},
		{Name: "lost", Use: "nowhere"}, {Name: "prog", Kind: "command", Program: "/nowhere/prog"},
		{Name: "file", Kind: "scripted", Program: scripted(t, `{"n":["x"]}`)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	q := &engine.Inspection{Names: []string{"planner", "lost", "none", "prog", "file"}, Environ: []string{"CLAUDE_CODE_OAUTH_TOKEN=x", "DEPLOY_TOKEN=d"}, WorkDir: "/w"}
	states := p.Inspect(t.Context(), q)
	if got := strings.Join(asked, ";"); got != "[planner] [CLAUDE_CODE_OAUTH_TOKEN=x] /w false" {
		t.Errorf("asked %s", got)
	}
	want := []engine.AgentState{
		{Name: "planner", Kind: "claude", Model: "big", Installed: engine.Yes, SignedIn: engine.Unknown, Usable: engine.Unknown,
			Credentials: []engine.Credential{{Name: "CLAUDE_CODE_OAUTH_TOKEN", Set: true}, {Name: "ANTHROPIC_API_KEY"}, {Name: "ANTHROPIC_AUTH_TOKEN"}}},
		{Name: "lost", Installed: engine.Unknown, SignedIn: engine.Unknown, Usable: engine.No, Problem: "it uses `nowhere`, which is not set up",
			Hint: "give --agent lost=KIND, where KIND is one of: command, scripted, claude; or add `agents: {lost: {use: claude}}` to wfc.yaml and build again"},
		{Name: "none", Installed: engine.Unknown, SignedIn: engine.Unknown, Usable: engine.No, Problem: "it is not set up",
			Hint: "give --agent none=KIND, where KIND is one of: command, scripted, claude; or add `agents: {none: {use: claude}}` to wfc.yaml and build again"},
		{Name: "prog", Kind: "command", Installed: engine.No, SignedIn: engine.Unknown, Usable: engine.No},
		{Name: "file", Kind: "scripted", Installed: engine.Yes, SignedIn: engine.Yes, Usable: engine.Yes},
	}
	for i, got := range states {
		if got.Name == "prog" && strings.Contains(got.Problem, "/nowhere/prog") {
			got.Problem = ""
		}
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want[i]) {
			t.Errorf("got\n%+v, want\n%+v", got, want[i])
		}
	}
	// A static look asks nobody.
	asked, q.Static = nil, true
	if s := p.Inspect(t.Context(), q)[0]; asked != nil || s.Kind != "claude" || !s.Credentials[0].Set || s.Installed != engine.Unknown {
		t.Errorf("%+v, asked %q", s, asked)
	}
}

// Agents are inspected side by side, and one that takes its time is not waited
// for.
func TestInspectionsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := kind("claude", nil, func(ctx context.Context, _ *engine.Inspection, _ *engine.AgentState) { <-ctx.Done() })
		p, err := prompts.Opener(nil, slow)(engine.Agents{List: []settings.Agent{{Name: "a", Kind: "claude"}, {Name: "b", Kind: "claude", Model: "m"}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, thorough := range []bool{false, true} {
			begun := time.Now()
			states := p.Inspect(t.Context(), &engine.Inspection{Names: []string{"a", "b"}, Thorough: thorough})
			if took := time.Since(begun); took > time.Minute {
				t.Errorf("it took %s", took)
			}
			want := map[bool]engine.Verdict{false: engine.Unknown, true: engine.No}[thorough]
			if slices.ContainsFunc(states, func(s engine.AgentState) bool {
				return s.Usable != want || !strings.HasPrefix(s.Problem, "it did not report within ")
			}) {
				t.Errorf("thorough %v: %+v", thorough, states)
			}
		}
	})
}
