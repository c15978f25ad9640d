package program

import (
	"strings"
	"testing"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/settings"
)

func TestClaudeRefusesRoot(t *testing.T) {
	before := uid
	t.Cleanup(func() { uid = before })
	for _, test := range []struct {
		uid        int
		kind       string
		permission string
		program    string
		environ    string
		want       string
	}{
		{0, "claude", All, "claude", "", "the program refuses `permission: all` for root"},
		{0, "claude", All, "/opt/my-claude", "IS_SANDBOX=0", "the program refuses `permission: all` for root"},
		{0, "claude", All, "claude", "IS_SANDBOX=1", ""},
		{0, "claude", All, "claude", "CLAUDE_CODE_BUBBLEWRAP=1", ""},
		{0, "claude", Edit, "claude", "", ""},
		{1000, "claude", All, "claude", "", ""},
		{0, "codex", All, "codex", "", ""},
		{0, "acp", Safe, "/usr/bin/claude-agent-acp", "", "the program opens no session for root"},
		{0, "acp", Safe, "npx @agentclientprotocol/claude-agent-acp@0.49.0", "", "the program opens no session for root"},
		{0, "acp", Safe, "claude-agent-acp", "IS_SANDBOX=1", ""},
		{0, "acp", All, "opencode", "", ""},
	} {
		uid = func() int { return test.uid }
		words := strings.Fields(test.program)
		s := &engine.AgentState{}
		p := &Program{Name: words[0], Args: words[1:]}
		p.checkRoot(settings.Agent{Kind: test.kind, Permission: test.permission}, &engine.Inspection{Environ: []string{test.environ}}, s)
		if s.Problem != test.want || (s.Usable == engine.No) != (test.want != "") || strings.Contains(s.Hint, "IS_SANDBOX=1") != (test.want != "") {
			t.Errorf("%+v: got %+v", test, s)
		}
	}
}
