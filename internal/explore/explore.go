// Package explore finds every behaviour of a state graph, by trying all of them.
//
// A configuration is the next node together with the values of the variables that
// some guard reads. The replies of agents, scripts and users are unknown, so the
// exploration tries every label that a node declares. Handlers hold only constants
// and the text that a node gave; these graphs have no arithmetic. So a variable is
// either one known constant or unknown, and the reachable configurations are few:
// the exploration enumerates them, cheapest first, each with the path to it.
//
// A guard that reads an unknown variable is evaluated for values of every kind that
// the graph's guards can distinguish: each constant that the variable is compared
// with, something between, below and above them, and null where possible. A guard
// that is still undecided counts as true and as false. The value that an unknown
// variable had at one node is forgotten at the next. So the exploration leaves out
// nothing that can happen, which makes "never" a proof. A reported possibility may
// still be impossible, unless it came about without unknown values (Case.Certain).
//
// Limits, failures, timeouts without a label and a person who stops a run are left out:
// every run may also end by them.
//
// If there are more configurations than Options.Configurations, the exploration
// starts again with one configuration per node, in which a variable has a value
// only if it is the same on all paths to the node. That always ends, and "never"
// stays a proof.
package explore

import (
	"github.com/wfc-lang/wfc/internal/ir"
)

// DefaultConfigurations is the bound on configurations when none is given.
const DefaultConfigurations = 50_000

// Options bound an exploration.
type Options struct {
	// Configurations is how many are distinguished at most; 0 means
	// DefaultConfigurations.
	Configurations int
	// Settings says that variables which no handler sets may begin with any value:
	// the result then holds for all values that the file's author may set.
	Settings bool
}

// Run explores a graph. Expressions that are expr.Bad count as unknown.
func Run(g *ir.Graph, o Options) *Result {
	if o.Configurations <= 0 {
		o.Configurations = DefaultConfigurations
	}
	m := newModel(g, o.Settings)
	w := newWalk(m, o.Configurations)
	if !w.run() {
		w = newWalk(m, o.Configurations)
		w.joined = true
		w.run()
	}
	return newResult(w, o)
}
