// Package grants has the tables of what steps in the sandbox can reach: the grants that
// settings name, what agent programs need, and what every step can reach.
package grants

import "github.com/wfc-lang/wfc/runtime/settings"

// The tables. In a path, ~ is the home folder, and a variable at the start is the value of the
// environment variable; a path with an unset variable counts for nothing. A host that is a
// variable is that of the URL in it. Of two paths the longer one decides about what is below
// it: a private folder can have a part that is shared, and a shared folder one that is
// read-only.
//
// Files with keys of other services belong in none of them.

// table has the grants by the names that settings use.
var table = map[string]settings.Grant{
	"github": {
		Hosts: []string{"github.com", "github.com:22", "*.github.com", "ssh.github.com:443", "*.githubusercontent.com", "ghcr.io"},
		Read:  []string{"~/.config/gh", "$GH_CONFIG_DIR"},
	},
	"gitlab": {
		Hosts: []string{"gitlab.com", "gitlab.com:22", "*.gitlab.com", "altssh.gitlab.com:443"},
		Read:  []string{"~/.config/glab-cli", "$GLAB_CONFIG_DIR"},
	},
	"npm": {
		Hosts:   []string{"registry.npmjs.org", "registry.yarnpkg.com", "repo.yarnpkg.com", "nodejs.org"},
		Read:    []string{"~/.npmrc", "~/.yarnrc", "~/.yarnrc.yml", "~/.config/pnpm", "~/.bunfig.toml"},
		Private: caches["npm"],
	},
	"pypi": {
		Hosts:   []string{"pypi.org", "files.pythonhosted.org"},
		Read:    []string{"~/.config/pip", "~/.pip", "~/.config/uv", "~/.config/pypoetry/config.toml"},
		Private: caches["pypi"],
	},
	"go": {
		Hosts:   []string{"proxy.golang.org", "sum.golang.org", "go.dev", "dl.google.com"},
		Read:    []string{"~/.config/go"},
		Private: caches["go"],
	},
	"cargo": {
		Hosts:   []string{"index.crates.io", "static.crates.io", "crates.io", "static.rust-lang.org"},
		Read:    []string{"~/.cargo/config.toml", "~/.cargo/config", "$CARGO_HOME/config.toml"},
		Private: caches["cargo"],
	},
	// Whoever reaches the socket of the daemon can do anything to the machine.
	"docker": {
		Read:  []string{"~/.docker"},
		Write: []string{"/var/run/docker.sock", "/run/docker.sock", "$XDG_RUNTIME_DIR/docker.sock", "~/.docker/run/docker.sock"},
	},
	// The agent signs for every host that knows its keys; it does not give the keys away.
	"ssh-agent": {
		Read:  []string{"~/.ssh/known_hosts", "~/.ssh/config", "/etc/ssh"},
		Write: []string{"$SSH_AUTH_SOCK"},
	},
	"claude":   agents["claude"],
	"codex":    agents["codex"],
	"copilot":  agents["copilot"],
	"gemini":   agents["gemini"],
	"opencode": agents["opencode"],
	"pi":       agents["pi"],
}

// agents has what agent programs need themselves, by agent. Their settings are private, because
// the next program that reads them may run what they say; the login is shared.
var agents = map[string]settings.Grant{
	"claude": {
		Hosts:   []string{"api.anthropic.com", "console.anthropic.com", "platform.claude.com", "claude.ai", "mcp-proxy.anthropic.com", "$ANTHROPIC_BASE_URL"},
		Write:   []string{"~/.claude/.credentials.json", "$CLAUDE_CONFIG_DIR/.credentials.json"},
		Private: []string{"~/.claude", "~/.claude.json", "$CLAUDE_CONFIG_DIR"},
	},
	"codex": {
		Hosts:   []string{"api.openai.com", "auth.openai.com", "chatgpt.com", "*.chatgpt.com", "$OPENAI_BASE_URL"},
		Write:   []string{"~/.codex/auth.json", "$CODEX_HOME/auth.json"},
		Private: []string{"~/.codex", "$CODEX_HOME"},
	},
	"copilot": {
		Hosts:   []string{"github.com", "api.github.com", "*.githubcopilot.com", "copilot-proxy.githubusercontent.com", "$COPILOT_PROVIDER_BASE_URL"},
		Read:    []string{"~/.config/gh"},
		Write:   []string{"~/.copilot/config.json", "$COPILOT_HOME/config.json"},
		Private: []string{"~/.copilot", "$COPILOT_HOME"},
	},
	"gemini": {
		Hosts: []string{
			"generativelanguage.googleapis.com", "cloudcode-pa.googleapis.com", "aiplatform.googleapis.com", "oauth2.googleapis.com",
			"www.googleapis.com", "$GOOGLE_GEMINI_BASE_URL",
		},
		Write:   []string{"~/.gemini/oauth_creds.json", "~/.gemini/google_accounts.json"},
		Private: []string{"~/.gemini"},
	},
	"opencode": {
		Hosts:   append([]string{"opencode.ai", "*.opencode.ai", "models.dev"}, models...),
		Write:   []string{"~/.local/share/opencode/auth.json", "$XDG_DATA_HOME/opencode/auth.json"},
		Private: []string{"~/.config/opencode", "~/.cache/opencode", "~/.local/state/opencode", "~/.local/share/opencode/bin", "$XDG_DATA_HOME/opencode/bin"},
	},
	"pi": {
		Hosts:   models,
		Write:   []string{"~/.pi/agent/auth.json", "$PI_CODING_AGENT_DIR/auth.json"},
		Private: []string{"~/.pi", "$PI_CODING_AGENT_DIR"},
	},
}

// sessions are what agent programs keep of conversations, by agent. Steps see others in their place,
// which belong to the runs of the workflow: what a person did elsewhere is no step's business, and
// what a step leaves there does not reach a person's next conversation. A path that ends with / is a
// folder that is made if it is missing; without it, the program cannot continue a session.
var sessions = map[string][]string{
	"claude": {
		"~/.claude/projects/", "~/.claude/file-history/", "~/.claude/session-env/", "~/.claude/todos/", "~/.claude/history.jsonl",
		"~/.claude/plans", "~/.claude/tasks", "~/.claude/paste-cache", "~/.claude/shell-snapshots",
		"$CLAUDE_CONFIG_DIR/projects/", "$CLAUDE_CONFIG_DIR/file-history/", "$CLAUDE_CONFIG_DIR/session-env/", "$CLAUDE_CONFIG_DIR/todos/",
		"$CLAUDE_CONFIG_DIR/history.jsonl", "$CLAUDE_CONFIG_DIR/plans", "$CLAUDE_CONFIG_DIR/tasks", "$CLAUDE_CONFIG_DIR/paste-cache",
		"$CLAUDE_CONFIG_DIR/shell-snapshots",
	},
	"codex":    {"~/.codex/sessions/", "~/.codex/history.jsonl", "$CODEX_HOME/sessions/", "$CODEX_HOME/history.jsonl"},
	"copilot":  {"~/.copilot/session-state/", "~/.copilot/session-store.db", "$COPILOT_HOME/session-state/", "$COPILOT_HOME/session-store.db"},
	"gemini":   {"~/.gemini/tmp/"},
	"opencode": {"~/.local/share/opencode/", "$XDG_DATA_HOME/opencode/"},
	"pi":       {"~/.pi/agent/sessions/", "~/.pi/pi-acp/", "$PI_CODING_AGENT_DIR/sessions/"},
}

// programs has the agents of programs that are called otherwise.
var programs = map[string]string{
	"claude-agent-acp": "claude", "claude-code-acp": "claude", "codex-acp": "codex", "pi-acp": "pi",
}

// models are the services of models for programs that can use any of them.
var models = []string{
	"api.anthropic.com", "api.openai.com", "auth.openai.com", "chatgpt.com", "generativelanguage.googleapis.com", "openrouter.ai",
	"api.mistral.ai", "api.groq.com", "api.x.ai", "api.deepseek.com", "api.cerebras.ai", "*.githubcopilot.com", "api.github.com", "github.com",
	"$ANTHROPIC_BASE_URL", "$OPENAI_BASE_URL",
}

// caches has the caches of packages, by the grant of what fills them; "" are those of others.
var caches = map[string][]string{
	"npm": {
		"~/.npm", "$npm_config_cache", "~/.cache/node-gyp", "~/.cache/yarn", "~/.yarn/berry", "~/.cache/pnpm", "~/.local/share/pnpm/store",
		"~/.bun/install/cache",
	},
	"pypi": {"~/.cache/pip", "$PIP_CACHE_DIR", "~/.cache/uv", "$UV_CACHE_DIR", "~/.local/share/uv", "~/.cache/pypoetry"},
	"go":   {"~/.cache/go-build", "$GOCACHE", "~/go/pkg", "$GOMODCACHE", "~/.cache/golangci-lint", "~/.cache/staticcheck"},
	"cargo": {
		"~/.cargo/registry", "~/.cargo/git", "$CARGO_HOME/registry", "$CARGO_HOME/git", "~/.cache/sccache",
	},
	"": {
		"~/.cache/deno", "~/.cache/ms-playwright", "~/.cache/puppeteer", "~/.cache/Cypress", "~/.cache/prisma", "~/.cache/pre-commit",
		"~/.cache/ccache", "~/.ccache", "~/.cache/zig", "~/.m2/repository", "~/.gradle/caches", "~/.gradle/wrapper", "~/.nuget/packages",
		"~/.cache/composer", "~/.cache/coursier", "~/.ivy2/cache", "~/.hex/packages", "~/.cabal/packages",
	},
}

// toolFolders are folders of tools below the home folder, and settings of git, which every step
// can read.
var toolFolders = []string{
	"~/bin", "~/.local/bin", "~/.local/lib", "~/.local/share/mise", "~/.asdf", "~/.proto", "~/.pixi", "~/.nix-profile", "~/.local/state/nix",
	"~/.nvm", "~/.fnm", "~/.local/share/fnm", "~/.volta", "~/.nodenv", "~/.n", "~/n", "~/.bun", "~/.deno", "~/.yarn/bin", "~/.local/share/pnpm",
	"~/.npm-global", "~/.npm-packages", "~/.config/yarn/global",
	"~/.pyenv", "~/.local/share/uv", "~/.local/share/pypoetry", "~/.local/share/pipx", "~/.local/pipx", "~/miniconda3", "~/anaconda3",
	"~/miniforge3", "~/.conda/envs",
	"~/go/bin", "~/sdk", "~/.goenv", "~/.cargo/bin", "~/.rustup", "$RUSTUP_HOME", "~/.rbenv", "~/.rvm", "~/.gem/ruby", "~/.local/share/gem/ruby",
	"~/.sdkman", "~/.jenv", "~/.dotnet", "~/.ghcup", "~/.cabal/bin", "~/.stack/programs", "~/.opam", "~/.elan", "~/.juliaup", "~/.swiftly",
	"~/.foundry/bin", "~/.config/composer/vendor", "~/.composer/vendor",
	"~/.claude/local", "~/.local/share/claude", "~/.opencode/bin",
	"~/.gitconfig", "~/.config/git/config", "~/.config/git/ignore", "~/.config/git/attributes", "~/.editorconfig",
}

// Guarded are patterns of paths below a work tree that no step can write without a grant of its
// own, because git, an editor, an agent or wfc runs what they say later, outside of the
// sandbox. A path may not exist.
var Guarded = append([]string{
	".git/hooks", ".git/config", ".git/config.worktree", ".git/commondir", ".git/info/attributes", ".git/modules",
	".git/worktrees/*/config.worktree", ".git/worktrees/*/commondir", ".git/worktrees/*/gitdir",
	".claude/settings*.json", ".claude/hooks", ".mcp.json", ".codex", ".gemini", ".copilot", ".opencode", "opencode.json", "opencode.jsonc", ".pi",
	".cursor", ".vscode", ".idea", ".zed", ".exrc", ".nvimrc", ".nvim.lua", ".dir-locals.el", ".gdbinit", ".devcontainer",
	".envrc", ".husky", ".githooks", ".yarnrc.yml", ".wfc",
}, Project...)

// Project are the paths of Guarded that wfc reads from the folders around a workflow file.
var Project = []string{"wfc.yaml", "wfc.lock", ".archon/config.yaml", ".archon/triggers"}
