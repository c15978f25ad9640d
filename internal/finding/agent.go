package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// UnknownProvider reports an agent that the format does not know; listed says
// that wfc does, so that the configuration can bring it in.
func UnknownProvider(at source.Span, name string, known []string, listed bool) *diag.Diagnostic {
	d := report("WFC700", at, fmt.Sprintf("there is no provider `%s`; known are %s", name, quoteAll(known)))
	if listed {
		return d.WithHelp(fmt.Sprintf("`agents: {%s: {use: %s}}` in `wfc.yaml` makes it known", name, name))
	}
	if near := Nearest(name, known); near != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", near)).
			WithFix(fmt.Sprintf("replace with `%s`", near), at, near, false)
	}
	return d
}

// IgnoredAgentOptions reports agent options on a node of a type that takes
// none.
func IgnoredAgentOptions(at source.Span, mode string, options []string) *diag.Diagnostic {
	return report("WFC701", at, fmt.Sprintf("a `%s` node takes no agent options; ignored: %s", mode, quoteAll(options)))
}

// UnsupportedOption reports an option that an agent does not support; with
// names the agents that do.
func UnsupportedOption(at source.Span, option, provider string, with []string) *diag.Diagnostic {
	return report("WFC702", at, fmt.Sprintf("`%s` does not support `%s`; it is ignored", provider, option)).
		WithHelp(fmt.Sprintf("supported by %s", joinAnd(with)))
}

// UnknownModelAlias reports a model alias that the configuration does not
// define.
func UnknownModelAlias(at source.Span, alias string, known []string) *diag.Diagnostic {
	d := report("WFC703", at, fmt.Sprintf("no model alias `%s` is defined", alias))
	if near := Nearest(alias, known); near != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", near)).
			WithFix(fmt.Sprintf("replace with `%s`", near), at, near, false)
	}
	return d.WithHelp("define it under `models` in `wfc.yaml`")
}

// MissingSkill reports a skill that is not installed.
func MissingSkill(at source.Span, name, near string) *diag.Diagnostic {
	d := report("WFC704", at, fmt.Sprintf("the skill `%s` is not installed", name))
	if near != "" {
		d.WithHelp(fmt.Sprintf("did you mean `%s`?", near))
	}
	return d.WithHelp(fmt.Sprintf("it would be the file `.claude/skills/%s/SKILL.md`", name))
}

// MCPFile reports a file of MCP servers that cannot be used; problem completes
// the sentence that starts with the file's name.
func MCPFile(at source.Span, file, problem string) *diag.Diagnostic {
	return report("WFC705", at, fmt.Sprintf("the mcp file `%s` %s", file, problem))
}

// UnknownHook reports a hook for an event that does not exist.
func UnknownHook(at source.Span, event string, events []string) *diag.Diagnostic {
	d := report("WFC706", at, fmt.Sprintf("there is no hook event `%s`", event))
	if near := Nearest(event, events); near != "" {
		return d.WithHelp(fmt.Sprintf("did you mean `%s`?", near)).
			WithFix(fmt.Sprintf("rename it to `%s`", near), at, near, false)
	}
	return d.WithHelp("events are " + quoteAll(events))
}

// AgentID reports a helper agent's name that is not in kebab case.
func AgentID(at source.Span, name string) *diag.Diagnostic {
	return report("WFC707", at, fmt.Sprintf("`%s` cannot name an agent: use small letters, digits and single hyphens between them", name))
}

// BlankSignal reports a loop whose signal is blank.
func BlankSignal(at source.Span) *diag.Diagnostic {
	return report("WFC708", at, "`loop.until` is blank, so no answer can be told from it").
		WithHelp("use a word that the prompt asks for at the end, such as `DONE`")
}

// ReworkNeverRuns reports an on_reject whose prompt cannot run.
func ReworkNeverRuns(at source.Span) *diag.Diagnostic {
	return report("WFC709", at, "the first rejection already cancels the run, so the prompt of `on_reject` never runs").
		WithHelp("set `max_attempts` to 2 or more")
}

// ModelOverridesProvider reports a provider that a tier or an alias overrides;
// model is where that is written.
func ModelOverridesProvider(at source.Span, provider, alias, agent string, model source.Span) *diag.Diagnostic {
	return report("WFC710", at, fmt.Sprintf("`%s` is a model of `%s`, so the provider `%s` is not asked", alias, agent, provider)).
		WithRelated(model, "the model").
		WithHelp(fmt.Sprintf("write `provider: %s`, or leave it out", agent))
}

// UndefinedTier reports the name of a size for an agent of which no model of
// that size is known.
func UndefinedTier(at source.Span, tier, agent string) *diag.Diagnostic {
	return report("WFC711", at, fmt.Sprintf("no model of `%s` is defined as `%s`", agent, tier)).
		WithHelp(fmt.Sprintf("define it under `models` in `wfc.yaml`, as `%s: {agent: %s, model: …}`", tier, agent))
}

// UnenforceableLimit reports a limit of a run that an agent's turns may not
// count for, or never do; what is "cost" or "tokens", and able are the kinds of
// agents that tell it.
func UnenforceableLimit(at source.Span, limit, agent, what string, never bool, able []string) *diag.Diagnostic {
	help := fmt.Sprintf("%s is told by agents of kind %s", what, joinAnd(able))
	if !never {
		return report("WFC712", at, fmt.Sprintf("`%s` may not hold: whether `%s` says what it uses depends on its program", limit, agent)).WithHelp(help)
	}
	d := report("WFC712", at, fmt.Sprintf("`%s` cannot be held: `%s` never says what it uses", limit, agent)).WithHelp(help)
	d.Severity = diag.Error
	return d
}

// UnknownPrice reports an agent of which nobody knows what it costs, under a
// limit of cost.
func UnknownPrice(at source.Span, limit, agent string) *diag.Diagnostic {
	return report("WFC713", at, fmt.Sprintf("`%s` cannot be held: what `%s` costs depends on its model, and none is named", limit, agent)).
		WithHelp("name a `model` here, in the workflow, or for the agent in `wfc.yaml`").
		WithHelp(fmt.Sprintf("or set the price there: `agents: {%s: {price: {input: …, output: …}}}`, in US dollars for a million tokens", agent))
}

// ForeignModel reports a further model of a prompt that is another agent's.
func ForeignModel(at source.Span, alias, owner, agent string) *diag.Diagnostic {
	return report("WFC714", at, fmt.Sprintf("`%s` is a model of `%s`, and `%s` answers here; it is ignored", alias, owner, agent))
}
