package finding

import (
	"fmt"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/codes"
	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// UnknownProvider reports an agent that the format does not define; listed says
// that wfc supports it, so that the configuration can define it.
func UnknownProvider(at source.Span, name string, known []string, listed bool) *diag.Diagnostic {
	d := codes.UnknownAgent.New(at, fmt.Sprintf("unknown provider `%s`", name))
	d.Shared = plain.Nearest(name, known) == ""
	if listed {
		return d.WithHelp(fmt.Sprintf("add `agents: {%s: {use: %s}}` to `wfc.yaml`", name, name))
	}
	if offerNearestName(d, at, name, known) {
		return d.WithHelp("use one of " + quoteAll(known))
	}
	return d.WithHelp("use one of " + quoteAll(known)).WithHelp(defineAgent(name))
}

// defineAgent is the advice to give a name to an agent.
func defineAgent(name string) string {
	return fmt.Sprintf("define it in `wfc.yaml`: `agents: {%s: {use: KIND}}`, with a KIND such as `claude`", name)
}

// IgnoredAgentOptions reports agent options on a node of a type that ignores them.
func IgnoredAgentOptions(at source.Span, mode string, options []string) *diag.Diagnostic {
	return codes.IgnoredOption.New(at, fmt.Sprintf("`%s` nodes ignore agent options: %s", mode, quoteAll(options)))
}

// OfferVersion adds the advice to follow a later version of Archon, which does not ignore what
// is reported.
func OfferVersion(d *diag.Diagnostic, version string) {
	d.WithHelp(fmt.Sprintf("set `archon: {version: %q}` in `wfc.yaml` if your Archon is %[1]s or newer, which follows it", version))
}

// UnsupportedOption reports an option that an agent does not support; with
// names the agents that support it.
func UnsupportedOption(at source.Span, option, provider string, with []string) *diag.Diagnostic {
	return codes.IgnoredOption.New(at, fmt.Sprintf("`%s` does not support `%s`: it is ignored", provider, option)).
		WithHelp(fmt.Sprintf("choose an agent that supports it: %s", joinOr(with)))
}

// MissingSandbox reports a sandbox for an agent that would run without it.
func MissingSandbox(at source.Span, agent string, with []string) *diag.Diagnostic {
	d := codes.IgnoredOption.New(at, fmt.Sprintf("`%s` does not support `sandbox`: it would run without one", agent)).
		WithHelp(fmt.Sprintf("choose an agent that supports it: %s", joinOr(with)))
	d.Severity = diag.Error
	return d
}

// UnknownModelAlias reports a model alias that the configuration does not
// define.
func UnknownModelAlias(at source.Span, alias string, known []string) *diag.Diagnostic {
	d := codes.UnknownModelAlias.New(at, fmt.Sprintf("unknown model alias `%s`", alias))
	d.Shared = !offerNearestName(d, at, alias, known)
	return d.WithHelp("define `" + alias + "` under `models` in `wfc.yaml`, or in this project's `.archon/config.yaml` (the one in your home folder isn't read)")
}

// MissingSkill reports a skill that is not installed.
func MissingSkill(at source.Span, name, near string) *diag.Diagnostic {
	d := codes.MissingFile.New(at, fmt.Sprintf("skill `%s` is not installed", name))
	d.Shared = !offerNear(d, at, near)
	return d.WithHelp(fmt.Sprintf("create `.claude/skills/%s/SKILL.md`", name))
}

// MCPFile reports an invalid file of MCP servers; problem completes the sentence
// that starts with the file's name.
func MCPFile(at source.Span, file, problem string) *diag.Diagnostic {
	return codes.MissingFile.New(at, fmt.Sprintf("MCP file `%s` %s", file, problem))
}

// UnknownHook reports a hook for an event that does not exist.
func UnknownHook(at source.Span, event string, events []string) *diag.Diagnostic {
	return offerOr(codes.UnknownValue.New(at, fmt.Sprintf("unknown hook event `%s`", event)), at, event, events, "use one of "+quoteAll(events))
}

// UnknownTool reports a tool that an agent does not have; known are its tools.
func UnknownTool(at source.Span, name, agent string, known []string) *diag.Diagnostic {
	return suggestNearestName(codes.UnknownTool.New(at, fmt.Sprintf("unknown tool `%s` for `%s`", name, agent)), at, name, known).WithHelp("name a built-in tool of the agent, or a tool of an MCP server as `mcp__SERVER__TOOL`")
}

// AgentID reports a helper agent's name that is not in kebab case.
func AgentID(at source.Span, name string) *diag.Diagnostic {
	return codes.InvalidName.New(at, fmt.Sprintf("invalid agent name `%s`", name)).
		WithHelp("use lower-case letters, digits and single hyphens between them")
}

// BlankSignal reports a loop whose signal is empty or whitespace.
func BlankSignal(at source.Span) *diag.Diagnostic {
	return codes.LoopSignal.New(at, "`loop.until` is empty: no reply can end the loop").
		WithHelp("use a word that the prompt asks for at the end, such as `DONE`")
}

// ReworkNeverRuns reports an on_reject whose prompt never runs.
func ReworkNeverRuns(at source.Span) *diag.Diagnostic {
	return codes.NoEffect.New(at, "the `on_reject` prompt never runs: the first rejection cancels the run").
		WithHelp("set `max_attempts` to 2 or more")
}

// ModelOverridesProvider reports a provider that a tier or an alias overrides;
// model is the place of the model.
func ModelOverridesProvider(at source.Span, provider, alias, agent string, model source.Span) *diag.Diagnostic {
	return codes.ForeignModel.New(at, fmt.Sprintf("`%s` is a model of `%s`: provider `%s` is ignored", alias, agent, provider)).
		WithRelated(model, "the model").
		WithHelp(fmt.Sprintf("write `provider: %s`, or remove `provider`", agent))
}

// UndefinedTier reports a model tier that is not defined for the agent.
func UndefinedTier(at source.Span, tier, agent string) *diag.Diagnostic {
	d := codes.UndefinedTier.New(at, fmt.Sprintf("model tier `%s` is not defined for `%s`", tier, agent))
	d.Shared = true
	return d.WithHelp(fmt.Sprintf("define it under `models` in `wfc.yaml`: `%s: {agent: %s, model: …}`", tier, agent))
}

// UnenforceableLimit reports a limit of a run and an agent that may not report its
// usage, or never does. what is "cost" or "tokens", and able lists the kinds of
// agents that report it.
func UnenforceableLimit(at source.Span, limit, agent, what string, never bool, able []string) *diag.Diagnostic {
	help := fmt.Sprintf("use an agent of a kind that reports %s: %s", what, joinOr(able))
	if !never {
		return codes.UnenforceableLimit.New(at, fmt.Sprintf("`%s` may not be enforced: `%s` may not report its usage", limit, agent)).WithHelp(help)
	}
	d := codes.UnenforceableLimit.New(at, fmt.Sprintf("`%s` cannot be enforced: `%s` never reports its usage", limit, agent)).WithHelp(help)
	d.Severity = diag.Error
	return d
}

// UnknownPrice reports a limit in dollars and an agent whose model has no known price. model is "" if
// nothing names it.
func UnknownPrice(at source.Span, limit, agent, model string) *diag.Diagnostic {
	why, help := "depends on its model", "name a `model` here, in the workflow, or for the agent in `wfc.yaml`"
	if model != "" {
		why, help = fmt.Sprintf("for the model `%s` is unknown", model), "limit tokens instead of dollars"
	}
	return codes.UnknownPrice.New(at, fmt.Sprintf("`%s` cannot be enforced: the price of `%s` %s", limit, agent, why)).
		WithHelp(fmt.Sprintf("set the price in `wfc.yaml`: `agents: {%s: {price: {input: …, output: …}}}`, in US dollars per million tokens", agent)).
		WithHelp(help)
}

// ForeignModel reports a fallback or helper model that belongs to another agent.
func ForeignModel(at source.Span, alias, owner, agent string) *diag.Diagnostic {
	return codes.ForeignModel.New(at, fmt.Sprintf("`%s` is a model of `%s`, not of `%s`: it is ignored", alias, owner, agent))
}

// TierWithoutEffort reports a tier or alias with an effort whose agent takes none.
func TierWithoutEffort(at source.Span, tier, effort, agent string) *diag.Diagnostic {
	return codes.IgnoredOption.New(at, fmt.Sprintf("`%s` does not support the effort `%s` of the model `%s`: it is ignored", agent, effort, tier)).
		WithHelp("remove `effort` from the model in `wfc.yaml`, or give it another agent")
}

// LoweredEffort reports an effort that an agent does not have, and the nearest weaker
// one that it has.
func LoweredEffort(at source.Span, effort, agent, lower string) *diag.Diagnostic {
	return codes.LoweredEffort.New(at, fmt.Sprintf("`%s` has no effort `%s`: it gets `%s`", agent, effort, lower))
}

// UnknownSession reports a session of an unknown node; near is a node with a similar id, or "".
func UnknownSession(at source.Span, node, near string) *diag.Diagnostic {
	d := codes.InvalidSession.New(at, fmt.Sprintf("unknown node `%s` in `context`", node))
	if offerNear(d, at, near) {
		return d
	}
	return d.WithHelp("name an earlier node whose session the prompt continues")
}

// InvalidSession reports a session that a prompt cannot continue. problem is a clause, and
// source the node that has the session, if any.
func InvalidSession(at source.Span, problem, help string, source source.Span) *diag.Diagnostic {
	d := codes.InvalidSession.New(at, problem).WithHelp(help)
	if source.IsValid() {
		d.WithRelated(source, "the node is here")
	}
	return d
}
