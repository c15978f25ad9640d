// Package catalog lists the kinds of agents and the agents that are known by
// name: what they take, what they report and what they need. It is data that
// the compiler and built programs share, and it links nothing.
package catalog

import "slices"

// A Kind is a sort of agents.
type Kind struct {
	// Name is what wfc.yaml's `use` calls it; its package is
	// runtime/agent/<Name>.
	Name string
	// Doc says in a few words what it is.
	Doc string
	// Options are the names of the options of prompts that it takes; nil means
	// all.
	Options []string
	// Cost and Tokens say whether it reports what a turn costs.
	Cost, Tokens Report
	// Program is the program that it starts unless wfc.yaml names another one, or
	// "" for a kind that has none.
	Program string
	// Install says how to get the program.
	Install string
	// Credentials are the environment variables that may hold the key; one is
	// enough. A program that can be signed in otherwise needs none of them.
	Credentials []string
	// Environment are the names of environment variables, * standing for any
	// characters, that it needs although they look like secrets. Credentials are
	// among them.
	Environment []string
	// Permissions are what it may be allowed to do to the machine, the safe one
	// first; nil for a kind that does nothing to it.
	Permissions []string
	// Settings are the keys of wfc.yaml's agents that it takes beside `use`,
	// `model`, `system_prompt` and `options`.
	Settings []string
}

// A Report says whether a kind reports what a turn costs.
type Report int

const (
	// Never: it does not say.
	Never Report = iota
	// Always: it does.
	Always
	// ByPrice: it says how many tokens there were, and the price of its model is
	// known or configured.
	ByPrice
	// Maybe: it depends on the program behind it.
	Maybe
)

// An Agent is an agent that workflows may name without any configuration.
type Agent struct {
	Name string
	// Kind is the kind's name.
	Kind string
	// Program and Args are what a kind that starts any program starts; "" and
	// nil mean the kind's own.
	Program string
	Args    []string
	// Install says how to get the program, when the kind does not.
	Install string
}

// Kinds returns all kinds but those that every program has (command, scripted).
func Kinds() []Kind { return kinds }

// KindNamed returns the kind of a name.
func KindNamed(name string) (Kind, bool) {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return kinds[i], true
}

// Agents returns the agents that are known by name.
func Agents() []Agent { return agents }

// AgentNamed returns the known agent of a name.
func AgentNamed(name string) (Agent, bool) {
	i := slices.IndexFunc(agents, func(a Agent) bool { return a.Name == name })
	if i < 0 {
		return Agent{}, false
	}
	return agents[i], true
}
