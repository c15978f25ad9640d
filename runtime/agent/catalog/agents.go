package catalog

// The keys of wfc.yaml that kinds share.
const (
	SettingProgram    = "program"
	SettingArgs       = "args"
	SettingPermission = "permission"
	SettingBaseURL    = "base_url"
	SettingKey        = "key_variable"
	SettingMaxTokens  = "max_tokens"
	SettingPrice      = "price"
)

var kinds = []Kind{
	{
		Name: "claude", Doc: "the Claude Code command line",
		Options: []string{"systemPrompt", "allowed_tools", "denied_tools", "mcp", "hooks", "skills", "agents", "effort", "thinking",
			"maxBudgetUsd", "fallbackModel", "betas", "sandbox"},
		Cost: Always, Tokens: Always,
		Program: "claude", Install: "npm install -g @anthropic-ai/claude-code",
		Credentials: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"},
		Environment: []string{"ANTHROPIC_*", "CLAUDE_*", "AWS_*", "GOOGLE_APPLICATION_CREDENTIALS"},
		Permissions: []string{"safe", "edit", "all"},
		Settings:    []string{SettingProgram, SettingArgs, SettingPermission},
	},
	{
		Name: "codex", Doc: "the Codex command line",
		Options: []string{"systemPrompt", "mcp", "skills", "modelReasoningEffort", "webSearchMode", "maxBudgetUsd"},
		Cost:    ByPrice, Tokens: Always,
		Program: "codex", Install: "npm install -g @openai/codex",
		Credentials: []string{"CODEX_API_KEY"},
		Environment: []string{"CODEX_*", "OPENAI_*"},
		Permissions: []string{"safe", "edit", "all"},
		Settings:    []string{SettingProgram, SettingArgs, SettingPermission, SettingPrice},
	},
	{
		Name: "acp", Doc: "any program that speaks the Agent Client Protocol over standard input and output",
		Options: []string{"systemPrompt", "mcp", "maxBudgetUsd"},
		Cost:    Maybe, Tokens: Maybe,
		// The programs bring models of any service, whose keys they look for.
		Environment: []string{"ANTHROPIC_*", "OPENAI_*", "GEMINI_*", "GOOGLE_*", "AWS_*", "AZURE_*", "OPENROUTER_*", "MISTRAL_*", "GROQ_*", "XAI_*",
			"DEEPSEEK_*", "CEREBRAS_*", "CODEX_*", "CLAUDE_*", "OPENCODE_*", "PI_*", "COPILOT_*", "GH_TOKEN", "GITHUB_TOKEN"},
		Permissions: []string{"safe", "edit", "all"},
		Settings:    []string{SettingProgram, SettingArgs, SettingPermission},
	},
	{
		Name: "anthropic", Doc: "the Anthropic API",
		Options: []string{"systemPrompt", "effort", "thinking", "maxBudgetUsd", "fallbackModel", "betas"},
		Cost:    ByPrice, Tokens: Always,
		Credentials: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"},
		Environment: []string{"ANTHROPIC_*"},
		Settings:    []string{SettingBaseURL, SettingKey, SettingMaxTokens, SettingPrice},
	},
	{
		Name: "openai", Doc: "the OpenAI API, or any server that is compatible with it",
		Options: []string{"systemPrompt", "effort", "modelReasoningEffort", "maxBudgetUsd", "fallbackModel"},
		Cost:    ByPrice, Tokens: Always,
		Credentials: []string{"OPENAI_API_KEY"},
		Environment: []string{"OPENAI_*"},
		Settings:    []string{SettingBaseURL, SettingKey, SettingMaxTokens, SettingPrice},
	},
	{
		Name: "google", Doc: "the Gemini API",
		Options: []string{"systemPrompt", "effort", "thinking", "maxBudgetUsd", "fallbackModel"},
		Cost:    ByPrice, Tokens: Always,
		Credentials: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
		Environment: []string{"GEMINI_*", "GOOGLE_*"},
		Settings:    []string{SettingBaseURL, SettingKey, SettingMaxTokens, SettingPrice},
	},
}

// agents are what the names stand for that workflows of the four formats use.
var agents = []Agent{
	{Name: "claude", Kind: "claude"},
	{Name: "codex", Kind: "codex"},
	// In arguments of kind acp, {model} is the model; see runtime/agent/acp.
	{Name: "opencode", Kind: "acp", Program: "opencode", Args: []string{"acp"}, Install: "npm install -g opencode-ai"},
	{Name: "pi", Kind: "acp", Program: "pi-acp", Install: "npm install -g pi-acp @earendil-works/pi-coding-agent"},
	{Name: "copilot", Kind: "acp", Program: "copilot", Args: []string{"--acp", "--model={model}"}, Install: "npm install -g @github/copilot"},
	{Name: "gemini", Kind: "acp", Program: "gemini", Args: []string{"--acp", "--model={model}"}, Install: "npm install -g @google/gemini-cli"},
	{Name: "anthropic", Kind: "anthropic"},
	{Name: "openai", Kind: "openai"},
	{Name: "google", Kind: "google"},
	// What runs a graph itself: the format is one of Claude Code's.
	{Name: "self", Kind: "claude"},
}
