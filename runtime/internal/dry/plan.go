// Package dry is the engine of dry runs, which performs nothing: it executes a workflow's flow
// symbolically to find the actions of a run, their order, prompts and programs.
//
// The flow is the same code that every engine runs, on the same scheduler. Its actions
// end at once: with a scripted output, or with a symbol, shown in ‹ › (see
// kernel.Symbolic). Questions count as approved, and waits end at once because the
// clock jumps. There are no processes, no store, no files and no locks.
package dry

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// SchemaVersion is the version of a plan's JSON form. It grows when a field
// changes its meaning or goes away.
const SchemaVersion = 1

// A Plan has the actions that a run would perform.
type Plan struct {
	SchemaVersion int    `json:"schema_version"`
	Workflow      string `json:"workflow"`
	Source        string `json:"source,omitempty"`
	Fingerprint   string `json:"fingerprint"`
	// Inputs are the run's inputs as a JSON object.
	Inputs json.RawMessage `json:"inputs"`
	// WorkDir is the folder that the run would work in.
	WorkDir string `json:"work_dir"`
	// Verdict says how the run would end.
	Verdict Verdict `json:"verdict"`
	// Steps are the nodes in the order in which they would begin.
	Steps []*Step `json:"steps"`
	// Unused are the keys of scripted outputs that the plan did not come to.
	Unused []string `json:"unused_outputs,omitempty"`
}

// A Verdict is how a run would end if every step that is not scripted otherwise
// completed.
type Verdict struct {
	// Status is "completed", "failed", "cancelled" or "undecided".
	Status string `json:"status"`
	// Reasons say why, in words.
	Reasons []string `json:"reasons,omitempty"`
}

// Undecided is the status of a verdict that depends on unknown values.
const Undecided = "undecided"

// A Decision says whether a node would run.
type Decision string

// The decisions.
const (
	Runs    Decision = "runs"
	Skipped Decision = "skipped"
	// Maybe: that depends on an unknown value; the node is still planned.
	Maybe Decision = "maybe"
)

// A Step is one node of the workflow.
type Step struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	// Stage counts from 1. A node can begin when all that it comes after have
	// ended, which are of earlier stages; nodes of one stage can run side by side.
	Stage int `json:"stage"`
	// After are the nodes that it depends on, Order those that only come before.
	After []string `json:"after,omitempty"`
	Order []string `json:"order,omitempty"`
	// Rule is the trigger rule, "" for all_success; When the condition, as written.
	Rule string `json:"trigger_rule,omitempty"`
	When string `json:"when,omitempty"`
	// Line is where the node is defined.
	Line     int      `json:"line,omitempty"`
	Decision Decision `json:"decision"`
	// Why are the reasons of a decision other than Runs.
	Why []string `json:"why,omitempty"`
	// Status is how the node would end, if it runs.
	Status flow.Status `json:"status"`
	// Failure is why it would fail.
	Failure string `json:"failure,omitempty"`
	// Cancels is the reason for which it would cancel the run.
	Cancels string `json:"cancels,omitempty"`
	// Repeats is how often a loop runs whose end is not known, such as "1 to 5
	// times".
	Repeats string `json:"repeats,omitempty"`
	// Notes are further facts about a node of several actions: how often it may repeat,
	// its time limit, the effect of a rejection.
	Notes []string `json:"notes,omitempty"`
	// Output is the output of a node that would complete: the scripted one, or the
	// placeholder of an unknown one.
	Output      string `json:"output,omitempty"`
	OutputKnown bool   `json:"output_known"`
	// Actions are what the node would do, in order.
	Actions []*Action `json:"actions,omitempty"`
}

// An Action is one effect: a prompt, a program, a question.
type Action struct {
	// Key is the step's key in a run: the node's id, or one below it such as
	// `fix#3`.
	Key string `json:"id"`
	// Kind is the kind of action: "prompt", "bash", "script", "question", "wait",
	// "workflow".
	Kind string `json:"kind"`

	Prompt

	// For programs. Test says that the exit code is the result.
	Runtime  string   `json:"runtime,omitempty"`
	Name     string   `json:"name,omitempty"`
	Script   string   `json:"script,omitempty"`
	Deps     []string `json:"deps,omitempty"`
	Dir      string   `json:"dir,omitempty"`
	Test     bool     `json:"test,omitempty"`
	Bindings []Value  `json:"bindings,omitempty"`

	// Env are the environment variables of a program or an agent.
	Env []Value `json:"env,omitempty"`

	// For questions. Wait says that it is a wait: for a time, which is the Message, for
	// an event of that name, or for a person's attention.
	Message string        `json:"message,omitempty"`
	Choices []string      `json:"choices,omitempty"`
	Wait    flow.WaitKind `json:"wait,omitempty"`

	// For runs of other workflows: the workflow, whether the run has a separate worktree,
	// and its plan, unless its inputs are known only at run time or a run of it is
	// planned above.
	Workflow string `json:"workflow,omitempty"`
	Worktree bool   `json:"worktree,omitempty"`
	Plan     *Plan  `json:"plan,omitempty"`
	run      *world

	// Payload is the data of an action of another kind.
	Payload json.RawMessage `json:"payload,omitempty"`

	Timeout Milliseconds `json:"timeout_ms,omitempty"`
	Retry   *Retry       `json:"retry,omitempty"`
	// Result is the result with which the plan continues.
	Result Result `json:"result"`
}

// A Prompt is what an Action asks of an agent.
type Prompt struct {
	Agent string `json:"agent,omitempty"`
	// Behind is the kind or program that would answer for the agent, "" if the settings
	// have none.
	Behind       string          `json:"agent_behind,omitempty"`
	Model        string          `json:"model,omitempty"`
	System       string          `json:"system_prompt,omitempty"`
	Text         string          `json:"prompt,omitempty"`
	Schema       json.RawMessage `json:"schema,omitempty"`
	Session      string          `json:"session,omitempty"`
	FreshSession bool            `json:"fresh_session,omitempty"`
	Fork         bool            `json:"fork_session,omitempty"`
	Persist      bool            `json:"persist_session,omitempty"`
	Options      []flow.Option   `json:"options,omitempty"`
	IdleTimeout  Milliseconds    `json:"idle_timeout_ms,omitempty"`
}

// Milliseconds are a time span that is written as their number.
type Milliseconds time.Duration

// MarshalJSON implements json.Marshaler.
func (m Milliseconds) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Duration(m).Milliseconds())
}

// A Value is a variable of a program. The value of a secret is "***".
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Retry says how often a failed action is tried again: Max more times, after
// Delay, which doubles each time; only after failures that pass by themselves
// unless All is set.
type Retry struct {
	Max   int          `json:"max"`
	Delay Milliseconds `json:"delay_ms,omitempty"`
	All   bool         `json:"all,omitempty"`
}

// A Source says where a result in a plan comes from.
type Source string

// The sources.
const (
	// Scripted: somebody has given it.
	Scripted Source = "scripted"
	// Assumed: a question that is taken as approved.
	Assumed Source = "assumed"
	// Unknown: known only at run time.
	Unknown Source = "unknown"
)

// A Result is how an action ends in the plan.
type Result struct {
	Source Source      `json:"source"`
	Status flow.Status `json:"status"`
	Text   string      `json:"text,omitempty"`
	Choice string      `json:"choice,omitempty"`
}

// chooseAgent sets the program or kind behind the agent of a prompt, and the settings that it
// implies.
func (a *Action) chooseAgent(agents settings.Agents) {
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
	a.Model = cmp.Or(a.Model, c.Model)
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

// renderedTexts returns the strings of an action that the workflow's code renders.
func (a *Action) renderedTexts() []*string {
	list := []*string{&a.Text, &a.Script, &a.Message, &a.Session, &a.Dir}
	for i := range a.Bindings {
		list = append(list, &a.Bindings[i].Value)
	}
	for i := range a.Env {
		list = append(list, &a.Env[i].Value)
	}
	return list
}

// describeAction returns an action as a plan shows it.
func describeAction(a flow.Action) *Action {
	act := &Action{Key: a.Key, Kind: a.Payload.Kind(), Timeout: Milliseconds(a.Timeout)}
	if a.Retry.Retries > 0 {
		act.Retry = &Retry{Max: a.Retry.Retries, Delay: Milliseconds(a.Retry.Delay), All: a.Retry.All}
	}
	switch p := a.Payload.(type) {
	case flow.Prompt:
		act.Agent, act.Model, act.Text, act.Schema = p.Agent, p.Model, p.Text, p.Schema
		act.Session, act.FreshSession, act.Fork, act.Persist = p.Session, p.FreshSession, p.Fork, p.Persist
		act.Options, act.IdleTimeout, act.Env = slices.Clone(p.Options), Milliseconds(p.IdleTimeout), variableValues(p.Env)
	case flow.Bash:
		act.Script, act.Dir, act.Test = p.Script, p.Dir, p.Test
		act.Bindings, act.Env = bindingValues(p.Bindings), variableValues(p.Env)
	case flow.Script:
		act.Runtime, act.Name, act.Script, act.Deps = p.Runtime, p.Name, p.Source, p.Deps
		act.Bindings, act.Env = bindingValues(p.Bindings), variableValues(p.Env)
	case flow.Child:
		act.Workflow, act.Worktree = p.Workflow, p.Worktree
	default:
		// A payload that JSON cannot encode cannot be journalled either; then it is not
		// shown.
		act.Payload, _ = json.Marshal(p)
	}
	return act
}

func bindingValues(list []flow.Binding) []Value {
	var out []Value
	for _, b := range list {
		out = append(out, Value{b.Name, b.Value})
	}
	return out
}

func variableValues(list []flow.Variable) []Value {
	var out []Value
	for _, v := range list {
		out = append(out, Value{v.Name, v.Value})
	}
	return out
}
