package command

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

var _ agent.Inspector = (*Agent)(nil)

// Inspect implements agent.Inspector. More than whether the program is there
// cannot be known of any program.
func (a *Agent) Inspect(_ context.Context, q *engine.Inspection, s *engine.AgentState) {
	path, err := process.LookPath(a.Program, "", q.Environ)
	if err != nil {
		s.Installed, s.Usable, s.Problem = engine.No, engine.No, err.Error()
		return
	}
	s.Program, s.Installed = path, engine.Yes
}
