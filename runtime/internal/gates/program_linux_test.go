// Package gates_test tests that a run does not answer its own questions: every way to
// try that is known is tried for real, by programs that a run starts.
package gates_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wfc-lang/wfc/internal/testkit/pty"
	"github.com/wfc-lang/wfc/runtime/agent/prompts"
	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/mcp"
	"github.com/wfc-lang/wfc/runtime/script"
	"github.com/wfc-lang/wfc/runtime/settings"
	"github.com/wfc-lang/wfc/runtime/shell"
	"github.com/wfc-lang/wfc/runtime/store/entstore"
)

func TestMain(m *testing.M) {
	program := func(def *flow.Definition, g settings.Gates) func() {
		return func() {
			os.Exit(cli.Main(cli.Program{
				Definition: def, Performers: []engine.Performer{&shell.Performer{}, &script.Performer{}}, OpenStore: entstore.OpenState, MCP: mcp.Server(),
				Prompts:  prompts.Opener(nil),
				Defaults: settings.Project{Gates: settings.GateSettings{Mode: g}, Agents: []settings.Agent{{Name: "bot", Kind: "command", Program: "./agent"}}},
			}))
		}
	}
	mode := func(g settings.Gates) func() { return program(gated(), g) }
	nest := func(g settings.Gates) func() { return program(nested(), g) }
	testscript.Main(m, map[string]func(){
		"self": mode(""), "seated": mode(settings.GatesTerminal), "secret": mode(settings.GatesToken), "adopter": adopter,
		"nest": nest(""), "nestseated": nest(settings.GatesTerminal), "nestsecret": nest(settings.GatesToken),
	})
}

// gated asks a person, and has programs beside that which are to try to answer:
// those of the files `try`, `try.py` and `agent`.
func gated() *flow.Definition {
	def := &flow.Definition{Name: "self", Fingerprint: "s1", Nodes: []flow.NodeInfo{{Key: "gate", Kind: "approval"}, {Key: "try", Kind: "bash"}}}
	python, noPython := os.ReadFile("try.py")
	if noPython == nil {
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: "python", Kind: "script"})
	}
	_, noAgent := os.Stat("agent")
	if noAgent == nil {
		def.Agents = []string{"bot"}
		def.Nodes = append(def.Nodes, flow.NodeInfo{Key: "ask", Kind: "prompt", Agent: "bot"})
	}
	def.Flow = func(c *flow.Context) (any, error) {
		flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", Run: func(c *flow.Context) (string, error) {
			return steps.Approval{Message: "Really?", Capture: true}.Run(c)
		}})
		flow.Spawn(c, flow.Node[string]{Key: "try", Kind: "bash", Run: func(c *flow.Context) (string, error) {
			r, err := c.Do(flow.Bash{Script: `export run=$WFC_RUN_ID holder=$PPID; if [ -e try ]; then . ./try; fi; true`})
			return r.Text, err
		}})
		if noPython == nil {
			flow.Spawn(c, flow.Node[string]{Key: "python", Kind: "script", Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Script{Runtime: "python", Source: string(python)})
				return r.Text, err
			}})
		}
		if noAgent == nil {
			flow.Spawn(c, flow.Node[string]{Key: "ask", Kind: "prompt", Run: func(c *flow.Context) (string, error) {
				r, err := c.Do(flow.Prompt{Agent: "bot", Text: "answer it"})
				return r.Text, err
			}})
		}
		return nil, flow.Settle(c)
	}
	return def
}

// home is a folder in which programs run.
type home struct {
	t   *testing.T
	dir string
}

func newHome(t *testing.T) *home {
	t.Helper()
	if _, err := os.Stat("/bin/bash"); err != nil {
		t.Skip("the workflows of this test need bash")
	}
	return &home{t, t.TempDir()}
}

func (h *home) path(name string) string { return filepath.Join(h.dir, name) }

// environ is the environment of a person's shell there.
func (h *home) environ() []string {
	var list []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "WFC_") {
			list = append(list, entry)
		}
	}
	return append(list, "WFC_STATE="+h.path("state"), "TERM=xterm", "NO_COLOR=1")
}

// tries says what the workflow's bash node does.
func (h *home) tries(script string) {
	h.t.Helper()
	if err := os.WriteFile(h.path("try"), []byte(script), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// calls runs a program without a terminal to its end.
func (h *home) calls(environ []string, args ...string) (code int, out string) {
	h.t.Helper()
	cmd := exec.Command(os.Args[0])
	path, err := exec.LookPath(args[0])
	if err != nil {
		h.t.Fatal(err)
	}
	cmd.Path, cmd.Args, cmd.Dir, cmd.Env = path, args, h.dir, append(h.environ(), environ...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	text, _ := cmd.CombinedOutput() // its exit code is what counts
	return cmd.ProcessState.ExitCode(), string(text)
}

// A lifeline is a pipe that ends with the last process that holds it open.
type lifeline struct {
	t    *testing.T
	pipe *os.File
}

// lifeline returns a pipe with a name, for steps: `exec 9>alive`.
func (h *home) lifeline() *lifeline {
	h.t.Helper()
	if err := syscall.Mkfifo(h.path("alive"), 0o600); err != nil {
		h.t.Fatal(err)
	}
	f, err := os.OpenFile(h.path("alive"), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { f.Close() })
	return &lifeline{t: h.t, pipe: f}
}

// says waits for a line.
func (l *lifeline) says(want string) {
	l.t.Helper()
	// Until somebody has opened the pipe, it is at its end.
	own, err := os.OpenFile(l.pipe.Name(), os.O_WRONLY, 0)
	if err != nil {
		l.t.Fatal(err)
	}
	defer own.Close()
	_ = l.pipe.SetReadDeadline(time.Now().Add(time.Minute))
	got := ""
	for !strings.HasSuffix(got, want+"\n") {
		var b [100]byte
		n, err := l.pipe.Read(b[:])
		if err != nil {
			l.t.Fatalf("%q, then %v; want %q", got, err, want)
		}
		got += string(b[:n])
	}
}

// ends waits for the end of all that hold it: somebody does or did.
func (l *lifeline) ends() {
	l.t.Helper()
	_ = l.pipe.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.ReadAll(l.pipe); err != nil {
		l.t.Errorf("something goes on running: %v", err)
	}
}

// hasEnded wants nothing to hold it now. This process does not hold it either: what other tests
// start would have a copy for a moment.
func (l *lifeline) hasEnded() {
	l.t.Helper()
	if n, err := syscall.Read(int(l.pipe.Fd()), make([]byte, 1)); n != 0 || err != nil {
		l.t.Errorf("something goes on running: %d, %v", n, err)
	}
}

// token returns an environment with a file that has a token.
func (h *home) token(text string) []string {
	h.t.Helper()
	path := filepath.Join(h.t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
		h.t.Fatal(err)
	}
	return []string{"WFC_GATE_TOKEN_FILE=" + path}
}

// await waits for a file and returns what is in it.
func (h *home) await(name string) string {
	h.t.Helper()
	for range 3000 {
		if text, err := os.ReadFile(h.path(name)); err == nil {
			return string(text)
		}
		time.Sleep(10 * time.Millisecond)
	}
	h.t.Fatalf("%s does not come", name)
	return ""
}

// unanswered wants the gate of the run with a name to be open.
func (h *home) unanswered(program, run string) {
	h.t.Helper()
	code, out := h.calls(nil, program, "status", run)
	if code != 0 || !strings.Contains(out, "gate#1 asks") || strings.Contains(out, "was answered") {
		h.t.Errorf("the gate is not open any more: %s", out)
	}
}

// runID finds the id of a run in what a program printed.
func runID(text string) string { return regexp.MustCompile(`self-[a-z0-9]{6}`).FindString(text) }

// sits starts a program at a terminal of its own.
func (h *home) sits(environ []string, args ...string) *pty.Seat {
	h.t.Helper()
	path, err := exec.LookPath(args[0])
	if err != nil {
		h.t.Fatal(err)
	}
	return pty.Sit(h.t, &exec.Cmd{Path: path, Args: args, Dir: h.dir, Env: append(h.environ(), environ...)})
}

const prompt = `\[a\]pprove or \[r\]eject \(Ctrl-D leaves the question open\): $`
