package archon

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/dialect/decode"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
	"github.com/wfc-lang/wfc/internal/formats"
	"github.com/wfc-lang/wfc/internal/ir"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/yamlsrc"
)

// An optionKey is a key whose value is handed on to the agent.
type optionKey struct {
	name string
	// shape and doc describe it; see decode.Key.
	shape decode.Shape
	doc   string
	// examples are values, as JSON.
	examples []string
	// needs are the required capabilities of the agent.
	needs capability
	// read checks the value and returns it as JSON.
	read func(d *decoder, v value) (json string, ok bool)
	// load reads the files that the value names, once it is certain that an agent
	// gets the option. It may return another JSON, or the fault that keeps the node
	// from running. Nil means that there are no files.
	load func(d *decoder, v value, json string) (string, *diag.Diagnostic)
	// settle checks the models, efforts or tools that the value names, once it is certain
	// which agent gets the option, and may write them as that agent does; false leaves the
	// option out. Nil means that it names none.
	settle func(d *decoder, v value, agent string) (json string, ok bool)
}

// optionKeys are the agent options of nodes, apart from provider, model,
// context, persist_session and output_format, which the compiler itself has a
// use for.
var optionKeys = []optionKey{
	{name: "allowed_tools", shape: decode.ListOf(decode.String), examples: []string{`["Read", "Grep"]`}, doc: "Tools that the agent may use.",
		needs: toolLimits, read: asWritten(readStrings), settle: settleTools},
	{name: "denied_tools", shape: decode.ListOf(decode.String), examples: []string{`["Bash"]`}, doc: "Tools that the agent may not use.",
		needs: toolLimits, read: asWritten(readStrings), settle: settleTools},
	{name: "hooks", shape: decode.MapOf(decode.ListOf(decode.Object(&hookLevel))).Named(hookNames...), doc: "Hooks of the agent, by event, such as `PreToolUse`.",
		needs: hookEvents, read: readHooks},
	{name: "mcp", shape: decode.FullString, doc: "File with MCP servers for the agent.",
		needs: mcpServers, read: asWritten((*decoder).NonEmpty), load: loadMCP},
	{name: "skills", shape: decode.ListOf(decode.FullString), doc: "Skills of the agent.",
		needs: skillFolders, read: asWritten(readFullStrings), load: loadSkills},
	{name: "agents", shape: decode.MapOf(decode.Object(&helperLevel)).AtLeast(1), doc: "Helper agents, by name.",
		needs: helperAgents, read: readAgents, settle: settleHelpers},
	{name: "effort", shape: decode.OneOf(dialect.Efforts...), doc: "Reasoning effort. An agent without it gets the nearest weaker one.",
		needs: effortLevels, read: asWritten((*decoder).Choice), settle: settleEffort},
	{name: "thinking", shape: decode.OneOf(thinkingModeNames...).Else(decode.Object(&thinkingLevel)), doc: "Thinking mode. The object can also limit the tokens.",
		needs: thinkingModes, read: readThinking},
	{name: "maxBudgetUsd", shape: decode.Number.Above(0), doc: "Maximum cost of one attempt in US dollars.",
		needs: costLimit, read: asWritten(func(d *decoder, v value) (float64, bool) { return d.NumberIn(v, "an amount above 0") })},
	{name: "systemPrompt", shape: decode.FullString, doc: "System prompt.",
		read: asWritten((*decoder).NonEmpty)},
	{name: "fallbackModel", shape: decode.FullString, doc: "Model that answers when the first one is overloaded.",
		needs: fallbackModels, read: asWritten((*decoder).NonEmpty), settle: settleFallback},
	{name: "betas", shape: decode.ListOf(decode.FullString).AtLeast(1), doc: "Beta features of the agent's service.",
		needs: betaFeatures, read: func(d *decoder, v value) (string, bool) {
			if !d.HasItems(v) {
				return "", false
			}
			return asWritten(readFullStrings)(d, v)
		}},
	{name: "sandbox", shape: decode.Object(&sandboxLevel), doc: "Sandbox of the agent.",
		needs: sandboxing, read: objectReader(sandboxLevel, sandboxFields)},
	{name: "settingSources", shape: decode.ListOf(decode.OneOf("project", "user")), doc: "Settings files that the agent reads.",
		needs: settingFiles, read: asWritten(func(d *decoder, v value) ([]decode.Entry, bool) { return d.Entries(v, d.Choice) })},
	{name: "plugins", shape: decode.ListOf(decode.Any), doc: "Plugins of the agent.",
		needs: pluginFolders, read: func(d *decoder, v value) (string, bool) { return v.Node.JSON(), d.IsList(v) }},
	{name: "pi", shape: decode.Object(&piLevel), doc: "Settings of the coding agent `pi`.",
		needs: piExtensions, read: objectReader(piLevel, piFields)},
}

// workflowOptions are options of agents that are valid only at the top of a file.
var workflowOptions = []optionKey{
	{name: "modelReasoningEffort", shape: decode.OneOf("minimal", "low", "medium", "high", "xhigh"), doc: "Reasoning effort of codex.",
		needs: codexSettings, read: asWritten((*decoder).Choice)},
	{name: webSearch, shape: decode.OneOf("disabled", "cached", "live"), doc: "Web search of codex.",
		needs: codexSettings, read: asWritten((*decoder).Choice)},
}

// webSearch is the option for the web search of codex.
const webSearch = "webSearchMode"

// allOptions are the options of agents.
var allOptions = slices.Concat(optionKeys, workflowOptions)

// OptionNames returns the names of all options of agents.
func OptionNames() []string {
	return plain.Texts(allOptions, func(k optionKey) string { return k.name })
}

// An agentOption is an option as a file sets it.
type agentOption struct {
	key  *optionKey
	at   value
	json string
	// taken says that some agent supports a workflow's option.
	taken bool
}

// agentDecl are the agent's settings of a node or of the workflow.
type agentDecl struct {
	provider, model     string
	providerAt, modelAt value
	fresh               bool
	// resume names the node whose session the prompt continues.
	resume *value
	// shared is `context: shared`.
	shared *value
	// persist says whether the conversation is kept for the next run; nil when
	// nothing does.
	persist *bool
	schema  *value
	options []agentOption
	// faults keep the node from running; agent finds them.
	faults []*diag.Diagnostic
	// keys are all keys in the file, with the faulty ones; first is the place of
	// the first of them.
	keys  []string
	first source.Span
}

// addKey remembers that a key was written.
func (a *agentDecl) addKey(v value) {
	if len(a.keys) == 0 {
		a.first = v.Key.Span
	}
	a.keys = append(a.keys, v.Path)
}

// readOption reads one of optionKeys into a.
func (d *decoder) readOption(key *optionKey, v value, a *agentDecl) {
	a.addKey(v)
	d.discourageKey(v)
	if json, ok := key.read(d, v); ok {
		a.options = append(a.options, agentOption{key: key, at: v, json: json})
	}
}

// chosenModel returns the settings that choose the agent and its model: those that hold for
// every iteration of a loop.
func (a *agentDecl) chosenModel() *agentDecl {
	return &agentDecl{provider: a.provider, providerAt: a.providerAt, model: a.model, modelAt: a.modelAt}
}

// buildAgent combines the settings of a node's prompt: those of the node, then those of
// the workflow. own is nil for prompts without separate settings.
func (d *decoder) buildAgent(own *agentDecl) ir.Agent {
	if own == nil {
		own = &agentDecl{}
	}
	chosen, at := d.defaults.chosen, d.defaults.agent.namedAt()
	switch {
	case own.provider != "" && d.checkProvider(own.providerAt, own.provider) && own.provider != chosen.agent:
		// The workflow's model is a model of the workflow's agent.
		chosen, at = d.chooseAgentModel(own.provider, own), own.namedAt()
	case own.model != "" && own.provider != "":
		chosen = d.chooseAgentModel(chosen.agent, own)
	case own.model != "":
		// A tier of the workflow, which names an agent, does not count beside it.
		chosen = d.chooseAgentModel(d.defaults.providerName(), own)
	}
	if own.provider == chosen.agent {
		at = own.namedAt()
	}
	agent := ir.Agent{Name: chosen.agent, Model: chosen.model, FreshSession: own.fresh, Span: at}
	for _, o := range own.options {
		if !d.supportsOption(agent.Name, o.key) {
			d.Bag.Add(d.unsupportedOption(&o, agent.Name))
			continue
		}
		json, ok := d.loadOption(own, &o, agent.Name)
		if ok {
			agent.Options = append(agent.Options, ir.Option{Name: d.nameOf(o.key, agent.Name), JSON: json, Span: o.at.Place()})
		}
	}
	d.inheritOptions(&agent, own)
	d.addTierEffort(&agent, own, chosen)
	return agent
}

// unsupportedOption reports an option that an agent does not take. By the newer rules, a
// sandbox is an error for an agent that works on the machine: without it the agent could do
// more than its author allows.
func (a *agents) unsupportedOption(o *agentOption, agent string) *diag.Diagnostic {
	enabled := o.at.Node.Get("enabled")
	off := enabled != nil && enabled.Tag == yamlsrc.TagBool && enabled.Value == "false"
	if kind, known := a.env.Kind(agent); a.rules.Holds(formats.RequiredSandbox) && o.key.name == "sandbox" && !off && (!known || kind.Permissions != nil) {
		return finding.MissingSandbox(o.at.Key.Span, agent, agentsSupporting(o.key.needs))
	}
	return finding.UnsupportedOption(o.at.Key.Span, o.at.Path, agent, agentsSupporting(o.key.needs))
}

// namedAt is where the agent is named, or no place.
func (a *agentDecl) namedAt() source.Span {
	if a.provider == "" {
		return source.Span{}
	}
	return a.providerAt.Place()
}

// loadOption returns the value of an option that an agent gets from a node. It notes
// faults that keep the node from running, and leaves out an option that the agent
// does not support.
func (d *decoder) loadOption(own *agentDecl, o *agentOption, agent string) (json string, ok bool) {
	switch {
	case o.key.load != nil:
		json, fault := o.key.load(d, o.at, o.json)
		if fault != nil {
			own.faults = append(own.faults, fault)
		}
		return json, fault == nil
	case o.key.settle != nil:
		return o.key.settle(d, o.at, agent)
	}
	return o.json, true
}

// inheritOptions adds the workflow's options to an agent that takes them, unless the
// node has its own.
func (d *decoder) inheritOptions(agent *ir.Agent, own *agentDecl) {
	w := &d.defaults.agent
	for i := range w.options {
		o := &w.options[i]
		name := d.nameOf(o.key, agent.Name)
		if slices.Contains(own.keys, o.key.name) {
			continue
		}
		if !d.supportsOption(agent.Name, o.key) {
			if x := d.unsupportedOption(o, agent.Name); x.Severity == diag.Error {
				d.Bag.Add(x)
				o.taken = true // it is reported
			}
			continue
		}
		o.taken = true
		if slices.ContainsFunc(agent.Options, func(other ir.Option) bool { return other.Name == name }) {
			continue
		}
		if json, ok := d.loadOption(own, o, agent.Name); ok {
			agent.Options = append(agent.Options, ir.Option{Name: name, JSON: json, Span: o.at.Place()})
		}
	}
}

// discourageKey reports a key that the newer rules have another one for.
func (r *reader) discourageKey(v value) {
	if !r.rules.Holds(formats.DeprecatedThinking) || v.Path != "thinking" && v.Path != reasoningEffort {
		return
	}
	if v.Path == "thinking" && r.rules.Holds(formats.RemovedThinking) {
		r.Bag.Add(finding.RemovedKey(v.Key.Span, v.Path, "0.11", "use `effort`"))
		return
	}
	r.Bag.Add(finding.DeprecatedKey(v.Key.Span, v.Path, "0.10", "use `effort`"))
}

// reasoningEffort is the option by which codex gets an effort.
const reasoningEffort = "modelReasoningEffort"

// nameOf is the name by which an agent gets an option.
func (a *agents) nameOf(key *optionKey, agent string) string {
	if key.name == "effort" && a.baseAgent(agent) == "codex" {
		return reasoningEffort
	}
	return key.name
}

// addTierEffort adds the effort of the tier or alias that a prompt's model is, unless the
// node or the workflow sets one.
func (a *agents) addTierEffort(agent *ir.Agent, own *agentDecl, chosen agentModel) {
	set := slices.Contains(own.keys, "effort") || slices.ContainsFunc(agent.Options, func(o ir.Option) bool {
		return o.Name == "effort" || o.Name == reasoningEffort
	})
	if set {
		return
	}
	if option, ok := a.env.TierEffort(chosen.tier, agent.Name, chosen.at, a.Bag); ok {
		agent.Options = append(agent.Options, option)
	}
}
