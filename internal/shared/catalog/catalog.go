// Package catalog lists the kinds of agents, and the agents that workflows may
// name without any configuration: their options, requirements and reports. It also names
// what settings can grant to steps in the sandbox. The compiler and built programs share
// this data. The package imports only leaves, so every program can link it.
//
//	kind, ok := catalog.KindNamed("codex")
//	if ok && kind.Takes("permission") {
//		fmt.Println(kind.Permissions[0]) // the safest
//	}
package catalog

import (
	"slices"

	"github.com/wfc-lang/wfc/internal/shared/grants"
	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A KindInfo describes a kind of agents: a way to reach them by a program, a protocol or a
// service.
type KindInfo struct {
	// Name is the kind's name in wfc.yaml (`use`). Its package is
	// runtime/agent/<Name>.
	Name string
	// Doc describes the kind in a few words.
	Doc string
	// Provider is the provider of its models by the conventions of OpenTelemetry; "" if that
	// depends on the program.
	Provider string
	// Options are the names of the prompt options that it takes; nil means all.
	Options []string
	// Efforts are the values of the option `effort` that it knows, the weakest first; nil
	// means all.
	Efforts []string
	// Tools are the names of its built-in tools, with former names that workflows may still
	// have; nil means that they are not known.
	Tools []string
	// Forks says that it can continue a copy of a session, which then stays as it is.
	Forks bool
	// Cost and Tokens say whether it reports the cost and the tokens of a turn.
	Cost, Tokens Report
	// Prices are the prices of its models; wfc needs them if Cost is ByPrice.
	Prices Prices
	// DefaultModel answers when neither the prompt nor the settings name a model; "" leaves the
	// choice to the program.
	DefaultModel string
	// Aliases are short names that workflows use for models.
	Aliases map[string]string
	// Program is the program that it starts unless wfc.yaml names another one; ""
	// if it has none.
	Program string
	// Install is the command that installs the program.
	Install string
	// Credentials are the environment variables that may hold the key; one is
	// enough. A program with another way to sign in needs none of them.
	Credentials []string
	// PassEnv are patterns (* matches any characters) of the environment
	// variables that it needs although they look like secrets. They match the
	// Credentials too.
	PassEnv []string
	// Permissions are the permissions that it knows, the safest first; nil for a
	// kind that does not touch the machine.
	Permissions []string
	// Settings are the keys of an agent in wfc.yaml that it takes besides `use`,
	// `model`, `system_prompt` and `options`.
	Settings []string
}

// Takes reports whether setting, a key of an agent in wfc.yaml, is in Settings. It is
// false for the keys that agents of all kinds take, such as `model`.
func (k KindInfo) Takes(setting string) bool { return slices.Contains(k.Settings, setting) }

// FullModel returns the full name of the first model that is named, or of the default one.
func (k KindInfo) FullModel(names ...string) string {
	for _, name := range append(names, k.DefaultModel) {
		if full, short := k.Aliases[name]; short {
			return full
		}
		if name != "" {
			return name
		}
	}
	return ""
}

// PriceOf returns the price of a prompt's model for an agent of the kind with the given settings, or nil
// if it is not known.
func (k KindInfo) PriceOf(a settings.Agent, model string) *settings.Price {
	if a.Price != nil {
		return a.Price
	}
	return k.Prices.Of(k.FullModel(model, a.Model))
}

// StartsProgram reports whether agents of the kind are programs on this machine.
func (k KindInfo) StartsProgram() bool { return k.Takes("program") }

// A Report says whether a kind of agents reports the cost, or the tokens, of a turn.
type Report int

const (
	// Never: it does not report it.
	Never Report = iota
	// Always: it reports it.
	Always
	// ByPrice: it reports tokens; wfc computes the cost if it knows the price of the model.
	ByPrice
	// Maybe: it depends on the program.
	Maybe
)

// An AgentInfo describes an agent that workflows may name without any configuration.
type AgentInfo struct {
	Name string
	// Kind is the name of its kind.
	Kind string
	// Program and Args start the agent if its kind starts a program. A Program of "" is the
	// program of the kind. The kind adds Args to the arguments that it passes itself; nil
	// adds none.
	Program string
	Args    []string
	// Install is the command that installs the program; "" means that of the kind.
	Install string
	// Provider is that of the program's models; "" means that of the kind, or an unknown one.
	Provider string
}

// Kinds returns all kinds except command and scripted, which every program has.
func Kinds() []KindInfo { return kinds }

// KindNamed returns the kind called name. ok is false if it is not one of Kinds, as for
// "command" and "scripted".
func KindNamed(name string) (KindInfo, bool) {
	i := slices.IndexFunc(kinds, func(k KindInfo) bool { return k.Name == name })
	if i < 0 {
		return KindInfo{}, false
	}
	return kinds[i], true
}

// Agents returns all known agents.
func Agents() []AgentInfo { return agents }

// AgentNames returns their names.
func AgentNames() []string {
	return plain.Texts(agents, func(a AgentInfo) string { return a.Name })
}

// AgentNamed returns the known agent called name. ok is false if there is none.
func AgentNamed(name string) (AgentInfo, bool) {
	i := slices.IndexFunc(agents, func(a AgentInfo) bool { return a.Name == name })
	if i < 0 {
		return AgentInfo{}, false
	}
	return agents[i], true
}

// ProviderOf returns the provider of the models that an agent of a workflow asks, by the conventions
// of OpenTelemetry, or "" if that is unknown. agents are those of the settings; of one that isn't
// among them, or whose replies are scripted, it is the provider of the known agent with its name.
func ProviderOf(agents settings.Agents, name string) string {
	a, defined := agents.Resolve(name)
	if !defined || a.Kind == settings.KindScripted {
		known, _ := AgentNamed(name)
		a.Kind, a.Program = known.Kind, known.Program
	}
	if kind, _ := KindNamed(a.Kind); kind.Provider != "" {
		return kind.Provider
	}
	for _, known := range Agents() {
		if known.Kind == a.Kind && known.Program == a.Program {
			return known.Provider
		}
	}
	return ""
}

// Grants returns the names that the settings of the sandbox can grant, in order: the known
// ones, and those of the project's own sets.
func Grants(sets map[string]settings.Grant) []string { return grants.Names(sets) }

var kinds = []KindInfo{
	{
		Name: "claude", Doc: "the Claude Code command line", Provider: "anthropic",
		Options: []string{"systemPrompt", "allowed_tools", "denied_tools", "mcp", "hooks", "skills", "agents", "effort", "thinking",
			"maxBudgetUsd", "fallbackModel", "betas", "sandbox", "settingSources", "plugins"},
		Efforts: []string{"low", "medium", "high", "xhigh", "max"},
		Tools:   claudeTools,
		Forks:   true,
		Cost:    Always, Tokens: Always,
		Program: "claude", Install: "npm install -g @anthropic-ai/claude-code",
		Credentials: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"},
		PassEnv:     []string{"ANTHROPIC_*", "CLAUDE_*", "AWS_*", "GOOGLE_APPLICATION_CREDENTIALS", "IS_SANDBOX"},
		Permissions: []string{"safe", "edit", "all"},
		Settings:    []string{"program", "args", "permission"},
	},
	{
		Name: "codex", Doc: "the Codex command line", Provider: "openai",
		Options: []string{"systemPrompt", "mcp", "skills", "modelReasoningEffort", "webSearchMode", "maxBudgetUsd"},
		Efforts: []string{"minimal", "low", "medium", "high", "xhigh"},
		Cost:    ByPrice, Tokens: Always, Prices: openAIPrices,
		Program: "codex", Install: "npm install -g @openai/codex",
		Credentials: []string{"CODEX_API_KEY"},
		PassEnv:     []string{"CODEX_*", "OPENAI_*"},
		Permissions: []string{"safe", "edit", "all"},
		Settings:    []string{"program", "args", "permission", "price"},
	},
	{
		Name: "acp", Doc: "any program that speaks the Agent Client Protocol over standard input and output",
		Options: []string{"systemPrompt", "mcp", "maxBudgetUsd"},
		Cost:    Maybe, Tokens: Maybe,
		// The programs bring models of any service, whose keys they look for.
		PassEnv: []string{"ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "AWS_*", "AZURE_*", "OPENROUTER_*", "MISTRAL_*", "GROQ_*", "XAI_*",
			"DEEPSEEK_*", "CEREBRAS_*", "CODEX_*", "CLAUDE_*", "OPENCODE_*", "PI_*", "COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN", "IS_SANDBOX"},
		Permissions: []string{"safe", "edit", "all"},
		Settings:    []string{"program", "args", "permission", "price"},
	},
	{
		Name: "anthropic", Doc: "the Anthropic API", Provider: "anthropic",
		Options: []string{"systemPrompt", "effort", "thinking", "maxBudgetUsd", "fallbackModel", "betas"},
		Efforts: []string{"low", "medium", "high", "xhigh", "max"},
		Forks:   true,
		Cost:    ByPrice, Tokens: Always, Prices: anthropicPrices,
		DefaultModel: "claude-sonnet-5-5",
		Aliases:      map[string]string{"sonnet": "claude-sonnet-5-5", "opus": "claude-opus-5-5", "haiku": "claude-haiku-5-5"}, // archon's names
		Credentials:  []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"},
		PassEnv:      []string{"ANTHROPIC_*"},
		Settings:     []string{"base_url", "key_variable", "max_tokens", "price"},
	},
	{
		Name: "openai", Doc: "the OpenAI API, or any server that is compatible with it", Provider: "openai",
		Options: []string{"systemPrompt", "effort", "modelReasoningEffort", "maxBudgetUsd", "fallbackModel"},
		Efforts: []string{"minimal", "low", "medium", "high", "xhigh", "max"},
		Forks:   true,
		Cost:    ByPrice, Tokens: Always, Prices: openAIPrices,
		DefaultModel: "gpt-6.1-sol",
		Credentials:  []string{"OPENAI_API_KEY"},
		PassEnv:      []string{"OPENAI_*"},
		Settings:     []string{"base_url", "key_variable", "max_tokens", "price"},
	},
	{
		Name: "google", Doc: "the Gemini API", Provider: "gcp.gemini",
		Options: []string{"systemPrompt", "effort", "thinking", "maxBudgetUsd", "fallbackModel"},
		Efforts: []string{"low", "medium", "high", "max"},
		Forks:   true,
		Cost:    ByPrice, Tokens: Always, Prices: googlePrices,
		DefaultModel: "gemini-3.8-flash",
		Credentials:  []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
		PassEnv:      []string{"GEMINI_*", "GOOGLE_*"},
		Settings:     []string{"base_url", "key_variable", "max_tokens", "price"},
	},
}

// agents are the names of agents in workflows of the four formats.
var agents = []AgentInfo{
	{Name: "claude", Kind: "claude"},
	{Name: "codex", Kind: "codex"},
	// In arguments of kind acp, {model} is the model; see runtime/agent/acp.
	{Name: "opencode", Kind: "acp", Program: "opencode", Args: []string{"acp"}, Install: "npm install -g opencode-ai"},
	{Name: "pi", Kind: "acp", Program: "pi-acp", Install: "npm install -g pi-acp @earendil-works/pi-coding-agent"},
	{Name: "copilot", Kind: "acp", Program: "copilot", Args: []string{"--acp", "--model={model}"}, Install: "npm install -g @github/copilot"},
	{Name: "gemini", Kind: "acp", Program: "gemini", Args: []string{"--acp", "--model={model}"}, Install: "npm install -g @google/gemini-cli", Provider: "gcp.gemini"},
	{Name: "anthropic", Kind: "anthropic"},
	{Name: "openai", Kind: "openai"},
	{Name: "google", Kind: "google"},
	// The agent that runs a graph itself: graphs are a format of Claude Code.
	{Name: "self", Kind: "claude"},
}

// efforts are the levels of reasoning effort, the weakest first.
var efforts = []string{"minimal", "low", "medium", "high", "xhigh", "max", "ultra", "persistent"}

// KnownEfforts returns the levels of reasoning effort that the kind knows, the weakest
// first: all, if Efforts is nil.
func (k KindInfo) KnownEfforts() []string {
	if k.Efforts == nil {
		return slices.Clone(efforts)
	}
	return k.Efforts
}

// NearestEffort returns the effort that an agent of the kind gets: the wanted one, else the
// nearest weaker one that the kind knows, else its weakest. It is "" if the kind knows none,
// or if wanted is not an effort.
func (k KindInfo) NearestEffort(wanted string) string {
	known := k.KnownEfforts()
	rung := slices.Index(efforts, wanted)
	if rung < 0 || len(known) == 0 {
		return ""
	}
	nearest := known[0]
	for _, effort := range efforts[:rung+1] {
		if slices.Contains(known, effort) {
			nearest = effort
		}
	}
	return nearest
}

// claudeTools are the tools of Claude Code, by its reference of tools
// (https://code.claude.com/docs/en/tools-reference), and former names of them.
var claudeTools = []string{
	"Agent", "Artifact", "AskUserQuestion", "Bash", "CronCreate", "CronDelete", "CronList", "Edit", "EnterPlanMode", "EnterWorktree",
	"ExitPlanMode", "ExitWorktree", "Glob", "Grep", "LSP", "ListMcpResourcesTool", "Monitor", "NotebookEdit", "PowerShell", "Read",
	"ReadMcpResourceTool", "RemoteTrigger", "SendMessage", "Skill", "SlashCommand", "TaskCreate", "TaskGet", "TaskList", "TaskOutput",
	"TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Workflow", "Write",

	"BashOutput", "KillBash", "KillShell", "LS", "MultiEdit", "NotebookRead", "Task", "TodoRead",
}
