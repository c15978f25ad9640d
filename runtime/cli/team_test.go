package cli_test

import (
	"context"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/agent/prompts"
	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// team has three prompts one after the other, of two agents whose kinds are
// linked, and a bash node at the end.
func team() cli.Program {
	def := &flow.Definition{
		Name: "team", Fingerprint: "m1", Agents: []string{"claude", "reviewer"},
		Nodes: []flow.NodeInfo{
			{Key: "plan", Kind: "prompt", Agent: "claude"}, {Key: "work", Kind: "prompt", Agent: "claude", After: []string{"plan"}},
			{Key: "review", Kind: "prompt", Agent: "reviewer", After: []string{"work"}}, {Key: "show", Kind: "bash", After: []string{"review"}},
		},
	}
	def.Flow = func(c *flow.Context) (any, error) {
		var last flow.AnyTask
		var said *flow.Task[string]
		for _, n := range def.Nodes[:3] {
			node := flow.Node[string]{Key: n.Key, Kind: "prompt", Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Prompt{Agent: n.Agent, Text: "please " + n.Key + os.Getenv("TEAM_MORE")})
				return r.Text, err
			}}
			if last != nil {
				node.After = flow.After(last)
			}
			said = flow.Spawn(c, node)
			last = said
		}
		flow.Spawn(c, flow.Node[string]{Key: "show", Kind: "bash", After: flow.After(said), Run: func(c *flow.Context) (string, error) {
			text, err := said.Text()
			if err != nil {
				return "", err
			}
			r, err := c.Do(flow.Bash{Script: `printf '%s, script %s/%s' "$SAID" "$DEPLOY_TOKEN" "$EDITOR"; if [ -e fail ]; then exit 1; fi`, Bindings: []flow.Binding{{Name: "SAID", Value: text}}})
			return r.Text, err
		}})
		return nil, flow.Settle(c)
	}
	p := program(def)
	p.Prompts = prompts.Opener(nil, member("claude"), member("codex"))
	p.Defaults = settings.Project{Agents: []settings.Agent{
		{Name: "claude", Kind: "claude", Model: "big", PassEnv: []string{"EXTRA_TOKEN"}}, {Name: "reviewer", Use: "codex", Permission: "all"},
		{Name: "codex", Kind: "codex", Permission: "edit", Price: &settings.Price{Input: 1, Output: 1}},
	}}
	if model, ok := os.LookupEnv("TEAM_UNPRICED"); ok {
		p.Defaults.Agents[1].Model, p.Defaults.Agents[2].Price = model, nil
	}
	if usd, err := strconv.ParseFloat(os.Getenv("TEAM_LIMIT"), 64); err == nil {
		p.Defaults.Limits.CostUSD = usd
	}
	if names, ok := os.LookupEnv("TEAM_ENVIRONMENT"); ok {
		p.Defaults.PassEnv = settings.PassEnv{Agents: strings.Fields(names), Scripts: append([]string{}, strings.Fields(names)...)}
	}
	return p
}

// squad runs a workflow of two prompts with a gate between them, twice.
func squad() cli.Program {
	draft := &flow.Definition{
		Name: "draft", Fingerprint: "q1", Agents: []string{"claude"},
		Nodes: []flow.NodeInfo{
			{Key: "write", Kind: "prompt", Agent: "claude"}, {Key: "gate", Kind: "approval", After: []string{"write"}},
			{Key: "polish", Kind: "prompt", Agent: "claude", After: []string{"gate"}},
		},
	}
	draft.Flow = func(c *flow.Context) (any, error) {
		ask := func(key string, after ...flow.AnyTask) *flow.Task[string] {
			return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "prompt", After: after, Run: func(c *flow.Context) (string, error) {
				return flow.TextOf(c.Do(flow.Prompt{Agent: "claude", Text: "please " + key}))
			}})
		}
		ask("polish", gate(c, "gate", "Polish it?", ask("write")))
		return nil, flow.Settle(c)
	}
	def := &flow.Definition{
		Name: "squad", Fingerprint: "q2", Children: []*flow.Definition{draft},
		Nodes: []flow.NodeInfo{{Key: "one", Kind: "workflow", Workflow: "draft"}, {Key: "two", Kind: "workflow", Workflow: "draft", After: []string{"one"}}},
	}
	def.Flow = func(c *flow.Context) (any, error) {
		child(c, "two", "draft", child(c, "one", "draft"))
		return nil, flow.Settle(c)
	}
	p := program(def)
	p.Prompts = prompts.Opener(nil, member("claude"))
	p.Defaults.Agents = []settings.Agent{{Name: "claude", Kind: "claude"}}
	return p
}

// writes has an agent write something once a person has agreed.
func writes() cli.Program {
	def := &flow.Definition{
		Name: "writes", Fingerprint: "d1", Agents: []string{"claude"},
		Nodes: []flow.NodeInfo{{Key: "gate", Kind: "approval"}, {Key: "write", Kind: "prompt", Agent: "claude", After: []string{"gate"}}},
	}
	def.Flow = func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "write", Kind: "prompt", After: flow.After(gate(c, "gate", "Write it?")), Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Prompt{Agent: "claude", Text: "please write"})
			return r.Text, err
		}})
		return nil, flow.Settle(c)
	}
	p := paged(def)
	p.Prompts = prompts.Opener(nil, member("claude"))
	p.Defaults.Agents = []settings.Agent{{Name: "claude", Kind: "claude"}}
	return p
}

// member is a kind of agents that say what they were asked, and which of some
// variables they have. Each turn costs half a dollar and 150 tokens. A file with
// the kind's name says what is wrong with it.
func member(kind string) agent.Kind {
	return agent.Kind{Name: kind, Open: func(c settings.Agent) (agent.Agent, error) { return teammate{kind, c.Permission}, nil }}
}

type teammate struct{ kind, permission string }

func (teammate) Capabilities() agent.Capabilities { return agent.Capabilities{} }

func (m teammate) Turn(_ context.Context, r *agent.Request) (*agent.Reply, error) {
	var has []string
	for _, name := range []string{"ANTHROPIC_API_KEY", "CODEX_API_KEY", "DEPLOY_TOKEN", "EDITOR", "EXTRA_TOKEN"} {
		if slices.ContainsFunc(r.Environ, func(entry string) bool { return strings.HasPrefix(entry, name+"=") }) {
			has = append(has, name)
		}
	}
	f, err := os.OpenFile("asked", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := f.WriteString(m.kind + ": " + r.Text + "\n"); err != nil {
		return nil, err
	}
	reply := &agent.Reply{
		Text: m.kind + " " + m.permission + " did " + r.Text + " with " + strings.Join(has, " ") + " " + os.Getenv("DEPLOY_TOKEN"),
		Meta: flow.Meta{CostUSD: 0.5, InputTokens: 100, OutputTokens: 50, Turns: 1, Model: r.Model},
	}
	if os.Getenv("TEAM_SILENT") != "" {
		reply.Meta.CostUSD = 0
	}
	return reply, nil
}

func (m teammate) Inspect(ctx context.Context, q *engine.Inspection, s *engine.AgentState) {
	wrong, err := os.ReadFile(m.kind)
	if err != nil {
		s.Program, s.Version, s.Installed = "/bin/"+m.kind, "1.2.3", engine.Yes
		if q.Thorough {
			s.SignedIn, s.Usable = engine.Yes, engine.Yes
		}
		return
	}
	switch strings.TrimSpace(string(wrong)) {
	case "missing":
		s.Installed, s.Usable, s.Problem, s.Hint = engine.No, engine.No, "`"+m.kind+"` is not on PATH", "get it from somewhere"
	case "signed out":
		s.Installed = engine.Yes
		if q.Thorough {
			s.SignedIn, s.Usable, s.Problem = engine.No, engine.No, "nobody is signed in"
		}
	case "slow":
		select {
		case <-ctx.Done():
		case <-time.After(time.Hour):
		}
	}
}
