//go:build unix

package cli

import (
	"context"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wfc-lang/wfc/internal/shared/state"
	"github.com/wfc-lang/wfc/internal/testkit"
)

const mcpFlow = `name: greeting
description: Greet somebody.
mutates_checkout: false
nodes:
  - id: greet
    bash: |
      if [ -e hold ]; then echo $$ >held; while [ -e hold ]; do sleep 0.02; done; fi
      echo "hello $ARGUMENTS"
  - id: gate
    approval: {message: Was that polite?}
    depends_on: [greet]
  - id: end
    bash: echo passed >passed
    depends_on: [gate]
`

// A client of `wfc mcp`, a process of its own in a new folder.
type mcpClient struct {
	*mcp.ClientSession
	t           *testing.T
	cmd         *exec.Cmd
	log         *lockedBuffer
	binary, dir string
}

// lockedBuffer is written to by one process and read by another.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func startMCP(t *testing.T, binary, dir string) *mcpClient {
	t.Helper()
	c := &mcpClient{t: t, cmd: exec.Command(binary, "mcp"), log: &lockedBuffer{}, binary: binary, dir: dir}
	c.cmd.Dir, c.cmd.Stderr = dir, c.log
	c.cmd.Env = append(os.Environ(), "WFC_STATE="+filepath.Join(dir, ".state"))
	var err error
	c.ClientSession, err = mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: c.cmd, TerminateDuration: time.Minute}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, c.log)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

type mcpArgs map[string]any

// mcpRunDocument is what these tests read of results.
type mcpRunDocument struct {
	RunID     string `json:"run_id"`
	Status    string
	Error     string
	Questions []struct{ Commands []string }
	Runs      []struct {
		RunID string `json:"run_id"`
	}
	Workflows   []struct{ Path, Name string }
	Valid       bool
	Diagnostics []struct {
		Code string
		At   struct{ Start struct{ Line int } }
	}
}

func (c *mcpClient) call(tool string, a mcpArgs) (d mcpRunDocument, failure string) {
	c.t.Helper()
	r, err := c.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: a})
	if err != nil {
		c.t.Fatalf("%s: %v\n%s", tool, err, c.log)
	}
	if r.IsError {
		return d, r.Content[0].(*mcp.TextContent).Text
	}
	text, err := json.Marshal(r.StructuredContent)
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	if err != nil {
		c.t.Fatalf("%s: %v: %s", tool, err, text)
	}
	return d, ""
}

func (c *mcpClient) must(tool string, a mcpArgs) mcpRunDocument {
	c.t.Helper()
	d, failure := c.call(tool, a)
	if failure != "" {
		c.t.Fatalf("%s: %s\n%s", tool, failure, c.log)
	}
	return d
}

func (c *mcpClient) until(id, status string) mcpRunDocument {
	c.t.Helper()
	var d mcpRunDocument
	c.wait("run "+id+" to be "+status, func() bool {
		d = c.must("workflow_status", mcpArgs{"run_id": id})
		return d.Status == status
	})
	return d
}

// wait waits until something holds that another process brings about.
func (c *mcpClient) wait(what string, holds func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatalf("waited in vain for %s\n%s", what, c.log)
		}
	}
}

func (c *mcpClient) there(name string) bool {
	_, err := os.Stat(filepath.Join(c.dir, name))
	return err == nil
}

func TestMCP(t *testing.T) {
	testkit.SkipBuild(t)
	dir := t.TempDir()
	binary := filepath.Join(dir, "wfc")
	if out, err := exec.Command("go", "build", "-o", binary, "../../../cmd/wfc").CombinedOutput(); err != nil {
		t.Fatalf("build wfc: %v\n%s", err, out)
	}
	file := filepath.Join(dir, "greeting.yaml")
	write(t, file, mcpFlow)
	c := startMCP(t, binary, dir)

	// A file with an error is not run but told what is wrong.
	write(t, filepath.Join(dir, "broken.yaml"), strings.Replace(mcpFlow, "[gate]", "[date]", 1))
	if d := c.must("workflow_validate", mcpArgs{"path": "broken.yaml"}); d.Valid || len(d.Diagnostics) != 1 || d.Diagnostics[0].Code != "WFC203" || d.Diagnostics[0].At.Start.Line != 14 {
		t.Errorf("%+v", d)
	}
	if _, failure := c.call("workflow_run", mcpArgs{"path": "broken.yaml"}); !strings.Contains(failure, "WFC203") {
		t.Errorf("%s", failure)
	}
	if d := c.must("workflow_list", mcpArgs{}); len(d.Workflows) != 2 || len(d.Runs) != 0 {
		t.Errorf("%+v", d)
	}
	if err := os.Remove(filepath.Join(dir, "broken.yaml")); err != nil {
		t.Fatal(err)
	}

	// A run, whose gate no tool opens.
	run := c.must("workflow_run", mcpArgs{"path": "greeting.yaml", "inputs": mcpArgs{"arguments": "ann"}})
	if run.Status != "running" {
		t.Errorf("%+v", run)
	}
	paused := c.until(run.RunID, "paused")
	if len(paused.Questions) != 1 {
		t.Fatalf("%+v", paused)
	}
	c.must("workflow_resume", mcpArgs{"run_id": "latest"})
	c.until(run.RunID, "paused")
	if _, failure := c.call("workflow_run", mcpArgs{"path": "greeting.yaml", "inputs": mcpArgs{"argumnets": "x"}}); !strings.Contains(failure, "argumnets") {
		t.Errorf("%s", failure)
	}

	// A person opens it, by the command that the status shows.
	if c.there("passed") {
		t.Error("the gate was passed")
	}
	if out, err := exec.Command("/bin/sh", "-c", paused.Questions[0].Commands[0]).CombinedOutput(); err != nil || !c.there("passed") {
		t.Errorf("%s: %v\n%s", paused.Questions[0].Commands[0], err, out)
	}
	c.until(run.RunID, "completed")

	// The file changes while a run of it works: each goes on with its own.
	write(t, filepath.Join(dir, "hold"), "")
	old := c.must("workflow_run", mcpArgs{"path": "greeting.yaml"})
	c.wait("the first run", func() bool { return c.there("held") })
	write(t, file, "name: greeting\ndescription: Greet nobody.\nmutates_checkout: false\nnodes:\n  - {id: only, bash: echo changed}\n")
	changed := c.must("workflow_run", mcpArgs{"path": file})
	c.until(changed.RunID, "completed")
	if d := c.must("workflow_status", mcpArgs{"run_id": old.RunID}); d.Status != "running" {
		t.Errorf("%+v", d)
	}
	if d := c.must("workflow_cancel", mcpArgs{"run_id": old.RunID}); d.Status != "cancelled" {
		t.Errorf("%+v", d)
	}
	if d := c.must("workflow_status", mcpArgs{"run_id": old.RunID}); d.Status != "cancelled" {
		t.Errorf("%+v", d)
	}

	// The end of the server ends its children, and their runs: another one finds
	// them, and goes on with the build that they began with.
	write(t, file, mcpFlow)
	if err := os.Remove(filepath.Join(dir, "held")); err != nil {
		t.Fatal(err)
	}
	last := c.must("workflow_run", mcpArgs{"path": file})
	c.wait("the last run", func() bool { return c.there("held") })
	if err := c.Close(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Error(err)
	}
	write(t, file, "name: greeting\ndescription: Greet nobody.\nmutates_checkout: false\nnodes:\n  - {id: only, bash: echo changed}\n")
	c = startMCP(t, binary, dir)
	if d := c.must("workflow_status", mcpArgs{"run_id": last.RunID}); d.Status != "cancelled" {
		t.Errorf("%+v", d)
	}
	if err := os.Remove(filepath.Join(dir, "hold")); err != nil {
		t.Fatal(err)
	}
	c.must("workflow_resume", mcpArgs{"run_id": last.RunID})
	c.until(last.RunID, "paused")
	if d := c.must("workflow_list", mcpArgs{"limit": 2}); len(d.Runs) != 2 || d.Runs[0].RunID != last.RunID {
		t.Errorf("%+v", d)
	}

	// A server that is killed cannot end its children: they notice.
	write(t, filepath.Join(dir, "hold"), "")
	if err := os.Remove(filepath.Join(dir, "held")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "second.yaml"), strings.Replace(mcpFlow, "greeting", "second", 1))
	orphan := c.must("workflow_run", mcpArgs{"path": "second.yaml"})
	c.wait("the run of the second workflow", func() bool { return c.there("held") })
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c = startMCP(t, binary, dir)
	c.until(orphan.RunID, "cancelled")

	// A child that dies takes nothing with it.
	killed := c.must("workflow_run", mcpArgs{"path": "greeting.yaml"})
	c.until(killed.RunID, "completed") // the changed file has nothing that holds
	if err := syscall.Kill(childOf(t, c.cmd.Process.Pid), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c.wait("another child", func() bool {
		_, failure := c.call("workflow_status", mcpArgs{"run_id": killed.RunID})
		return failure == ""
	})
}

// A program has a server only when that is asked for, and says how otherwise.
func TestBuildMCP(t *testing.T) {
	testkit.SkipBuild(t)
	for _, with := range []bool{false, true} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "greeting.yaml"), mcpFlow)
		args := []string{"build", "greeting.yaml", "-o", "greeting"}
		if with {
			args = append(args, "--mcp")
		}
		if code, _, messages := wfcCommand(t, dir, nil, args...); code != ExitClean {
			t.Fatalf("exit code %d\n%s", code, messages)
		}
		program := filepath.Join(dir, "greeting")
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		linked := slices.ContainsFunc(info.Deps, func(m *debug.Module) bool { return m.Path == "github.com/modelcontextprotocol/go-sdk" })
		if linked != with {
			t.Errorf("--mcp is %v, and the SDK is linked: %v", with, linked)
		}
		cmd := exec.Command(program, "mcp") // its input is at its end
		cmd.Env = append(os.Environ(), "WFC_STATE="+filepath.Join(dir, "state"))
		out, err := cmd.CombinedOutput()
		if with && (err != nil || len(out) > 0) {
			t.Errorf("mcp: %v\n%s", err, out)
		}
		if !with && (cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "`wfc build --mcp greeting.yaml` builds one with it")) {
			t.Errorf("mcp: %v\n%s", err, out)
		}
	}
}

func TestMCPMistakes(t *testing.T) {
	dir := t.TempDir()
	if code, _, messages := wfcCommand(t, dir, nil, "mcp", "nonesuch"); code != ExitUsage || !strings.Contains(messages, "file or folder `nonesuch` does not exist") {
		t.Errorf("%d: %s", code, messages)
	}
	write(t, filepath.Join(dir, "flow.yaml"), "name: x\n")
	if code, _, messages := wfcCommand(t, dir, nil, "mcp-build", "flow.yaml", t.TempDir()); code != ExitFindings || !strings.Contains(messages, "error[") {
		t.Errorf("%d: %s", code, messages)
	}
}

// childOf returns the number of a child process.
func childOf(t *testing.T, parent int) int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		t.Skip("this system does not tell who is whose child")
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatal("there is no child")
	return 0
}

// A server in another project's folder runs no workflow whose wfc.yaml has budgets.
func TestMCPBudgets(t *testing.T) {
	dir := t.TempDir()
	env := []string{"XDG_STATE_HOME=" + filepath.Join(dir, "xdg"), "WFC_STATE="}
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "xdg"))
	t.Setenv("WFC_STATE", "")
	web := filepath.Join(dir, "web")
	for _, folder := range []string{web, filepath.Join(dir, "ops")} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "ops", "wfc.yaml"), "budgets: {day: {cost_usd: 1}}\n")
	write(t, filepath.Join(dir, "ops", "flow.yaml"), "name: flow\ndescription: d\nnodes:\n  - id: ask\n    prompt: Look.\n")
	here, err := state.Locate("", web)
	if err != nil {
		t.Fatal(err)
	}
	code, _, messages := wfcCommand(t, web, env, "mcp-build", "../ops/flow.yaml", here.Path)
	if code != ExitUsage || !strings.Contains(messages, "count the runs of") {
		t.Errorf("%d: %s", code, messages)
	}
}
