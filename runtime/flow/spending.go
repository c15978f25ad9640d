package flow

import "time"

// A Spending is the cost of one attempt at a prompt. The store's ledger keeps it, also when the
// run is gone.
type Spending struct {
	// ID is its number in the ledger. In a batch, it is 0 unless the ledger has reserved the
	// estimate before.
	ID int64
	// Key is the step's key, and Node that of its node.
	RunID, Key, Node string
	Attempt          int
	// Project is the name of the run's project, and Workflow that of the run's workflow.
	Project, Workflow string
	// Agent is the agent's name, and Model the model that answered, or "".
	Agent, Model string
	// Time is that of the reservation, and then the end of the attempt.
	Time time.Time
	// State is settled, or else the amounts are estimates: reserved while the attempt is under
	// way, and lost if it was cut off or its process died. The word imported is before it if the
	// run was imported: then nothing but the run's trace counts the attempt.
	State string
	// Micros is the cost in millionths of a US dollar. Priced reports whether it is known.
	Micros int64
	Priced bool
	// Input and Output count the tokens that the model read and wrote.
	Input, Output int64
	// Warned names the budgets that the attempt brought near their limits.
	Warned string
}

// Tokens returns the tokens that the model read and wrote.
func (s *Spending) Tokens() int64 { return s.Input + s.Output }
