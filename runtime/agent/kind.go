package agent

import (
	"context"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// A Kind is a sort of agents that a program may be built with: what wfc.yaml's
// `use` and --agent name. The generated main lists the kinds that its workflow
// uses, so that nothing else is linked.
type Kind struct {
	// Name is the kind's name in runtime/agent/catalog.
	Name string
	// Open returns the agent of a choice of this kind. It starts nothing and
	// talks to nobody: whether the agent can answer is found out by Inspect. The
	// error says what is wrong with the choice.
	Open func(c settings.Agent) (Agent, error)
}

// An Inspector is an Agent that can say whether it could answer. Of one that is
// none, nothing is known.
type Inspector interface {
	Agent
	// Inspect fills in what it finds out: Program, Version, Credentials,
	// Installed, SignedIn, Usable, Problem and Hint. q.Environ is what the agent
	// itself would get. What cannot be told without being Thorough is Unknown.
	// When ctx ends, it returns soon and leaves nothing running.
	Inspect(ctx context.Context, q *engine.Inspection, s *engine.AgentState)
}
