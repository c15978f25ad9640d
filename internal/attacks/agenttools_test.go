package attacks

import (
	"encoding/json"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wfc-lang/wfc/internal/e2e/program"
)

// TestAgentArguments gives hostile arguments to the tools of a workflow's MCP
// server: a session's key leads to no other address than its channel's, and an
// unknown run is an error.
func TestAgentArguments(t *testing.T) {
	needBash(t)
	if testing.Short() {
		t.Skip("builds a program")
	}
	l := newLair(t, program.BuildMCP(t, "quiet", "name: quiet\nsteps:\n  - {id: fetch, agent: executor, prompt: Fetch.}\n"))
	s := newServices(t)
	write(t, l.agent, "#!/bin/sh\ncat > /dev/null\necho done\n")
	l.Environ = append(l.Environ, "WFC_SLACK_URL="+s.URL+"/slack", "WFC_DISCORD_URL="+s.URL+"/discord", "WFC_TELEGRAM_URL="+s.URL+"/telegram")
	cmd := l.Command(t.Context(), nil, "mcp", "--agent", "executor=command:"+l.agent)
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
	for _, p := range s.take() {
		if _, known := documents[p.target]; !known || "http://"+p.host != s.URL || !json.Valid(p.body) || len(p.header["X-Evil"]) > 0 {
			t.Errorf("%s to %s%s with %v: %s", p.method, p.host, p.target, p.header, p.body)
		}
	}
	l.unharmed("an argument")
}
