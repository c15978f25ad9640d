package grants

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/settings"
)

func place(environ ...string) Place {
	return Place{Home: "/home/ann", Project: "/work/p", Getenv: func(name string) string {
		for _, entry := range environ {
			if value, ok := strings.CutPrefix(entry, name+"="); ok {
				return value
			}
		}
		return ""
	}}
}

func TestResolve(t *testing.T) {
	own := map[string]settings.Grant{
		"own":    {Hosts: []string{"git.example.com"}, Read: []string{"~/.config/x/", "/opt/./y", "$TOOL/z", "$UNSET/z", "$RELATIVE/z"}, Write: []string{"out", "../up", "~"}, Private: []string{"."}},
		"github": {Hosts: []string{"evil.example.com"}}, // a known grant keeps its meaning
	}
	g, err := place("TOOL=/tool", "RELATIVE=x", "SSH_AUTH_SOCK=/run/agent", "ANTHROPIC_BASE_URL=http://127.0.0.1:8080/v1").Resolve([]string{"own", "github", "ssh-agent", "own", "claude"}, own)
	if err != nil {
		t.Fatal(err)
	}
	for list, want := range map[*[]string][]string{
		&g.Hosts:   {"git.example.com", "github.com", "api.anthropic.com", "local:127.0.0.1:8080"},
		&g.Read:    {"/home/ann/.config/x", "/opt/y", "/tool/z", "/home/ann/.config/gh", "/home/ann/.ssh/known_hosts"},
		&g.Write:   {"/work/p/out", "/work/up", "/home/ann", "/run/agent", "/home/ann/.claude/.credentials.json"},
		&g.Private: {"/work/p", "/home/ann/.claude"}, &g.Sessions: {"/home/ann/.claude/projects"},
	} {
		for _, one := range want {
			if !slices.Contains(*list, one) {
				t.Errorf("no %s in %q", one, *list)
			}
		}
	}
	for _, list := range [][]string{g.Read, g.Write, g.Private} {
		for i, one := range list {
			if !path.IsAbs(one) || slices.Contains(list[:i], one) || strings.Contains(one, "$") {
				t.Errorf("%q in %q", one, list)
			}
		}
	}
	if slices.Contains(g.Hosts, "evil.example.com") {
		t.Error("a set replaces a known grant")
	}
	for name, want := range map[string]string{"gihub": "unknown grant `gihub`; did you mean `github`?", "ownn": "unknown grant `ownn`; did you mean `own`?"} {
		if _, err := place().Resolve([]string{"npm", name}, own); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHostOf(t *testing.T) {
	for address, want := range map[string]string{
		"https://api.example.com": "api.example.com:443", "http://API.example.com/v1": "api.example.com:80", "https://h:8443/x": "h:8443",
		"http://localhost:8080": "local:localhost:8080", "http://127.0.0.1:1": "local:127.0.0.1:1", "http://[::1]:1": "local:[::1]:1", "https://10.1.2.3": "local:10.1.2.3:443",
		"https://8.8.8.8": "8.8.8.8:443", "https://[2606:4700::1]/x": "[2606:4700::1]:443", "https://me:p@h:1?q": "h:1", "": "", "not a url": "", "/x": "",
	} {
		if got := hostOf(address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

func TestAgents(t *testing.T) {
	for program, folder := range map[string]string{
		"claude": ".claude", "/usr/bin/claude": ".claude", "claude-agent-acp": ".claude", "codex": ".codex", "codex-acp": ".codex", "pi-acp": ".pi", "gemini": ".gemini",
		"copilot": ".copilot", "opencode": ".config/opencode",
	} {
		if g := place().Agent(program); !slices.Contains(g.Private, "/home/ann/"+folder) || len(g.Hosts) == 0 || len(g.Write) == 0 || len(g.Sessions) == 0 {
			t.Errorf("%s: %+v", program, g)
		}
	}
	if g := place().Agent("make"); len(g.Made)+len(g.Sessions)+len(g.Hosts)+len(g.Read)+len(g.Write)+len(g.Private) > 0 {
		t.Errorf("%+v", g)
	}
}

// The folders of sessions are made before a program starts: what is not there cannot be shown.
func TestFoldersOfSessions(t *testing.T) {
	p := place()
	p.Getenv = func(name string) string { return map[string]string{"CODEX_HOME": "/srv/codex"}[name] }
	g := p.Agent("codex")
	if want := []string{"/home/ann/.codex/sessions", "/srv/codex/sessions"}; !slices.Equal(g.Made, want) {
		t.Errorf("made %q", g.Made)
	}
	for _, path := range append(g.Made, "/home/ann/.codex/history.jsonl") {
		if !slices.Contains(g.Sessions, path) || !slices.Contains(p.Sessions(), path) {
			t.Errorf("%s is not a place of sessions", path)
		}
	}
}

// keys are files and folders with keys that no table may give, whole or in part.
var keys = []string{
	"~/.ssh/id_ed25519", "~/.gnupg", "~/.aws", "~/.azure", "~/.config/gcloud", "~/.kube", "~/.netrc", "~/.git-credentials", "~/.config/git/credentials", "~/.pypirc",
	"~/.cargo/credentials.toml", "~/.gem/credentials", "~/.m2/settings.xml", "~/.gradle/gradle.properties", "~/.config/pypoetry/auth.toml", "~/.cache/huggingface/token",
	"~/.local/share/keyrings", "~/.mozilla", "~/.config/google-chrome", "~/.bash_history", "~/.password-store", "~/.local/state/wfc", "~/.cache/wfc",
}

// TestNoKeys compares the tables with files that have keys. A path of a table gives what is
// below it.
func TestNoKeys(t *testing.T) {
	given := slices.Clone(toolFolders)
	for _, list := range caches {
		given = append(given, list...)
	}
	for name, g := range table {
		given = slices.Concat(given, g.Read, g.Write, g.Private, sessions[name])
	}
	for _, one := range given {
		one = strings.TrimSuffix(one, "/")
		for _, key := range keys {
			if key == one || strings.HasPrefix(key, one+"/") || strings.HasPrefix(one, key+"/") {
				t.Errorf("%s gives %s", one, key)
			}
		}
		if !strings.HasPrefix(one, "~/") && !strings.HasPrefix(one, "$") && !strings.HasPrefix(one, "/") || path.Clean(one) != one {
			t.Errorf("%s is neither absolute nor below a home folder or a variable", one)
		}
	}
}

// What a later program executes is never shared: an agent's settings are below a private
// folder, and what is shared of it is data.
func TestAgentsShareNoSettings(t *testing.T) {
	for name, g := range agents {
		for _, file := range g.Write {
			if base := path.Base(file); slices.Contains(g.Private, file) || strings.HasPrefix(base, "settings") || base == "config.toml" || base == "hooks" || base == "plugins" {
				t.Errorf("%s shares %s", name, file)
			}
		}
	}
}

func TestCovering(t *testing.T) {
	p := place("SSH_AUTH_SOCK=/run/agent")
	for _, test := range []struct {
		need, rest settings.Grant
		names      string
	}{
		{settings.Grant{Hosts: []string{"api.github.com", "example.com"}}, settings.Grant{Hosts: []string{"example.com"}}, "github"},
		{settings.Grant{Read: []string{"/home/ann/.npmrc", "/home/ann/.npmrc2"}}, settings.Grant{Read: []string{"/home/ann/.npmrc2"}}, "npm"},
		{settings.Grant{Write: []string{"/home/ann/.npmrc"}}, settings.Grant{Write: []string{"/home/ann/.npmrc"}}, ""},
		// Who reads settings of Docker is not given the daemon, nor the login of an agent to who
		// calls its service.
		{settings.Grant{Read: []string{"/home/ann/.docker/config.json"}}, settings.Grant{Read: []string{"/home/ann/.docker/config.json"}}, ""},
		{settings.Grant{Hosts: []string{"api.anthropic.com"}}, settings.Grant{Hosts: []string{"api.anthropic.com"}}, ""},
		{settings.Grant{Write: []string{"/run/docker.sock"}, Read: []string{"/home/ann/.docker/config.json"}}, settings.Grant{}, "docker"},
		{settings.Grant{Write: []string{"/run/agent"}}, settings.Grant{}, "ssh-agent"},
		{settings.Grant{Read: []string{"/home/ann/.claude/.credentials.json"}, Hosts: []string{"api.anthropic.com"}}, settings.Grant{}, "claude"},
	} {
		names, rest := p.Covering(test.need)
		if strings.Join(names, " ") != test.names || !slices.Equal(rest.Hosts, test.rest.Hosts) || !slices.Equal(rest.Read, test.rest.Read) || !slices.Equal(rest.Write, test.rest.Write) {
			t.Errorf("%+v: %q and %+v", test.need, names, rest)
		}
	}
}
