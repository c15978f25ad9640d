package probes_test

import (
	"strings"
	"testing"
)

// connects asks the proxy for a host as programs do, and fails.
func connects(host string) string {
	return `exec 3<>"/dev/tcp/127.0.0.1/${https_proxy##*:}"; printf 'CONNECT ` + host + `:443 HTTP/1.1\r\nHost: ` + host + `:443\r\n\r\n' >&3; head -n 1 <&3 >&2; exit 1`
}

// TestRefusalsTeach fails steps by what the sandbox refuses. Their errors name it, and the grant to add.
func TestRefusalsTeach(t *testing.T) {
	needs(t)
	builtIn := func(name string) string {
		return ": grant it in wfc.yaml (`grants: [" + name + "]`), or once by `--grant " + name + "`"
	}
	own := func(key, value string) string {
		return ": grant it in wfc.yaml (`grant_sets: {mine: {" + key + ": [" + value + "]}}` and `grants: [mine]`)"
	}
	for _, test := range []struct{ name, script, want string }{
		{"npm install", connects("registry.npmjs.org"), "the sandbox refused registry.npmjs.org:443" + builtIn("npm")},
		{"uv", connects("pypi.org"), "the sandbox refused pypi.org:443" + builtIn("pypi")},
		{"go build", connects("proxy.golang.org"), "the sandbox refused proxy.golang.org:443" + builtIn("go")},
		{"gh", connects("api.github.com"), "the sandbox refused api.github.com:443" + builtIn("github")},
		{"a login of claude", connects("api.anthropic.com"), "the sandbox refused api.anthropic.com:443" + builtIn("claude")},
		{"a login of codex", connects("auth.openai.com"), "the sandbox refused auth.openai.com:443" + builtIn("codex")},
		{"another host", connects("git.example.com"), "the sandbox refused git.example.com:443" + own("hosts", "git.example.com:443")},
		{"git push", `git init -q r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git push https://github.com/x/y HEAD; exit 1`,
			"the sandbox refused github.com:443" + builtIn("github")},
		{"git push by SSH", `git init -q r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git push ssh://git@github.com/x/y HEAD; exit 1`,
			"the sandbox refused github.com:22" + builtIn("github")},
		{"a file outside", `cat "$D/outside/file"; exit 1`, "the sandbox does not let this step read $D/outside/file" + own("read", "$D/outside/file")},
		{"a folder of the system", `echo x >/etc/wfc-was-here; exit 1`, "the sandbox does not let this step write /etc/wfc-was-here" + own("write", "/etc/wfc-was-here")},
		{"settings of npm", `cat "$HOME/.npmrc"; exit 1`, "the sandbox does not let this step read $D/home/.npmrc" + builtIn("npm")},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if strings.HasPrefix(test.script, "git ") {
				needs(t, "git", "ssh")
			}
			h := newHome(t, "state")
			h.write("home/.npmrc", "registry=x\n")
			h.write("work/try", test.script)
			_, out := h.calls(nil, "bash", "-c", `cd "$0"; self run --quiet --no-ask; true`, h.path("work"))
			if want := strings.ReplaceAll(test.want, "$D", h.dir); !strings.Contains(out, want) {
				t.Errorf("it does not say %q:\n%s", want, out)
			}
		})
	}
}

// TestGrantOnce grants something to a single run.
func TestGrantOnce(t *testing.T) {
	needs(t)
	h := newHome(t, "state")
	h.write("home/.npmrc", "won\n")
	h.write("work/try", `cat "$HOME/.npmrc" >proof`)
	run := `cd "$0"; self run --quiet --no-ask $1; true`
	_, first := h.calls(nil, "bash", "-c", run, h.path("work"), "")
	if strings.Contains(h.read("work/proof"), "won") {
		t.Errorf("without the grant, the step reads the file: %s", first)
	}
	if _, out := h.calls(nil, "bash", "-c", run, h.path("work"), "--grant=npm"); !strings.Contains(h.read("work/proof"), "won") {
		t.Errorf("with the grant, the step does not read the file: %s", out)
	}
}
