// Package explore finds out what a state graph can do, by trying everything that
// it could.
//
// A configuration is the node that is about to run together with the values of
// the variables that some guard reads. Nobody knows what an agent, a script or a
// person will answer, so every label that a node declares is tried. Handlers
// hold nothing but constants and the text that a node gave; there is no
// arithmetic in these graphs. So a variable is either one known constant or
// unknown, and the configurations that can be reached are few: they are
// enumerated one by one, cheapest first, each with the way by which it was
// reached.
//
// A guard that reads an unknown variable is evaluated for values of every kind that
// the graph's guards can distinguish: each constant that the variable is compared
// with, something between, below and above them, and null where that can be. A
// guard about which nothing can be said even so counts as true and as false. What
// an unknown variable was found to be at one node is not remembered at the next. So
// nothing that can happen is left out, which makes "never" a proof; something that
// is said to happen may still be impossible, unless it came about without unknown
// values (Case.Certain).
//
// Limits, failures, timeouts without a label and people who stop a run are
// outside of this: every run may also end by them.
//
// When there are more configurations than Options.Configurations, the
// exploration begins anew with one configuration a node, in which a variable has
// a value only if it is the same on all ways to the node. That always ends, and
// "never" stays a proof.
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
	// what is found then is so however the file's author sets them.
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
