package diag

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/source"
)

// 7xx: agents, their options and limits.
var agentCodes = []*Code{
	unknownProvider, ignoredAgentOptions, unsupportedOption, unknownModelAlias, missingSkill,
	mcpFile, unknownHook, agentID, blankSignal, reworkNeverRuns, modelOverridesProvider, undefinedTier,
	unenforceableLimit, unknownPrice, foreignModel,
}

var unknownProvider = &Code{
	ID: "WFC700", Slug: "unknown-provider", Severity: Error,
	Doc: `No agent of that name is known. The names claude, codex, opencode, pi and
copilot always are; wfc.yaml can define more. So it can those that wfc knows but the
original engine does not, such as gemini, anthropic, openai and google:
agents: {gemini: {use: gemini}}`,
	Bad:  "name: w\ndescription: d\nprovider: cloude\nnodes:\n  - id: a\n    prompt: say hi\n",
	Good: "name: w\ndescription: d\nprovider: claude\nnodes:\n  - id: a\n    prompt: say hi\n",
}

// UnknownProvider reports an agent that the format does not know; listed says
// that wfc does, so that the configuration can bring it in.
func UnknownProvider(at source.Span, name string, known []string, listed bool) *Diagnostic {
	d := unknownProvider.new(at, fmt.Sprintf("there is no provider `%s`; known are %s", name, quoteAll(known)))
	if listed {
		return d.WithHelp(fmt.Sprintf("`agents: {%s: {use: %s}}` in `wfc.yaml` makes it known", name, name))
	}
	if near := Nearest(name, known); near != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", near)).
			WithFix(fmt.Sprintf("replace with `%s`", near), at, near, false)
	}
	return d
}

var ignoredAgentOptions = &Code{
	ID: "WFC701", Slug: "agent-options-ignored", Severity: Warning,
	Doc: `Options for an agent stand on a node that asks none, or whose type does not take
them: only command and prompt nodes do. They are ignored. A loop, too, takes its
provider and model from the workflow.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n    model: sonnet\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    bash: echo hi\n",
}

// IgnoredAgentOptions reports agent options on a node of a type that takes
// none.
func IgnoredAgentOptions(at source.Span, mode string, options []string) *Diagnostic {
	return ignoredAgentOptions.new(at, fmt.Sprintf("a `%s` node takes no agent options; ignored: %s", mode, quoteAll(options)))
}

var unsupportedOption = &Code{
	ID: "WFC702", Slug: "unsupported-option", Severity: Warning,
	Doc: `The node's agent does not have what the option asks for. The option is ignored
and the node runs without it.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    provider: codex\n    denied_tools: [Bash]\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    provider: claude\n    denied_tools: [Bash]\n",
}

// UnsupportedOption reports an option that an agent does not support; with
// names the agents that do.
func UnsupportedOption(at source.Span, option, provider string, with []string) *Diagnostic {
	return unsupportedOption.new(at, fmt.Sprintf("`%s` does not support `%s`; it is ignored", provider, option)).
		WithHelp(fmt.Sprintf("supported by %s", joinAnd(with)))
}

var unknownModelAlias = &Code{
	ID: "WFC703", Slug: "unknown-model-alias", Severity: Error,
	Doc: `A model that starts with @ is an alias that wfc.yaml defines, and it defines
none of that name.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    model: '@fast'\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    model: small\n",
}

// UnknownModelAlias reports a model alias that the configuration does not
// define.
func UnknownModelAlias(at source.Span, alias string, known []string) *Diagnostic {
	d := unknownModelAlias.new(at, fmt.Sprintf("no model alias `%s` is defined", alias))
	if near := Nearest(alias, known); near != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", near)).
			WithFix(fmt.Sprintf("replace with `%s`", near), at, near, false)
	}
	return d.WithHelp("define it under `models` in `wfc.yaml`")
}

var missingSkill = &Code{
	ID: "WFC704", Slug: "missing-skill", Severity: Warning,
	Doc: `A skill that the node gives to its agent is not there: skills are the folders in
.claude/skills of the project and of the home folder that hold a SKILL.md. The
agent runs without it.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    skills: [no-such-skill]\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n",
}

// MissingSkill reports a skill that is not installed.
func MissingSkill(at source.Span, name, near string) *Diagnostic {
	d := missingSkill.new(at, fmt.Sprintf("the skill `%s` is not installed", name))
	if near != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", near))
	}
	return d.WithHelp(fmt.Sprintf("it would be the file `.claude/skills/%s/SKILL.md`", name))
}

var mcpFile = &Code{
	ID: "WFC705", Slug: "mcp-file", Severity: Warning,
	Doc: `The file with the node's MCP servers is missing, or is no JSON object. It maps
the names of servers to their settings, and its path is relative to the project.
Without it the node fails when its turn comes.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    mcp: no-such-file.json\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n",
}

// MCPFile reports a file of MCP servers that cannot be used; problem completes
// the sentence that starts with the file's name.
func MCPFile(at source.Span, file, problem string) *Diagnostic {
	return mcpFile.new(at, fmt.Sprintf("the mcp file `%s` %s", file, problem))
}

var unknownHook = &Code{
	ID: "WFC706", Slug: "unknown-hook", Severity: Error,
	Doc: `Hooks are kept by the event that they answer, and there is no event of that
name. Upper and lower case matter: PreToolUse, not preToolUse.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    hooks: {preToolUse: []}\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    hooks: {PreToolUse: [{response: {decision: block}}]}\n",
}

// UnknownHook reports a hook for an event that does not exist.
func UnknownHook(at source.Span, event string, events []string) *Diagnostic {
	d := unknownHook.new(at, fmt.Sprintf("there is no hook event `%s`", event))
	if near := Nearest(event, events); near != "" {
		return d.WithHelp(fmt.Sprintf("did you mean `%s`?", near)).
			WithFix(fmt.Sprintf("rename it to `%s`", near), at, near, false)
	}
	return d.WithHelp("events are " + quoteAll(events))
}

var agentID = &Code{
	ID: "WFC707", Slug: "agent-id", Severity: Error,
	Doc: `The name of a helper agent may hold small letters, digits and single hyphens
between them, as in brief-writer.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    agents: {Writer: {description: d, prompt: p}}\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    agents: {writer: {description: d, prompt: p}}\n",
}

// AgentID reports a helper agent's name that is not in kebab case.
func AgentID(at source.Span, name string) *Diagnostic {
	return agentID.new(at, fmt.Sprintf("`%s` cannot name an agent: use small letters, digits and single hyphens between them", name))
}

var blankSignal = &Code{
	ID: "WFC708", Slug: "blank-signal", Severity: Warning,
	Doc: `The loop's until is blank, so nothing that an agent says can be told from it.
Use a word that the prompt asks the agent to say when it is done.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    loop: {prompt: work, until: ' ', until_bash: 'test -f done', max_iterations: 3}\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    loop: {prompt: 'work, say DONE at the end', until: DONE, max_iterations: 3}\n",
}

// BlankSignal reports a loop whose signal is blank.
func BlankSignal(at source.Span) *Diagnostic {
	return blankSignal.new(at, "`loop.until` is blank, so no answer can be told from it").
		WithHelp("use a word that the prompt asks for at the end, such as `DONE`")
}

var reworkNeverRuns = &Code{
	ID: "WFC709", Slug: "rework-never-runs", Severity: Warning,
	Doc: `The first rejection already cancels the run, because max_attempts counts
rejections and is 1. The prompt of on_reject never runs: allow two rejections or
more, or leave on_reject away.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    approval:\n      message: good?\n      on_reject: {prompt: mend it, max_attempts: 1}\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    approval:\n      message: good?\n      on_reject: {prompt: mend it, max_attempts: 2}\n",
}

// ReworkNeverRuns reports an on_reject whose prompt cannot run.
func ReworkNeverRuns(at source.Span) *Diagnostic {
	return reworkNeverRuns.new(at, "the first rejection already cancels the run, so the prompt of `on_reject` never runs").
		WithHelp("set `max_attempts` to 2 or more")
}

var modelOverridesProvider = &Code{
	ID: "WFC710", Slug: "model-overrides-provider", Severity: Warning,
	Doc: `A model is a tier or an alias to which wfc.yaml gives an agent of its own, and
another provider is named beside it. The alias counts: a model runs only with
the agent that has it. Name that provider or none, or another model.`,
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    provider: claude\n    model: small\n",
}

// ModelOverridesProvider reports a provider that a tier or an alias overrides;
// model is where that is written.
func ModelOverridesProvider(at source.Span, provider, alias, agent string, model source.Span) *Diagnostic {
	return modelOverridesProvider.new(at, fmt.Sprintf("`%s` is a model of `%s`, so the provider `%s` is not asked", alias, agent, provider)).
		WithRelated(model, "the model").
		WithHelp(fmt.Sprintf("write `provider: %s`, or leave it out", agent))
}

var undefinedTier = &Code{
	ID: "WFC711", Slug: "undefined-tier", Severity: Warning,
	Doc: `The names small, medium and large stand for models of three sizes. Which models
of the node's agent they are is known for claude only; for others wfc.yaml says
so under models. Without that, the agent is asked for a model of this very name.`,
	Bad:  "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    provider: codex\n    model: small\n",
	Good: "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    provider: claude\n    model: small\n",
}

// UndefinedTier reports the name of a size for an agent of which no model of
// that size is known.
func UndefinedTier(at source.Span, tier, agent string) *Diagnostic {
	return undefinedTier.new(at, fmt.Sprintf("no model of `%s` is defined as `%s`", agent, tier)).
		WithHelp(fmt.Sprintf("define it under `models` in `wfc.yaml`, as `%s: {agent: %s, model: …}`", tier, agent))
}

var unenforceableLimit = &Code{
	ID: "WFC712", Slug: "unenforceable-limit", Severity: Warning,
	Doc: `A limit of cost or tokens is set for the run, and an agent of the workflow may
not say how much it has used: then nothing holds the limit. Of the agents that
speak the Agent Client Protocol some say so and some do not, which is a warning;
an agent that never does is an error.

Ask an agent that says so, or do without the limit: give the nodes a timeout, or
loops fewer iterations.`,
	Config: "limits: {cost_usd: 5}\n",
	Bad:    "name: w\ndescription: d\nprovider: opencode\nnodes:\n  - id: a\n    prompt: say hi\n",
	Good:   "name: w\ndescription: d\nprovider: claude\nnodes:\n  - id: a\n    prompt: say hi\n",
}

// UnenforceableLimit reports a limit of a run that an agent's turns may not
// count for, or never do; what is "cost" or "tokens", and able are the kinds of
// agents that tell it.
func UnenforceableLimit(at source.Span, limit, agent, what string, never bool, able []string) *Diagnostic {
	help := fmt.Sprintf("%s is told by agents of kind %s", what, joinAnd(able))
	if !never {
		return unenforceableLimit.new(at, fmt.Sprintf("`%s` may not hold: whether `%s` says what it uses depends on its program", limit, agent)).WithHelp(help)
	}
	d := unenforceableLimit.new(at, fmt.Sprintf("`%s` cannot be held: `%s` never says what it uses", limit, agent)).WithHelp(help)
	d.Severity = Error
	return d
}

var unknownPrice = &Code{
	ID: "WFC713", Slug: "unknown-price", Severity: Error,
	Doc: `A limit of cost is set for the run. The agent counts tokens, what they cost
depends on the model, and no model is named: neither by the node, nor by the
workflow, nor by the agent's settings in wfc.yaml. Name one, or set the agent's
price in wfc.yaml.`,
	Config: "limits: {cost_usd: 5}\n",
	Bad:    "name: w\ndescription: d\nprovider: codex\nnodes:\n  - id: a\n    prompt: say hi\n",
	Good:   "name: w\ndescription: d\nprovider: codex\nmodel: gpt-5\nnodes:\n  - id: a\n    prompt: say hi\n",
}

// UnknownPrice reports an agent of which nobody knows what it costs, under a
// limit of cost.
func UnknownPrice(at source.Span, limit, agent string) *Diagnostic {
	return unknownPrice.new(at, fmt.Sprintf("`%s` cannot be held: what `%s` costs depends on its model, and none is named", limit, agent)).
		WithHelp("name a `model` here, in the workflow, or for the agent in `wfc.yaml`").
		WithHelp(fmt.Sprintf("or set the price there: `agents: {%s: {price: {input: …, output: …}}}`, in US dollars for a million tokens", agent))
}

var foreignModel = &Code{
	ID: "WFC714", Slug: "foreign-model", Severity: Warning,
	Doc: `A fallbackModel or the model of a helper agent is an alias to which wfc.yaml
gives an agent of its own, and another agent answers the node. It has no such
model, so the setting is ignored.`,
	Config: "models:\n  \"@deep\": {agent: codex, model: gpt-5}\n",
	Bad:    "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    fallbackModel: '@deep'\n",
	Good:   "name: w\ndescription: d\nnodes:\n  - id: a\n    prompt: say hi\n    fallbackModel: small\n",
}

// ForeignModel reports a further model of a prompt that is another agent's.
func ForeignModel(at source.Span, alias, owner, agent string) *Diagnostic {
	return foreignModel.new(at, fmt.Sprintf("`%s` is a model of `%s`, and `%s` answers here; it is ignored", alias, owner, agent))
}
