// Package probes_test tests that the steps of a run do not reach what they were not given: ways to
// try are tried for real, by programs that a run starts. The sandbox itself is attacked by the
// tests of package sandbox.
package probes_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/testkit"
	"github.com/wfc-lang/wfc/internal/testkit/pty"
	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/deliver"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/sandbox"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/shell"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

// setsVariable has more sets of grants, and trustsVariable names of nodes that the sandbox does not hold.
const (
	setsVariable   = "WFC_TEST_SETS"
	trustsVariable = "WFC_TEST_TRUSTS"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	program := func(g settings.Gates, rules ...settings.NoticeRule) func() {
		return func() {
			sets := map[string]settings.Grant{"given": {Write: []string{"given"}, Read: []string{"read"}, Private: []string{"cache"}}}
			if err := json.Unmarshal([]byte(os.Getenv(setsVariable)), &sets); err != nil && os.Getenv(setsVariable) != "" {
				panic(err)
			}
			modes := map[string]settings.SandboxMode{"trusted": settings.SandboxOff}
			for _, name := range strings.Fields(os.Getenv(trustsVariable)) {
				modes[name] = settings.SandboxOff
			}
			os.Exit(cli.Main(cli.Program{
				Definition: workflow(), Performers: []engine.Performer{&shell.Performer{}, deliver.New(pager)}, OpenStore: entstore.OpenState,
				Defaults: settings.Project{Agents: settings.Agents{asker}, Gates: settings.GateSettings{Mode: g}, Notify: settings.Notify{Rules: rules}, Sandbox: settings.Sandbox{
					Default: settings.SandboxOn, Nodes: modes,
					Grants: settings.Grants{Nodes: map[string][]string{"later": {"given"}}},
					Sets:   sets,
				}},
			}))
		}
	}
	testscript.Main(m, map[string]func(){"self": program(""), "secret": program(settings.GatesToken), "noticed": program("", settings.NoticeRule{Event: settings.NoticeWaits, Targets: []string{"pager"}}), "observed": observed, "does": does})
}

// asker is an agent whose program is in the work tree, and one of whose steps could be outside of the sandbox.
var asker = settings.Agent{Name: "asker", Kind: settings.KindCommand, Program: "./agent/ask.sh", Args: []string{"--with", "agent/words"}}

// pager is a channel whose program is in the work tree.
var pager = settings.Channel{Name: "pager", Kind: "command", Command: []string{"./page"}}

// workflow asks a person, and has programs that may try something: those of the files try and
// beside at the same time, then those of later, checked and trusted. The sandbox does not hold the
// last. The checkout must not change during checked, which is there only if its file is.
func workflow() *flow.Definition {
	def := &flow.Definition{Name: "self", Fingerprint: "p1", Nodes: []flow.NodeInfo{{Key: "gate", Kind: "approval"}}}
	keys := []string{"try", "beside", "later", "trusted"}
	if exists("checked") {
		keys = slices.Insert(keys, 3, "checked")
	}
	after := map[string][]string{"later": {"try"}, "checked": {"later"}, "trusted": {"later"}}
	for _, key := range keys {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: key, Kind: "bash", After: after[key]})
	}
	def.Flow = func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", Run: func(c *flow.Context) (string, error) {
			return steps.Approval{Message: "Really?", Capture: true}.Run(c)
		}})
		tasks := map[string]flow.AnyTask{}
		for _, key := range keys {
			node := flow.Node[string]{Key: key, Kind: "bash", Rule: flow.AllDone, ReadOnly: key == "checked", Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Bash{Script: `export run=$WFC_RUN_ID holder=$PPID key=` + key + `; if [ -e ` + key + ` ]; then . ./` + key + `; fi; true`})
				return r.Text, err
			}}
			for _, before := range after[key] {
				node.After = append(node.After, tasks[before])
			}
			tasks[key] = flow.Spawn(c, node)
		}
		return nil, flow.Settle(c)
	}
	return def
}

// A home is where a person works: a home folder, a work tree, a state folder, and files of
// others.
type home struct {
	t     *testing.T
	dir   string
	state string
}

const secret = "the secret of a person"

func newHome(t *testing.T, state string) *home {
	t.Helper()
	dir := t.TempDir()
	h := &home{t, dir, filepath.Join(dir, state)}
	for _, path := range []string{"home/.ssh/id_ed25519", "home/.npm/package", "outside/file", "work/keep", "outside/.git/config"} {
		h.write(path, secret)
	}
	h.write("work/.git/config", "[core]\n")
	h.write("work/.git/HEAD", "ref: refs/heads/main\n")
	h.write("work/.git/hooks/pre-commit", "#!/bin/sh\n")
	h.write("work/.claude/settings.json", "{}")
	path, err := exec.LookPath("self")
	if err == nil {
		err = copyFile(path, h.path("work/self"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// began notes a run that a program began earlier, of a workflow file or of its own.
func (h *home) began(source, program string) {
	h.t.Helper()
	o := state.Origin{Run: "earlier-1", Workflow: "earlier", Program: h.path(program), Store: settings.StoreSQLite}
	if source != "" {
		o.Source = h.path(source)
	}
	h.write("state/runs/earlier-1/any", "")
	if err := (state.Folder{Path: h.state}).KeepOrigin(o); err != nil {
		h.t.Fatal(err)
	}
}

// copyFile copies a program. Nothing forks meanwhile: a child would have the file open until it
// executes its own, and the program could not be started by then.
func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(to, text, 0o755)
}

func (h *home) path(name string) string { return filepath.Join(h.dir, name) }

func (h *home) write(name, text string) {
	h.t.Helper()
	path := h.path(name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) read(name string) string {
	text, _ := os.ReadFile(h.path(name)) // what is not there is empty
	return string(text)
}

// environ is the environment of a person's shell there.
func (h *home) environ() []string {
	var list []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "WFC_") {
			list = append(list, entry)
		}
	}
	return append(list, "WFC_STATE="+h.state, "HOME="+h.path("home"), "TERM=xterm", "NO_COLOR=1", "D="+h.dir)
}

// calls runs a program without a terminal to its end.
func (h *home) calls(environ []string, args ...string) (code int, out string) {
	h.t.Helper()
	path, err := exec.LookPath(args[0])
	if err != nil {
		h.t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: path, Args: args, Dir: h.path("work"), Env: append(h.environ(), environ...), SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	text, _ := cmd.CombinedOutput() // its exit code is what counts
	return cmd.ProcessState.ExitCode(), string(text)
}

// sits starts a program at a terminal of its own.
func (h *home) sits(environ []string, args ...string) *pty.Seat {
	h.t.Helper()
	path, err := exec.LookPath(args[0])
	if err != nil {
		h.t.Fatal(err)
	}
	return pty.Sit(h.t, &exec.Cmd{Path: path, Args: args, Dir: h.path("work"), Env: append(h.environ(), environ...)})
}

// unanswered wants the gate of the last run to be open.
func (h *home) unanswered(program string) {
	h.t.Helper()
	code, out := h.calls(nil, program, "status", "latest")
	if code != 0 || !strings.Contains(out, "gate#1 asks") || strings.Contains(out, "was answered") {
		h.t.Errorf("the gate is not open any more: %s", out)
	}
}

// needs skips a test where something is missing.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range append([]string{"bash"}, programs...) {
		if _, err := exec.LookPath(name); err != nil {
			testkit.SkipSandbox(t, name+" is not installed")
		}
	}
	if missing := sandbox.Probe(); len(missing) > 0 {
		testkit.SkipSandbox(t, fmt.Sprintf("there is no sandbox here: %v", missing))
	}
}
