package cli

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/compiler"
	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/gen"
	"github.com/wfc-lang/wfc/runtime/agent/catalog"
)

// agentKinds are the packages of the kinds of agents, for generated programs to
// import; wfc itself links none of them.
func agentKinds() map[string]string {
	paths := map[string]string{}
	for _, k := range catalog.Kinds() {
		paths[k.Name] = "github.com/wfc-lang/wfc/runtime/agent/" + k.Name
	}
	return paths
}

// agentsOf returns the names of the agents that a workflow asks.
func agentsOf(o outcome) []string {
	if o.result == nil || o.result.Program == nil {
		return nil
	}
	return compiler.AgentsOf(o.result.Program)
}

// agents are what stands behind the names that workflows may use: the agents of
// a configuration, and all others that need none.
func agents(c *config.Config, base string) []gen.Agent {
	var list []gen.Agent
	for i, a := range c.Resolved() {
		if agent, ok := chosen(a, c.Agents[i], base); ok {
			list = append(list, agent)
		}
	}
	for _, known := range catalog.Agents() {
		if !slices.ContainsFunc(c.Agents, func(a config.Agent) bool { return a.Name == known.Name }) {
			list = append(list, gen.Agent{Name: known.Name, Kind: known.Kind, Argument: known.Program, Args: known.Args})
		}
	}
	return list
}

// chosen returns what stands behind an agent of a configuration; own is the
// agent as it is written. One that has no program of its own follows the one
// that it uses, whatever is put in that one's place when the program is run.
// False means that its settings are wrong, which was reported.
func chosen(a, own config.Agent, base string) (gen.Agent, bool) {
	if own.Use != "command" && own.Use != own.Name && !isKindOnly(own.Use) && own.Program == "" && own.Args == nil {
		follower := withSettings(own)
		follower.Kind, follower.Argument, follower.Model, follower.SystemPrompt = "use", own.Use, a.Model, a.SystemPrompt
		return follower, true
	}
	agent := withSettings(a)
	if a.Use == "command" {
		if len(a.Command) == 0 {
			return gen.Agent{}, false
		}
		// Args is not nil: blanks in the program's path are part of it.
		agent.Kind, agent.Argument, agent.Args = "command", programPath(base, a.Command[0]), a.Command[1:]
		return agent, true
	}
	kind, known := a.Kind()
	if !known {
		return gen.Agent{}, false
	}
	behind, _ := catalog.AgentNamed(a.Use)
	agent.Kind, agent.Argument, agent.Args = kind.Name, behind.Program, behind.Args
	if a.Program != "" {
		agent.Argument = programPath(base, a.Program)
	}
	if a.Args != nil {
		agent.Args = a.Args
	}
	if agent.Argument != "" && agent.Args == nil {
		agent.Args = []string{} // blanks in the program's path are part of it
	}
	return agent, true
}

// withSettings returns an agent's settings without what stands behind it.
func withSettings(a config.Agent) gen.Agent {
	agent := gen.Agent{
		Name: a.Name, Model: a.Model, SystemPrompt: a.SystemPrompt, Permission: a.Permission, BaseURL: a.BaseURL,
		KeyVariable: a.KeyVariable, MaxTokens: a.MaxTokens, Environment: a.Environment,
	}
	if a.Price != nil {
		price := gen.Price(*a.Price)
		agent.Price = &price
	}
	return agent
}

// isKindOnly reports whether a name is that of a kind of agents and of no agent.
func isKindOnly(name string) bool {
	_, kind := catalog.KindNamed(name)
	_, agent := catalog.AgentNamed(name)
	return kind && !agent
}

// programPath is a program as programs take it along: a path in it is relative to
// the configuration's folder.
func programPath(base, name string) string {
	if strings.ContainsAny(name, `/\`) {
		return based(base, name)
	}
	return name
}
