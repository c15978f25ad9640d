package server_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wfc-lang/wfc/runtime/cli"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/flow/steps"
	"github.com/wfc-lang/wfc/runtime/internal/document"
	"github.com/wfc-lang/wfc/runtime/mcp/internal/server"
	"github.com/wfc-lang/wfc/runtime/shell"
	"github.com/wfc-lang/wfc/runtime/store/memory"
)

// programVariable makes a program of a workflow out of the test's own binary.
const programVariable = "WFC_TEST_MCP_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		os.Exit(cli.Main(program(greeting())))
	}
	os.Exit(m.Run())
}

func program(def *flow.Definition) cli.Program {
	return cli.Program{Definition: def, Performers: []engine.Performer{&shell.Performer{}}, OpenStore: memory.OpenState, MCP: server.Extension{}}
}

func bash(c *flow.Context, key, script string, bindings []flow.Binding, after ...flow.AnyTask) *flow.Task[string] {
	return flow.Spawn(c, flow.Node[string]{Key: key, Kind: "bash", After: after, Run: func(c *flow.Context) (string, error) {
		r, err := c.Do(flow.Bash{Script: script, Bindings: bindings})
		return r.Text, err
	}})
}

// greeting greets somebody, waits while there is a file `hold`, fails while
// there is a file `fail`, and asks when it is told to.
func greeting() *flow.Definition {
	def := &flow.Definition{
		Name: "greeting", Description: "Greet somebody", Source: "greeting.yaml", Fingerprint: "g1",
		Inputs: []flow.InputInfo{
			{Name: "who", Type: "line", Doc: "whom to greet"},
			{Name: "times", Type: "int", Default: "1"},
			{Name: "loud", Type: "bool", Default: "false"},
			{Name: "ask", Type: "bool", Default: "false"},
			{Name: "share", Type: "float", Default: "0.5"},
			{Name: "file", Type: "path", Default: `""`},
		},
		Nodes: []flow.NodeInfo{{Key: "greet", Kind: "bash"}, {Key: "gate", Kind: "approval", After: []string{"greet"}}, {Key: "end", Kind: "bash", After: []string{"gate"}}},
	}
	def.Flow = func(c *flow.Context) (any, error) {
		var in struct {
			Who string
			Ask bool
		}
		if err := c.Inputs(&in); err != nil {
			return nil, err
		}
		greet := bash(c, "greet", `if [ "$WHO" = much ]; then printf 'ä%.0s' {1..5000}; exit; fi; if [ -e hold ]; then echo $$ >held.new; mv held.new held; while [ -e hold ]; do sleep 0.02; done; fi; if [ -e fail ]; then echo broken >&2; exit 3; fi; printf 'hello %s' "$WHO"`, []flow.Binding{{Name: "WHO", Value: in.Who}})
		gate := flow.Spawn(c, flow.Node[string]{Key: "gate", Kind: "approval", After: []flow.AnyTask{greet}, Run: func(c *flow.Context) (string, error) {
			if !in.Ask {
				return "", nil
			}
			return steps.Approval{Message: "Was that polite?"}.Run(c)
		}})
		bash(c, "end", `echo passed >>passed`, nil, gate)
		err := flow.Settle(c)
		return map[string]string{"greeting": greet.Final().Text}, err
	}
	return def
}

// A served program is one whose mcp command runs, in this process, in a folder
// of its own.
type served struct {
	*sdk.ClientSession
	t   *testing.T
	log *syncBuffer
	// leave ends the client's side, and code waits for the program's exit code.
	leave func()
	code  func() int
}

// serve runs the command mcp of a program. The current folder of the process is
// a new one.
func serve(t *testing.T, p cli.Program, flags ...string) *served {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("WFC_STATE", t.TempDir())
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	s := &served{t: t, log: &syncBuffer{}}
	done := make(chan int, 1)
	go func() {
		done <- cli.Run(p, append([]string{"mcp"}, flags...), cli.Streams{In: toServer, Out: fromServer, Err: s.log})
		fromServer.Close()
	}()
	s.code = sync.OnceValue(func() int { return <-done })
	client := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil)
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: toClient, Writer: fromClient}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	s.ClientSession, s.leave = session, func() { fromClient.Close() }
	t.Cleanup(func() {
		s.leave()
		if code := s.code(); code != 0 {
			t.Errorf("the server ended with %d: %s", code, s.log)
		}
	})
	return s
}

// syncBuffer is written to and read at the same time.
type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// answer calls a tool, which must answer, and decodes what it says.
func answer[T any](t *testing.T, s *sdk.ClientSession, tool string, args any) T {
	t.Helper()
	r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if r.IsError {
		t.Fatalf("%s: %s", tool, textOf(r))
	}
	text, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%s: %v: %s", tool, err, text)
	}
	return out
}

// refused calls a tool, which must fail as a tool does, and returns its words.
func refused(t *testing.T, s *sdk.ClientSession, tool string, args any) string {
	t.Helper()
	r, err := s.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s gives an error of the protocol: %v", tool, err)
	}
	if !r.IsError {
		t.Fatalf("%s %v is not refused: %s", tool, args, textOf(r))
	}
	return textOf(r)
}

func textOf(r *sdk.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String()
}

// args are arguments of a tool.
type args map[string]any

// run begins a run and returns its id.
func (s *served) run(a args) string {
	s.t.Helper()
	return answer[server.Started](s.t, s.ClientSession, "workflow_run", a).RunID
}

func (s *served) status(id string) document.Run {
	s.t.Helper()
	return answer[document.Run](s.t, s.ClientSession, "workflow_status", args{"run_id": id})
}

// until waits until a run has a status.
func (s *served) until(id string, want flow.Status) document.Run {
	s.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		d := s.status(id)
		if d.Status == want {
			return d
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("run %s is %s, want %s", id, d.Status, want)
		}
	}
}

// touch makes a file in the current folder, and gone removes it.
func touch(t *testing.T, name string) {
	t.Helper()
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func gone(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

// exists waits for a file.
func exists(t *testing.T, name string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(name); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not come", name)
		}
	}
}

// command runs a command of a program and returns its exit code and its log.
func command(p cli.Program, line ...string) (code int, log string) {
	var b syncBuffer
	code = cli.Run(p, line, cli.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &b})
	return code, b.String()
}

// child is the command mcp of the program as a process of its own.
func child(t *testing.T) (cmd *exec.Cmd, dir string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	cmd = exec.Command(exe, "mcp")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), programVariable+"=1", "WFC_STATE="+filepath.Join(dir, "state"))
	return cmd, dir
}
