//go:build unix

package agentlab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/wfc-lang/wfc/dev/agentlab/install"
	"github.com/wfc-lang/wfc/dev/agentlab/model"
	"github.com/wfc-lang/wfc/runtime/flow"
)

// A lab is the place of one cell: a program, its home folder, its fake model, and
// the folder in which a workflow runs.
type lab struct {
	*testing.T
	program *program
	model   *model.Server
	// dir holds everything else; work is where the workflow runs.
	dir, work string
	environ   []string
	// tools is the address of a server of tools, if there is one.
	tools string
	// writes are files that the sandbox lets every agent write.
	writes []string

	mu sync.Mutex
	// strays are the requests for other machines.
	strays []string
}

// patience is how long a command of a cell may take.
const patience = 8 * time.Minute

// cell is the variable by which a lab knows its processes.
const cell = "WFC_LAB_CELL"

func newLab(t *testing.T, p *program) *lab {
	t.Helper()
	dir, err := os.MkdirTemp("", "agentlab-")
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{T: t, program: p, model: model.New(), dir: dir, work: filepath.Join(dir, "work")}
	proxy := httptest.NewServer(http.HandlerFunc(l.refuse))
	t.Cleanup(func() {
		l.gone()
		l.model.Close()
		proxy.Close()
		l.tidy()
	})
	for _, folder := range []string{"work", "home", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range p.settings {
		l.write(filepath.Join("..", "home", path), l.fill(text))
	}
	l.environ = []string{
		cell + "=" + dir, "HOME=" + filepath.Join(dir, "home"), "TMPDIR=" + filepath.Join(dir, "tmp"), "NO_COLOR=1", "LANG=C.UTF-8",
		"PATH=" + strings.Join(append(p.folders(t), nodeFolder(t), "/usr/bin", "/bin"), ":"),
		"HTTP_PROXY=" + proxy.URL, "HTTPS_PROXY=" + proxy.URL, "http_proxy=" + proxy.URL, "https_proxy=" + proxy.URL,
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost", "WFC_STATE=" + filepath.Join(dir, "state"),
	}
	for _, entry := range p.environ {
		l.environ = append(l.environ, l.fill(entry))
	}
	return l
}

// nodeFolder returns the folder with Node's program.
func nodeFolder(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Dir(path)
}

// fill puts the fake model's address into a text.
func (l *lab) fill(text string) string { return strings.ReplaceAll(text, "$URL", l.model.URL) }

// refuse is the proxy that leads nowhere.
func (l *lab) refuse(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.strays = append(l.strays, r.Method+" "+r.Host)
	w.WriteHeader(http.StatusForbidden)
}

// write writes a file whose path is relative to the working folder.
func (l *lab) write(path, text string) {
	l.Helper()
	path = filepath.Join(l.work, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		l.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		l.Fatal(err)
	}
}

// read returns the text of a file of the working folder, "" if it does not exist.
func (l *lab) read(path string) string {
	l.Helper()
	text, err := os.ReadFile(filepath.Join(l.work, path))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		l.Fatal(err)
	}
	return string(text)
}

// build compiles a workflow of the nodes, in which the agent `worker` is the
// program with a permission.
func (l *lab) build(permission, nodes string) {
	l.Helper()
	l.write("wfc.yaml", fmt.Sprintf("agents:\n  worker: {%s, permission: %s}\n", l.program.use, permission)+l.sandbox())
	l.write("flow.yaml", "# wfc: dialect=archon\nname: flow\ndescription: What an agent is taken through.\nprovider: worker\nnodes:\n"+nodes)
	out, errs, code := l.wfc("build", "flow.yaml", "-o", l.binary())
	if code != 0 || strings.Contains(errs, "warning") {
		l.Fatalf("wfc build ended with %d:\n%s%s", code, out, errs)
	}
}

// sandbox returns the settings of the sandbox, if there is to be one: the agents may read their
// own programs, and ask the fake model and the servers of tools.
func (l *lab) sandbox() string {
	mode := os.Getenv(sandboxed)
	if mode == "" {
		return ""
	}
	hosts := []string{"local:" + strings.TrimPrefix(l.model.URL, "http://")}
	cache, err := install.Cache()
	if err != nil {
		l.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		l.Fatal(err)
	}
	if l.tools != "" {
		hosts = append(hosts, "local:"+strings.TrimPrefix(l.tools, "http://"))
	}
	return "sandbox: " + mode + "\ngrants: [lab]\ngrant_sets:\n  lab: " + toJSON(object{"read": []string{cache, exe}, "write": append([]string{}, l.writes...), "hosts": hosts}) + "\n"
}

func (l *lab) binary() string { return filepath.Join(l.dir, "flow") }

// wfc runs wfc, which needs the go command and its caches.
func (l *lab) wfc(args ...string) (stdout, stderr string, code int) {
	l.Helper()
	exe, err := os.Executable()
	if err != nil {
		l.Fatal(err)
	}
	cmd := l.command(exe, args...)
	cmd.Env = append(cmd.Env, role+"=wfc", "WFC_CACHE="+wfcCache(l.T))
	goFolder := ""
	if path, err := exec.LookPath("go"); err == nil {
		goFolder = ":" + filepath.Dir(path)
	}
	for _, entry := range l.environ {
		if name, value, _ := strings.Cut(entry, "="); name == "PATH" {
			cmd.Env = append(cmd.Env, "PATH="+value+goFolder)
		}
	}
	cmd.Env = append(cmd.Env, goEnvironment(l.T)...)
	return l.end(cmd, nil)
}

// command returns a command in the cell's environment, not yet started.
func (l *lab) command(path string, args ...string) *exec.Cmd {
	l.Helper()
	ctx, stop := context.WithTimeout(l.Context(), patience)
	l.Cleanup(stop)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env = l.work, append([]string{}, l.environ...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // so that it ends the processes it started
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// end runs a command to its end. begun, unless it is nil, is called when the
// command has started.
func (l *lab) end(cmd *exec.Cmd, begun func()) (stdout, stderr string, code int) {
	l.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		l.Fatal(err)
	}
	if begun != nil {
		begun()
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		l.Fatalf("%q: %v\n%s%s", cmd.Args, err, out.String(), errs.String())
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// A run is the part of a run's document that tests read.
type run struct {
	l      *lab
	Status flow.Status `json:"status"`
	Nodes  []node      `json:"nodes"`
	stderr string
}

// A node is a step of a run.
type node struct {
	ID     string        `json:"id"`
	Status flow.Status   `json:"status"`
	Output string        `json:"output"`
	Error  *flow.Failure `json:"error"`
	Meta   flow.Meta     `json:"meta"`
}

// run runs the workflow, or a command that continues a run, and wants it to end
// with the code.
func (l *lab) run(code int, args ...string) *run {
	l.Helper()
	out, errs, got := l.end(l.command(l.binary(), append(args, "--json")...), nil)
	if got != code {
		l.Fatalf("%q ended with %d, want %d:\n%s", args, got, code, errs)
	}
	r := &run{l: l, stderr: errs}
	if err := json.Unmarshal([]byte(out), r); err != nil {
		l.Fatalf("%q: %v:\n%s", args, err, out)
	}
	return r
}

// node returns a node of the run.
func (r *run) node(id string) *node {
	r.l.Helper()
	for i := range r.Nodes {
		if r.Nodes[i].ID == id {
			return &r.Nodes[i]
		}
	}
	r.l.Fatalf("the run has no node %q", id)
	return nil
}

// wants wants a node to have completed with an output, and returns it.
func (r *run) wants(id, output string) *node {
	r.l.Helper()
	n := r.node(id)
	if n.Status != flow.Completed || n.Output != output {
		r.l.Errorf("node %s is %s with %s, want %s: %v", id, n.Status, short(n.Output), short(output), n.Error)
	}
	return n
}

// short quotes a text, or its beginning and its length.
func short(text string) string {
	if len(text) <= 400 {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%q… (%d bytes)", text[:200], len(text))
}

// asked returns the requests that a script answered, of which there must be this
// many, and at least one.
func (l *lab) asked(script string, count int) []*model.Request {
	l.Helper()
	list := l.model.Requests(script)
	if len(list) != count || count == 0 {
		l.Fatalf("the model was asked %d times by %q, want %d; all requests: %s", len(list), script, count, l.requests())
	}
	return list
}

// requests lists all requests in short.
func (l *lab) requests() string {
	var b strings.Builder
	for _, r := range l.model.Requests("") {
		fmt.Fprintf(&b, "\n  %s %s script %q step %d, %d messages, %d tools", r.API, r.Model, r.Script, r.Position, len(r.Messages), len(r.Tools))
	}
	return b.String()
}

// logs returns the log of the last run as text.
func (l *lab) logs() string {
	l.Helper()
	out, errs, code := l.end(l.command(l.binary(), "logs"), nil)
	if code != 0 {
		l.Errorf("logs ended with %d: %s", code, errs)
	}
	return out
}

// toJSON returns a value as JSON.
func toJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // values are made of strings and numbers
	}
	return string(text)
}
