//go:build unix

// Package mcpclients tests that official clients accept both MCP servers: that of
// `wfc mcp` and that of a built binary.
package mcpclients

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	// What the tests build with the go command, so that a change of it is one of the test.
	_ "github.com/wfc-lang/wfc/cmd/wfc/cli"
	"github.com/wfc-lang/wfc/dev/devkit"
)

// folderVariable names a folder whose node_modules has the TypeScript client.
const folderVariable = "WFC_TEST_MCP_CLIENT"

// A tool is what a client is told of a tool.
type tool struct {
	Name                      string
	InputSchema, OutputSchema json.RawMessage
}

// A result is what a client is given by a tool.
type result struct {
	IsError           bool
	StructuredContent map[string]any
	Content           []struct{ Type, Text string }
	Broken            string // why the client does not accept the answer
}

// A client is connected to a server.
type client interface {
	tools(t *testing.T) []tool
	call(t *testing.T, tool string, args map[string]any) result
}

// clients start the clients for a server's command line in a folder.
var clients = []struct {
	name  string
	start func(t *testing.T, dir string, env []string, server ...string) client
}{
	{"schemas", startStrict},
	{"typescript", func(t *testing.T, dir string, env []string, server ...string) client {
		folder := os.Getenv(folderVariable)
		if folder == "" {
			t.Skip("no official TypeScript client: " + folderVariable + " names no folder with node_modules/@modelcontextprotocol/sdk")
		}
		return startProgram(t, dir, env, append([]string{"node", script(t, "client.mjs"), folder}, server...)...)
	}},
	{"python", func(t *testing.T, dir string, env []string, server ...string) client {
		if err := exec.Command("python3", "-c", "import mcp").Run(); err != nil {
			t.Skip("no official Python client: python3 cannot import mcp")
		}
		return startProgram(t, dir, env, append([]string{"python3", script(t, "client.py")}, server...)...)
	}},
}

func script(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// program is a client that is a program, driven by lines.
type program struct {
	in    io.Writer
	out   *bufio.Scanner
	first []byte
}

func startProgram(t *testing.T, dir string, env []string, line ...string) client {
	t.Helper()
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir, cmd.Env = dir, env
	var log bytes.Buffer
	cmd.Stderr = &log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &program{in: in, out: bufio.NewScanner(out)}
	p.out.Buffer(nil, 16<<20)
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil || t.Failed() {
			t.Logf("the client ended: %v\n%s", err, &log)
		}
	})
	p.first = p.hear(t)
	return p
}

func (p *program) hear(t *testing.T) []byte {
	t.Helper()
	if !p.out.Scan() {
		t.Fatalf("the client printed nothing: %v", p.out.Err())
	}
	return slices.Clone(p.out.Bytes())
}

func (p *program) tools(t *testing.T) []tool {
	t.Helper()
	var list struct {
		Tools  []tool
		Broken string
	}
	decode(t, p.first, &list)
	if list.Broken != "" {
		t.Fatalf("the client does not accept the list of tools: %s", list.Broken)
	}
	return list.Tools
}

func (p *program) call(t *testing.T, tool string, args map[string]any) (r result) {
	t.Helper()
	line, err := json.Marshal(map[string]any{"tool": tool, "arguments": args})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
	decode(t, p.hear(t), &r)
	return r
}

func decode(t *testing.T, text []byte, v any) {
	t.Helper()
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// strict is a client that holds every schema to what both official clients
// want, and every answer to its schema. The clients validate answers: an answer
// without structured content, or with other than its tool's schema says, is an
// exception in their callers.
type strict struct {
	session *mcp.ClientSession
	schemas map[string]*jsonschema.Resolved
}

func startStrict(t *testing.T, dir string, env []string, server ...string) client {
	t.Helper()
	cmd := exec.Command(server[0], server[1:]...)
	cmd.Dir, cmd.Env = dir, env
	var log bytes.Buffer
	cmd.Stderr = &log
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Minute}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, &log)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil && !errors.As(err, new(*exec.ExitError)) {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("%s", &log)
		}
	})
	return &strict{session, map[string]*jsonschema.Resolved{}}
}

func (s *strict) tools(t *testing.T) (list []tool) {
	t.Helper()
	r, err := s.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range r.Tools {
		o := tool{Name: l.Name, InputSchema: marshal(t, l.InputSchema), OutputSchema: marshal(t, l.OutputSchema)}
		checkSchema(t, l.Name+" input", o.InputSchema)
		checkSchema(t, l.Name+" output", o.OutputSchema)
		var schema jsonschema.Schema
		decode(t, o.OutputSchema, &schema)
		if s.schemas[l.Name], err = schema.Resolve(nil); err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
		list = append(list, o)
	}
	return list
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// checkSchema holds the schema of a tool to the rules of the TypeScript client:
// its type is the word object, and its properties are objects and not booleans.
func checkSchema(t *testing.T, of string, text []byte) {
	t.Helper()
	var schema struct {
		Type       any
		Properties map[string]any
		Required   []string
	}
	decode(t, text, &schema)
	if schema.Type != "object" {
		t.Errorf("%s: the schema's type is %v, want object", of, schema.Type)
	}
	checkProperties(t, of, schema.Properties)
}

func checkProperties(t *testing.T, of string, properties map[string]any) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p, ok := properties[name].(map[string]any)
		if !ok {
			t.Errorf("%s: the schema of %s is %v, want an object", of, name, properties[name])
			continue
		}
		if _, typed := p["type"]; !typed {
			t.Errorf("%s: the schema of %s has no type", of, name)
		}
		below, _ := p["properties"].(map[string]any)
		checkProperties(t, of+" "+name, below)
		if items, ok := p["items"]; ok {
			checkProperties(t, of+" "+name, map[string]any{"[]": items})
		}
	}
}

func (s *strict) call(t *testing.T, tool string, args map[string]any) (r result) {
	t.Helper()
	answer, err := s.session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return result{Broken: err.Error()}
	}
	decode(t, marshal(t, answer), &r)
	switch {
	case len(r.Content) == 0 || r.Content[0].Type != "text" || r.Content[0].Text == "":
		r.Broken = "the answer has no text"
	case answer.StructuredContent == nil && !r.IsError:
		r.Broken = "the answer has no structured content"
	case answer.StructuredContent != nil:
		if err := s.schemas[tool].Validate(r.StructuredContent); err != nil {
			r.Broken = fmt.Sprintf("%v: %s", err, marshal(t, answer.StructuredContent))
		}
	}
	return r
}

// A talk is one client's talk with one server. It remembers which tools it
// has called, with and without success.
type talk struct {
	client
	t      *testing.T
	called map[string]bool
}

// call calls a tool that answers in the way that is expected.
func (c *talk) call(tool string, args map[string]any, wantError bool) map[string]any {
	c.t.Helper()
	r := c.client.call(c.t, tool, args)
	if r.Broken != "" {
		c.t.Fatalf("%s %v: the client does not accept the answer: %s", tool, args, r.Broken)
	}
	if r.IsError != wantError {
		c.t.Fatalf("%s %v: is an error: %v; %+v", tool, args, r.IsError, r.Content)
	}
	if !wantError {
		c.called[tool] = true
	}
	return r.StructuredContent
}

func (c *talk) do(tool string, args map[string]any) map[string]any {
	c.t.Helper()
	return c.call(tool, args, false)
}

func (c *talk) fail(tool string, args map[string]any) {
	c.t.Helper()
	c.call(tool, args, true)
}

// until asks for a run's status until it is the wanted one.
func (c *talk) until(id any, status string) map[string]any {
	c.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		d := c.do("workflow_status", map[string]any{"run_id": id, "full": true})
		if d["status"] == status {
			return d
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("the run is %v, want %s", d["status"], status)
		}
	}
}

const greeting = `name: greeting
description: Greet somebody.
mutates_checkout: false
nodes:
  - id: greet
    bash: echo "hello $ARGUMENTS"
`

const gated = `name: gated
description: Ask somebody.
mutates_checkout: false
nodes:
  - id: greet
    bash: echo "hello $ARGUMENTS"
  - id: gate
    approval: {message: Was that polite?}
    depends_on: [greet]
`

// TestMain leaves all out with -short.
func TestMain(m *testing.M) {
	devkit.ExitIfShort()
	os.Exit(m.Run())
}

// TestClients has every client list and call every tool of both servers: with
// success, with errors, and with a run in each state.
func TestClients(t *testing.T) {
	dir := t.TempDir()
	wfc := filepath.Join(dir, "wfc")
	tool := exec.Command("go", "build", "-o", wfc, "./cmd/wfc")
	tool.Dir = "../../.."
	if out, err := tool.CombinedOutput(); err != nil {
		t.Fatalf("build wfc: %v\n%s", err, out)
	}
	write(t, filepath.Join(dir, "gated.yaml"), gated)
	build := exec.Command(wfc, "build", "--mcp", "gated.yaml", "-o", "gated")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the workflow: %v\n%s", err, out)
	}
	for _, k := range clients {
		t.Run(k.name+"/folder", func(t *testing.T) {
			work, env := workplace(t)
			talkWithFolder(&talk{k.start(t, work, env, wfc, "mcp"), t, map[string]bool{}})
		})
		t.Run(k.name+"/binary", func(t *testing.T) {
			work, env := workplace(t)
			talkWithBinary(&talk{k.start(t, work, env, filepath.Join(dir, "gated"), "mcp"), t, map[string]bool{}})
		})
	}
}

// workplace is a folder with workflow files, and an environment with a state
// folder for it.
func workplace(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	write(t, filepath.Join(dir, "greeting.yaml"), greeting)
	write(t, filepath.Join(dir, "gated.yaml"), gated)
	return dir, append(os.Environ(), "WFC_STATE="+t.TempDir())
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func talkWithFolder(c *talk) {
	c.t.Helper()
	tools := c.tools(c.t)
	c.do("workflow_list", nil)
	c.do("workflow_validate", map[string]any{"path": "greeting.yaml"})
	c.do("workflow_validate", map[string]any{"yaml_content": "name: x\n"})
	c.fail("workflow_validate", map[string]any{})
	c.do("workflow_save", map[string]any{"name": "saved", "yaml_content": greeting})
	c.fail("workflow_save", map[string]any{"name": "saved", "yaml_content": greeting})
	c.fail("workflow_save", map[string]any{"name": "broken", "yaml_content": "name: x\nnodes: 7\n"})
	c.fail("workflow_run", map[string]any{"path": "none.yaml"})
	c.fail("workflow_run", map[string]any{"path": "greeting.yaml", "inputs": map[string]any{"argumnets": 7}})
	run := c.do("workflow_run", map[string]any{"path": "greeting.yaml", "inputs": map[string]any{"arguments": "ann"}, "session_key": "slack:C042:U7"})
	c.until(run["run_id"], "completed")
	gate(c, map[string]any{"path": "gated.yaml"})
	all(c, tools)
}

func talkWithBinary(c *talk) {
	c.t.Helper()
	tools := c.tools(c.t)
	c.do("workflow_list", nil)
	c.fail("workflow_run", map[string]any{"argumnets": 7})
	gate(c, map[string]any{"arguments": "ann", "session_key": "slack:C042:U7"})
	all(c, tools)
}

// gate starts a run that pauses at a gate, looks at it, ends it and resumes it.
func gate(c *talk, args map[string]any) {
	c.t.Helper()
	c.fail("workflow_status", map[string]any{"run_id": "none-000000"})
	c.fail("workflow_cancel", map[string]any{"run_id": "none-000000"})
	c.fail("workflow_resume", map[string]any{"run_id": "none-000000"})
	run := c.do("workflow_run", args)
	if asked, _ := c.until(run["run_id"], "paused")["questions"].([]any); len(asked) != 1 {
		c.t.Errorf("%v is asked, want one question", asked)
	}
	c.do("workflow_status", map[string]any{"run_id": run["run_id"]})
	c.do("workflow_cancel", map[string]any{"run_id": run["run_id"]})
	c.until(run["run_id"], "cancelled")
	c.do("workflow_resume", map[string]any{"run_id": run["run_id"]})
	c.until(run["run_id"], "paused")
	c.do("workflow_list", map[string]any{"limit": 1, "status": "paused"})
	c.fail("workflow_list", map[string]any{"limit": -1})
}

// all reports the tools that were not called with success.
func all(c *talk, tools []tool) {
	c.t.Helper()
	if len(tools) < 5 {
		c.t.Errorf("%d tools are listed", len(tools))
	}
	var missed []string
	for _, l := range tools {
		if !c.called[l.Name] {
			missed = append(missed, l.Name)
		}
	}
	if len(missed) > 0 {
		c.t.Errorf("not called: %s", strings.Join(missed, ", "))
	}
}
