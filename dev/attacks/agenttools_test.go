package attacks

import (
	"encoding/json"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wfc-lang/wfc/dev/e2e/program"
	"github.com/wfc-lang/wfc/internal/testkit"
)

// TestAgentArguments gives hostile arguments to the tools of a workflow's MCP
// server: a session's key leads to no other address than its channel's, and an
// unknown run is an error.
func TestAgentArguments(t *testing.T) {
	needBash(t)
	testkit.SkipBuild(t)
	p := newSite(t, program.BuildMCP(t, "quiet", "name: quiet\nsteps:\n  - {id: fetch, agent: executor, prompt: Fetch.}\n"), "#!/bin/sh\ncat > /dev/null\necho done\n")
	s := newServices(t)
	p.Environ = append(p.Environ, s.addresses()...)
	cmd := p.Command(t.Context(), nil, "mcp", "--agent", "executor=command:"+p.agent)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	use := func(tool string, arguments map[string]any) *sdk.CallToolResult {
		t.Helper()
		r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			return &sdk.CallToolResult{IsError: true}
		}
		return r
	}
	for _, receiver := range []string{"..", "../x?y#z", "x\r\nX-Evil: 1", `x","text":"forged`, "$(pwn)", "\x1b[2J", "@everyone", "http//evil.example"} {
		for _, channel := range []string{"slack", "discord", "telegram"} {
			if r := use("workflow_run", map[string]any{"session_key": channel + ":" + receiver + ":U1"}); r.IsError {
				t.Fatalf("%s:%s: %+v", channel, receiver, r.Content)
			}
			select {
			case <-s.arrived:
			case <-time.After(limit):
				t.Fatalf("%s:%s: no message came", channel, receiver)
			}
		}
	}
	for _, id := range []string{"../../x", "/etc/passwd", "-x", "$(pwn)", "%", "a\nb", ""} {
		for _, tool := range []string{"workflow_status", "workflow_cancel", "workflow_resume"} {
			if r := use(tool, map[string]any{"run_id": id}); !r.IsError {
				t.Errorf("%s takes %q", tool, id)
			}
		}
	}
	for _, m := range s.take() {
		if _, known := documents[m.target]; !known || "http://"+m.host != s.URL || !json.Valid(m.body) || len(m.header["X-Evil"]) > 0 {
			t.Errorf("%s to %s%s with %v: %s", m.method, m.host, m.target, m.header, m.body)
		}
	}
	p.unharmed("an argument")
}
