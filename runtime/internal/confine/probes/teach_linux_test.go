package probes_test

import (
	"encoding/json"
	"net"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/internal/shared/grants"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/settings"
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
		{"a folder of the system", `echo x >/etc/wfc-was-here; exit 1`, "the sandbox does not let this step write /etc/wfc-was-here: make it first, and" + own("write", "/etc/wfc-was-here")[1:]},
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

// suggested finds what a refusal says that is to be granted.
var suggested = regexp.MustCompile("`grant_sets: {(\\w+): {(\\w+): \\[(.*)\\]}}` and `grants: \\[(\\w+)\\]`|`--grant (\\w+)`")

// TestSuggestionsWork follows what refusals suggest, until the step succeeds.
func TestSuggestionsWork(t *testing.T) {
	needs(t)
	var ports []string
	for _, address := range []string{"127.0.0.1:0", "[::1]:0", private(t) + ":0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			testkit.SkipSandbox(t, err.Error())
		}
		t.Cleanup(func() { l.Close() })
		ports = append(ports, l.Addr().String())
	}
	_, port, _ := strings.Cut(ports[0], ":")
	reaches := func(target string) string {
		return `exec 3<>"/dev/tcp/127.0.0.1/${https_proxy##*:}"; printf 'CONNECT ` + target + ` HTTP/1.1\r\n\r\n' >&3; head -n 1 <&3 | tee /dev/stderr | grep -q " 200 " || exit 1`
	}
	for _, test := range []struct{ name, script string }{
		{"an address of this machine", reaches(ports[0])},
		{"an IPv6 address of this machine", reaches(ports[1])},
		{"a private address", reaches(ports[2])},
		{"this machine", reaches("localhost:" + port)},
		{"a file to read", `cat "$D/outside/file" || exit 1`},
		{"a file to write", `echo x >"$D/outside/file" || exit 1`},
		{"a guarded file", `echo x >"$D/work/.git/hooks/pre-commit" || exit 1`},
		{"a guarded file by its relative path", `echo x >.git/hooks/pre-commit || exit 1`},
		{"a missing guarded file", `echo x >.envrc`},
		{"a new file in a folder that can be read", `ls "$D/outside" >/dev/null || exit 1; echo x >"$D/outside/new" || exit 1`},
		{"a new folder", `ls "$D/outside" >/dev/null || exit 1; mkdir "$D/outside/folder" || exit 1`},
		{"settings of npm", `cat "$HOME/.npmrc" || exit 1`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, "state")
			h.write("home/.npmrc", "registry=x\n")
			h.write("work/try", test.script)
			sets := map[string]*settings.Grant{"mine": {}}
			var flags []string
			for range 4 {
				text, _ := json.Marshal(sets)
				_, out := h.calls([]string{setsVariable + "=" + string(text)}, append([]string{"bash", "-c", `cd "$0"; self run --quiet --no-ask "$@"; true`, h.path("work")}, flags...)...)
				found := suggested.FindAllStringSubmatch(out, -1)
				if len(found) == 0 {
					if len(flags) == 0 || strings.Contains(out, "✗ try") {
						t.Errorf("nothing to follow, or nothing more:\n%s", out)
					}
					return
				}
				for _, s := range found {
					if s[5] != "" {
						flags = append(flags, "--grant="+s[5])
						continue
					}
					value := s[3]
					if unquoted, err := strconv.Unquote(value); err == nil {
						value = unquoted
					}
					if s[2] == "hosts" && !grants.ValidHost(value) {
						t.Errorf("%s is no host of a grant", value)
					}
					g := sets["mine"]
					list := map[string]*[]string{"hosts": &g.Hosts, "read": &g.Read, "write": &g.Write}[s[2]]
					*list, flags = append(*list, value), append(flags, "--grant=mine")
				}
			}
			t.Error("after all suggestions, it fails")
		})
	}
}

// private is a private address of this machine.
func private(t *testing.T) string {
	list, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsPrivate() {
			return n.IP.String()
		}
	}
	return "127.0.0.2"
}

// A refusal is that of the step which asked, not of one beside it.
func TestRefusalsOfStepsSideBySide(t *testing.T) {
	needs(t)
	h := newHome(t, "state")
	h.write("work/try", `touch try-works; until [ -e beside-asked ]; do sleep 0.01; done; exit 1`)
	h.write("work/beside", `until [ -e try-works ]; do sleep 0.01; done; exec 3<>"/dev/tcp/127.0.0.1/${https_proxy##*:}"
printf 'CONNECT git.example.com:443 HTTP/1.1\r\n\r\n' >&3; head -n 1 <&3; touch beside-asked; exit 1`)
	_, out := h.calls(nil, "bash", "-c", `cd "$0"; self run --quiet --no-ask; self status latest; true`, h.path("work"))
	if n := strings.Count(out, "the sandbox refused git.example.com:443"); n == 0 || !strings.Contains(out, "beside") {
		t.Errorf("nobody is told:\n%s", out)
	}
	for part := range strings.SplitSeq(out, "✗ ") {
		if strings.HasPrefix(part, "try") && strings.Contains(part, "git.example.com") {
			t.Errorf("the wrong step is told:\n%s", out)
		}
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
