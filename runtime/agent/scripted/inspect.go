package scripted

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/agent"
	"github.com/wfc-lang/wfc/runtime/engine"
)

var _ agent.Inspector = (*Agent)(nil)

// Inspect implements agent.Inspector: a file that was read can answer.
func (*Agent) Inspect(_ context.Context, _ *engine.Inspection, s *engine.AgentState) {
	s.Installed, s.SignedIn, s.Usable = engine.Yes, engine.Yes, engine.Yes
}
