package dry

import (
	"encoding/json"
	"strings"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// choose says what stands behind the agent of a prompt, and which settings that
// brings.
func (a *Action) choose(agents settings.Agents) {
	if a.Kind != (flow.Prompt{}).Kind() {
		return
	}
	name := a.Agent
	if name == "" && len(agents) == 1 {
		name = agents[0].Name
	}
	c, ok := agents.Find(name)
	if !ok {
		return
	}
	if a.Model == "" {
		a.Model = c.Model
	}
	a.System = c.SystemPrompt
	for _, o := range a.Options {
		if o.Name == "systemPrompt" {
			a.System = "" // the prompt's own counts
		}
	}
	if c, ok = agents.Resolve(name); !ok {
		return
	}
	behind := c.Kind
	if c.Program != "" {
		behind += ":" + c.Program
	}
	a.Behind = strings.Join(append([]string{behind}, c.Args...), " ")
}

// texts are the texts of an action that the workflow's code renders.
func (a *Action) texts() []*string {
	list := []*string{&a.Prompt, &a.Script, &a.Message, &a.Session, &a.Dir}
	for i := range a.Bindings {
		list = append(list, &a.Bindings[i].Value)
	}
	for i := range a.Env {
		list = append(list, &a.Env[i].Value)
	}
	return list
}

// describe returns an action as a plan shows it.
func describe(a flow.Action) *Action {
	act := &Action{Key: a.Key, Kind: a.Payload.Kind(), Timeout: Milliseconds(a.Timeout)}
	if a.Retry.Max > 0 {
		act.Retry = &Retry{Max: a.Retry.Max, Delay: Milliseconds(a.Retry.Delay), All: a.Retry.All}
	}
	switch p := a.Payload.(type) {
	case flow.Prompt:
		act.Agent, act.Model, act.Prompt, act.Schema = p.Agent, p.Model, p.Text, p.Schema
		act.Session, act.FreshSession, act.Fork, act.Persist = p.Session, p.FreshSession, p.Fork, p.Persist
		act.Options, act.IdleTimeout, act.Env = p.Options, Milliseconds(p.IdleTimeout), variables(p.Env)
	case flow.Bash:
		act.Script, act.Dir, act.Test = p.Script, p.Dir, p.Test
		act.Bindings, act.Env = bindings(p.Bindings), variables(p.Env)
	case flow.Script:
		act.Runtime, act.Name, act.Script, act.Deps = p.Runtime, p.Name, p.Source, p.Deps
		act.Bindings, act.Env = bindings(p.Bindings), variables(p.Env)
	case flow.Child:
		act.Workflow, act.Worktree = p.Workflow, p.Worktree
	default:
		// What is no JSON cannot be journalled either; then it is not shown.
		act.Payload, _ = json.Marshal(p)
	}
	return act
}

func bindings(list []flow.Binding) []Value {
	var out []Value
	for _, b := range list {
		out = append(out, Value{b.Name, b.Value})
	}
	return out
}

func variables(list []flow.Variable) []Value {
	var out []Value
	for _, v := range list {
		out = append(out, Value{v.Name, v.Value})
	}
	return out
}
