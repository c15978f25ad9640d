package engine

import "github.com/wfc-lang/wfc/runtime/flow/sched"

// Defaults are a project's settings, as wfc.yaml has them when code is generated.
// What a caller or a command line gives goes before them.
type Defaults struct {
	// Agents say what stands behind agents.
	Agents []AgentChoice
	// BaseBranch is the branch that changes are made against, or "".
	BaseBranch string
	// DocsDir is the project's documentation folder; "" means docs/.
	DocsDir string
	// MaxParallel is how many steps run at once; 0 means what the workflow says,
	// else four for each processor.
	MaxParallel int
	// Environ are variables for processes, as os.Environ has them; they go
	// before those of the environment, as in the engines that wfc replaces.
	Environ []string
	// State is the folder that keeps the runs, or "". WFC_STATE goes before it.
	State string
	// Database is the URL of the database, or "". WFC_DATABASE_URL goes before
	// it.
	Database string
	// DeliverTo are the targets for results of workflows that name none.
	DeliverTo []string
	// OnInterrupt says what becomes of steps that were running when a process of
	// a run died.
	OnInterrupt sched.Policies
	// Limits end a run that has cost too much.
	Limits Limits
	// Environment says which variables reach agents and scripts.
	Environment Environment
	// Gates is what answers to questions need where a command line gives them; ""
	// is GatesAny. A program's own Asker answers as it pleases.
	Gates Gates
}

// A Gates says what an answer to a run's question needs.
type Gates string

// The modes of gates.
const (
	// GatesAny takes answers that a person types at the run's terminal, and those
	// of the commands approve, reject and answer. "" is the same.
	GatesAny Gates = "any"
	// GatesTerminal takes only what is typed at a terminal: also the commands have
	// the person confirm there.
	GatesTerminal Gates = "terminal"
	// GatesToken takes only answers with the run's token, which the person who
	// began the run was shown or chose.
	GatesToken Gates = "token"
)

// Limits are what all turns of a run together may cost. Zero is no limit.
type Limits struct {
	// CostUSD is in US dollars.
	CostUSD float64
	// Tokens counts what models read and wrote.
	Tokens int64
}

// Environment says which environment variables processes of a run get: names,
// with * for any characters. Beside them come a few that every program needs
// and, for agents, those that their kind does.
type Environment struct {
	// Agents are for agents; nil means all whose names do not look like secrets.
	Agents []string
	// Scripts are for bash and script nodes; nil means all.
	Scripts []string
}
