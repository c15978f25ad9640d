package probes_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/shell"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// observed is a program whose steps run the files try and later, and nothing is refused.
func observed() {
	def := &flow.Definition{Name: "observed", Fingerprint: "o1", Nodes: []flow.NodeInfo{{Key: "try", Kind: "bash"}, {Key: "later", Kind: "bash", After: []string{"try"}}}}
	def.Flow = func(c *flow.Context) (any, error) {
		var after []flow.AnyTask
		for _, key := range []string{"try", "later"} {
			node := flow.Node[string]{Key: key, Kind: "bash", After: after, Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Bash{Script: `export holder=$PPID; if [ -e ` + key + ` ]; then . ./` + key + `; fi`})
				return r.Text, err
			}}
			if os.Getenv("TIMEOUT") != "" {
				node.Timeout = time.Second
			}
			after = []flow.AnyTask{flow.Spawn(c, node)}
		}
		return nil, flow.Settle(c)
	}
	granted := struct {
		Grants []string
		Sets   map[string]settings.Grant `yaml:"grant_sets"`
	}{Sets: map[string]settings.Grant{}}
	if err := yaml.Unmarshal([]byte(os.Getenv("GRANTED")), &granted); err != nil {
		panic(err)
	}
	granted.Sets["given"] = settings.Grant{Write: []string{"../given"}, Read: []string{"../read"}}
	os.Exit(cli.Main(cli.Program{
		Definition: def, Performers: []engine.Performer{&shell.Performer{}}, OpenStore: entstore.OpenState,
		Defaults: settings.Project{Sandbox: settings.Sandbox{
			Default: settings.SandboxReport, Grants: settings.Grants{Default: append(granted.Grants, "given")}, Sets: granted.Sets,
		}},
	}))
}

// does is a program of no library: it does what its arguments say.
func does() {
	must := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	what, args := os.Args[1], os.Args[2:]
	switch what {
	case "open": // FILE often
		n, err := strconv.Atoi(args[1])
		must(err)
		for range n {
			f, err := os.Open(args[0])
			must(err)
			f.Close()
		}
	case "forever": // opens files on all processors
		for range 4 {
			go func() {
				for {
					f, err := os.Open(args[0])
					must(err)
					f.Close()
				}
			}()
		}
		must(os.WriteFile("busy", []byte(strconv.Itoa(os.Getpid())), 0o600))
		select {}
	case "serve": // and connect to that
		for _, network := range []string{"tcp", "tcp6", "unix"} {
			at := map[string]string{"tcp": "127.0.0.1:0", "tcp6": "[::1]:0", "unix": "@own"}[network]
			l, err := net.Listen(network, at)
			if err != nil && network == "tcp6" {
				continue // a machine without IPv6
			}
			must(err)
			c, err := net.Dial(network, l.Addr().String())
			must(err)
			c.Close()
			l.Close()
		}
	case "dial":
		c, err := net.Dial(args[0], args[1])
		must(err)
		c.Close()
	case "get":
		// By default, no proxy is for services of this machine.
		proxy, err := url.Parse(os.Getenv("HTTP_PROXY"))
		must(err)
		c := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}
		r, err := c.Get(args[0])
		must(err)
		_, err = io.Copy(os.Stdout, r.Body)
		must(err)
	}
}

const (
	nothing   = "`sandbox: on` would have refused nothing that was seen"
	something = "`sandbox: on` would have refused something; to permit it, add to wfc.yaml:"
	mine      = something + "\n    grants: [mine]\n    grant_sets:\n      mine:"
)

// What a report lists is what the sandbox refuses, and what it says to add permits it.
func TestReport(t *testing.T) {
	needs(t)
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "served") }))
	defer service.Close()
	at := strings.TrimPrefix(service.URL, "http://127.0.0.1:")
	abstract := "@wfc-test-" + strconv.Itoa(os.Getpid())
	l, err := net.Listen("unix", abstract)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, c := range []struct {
		name, script, want string
		// passes says that the script succeeds in the sandbox all the same.
		passes bool
	}{
		{"nothing", `echo x >own; cat own /etc/passwd; cat "$HOME/.none" "$D/none" || true; mkdir -p "$D" /usr`, nothing, false},
		{"what is granted", `cat "$D/read/file"; echo x >"$D/given/new"; rm "$D/given/new"`, nothing, false},
		{"temporary files", `f=$(mktemp); d=$(mktemp -d); echo x >"$f"; cat "$f"; echo x >"$d/x"; mv "$d/x" "$f"; cat "$f"; rm -r "$f" "$d"`, nothing, false},
		{"own services", `does serve`, nothing, false},
		{"the programs's own files", `cat /proc/self/status /dev/null /dev/fd/3 3<own <own; echo x >/dev/stderr`, nothing, false},
		{"a file in the home folder", `cat "$HOME/.ssh/id_ed25519"`, mine + "\n        read:\n          - ~/.ssh/id_ed25519", false},
		{"by a child of a child", `sh -c 'sh -c "cat \"$HOME/.ssh/id_ed25519\" && true" && true'`, mine + "\n        read:\n          - ~/.ssh/id_ed25519", false},
		{"from a folder", `cd "$D/outside"; cat file`, mine + "\n        read:\n          - $D/outside", false},
		{"by a link", `ln -s ../outside/file link; cat link`, mine + "\n        read:\n          - $D/outside/file", false},
		{"a new file in the home folder", `echo x >"$HOME/new"`, mine + "\n        write:\n          - ~/new", true},
		{"a file outside", `echo x >"$D/outside/file"`, mine + "\n        write:\n          - $D/outside/file", false},
		{"a new file outside", `echo x >"$D/outside/new"`, mine + "\n        write:\n          - $D/outside", false},
		{"a folder that goes away", `mkdir -p "$D/outside/a/b"; rm -r "$D/outside/a"`, mine + "\n        write:\n          - $D/outside", true},
		{"a name outside", `mv own "$D/outside/new"; ln -s x "$D/outside/link"; ln "$D/outside/new" "$D/outside/newer"; rmdir "$D/outside/empty"`, mine + "\n        write:\n          - $D/outside", false},
		{"a mode outside", `chmod 600 "$D/outside/file"`, mine + "\n        write:\n          - $D/outside/file", false},
		{"a program outside", `"$D/outside/tool"`, mine + "\n        read:\n          - $D/outside/tool", false},
		{"an interpreter outside", `printf '#!%s\n' "$D/outside/tool" >script; chmod +x script; ./script`, mine + "\n        read:\n          - $D/outside/tool", false},
		{"a guarded file", `echo x >>.git/config; echo x >.envrc`, mine + "\n        write:\n          - .envrc\n          - .git/config", false},
		{"many files of a folder", `cat "$D"/outside/many/{1,2,3,4}; cat "$HOME/.ssh/id_ed25519"`, mine + "\n        read:\n          - ~/.ssh/id_ed25519\n          - $D/outside/many", false},
		{"what a known grant gives", `cat "$HOME/.npmrc"`, something + "\n    grants: [npm]", false},
		{"a service", `exec 3<>/dev/tcp/127.0.0.1/` + at, mine + "\n        hosts:\n          - local:localhost:" + at, false},
		{"a service by the proxy", `does get http://127.0.0.1:` + at + ` | grep -q served`, mine + "\n        hosts:\n          - local:127.0.0.1:" + at, false},
		{"a socket", `does dial unix "$D/outside/socket"`, mine + "\n        write:\n          - $D/outside/socket", false},
		{"an abstract socket", `does dial unix ` + abstract, "`sandbox: on` would have refused something:\n    no grant permits:\n      - does connects to the abstract socket " + abstract, false},
		{"an address", `timeout 0.2 does dial tcp 192.0.2.1:9 || true`, "`sandbox: on` would have refused something:\n    no grant permits:\n      - does connects to 192.0.2.1:9 without the proxy", true},
		{"many calls", `does open "$D/outside/file" 20000`, mine + "\n        read:\n          - $D/outside/file", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, report := observe(t, c.script, "", "report")
			if code != 0 || report != c.want {
				t.Errorf("exit code %d\n%s\nreport:\n%s\nwant:\n%s", code, out, report, c.want)
			}
			if os.Getenv(testkit.SetuidEnv) != "" {
				return // other tests have the sandbox of such a user
			}
			if code, out, _ := observe(t, c.script, "", "on"); (code == 0) != (c.passes || c.want == nothing) {
				t.Errorf("in the sandbox: exit code %d\n%s", code, out)
			}
			first, lines, _ := strings.Cut(c.want, "\n")
			if first != something || strings.Contains(lines, "no grant") {
				return
			}
			if code, out, _ := observe(t, c.script, lines, "on"); code != 0 {
				t.Errorf("in the sandbox, with what the report said: exit code %d\n%s", code, out)
			}
		})
	}
}

// observe runs a script with the given lines of wfc.yaml. It returns the exit code, what was
// printed, and the report.
func observe(t *testing.T, script, lines, mode string) (code int, out, report string) {
	t.Helper()
	h := newHome(t, "state")
	for _, path := range []string{"read/file", "given/old", "home/.npmrc", "outside/many/1", "outside/many/2", "outside/many/3", "outside/many/4", "work/own"} {
		h.write(path, "x\n")
	}
	if err := os.Mkdir(h.path("outside/empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	h.write("work/try", "set -e\n"+script+"\n")
	for path, program := range map[string]string{"outside/tool": "true", "work/does": "does"} {
		from, err := exec.LookPath(program)
		if err == nil {
			err = exec.Command("cp", from, h.path(path)).Run()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("unix", h.path("outside/socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	environ := []string{"PATH=" + h.path("work") + ":/usr/local/bin:/usr/bin:/bin", "TMPDIR=", "GRANTED=" + strings.ReplaceAll(lines, "$D", h.dir)}
	code, out = h.calls(environ, "observed", "run", "--sandbox="+mode)
	out = strings.ReplaceAll(out, h.dir, "$D")
	_, report, _ = strings.Cut(out, "! sandbox report: ")
	report, _, _ = strings.Cut(report, "\n    It cannot see everything")
	return code, out, report
}

// Programs end as they do without a report while this process looks at their calls.
func TestEndWhileObserved(t *testing.T) {
	needs(t)
	for _, c := range []struct {
		name, script string
		environ      []string
		code         int
		says         string
	}{
		{"a timeout", `exec ./does forever own`, []string{"TIMEOUT=1"}, 1, "timed out after 1000ms"},
		{"cancelled", `./does forever own & until [ -e busy ]; do sleep 0.01; done; ./observed cancel; wait`, nil, 4, "was cancelled"},
		{"the run is killed", `./does forever own & until [ -e busy ]; do sleep 0.01; done; kill -9 "$holder"; wait`, nil, -1, ""},
		{"a server is left running", `./does forever own >/dev/null 2>&1 & until [ -e busy ]; do sleep 0.01; done`, nil, 0, "left 1 process running, which the run ended"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHome(t, "state")
			h.write("work/own", "x\n")
			h.write("work/try", c.script+"\n")
			for _, program := range []string{"does", "observed"} {
				from, err := exec.LookPath(program)
				if err == nil {
					err = copyFile(from, h.path("work/"+program))
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			code, out := h.calls(c.environ, "observed", "run")
			if code != c.code || !strings.Contains(out, c.says) {
				t.Errorf("exit code %d, want %d with %q: %s", code, c.code, c.says, out)
			}
			for h.running(strings.TrimSpace(h.read("work/busy"))) {
				if t.Context().Err() != nil {
					t.Fatal("a program goes on")
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
}

// running reports whether the program does runs as a process.
func (h *home) running(pid string) bool {
	name, err := os.Readlink("/proc/" + pid + "/exe")
	return err == nil && strings.HasPrefix(name, h.dir)
}

// TestReportAsAnotherUser runs the tests as a user who does not administer the system: then
// programs need to have no new privileges.
func TestReportAsAnotherUser(t *testing.T) {
	testkit.RepeatAsNobody(t, "^(TestReport|TestEndWhileObserved)$")
}
