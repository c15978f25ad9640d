package flow

import "time"

// A Spending is the cost of one attempt at a prompt. The store's ledger keeps it, also when the
// run is gone.
type Spending struct {
	// Reservation is the number under which the ledger has reserved the estimate, or 0 if it has
	// reserved none.
	Reservation int64
	// Key is the step's key, and Node that of its node.
	Key, Node string
	Attempt   int
	// Project is the name of the run's project, and Workflow that of the run's workflow.
	Project, Workflow string
	// Agent is the agent's name, and Model the model that answered, or "".
	Agent, Model string
	// Time is the end of the attempt.
	Time time.Time
	// CostUSD is the cost in US dollars. Priced reports whether it is known.
	CostUSD float64
	Priced  bool
	// Unknown reports that the attempt was cut off before its agent reported anything. Then the
	// reserved estimate counts.
	Unknown bool
	// InputTokens and OutputTokens count the tokens that the model read and wrote.
	InputTokens, OutputTokens int64
}
