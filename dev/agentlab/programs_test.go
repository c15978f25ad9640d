//go:build unix

package agentlab

import (
	"github.com/wfc-lang/wfc/dev/agentlab/model"
)

// Reasons why programs are not taken through scenarios.
const (
	noCost    = "the program reports no cost"
	noHelpers = "only claude has the option `agents`"
	noServers = "the program uses no MCP servers"
	neverAsks = "pi uses its tools without asking; only the sandbox restricts it"
	noFailure = "the program ends its turn without a word when pi cannot ask the model, and the node fails with an empty answer"
)

// Remarks on the ways in which programs pass.
const (
	keepsPrompt = "The session contains the prompt twice: the program cannot continue from the state before the interrupted turn."
	endsTurn    = "The program ends its turn after a refusal. The node fails and names the permission that would allow the action."
	remoteOnly  = "Over HTTP: the program ignores servers of type `stdio`, and wfc warns."
	asksAgain   = "The program retries silently, ten times in three minutes unless CLAUDE_CODE_MAX_RETRIES sets another number."
	costOnly    = "The program reports the cost, and no tokens."
	tokensOnly  = "The program reports the tokens, and no cost."
	forgets     = "The cost of the interrupted turn is unknown: the program reports it only when a turn is complete."
	nextMinute  = "A session continues only in the next minute: the program names its files by the minute, so wfc waits."
)

func claude() *program {
	return &program{
		use: "use: claude",
		environ: []string{"ANTHROPIC_BASE_URL=$URL", "ANTHROPIC_API_KEY=sk-ant-lab", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
			"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1"},
		key:   "ANTHROPIC_API_KEY",
		forks: true,
		write: func(path, content string) model.Call {
			return call("Write", object{"file_path": path, "content": content})
		},
		shell: func(command string) model.Call {
			return call("Bash", object{"command": command, "description": "Runs a command."})
		},
		stamp: func(text string) model.Call { return call("mcp__stamper__stamp", object{"text": text}) },
		typed: func(o object) []model.Step {
			return []model.Step{{Calls: []model.Call{call("StructuredOutput", o)}}, {Say: "done"}}
		},
		helper: func(prompt string) model.Call {
			return call("Agent", object{"subagent_type": "helper", "description": "Help.", "prompt": prompt})
		},
		without: map[string]string{},
	}
}

func claudeACP() *program {
	p := claude()
	p.use = "use: acp, program: claude-agent-acp"
	p.environ = append(p.environ, "IS_SANDBOX=1") // for root
	p.key, p.forks = "", false
	p.environ = append(p.environ, "CLAUDE_CODE_MAX_RETRIES=2")
	p.typed = words
	p.without = map[string]string{"helpers": noHelpers}
	p.remarks = map[string]string{"resume": keepsPrompt, "401": asksAgain, "interrupt": costOnly}
	return p
}

// codexConfig is the file with Codex's settings. Cells are in the system's folder of temporary
// files, in which its sandbox would let it write.
const codexConfig = `model = "gpt-5.5"
model_provider = "lab"
check_for_update_on_startup = false
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
[analytics]
enabled = false
[model_providers.lab]
name = "lab"
base_url = "$URL/v1"
env_key = "CODEX_API_KEY"
wire_api = "responses"
`

func codex() *program {
	return &program{
		use:      "use: codex, model: gpt-5.5, price: {input: 2, output: 20}",
		settings: map[string]string{".codex/config.toml": codexConfig},
		environ:  []string{"CODEX_API_KEY=sk-lab"},
		key:      "CODEX_API_KEY",
		write: func(path, content string) model.Call {
			return model.Call{Tool: "apply_patch", Text: "*** Begin Patch\n*** Add File: " + path + "\n+" + content + "\n*** End Patch\n"}
		},
		shell: func(command string) model.Call { return call("exec_command", object{"cmd": command}) },
		stamp: func(text string) model.Call {
			return model.Call{Tool: "stamp", Namespace: "mcp__stamper", Input: object{"text": text}}
		},
		typed: func(o object) []model.Step {
			o["note"] = nil // all keys are required of it
			return words(o)
		},
		without: map[string]string{"helpers": noHelpers},
		remarks: map[string]string{"resume": keepsPrompt},
	}
}

func codexACP() *program {
	p := codex()
	p.use = "use: acp, program: codex-acp"
	p.key, p.quits, p.forgets = "", true, true
	p.typed = words
	p.without = map[string]string{"helpers": noHelpers, "cost": noCost}
	p.remarks = map[string]string{"resume": keepsPrompt, "denial": endsTurn, "interrupt": forgets}
	return p
}

// opencodeConfig is the file with OpenCode's settings. The price makes it tell
// costs.
const opencodeConfig = `{"autoupdate": false, "share": "disabled", "model": "lab/lab-1", "small_model": "lab/lab-1", "provider": {"lab": {
  "npm": "@ai-sdk/openai-compatible", "name": "Lab", "options": {"baseURL": "$URL/v1", "apiKey": "sk-lab"},
  "models": {"lab-1": {"name": "Lab One", "limit": {"context": 100000, "output": 8000}, "cost": {"input": 2, "output": 20}}}}}}
`

func opencode() *program {
	return &program{
		use:      "use: opencode",
		stays:    true,
		settings: map[string]string{".config/opencode/opencode.json": opencodeConfig},
		environ: []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
			"OPENCODE_DISABLE_DEFAULT_PLUGINS=1"},
		write: func(path, content string) model.Call {
			return call("write", object{"filePath": path, "content": content})
		},
		shell: func(command string) model.Call {
			return call("bash", object{"command": command, "description": "Runs a command."})
		},
		stamp:   func(text string) model.Call { return call("stamper_stamp", object{"text": text}) },
		typed:   words,
		without: map[string]string{"helpers": noHelpers},
		remarks: map[string]string{"resume": keepsPrompt, "interrupt": costOnly},
	}
}

// geminiSettings is the file with the Gemini CLI's settings.
const geminiSettings = `{"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false},
 "general": {"maxAttempts": 3, "enableAutoUpdate": false, "enableAutoUpdateNotification": false, "sessionRetention": {"enabled": false}}}
`

func gemini() *program {
	return &program{
		use:      "use: gemini, model: gemini-2.5-pro",
		forgets:  true,
		stays:    true,
		settings: map[string]string{".gemini/settings.json": geminiSettings},
		environ:  []string{"GEMINI_API_KEY=lab-key", "GOOGLE_GEMINI_BASE_URL=$URL"},
		write: func(path, content string) model.Call {
			return call("write_file", object{"file_path": path, "content": content})
		},
		shell: func(command string) model.Call {
			return call("run_shell_command", object{"command": command, "description": "Runs a command."})
		},
		stamp:   func(text string) model.Call { return call("mcp_stamper_stamp", object{"text": text}) },
		typed:   words,
		without: map[string]string{"helpers": noHelpers, "cost": noCost},
		remarks: map[string]string{"resume": keepsPrompt, "session": nextMinute, "interrupt": forgets},
	}
}

func copilot() *program {
	return &program{
		use:    "use: copilot",
		remote: true, quits: true,
		// A model provider of one's own needs no account.
		environ: []string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=$URL/v1", "COPILOT_PROVIDER_API_KEY=sk-lab", "COPILOT_MODEL=gpt-4.1"},
		write: func(path, content string) model.Call {
			return call("create", object{"path": path, "file_text": content})
		},
		shell: func(command string) model.Call {
			return call("bash", object{"command": command, "description": "Runs a command.", "mode": "sync"})
		},
		stamp:   func(text string) model.Call { return call("stamper-stamp", object{"text": text}) },
		typed:   words,
		without: map[string]string{"helpers": noHelpers, "cost": noCost},
		remarks: map[string]string{"resume": keepsPrompt, "denial": endsTurn, "mcp": remoteOnly, "interrupt": tokensOnly},
	}
}

const (
	piModels = `{"providers": {"lab": {"baseUrl": "$URL/v1", "api": "openai-completions", "apiKey": "sk-lab", "models": [
  {"id": "lab-1", "name": "Lab One", "contextWindow": 100000, "maxTokens": 8000, "cost": {"input": 2, "output": 20, "cacheRead": 0, "cacheWrite": 0}}]}}}
`
	piSettings = `{"defaultProvider": "lab", "defaultModel": "lab-1", "quietStartup": true}
`
)

func pi() *program {
	return &program{
		beside:   []string{"pi"},
		use:      "use: pi",
		forgets:  true,
		settings: map[string]string{".pi/agent/models.json": piModels, ".pi/agent/settings.json": piSettings},
		environ:  []string{"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0"},
		write: func(path, content string) model.Call {
			return call("write", object{"path": path, "content": content})
		},
		shell:   func(command string) model.Call { return call("bash", object{"command": command}) },
		typed:   words,
		without: map[string]string{"mcp": noServers, "helpers": noHelpers, "cost": noCost, "denial": neverAsks, "401": noFailure, "outage": noFailure},
		remarks: map[string]string{"resume": keepsPrompt, "interrupt": forgets},
	}
}
