package archon_test

import "github.com/wfc-lang/wfc/internal/ir"

// agentRows are the keys about the agent of a prompt or a command.
var agentRows = []keyRow{
	{"provider model", "prompt: x, provider: ' codex ', model: m", asked(func(a ir.Agent) any { return a.Name + a.Model }), "codexm"},
	{"provider model", "bash: x, provider: codex, model: m", warned(), "warning agent-options-ignored provider"},
	{"model", "prompt: x, model: small", asked(func(a ir.Agent) any { return a.Model }), "haiku"},
	{"model", "prompt: x, provider: codex, model: small", warned(), "warning undefined-tier small"},
	{"context", "prompt: x, context: fresh", asked(func(a ir.Agent) any { return a.FreshSession }), "true"},
	{"context", "prompt: x, context: shared", asked(func(a ir.Agent) any { return a.FreshSession }), "false"},
	{"persist_session", "prompt: x, persist_session: true", action(func(p *ir.Prompt) any { return p.Persist }), "true"},
	{"persist_session", "command: greet, persist_session: true", action(func(p *ir.Prompt) any { return p.Persist }), "true"},
	{"persist_session", aLoop + "}, persist_session: true", warned(), "warning agent-options-ignored persist_session"},
	{"output_format", "prompt: x, output_format: {type: object, properties: {b: {type: string}, a: {type: integer}}, required: [b]}", first(func(n *ir.Node) any {
		return n.Output.String() + n.Schema
	}), `object{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer"}},"required":["b"]}`},
	{"output_format", "prompt: x, output_format: {type: object, properties: {b: {type: string}}}", warned(), "note loose-schema properties"},
	{"allowed_tools", "prompt: x, allowed_tools: []", passed("allowed_tools"), "[]"},
	{"allowed_tools", "prompt: x, provider: codex, allowed_tools: []", warned(), "warning unsupported-option allowed_tools"},
	{"denied_tools", "prompt: x, denied_tools: [Bash]", passed("denied_tools"), `["Bash"]`},
	{"denied_tools", "prompt: x, provider: codex, denied_tools: []", warned(), "warning unsupported-option denied_tools"},
	{"hooks hook.matcher hook.response hook.timeout", "prompt: x, hooks: {Stop: [{matcher: m, response: {a: <b>}, timeout: 0.5}]}", passed("hooks"), `{"Stop":[{"matcher":"m","response":{"a":"<b>"},"timeout":0.5}]}`},
	{"hooks", "prompt: x, provider: pi, hooks: {}", warned(), "warning unsupported-option hooks"},
	{"mcp", "prompt: x, mcp: servers.json", passed("mcp"), `{"s":{"command":"c"}}`},
	{"mcp", "prompt: x, mcp: none.json", warned(), "warning mcp-file none.json"},
	{"mcp", "prompt: x, provider: pi, mcp: servers.json", warned(), "warning unsupported-option mcp"},
	{"skills", "prompt: x, skills: [mending]", passed("skills"), `["mending"]`},
	{"skills", "prompt: x, skills: [sewing]", warned(), "warning missing-skill sewing"},
	{"effort", "prompt: x, effort: max", passed("effort"), `"max"`},
	{"effort", "prompt: x, provider: opencode, effort: max", warned(), "warning unsupported-option effort"},
	{"effort", "prompt: x, effort: most", warned(), "error unknown-value most"},
	{"thinking", "prompt: x, thinking: enabled", passed("thinking"), `{"type":"enabled"}`},
	{"thinking", "prompt: x, provider: codex, thinking: enabled", warned(), "warning unsupported-option thinking"},
	{"thinking thinking.type thinking.budgetTokens", "prompt: x, thinking: {type: enabled, budgetTokens: 1000}", passed("thinking"), `{"type":"enabled","budgetTokens":1000}`},
	{"thinking.budgetTokens", "prompt: x, thinking: {type: adaptive, budgetTokens: 1000}", warned(), "warning no-effect budgetTokens"},
	{"maxBudgetUsd", "prompt: x, maxBudgetUsd: 0.25", passed("maxBudgetUsd"), "0.25"},
	{"maxBudgetUsd", "prompt: x, provider: pi, maxBudgetUsd: 0.25", warned(), "warning unsupported-option maxBudgetUsd"},
	{"systemPrompt", "prompt: x, systemPrompt: be brief", passed("systemPrompt"), `"be brief"`},
	{"fallbackModel", "prompt: x, fallbackModel: m", passed("fallbackModel"), `"m"`},
	{"fallbackModel", "prompt: x, provider: copilot, fallbackModel: m", warned(), "warning unsupported-option fallbackModel"},
	{"betas", "prompt: x, betas: [b]", passed("betas"), `["b"]`},
	{"sandbox", "prompt: x, provider: codex, sandbox: {}", warned(), "warning unsupported-option sandbox"},
	{"agents", "prompt: x, provider: pi, agents: {a: {description: d, prompt: p}}", warned(), "warning unsupported-option agents"},
	{"pi", "prompt: x, pi: {}", warned(), "warning unsupported-option pi"},
}

// nestedRows are the keys inside options of agents.
var nestedRows = []keyRow{
	{"agents helper.description helper.prompt helper.model helper.tools helper.disallowedTools helper.skills helper.maxTurns",
		"prompt: x, agents: {brief-gen: {description: d, prompt: p, model: m, tools: [Read], disallowedTools: [Bash], skills: [s], maxTurns: 3}}", passed("agents"),
		`{"brief-gen":{"description":"d","prompt":"p","model":"m","tools":["Read"],"disallowedTools":["Bash"],"skills":["s"],"maxTurns":3}}`},
	{"sandbox sandbox.enabled sandbox.autoAllowBashIfSandboxed sandbox.allowUnsandboxedCommands sandbox.enableWeakerNestedSandbox sandbox.enableWeakerNetworkIsolation",
		"prompt: x, sandbox: {enabled: true, autoAllowBashIfSandboxed: true, allowUnsandboxedCommands: false, enableWeakerNestedSandbox: false, enableWeakerNetworkIsolation: false}", passed("sandbox"),
		`{"enabled":true,"autoAllowBashIfSandboxed":true,"allowUnsandboxedCommands":false,"enableWeakerNestedSandbox":false,"enableWeakerNetworkIsolation":false}`},
	{"sandbox.excludedCommands sandbox.ignoreViolations sandbox.ripgrep ripgrep.command ripgrep.args",
		"prompt: x, sandbox: {excludedCommands: [a], ignoreViolations: {x: [y]}, ripgrep: {command: rg, args: []}}", passed("sandbox"),
		`{"excludedCommands":["a"],"ignoreViolations":{"x":["y"]},"ripgrep":{"command":"rg","args":[]}}`},
	{"sandbox.network network.allowedDomains network.allowManagedDomainsOnly network.allowUnixSockets network.allowAllUnixSockets network.allowLocalBinding network.httpProxyPort network.socksProxyPort",
		"prompt: x, sandbox: {network: {allowedDomains: [a.b], allowManagedDomainsOnly: true, allowUnixSockets: [/s], allowAllUnixSockets: false, allowLocalBinding: true, httpProxyPort: 1, socksProxyPort: 2}}", passed("sandbox"),
		`{"network":{"allowedDomains":["a.b"],"allowManagedDomainsOnly":true,"allowUnixSockets":["/s"],"allowAllUnixSockets":false,"allowLocalBinding":true,"httpProxyPort":1,"socksProxyPort":2}}`},
	{"sandbox.filesystem filesystem.allowWrite filesystem.denyWrite filesystem.denyRead",
		"prompt: x, sandbox: {filesystem: {allowWrite: [/a], denyWrite: [/b], denyRead: [/c]}}", passed("sandbox"),
		`{"filesystem":{"allowWrite":["/a"],"denyWrite":["/b"],"denyRead":["/c"]}}`},
	{"pi pi.enableExtensions pi.extensionFlags", "prompt: x, provider: pi, pi: {enableExtensions: true, extensionFlags: {a: b, c: false}}", passed("pi"),
		`{"enableExtensions":true,"extensionFlags":{"a":"b","c":false}}`},
	{"pi.interactive", "prompt: x, provider: pi, pi: {interactive: true}", passed("pi"), `{"interactive":true}`},
}
