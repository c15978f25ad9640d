package program

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// uid returns the user of this process; tests replace it.
var uid = os.Getuid

// checkRoot notes in s that Claude Code refuses to work for root, except in a sandbox: with
// `permission: all`, and always if claude-agent-acp starts it.
func (p *Program) checkRoot(c settings.Agent, q *engine.Inspection, s *engine.AgentState) {
	adapter := func(word string) bool {
		name, _, _ := strings.Cut(filepath.Base(word), "@")
		return strings.TrimSuffix(name, filepath.Ext(name)) == "claude-agent-acp"
	}
	switch {
	case uid() != 0 || process.Variable(q.Environ, "IS_SANDBOX") == "1" || process.Variable(q.Environ, "CLAUDE_CODE_BUBBLEWRAP") != "":
		return
	case c.Kind == "claude" && c.Permission == All:
		s.Problem = "the program refuses `permission: all` for root"
	case c.Kind == "acp" && slices.ContainsFunc(append([]string{p.Name}, p.Args...), adapter):
		s.Problem = "the program opens no session for root"
	default:
		return
	}
	s.Usable, s.Hint = engine.No, "run as another user or, in a container that the agent may damage, set IS_SANDBOX=1"
}
