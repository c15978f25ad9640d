package config_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/compiler/config"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/runtime/settings"
)

func sandboxOf(text string) (settings.Sandbox, []string) {
	c, findings := config.Parse(source.NewFile("wfc.yaml", []byte(text)))
	var lines []string
	for _, d := range findings {
		p := d.Span.Position()
		lines = append(lines, fmt.Sprintf("%d:%d %s %s %s; %s", p.Line, p.Column, d.Severity, d.Code.ID, d.Message, strings.Join(d.Help, "; ")))
	}
	return c.Settings("/p").Sandbox, lines
}

func TestSandbox(t *testing.T) {
	for text, want := range map[string]settings.Sandbox{
		"sandbox: on":       {Default: settings.SandboxOn},
		"sandbox: 'report'": {Default: settings.SandboxReport},
		"sandbox: off":      {Default: settings.SandboxOff},
		"sandbox: {default: on, kinds: {bash: on}, agents: {claude: off}, nodes: {deploy: report}}": {
			Default: settings.SandboxOn, Kinds: map[string]settings.SandboxMode{"bash": settings.SandboxOn},
			Agents: map[string]settings.SandboxMode{"claude": settings.SandboxOff}, Nodes: map[string]settings.SandboxMode{"deploy": settings.SandboxReport},
		},
		"sandbox: {agents: {mine: on}}\nagents: {mine: {use: claude}}": {Agents: map[string]settings.SandboxMode{"mine": settings.SandboxOn}},
		"grants: npm":           {Grants: settings.Grants{Default: []string{"npm"}}},
		"grants: [github, npm]": {Grants: settings.Grants{Default: []string{"github", "npm"}}},
		"grants: {default: [go], kinds: {script: pypi}, agents: {codex: [github]}, nodes: {publish: [npm, own]}}\ngrant_sets: {own: {hosts: git.example.com}}": {
			Grants: settings.Grants{
				Default: []string{"go"}, Kinds: map[string][]string{"script": {"pypi"}}, Agents: map[string][]string{"codex": {"github"}},
				Nodes: map[string][]string{"publish": {"npm", "own"}},
			},
			Sets: map[string]settings.Grant{"own": {Hosts: []string{"git.example.com"}}},
		},
		"grant_sets: {internal: {hosts: [Git.Example.com, 'x:22', '*.example.org', '*.example.org:8443', 8.8.8.8:53, '[2606:4700::1]:443', local:localhost:5432, 'local:[::1]:80', local:10.0.0.5:5432, local:db:1],\n" +
			"  read: [~/.config/tool, /opt/x, shared, ../up, $TOOL_HOME/x], write: [dist], private: [~/.cache/tool]}}": {Sets: map[string]settings.Grant{"internal": {
			Hosts: []string{"git.example.com", "x:22", "*.example.org", "*.example.org:8443", "8.8.8.8:53", "[2606:4700::1]:443", "local:localhost:5432", "local:[::1]:80", "local:10.0.0.5:5432", "local:db:1"},
			Read:  []string{"~/.config/tool", "/opt/x", "/p/shared", "/up", "$TOOL_HOME/x"}, Write: []string{"/p/dist"}, Private: []string{"~/.cache/tool"},
		}}},
	} {
		if got, faults := sandboxOf(text); len(faults) > 0 || !reflect.DeepEqual(got, want) {
			t.Errorf("%s\ngot  %+v %q\nwant %+v", text, got, faults, want)
		}
	}
}

func TestSandboxFaults(t *testing.T) {
	const (
		names = "cargo, claude, codex, copilot, docker, gemini, github, gitlab, go, npm, opencode, pi, pypi, ssh-agent"
		host  = "must be a host: `example.com`, `example.com:22`, `*.example.com`, an IP address with a port, or for this machine and private networks `local:localhost:8080`; "
		where = ": absolute, below `~/` or relative to the project, without wildcards; "
	)
	for text, want := range map[string][]string{
		"sandbox: onn":  {"1:10 error WFC113 `sandbox` must be one of on, report, off; did you mean `on`?"},
		"sandbox: true": {"1:10 error WFC113 `sandbox` must be one of on, report, off; "},
		"sandbox:":      {"1:9 error WFC113 `sandbox` must be one of on, report, off; "},
		"sandbox: {defualt: on, kinds: {bsh: on}, agents: {cluade: off}, nodes: {a: yes}}": {
			"1:11 error WFC125 unknown key `defualt` in `sandbox`; did you mean `default`?",
			"1:32 error WFC125 unknown key `bsh` in `sandbox.kinds`; did you mean `bash`?",
			"1:51 error WFC125 unknown key `cluade` in `sandbox.agents`; did you mean `claude`?",
			"1:76 error WFC113 `sandbox.nodes.a` must be one of on, report, off; ",
		},
		"grants: [gihub, 3]\ngrant_sets: {internal: {}}": {
			"1:10 error WFC113 `grants` must be one of " + strings.Replace(names, "npm", "internal, npm", 1) + "; did you mean `github`?",
			"1:17 error WFC113 `grants` must be the name of a grant, or a list of names; ",
		},
		"grants: {nodes: {a: [intrenal]}, kinds: {loop: npm}}\ngrant_sets: {internal: {hosts: x.y}}": {
			"1:22 error WFC113 `grants.nodes.a` must be one of " + strings.Replace(names, "npm", "internal, npm", 1) + "; did you mean `internal`?",
			"1:42 error WFC125 unknown key `loop` in `grants.kinds`; use one of `bash`, `deliver`, `prompt`, `script`",
		},
		"grants: docker": {"1:9 warning WFC113 `docker` in `grants` lets a step do anything to this machine; name only what the step needs, and grant it only to the node that needs it"},
		"grant_sets: {npm: {}, a b: {}, c: {host: x}}": {
			"1:14 error WFC113 `grant_sets.npm` must be a name that no known grant has; ",
			"1:23 error WFC113 `grant_sets.a b` must be a name of letters, digits, `.`, `-` and `_`; ",
			"1:36 error WFC125 unknown key `host` in `grant_sets.c`; did you mean `hosts`?",
		},
		"grant_sets: {a: {read: ['~ann/x', '/x/*', '', $1/x], write: 3, private: [~x]}}": {
			"1:25 error WFC113 `grant_sets.a.read` must be a path" + where,
			"1:35 error WFC113 `grant_sets.a.read` must be a path" + where,
			"1:43 error WFC113 `grant_sets.a.read` must be a path" + where,
			"1:47 error WFC113 `grant_sets.a.read` must be a path" + where,
			"1:61 error WFC113 `grant_sets.a.write` must be a path" + where,
			"1:74 error WFC113 `grant_sets.a.private` must be the path of a folder" + where,
		},
	} {
		if _, got := sandboxOf(text); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", text, got, want)
		}
	}
	for _, text := range []string{
		"https://example.com", "example.com/x", "1.2.3.4", "::1", "127.0.0.1:80", "10.0.0.5:80", "localhost", "localhost:80", "local:8.8.8.8:80", "local:db", "local:*.x:80",
		"x:0", "x:65536", "x:", "a..b", "-a.b", "a_b!", "*", "*.*.x", "a.*", "1.2.3", "0.0.0.0:80", "'[fe80::1%eth0]:80'", "''",
	} {
		text = strings.ReplaceAll(text, "*", "\\*")
		text = strings.ReplaceAll("\""+strings.Trim(text, "'")+"\"", "\\*", "*")
		if _, got := sandboxOf("grant_sets: {a: {hosts: " + text + "}}"); !slices.Equal(got, []string{"1:25 error WFC113 `grant_sets.a.hosts` " + host}) {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// Grants that give more than they seem to give are warned of.
func TestWideGrants(t *testing.T) {
	const (
		keys   = "lets a step read the keys and tokens in the home folder"
		starts = "lets a step change what your shell and your programs run"
		all    = "lets a step do anything to this machine"
	)
	for grant, effect := range map[string]string{
		"read: /": "lets a step read every file of this machine, also keys and tokens", "write: [/]": all, "private: /./": "lets a step read every file of this machine, also keys and tokens",
		"read: '~'": keys, "read: ~/": keys, "private: /home": keys, "write: ['~']": starts + ", and read keys and tokens", "write: /root/": starts + ", and read keys and tokens",
		"write: ~/.bashrc": starts, "write: ~/.config": starts, "read: ~/.config": "", "read: ~/.bashrc": "",
		"write: /var/run/docker.sock": all, "read: [/run/docker.sock]": all, "write: $XDG_RUNTIME_DIR/podman/podman.sock": all, "write: /run": all,
		"hosts: '*.com'": "lets a step reach nearly every host", "hosts: '*.example.com'": "", "write: dist": "",
	} {
		_, got := sandboxOf("grant_sets: {a: {" + grant + "}}")
		if effect == "" && len(got) > 0 || effect != "" && (len(got) != 1 || !strings.Contains(got[0], " warning WFC113 ") || !strings.Contains(got[0], "` "+effect+";")) {
			t.Errorf("%s: %q, want %q", grant, got, effect)
		}
	}
}

// A node that no workflow has would leave the one that was meant outside of the sandbox.
func TestUnknownSandboxNodes(t *testing.T) {
	flows := map[string][]string{"/p/a.yaml": {"build", "build.step"}, "/p/b.yaml": {"ship"}}
	for text, want := range map[string]string{
		"sandbox: {nodes: {build: on, build.step: on, ship: off}}": "",
		"sandbox: {nodes: {biuld: on}}":                            "1:19 unknown node `biuld` in `sandbox.nodes` did you mean `build`?",
		"grants: {nodes: {biuld: npm}}":                            "1:18 unknown node `biuld` in `grants.nodes` did you mean `build`?",
	} {
		c, findings := config.Parse(source.NewFile("wfc.yaml", []byte(text)))
		if len(findings) > 0 || !c.NamesNodes() {
			t.Fatal(findings)
		}
		got := ""
		for _, d := range c.UnknownNodes(flows) {
			p := d.Span.Position()
			got += fmt.Sprintf("%d:%d %s %s", p.Line, p.Column, d.Message, strings.Join(d.Help, " "))
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
		broken := maps.Clone(flows)
		broken["/p/c.yaml"] = nil
		if list := c.UnknownNodes(broken); len(list) > 0 {
			t.Errorf("%s: %v although a file with errors may have the node", text, list)
		}
	}
}
