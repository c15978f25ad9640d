//go:build unix

package server_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/mcp/internal/server"
)

// The end of the client's side ends the runs, as an interrupt does to `run`.
func TestClientLeaves(t *testing.T) {
	s := serve(t, program(greeting()))
	touch(t, "hold")
	s.run(args{"who": "ann"})
	exists(t, "held")
	s.leave()
	if code := s.code(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(s.log.String(), `status=cancelled reason="cancelled by the end of its MCP session"`) {
		t.Errorf("%s", s.log)
	}
	if alive(t, "held") {
		t.Error("a process of the run is still there")
	}
}

// alive reports whether there is the process whose number a file holds.
func alive(t *testing.T, file string) bool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// A process of its own, over its standard input and output.
func TestProcess(t *testing.T) {
	for _, end := range []struct {
		name string
		do   func(cmd *exec.Cmd, c *sdk.ClientSession) error
		code int
	}{
		{"end of input", func(_ *exec.Cmd, c *sdk.ClientSession) error { return c.Close() }, 0},
		{"SIGTERM", func(cmd *exec.Cmd, _ *sdk.ClientSession) error { return cmd.Process.Signal(syscall.SIGTERM) }, 143},
		{"SIGINT", func(cmd *exec.Cmd, _ *sdk.ClientSession) error { return cmd.Process.Signal(os.Interrupt) }, 130},
	} {
		t.Run(end.name, func(t *testing.T) {
			t.Parallel()
			cmd, dir := child(t)
			var log syncBuffer
			cmd.Stderr = &log
			client := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil)
			c, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
			if err != nil {
				t.Fatalf("%v\n%s", err, &log)
			}
			touch(t, filepath.Join(dir, "hold"))
			begun := answer[server.Started](t, c, "workflow_run", args{"who": "ann"})
			exists(t, filepath.Join(dir, "held"))
			if err := end.do(cmd, c); err != nil && !errors.As(err, new(*exec.ExitError)) {
				t.Error(err)
			}
			_ = c.Wait()
			_ = c.Close() // waits for the process
			if code := cmd.ProcessState.ExitCode(); code != end.code {
				t.Errorf("exit code %d, want %d\n%s", code, end.code, &log)
			}
			if !strings.Contains(log.String(), "run="+begun.RunID+" status=cancelled") || alive(t, filepath.Join(dir, "held")) {
				t.Errorf("the run has not ended: %s", &log)
			}
		})
	}
}

// conversation talks to a server line by line.
type conversation struct {
	t   *testing.T
	out *bufio.Scanner
	in  interface{ Write([]byte) (int, error) }
}

// reply is what the server writes.
type reply struct {
	ID     any
	Result struct {
		IsError           bool
		StructuredContent map[string]any
	}
	Error *struct {
		Code    int
		Message string
	}
}

func (c *conversation) say(line string) {
	c.t.Helper()
	if _, err := c.in.Write([]byte(line + "\n")); err != nil {
		c.t.Fatal(err)
	}
}

func (c *conversation) hear() reply {
	c.t.Helper()
	if !c.out.Scan() {
		c.t.Fatalf("the server says no more: %v", c.out.Err())
	}
	var r reply
	if err := json.Unmarshal(c.out.Bytes(), &r); err != nil {
		c.t.Fatalf("standard output has something else than the protocol: %q: %v", c.out.Text(), err)
	}
	return r
}

// Nothing that comes in ends a server but the end.
func TestGarbage(t *testing.T) {
	cmd, _ := child(t)
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
	c := &conversation{t: t, out: bufio.NewScanner(out), in: in}
	c.out.Buffer(nil, 1<<20)
	const parse, invalid = -32700, -32600
	for _, g := range []struct {
		line string
		code int
	}{
		{"hello", parse}, {"{", parse}, {"\x00\x01\xff", parse}, {`{"jsonrpc":"2.0",`, parse}, {strings.Repeat("[", 100000), parse},
		{"null", invalid}, {"7", invalid}, {"{}", invalid}, {`[]`, invalid}, {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, invalid},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, invalid}, {`"` + strings.Repeat("x", 17<<20) + `"`, invalid},
	} {
		c.say(g.line)
		if r := c.hear(); r.Error == nil || r.Error.Code != g.code || r.ID != nil {
			t.Errorf("%.40q: %+v", g.line, r)
		}
	}
	c.say("")
	c.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if r := c.hear(); r.Error != nil {
		t.Fatalf("%+v", r.Error)
	}
	c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for id, params := range []string{`7`, `[]`, `{}`, `{"name":7}`, `{"name":"nonesuch"}`} {
		c.say(`{"jsonrpc":"2.0","id":` + strconv.Itoa(10+id) + `,"method":"tools/call","params":` + params + `}`)
		if r := c.hear(); r.Error == nil || r.ID != float64(10+id) {
			t.Errorf("%s: %+v", params, r)
		}
	}
	c.say("more garbage")
	c.hear()
	c.say(`{"jsonrpc":"2.0","id":20,"method":"tools/call","params":{"name":"workflow_run","arguments":{"who":"ann"}}}`)
	if r := c.hear(); r.Error != nil || r.Result.IsError || r.Result.StructuredContent["status"] != string(flow.Running) {
		t.Errorf("%+v", r)
	}
	c.say(`{"jsonrpc":"2.0","id":21,"method":"tools/call","params":{"name":"workflow_run","arguments":[1]}}`)
	if r := c.hear(); r.Error == nil && !r.Result.IsError {
		t.Errorf("%+v", r)
	}
	in.Close()
	for c.out.Scan() {
		t.Errorf("after the end of input: %q", c.out.Text())
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Error("the server does not end")
	}
}

func TestWithoutServer(t *testing.T) {
	p := program(greeting())
	p.MCP = nil
	code, log := command(p, "mcp")
	if code != 2 || !strings.Contains(log, "built without an MCP server; `wfc build --mcp greeting.yaml` builds one with it") {
		t.Errorf("%d: %s", code, log)
	}
	if code, log := command(program(greeting()), "mcp", "more"); code != 2 {
		t.Errorf("%d: %s", code, log)
	}
	if code, log := command(program(greeting()), "mcp", "--max-parallel", "-1"); code != 2 || !strings.Contains(log, "positive number") {
		t.Errorf("%d: %s", code, log)
	}
}
