package settings

import "slices"

// The kinds of agents that every program with prompts has.
const (
	// KindCommand is a program that speaks wfc's own protocol.
	KindCommand = "command"
	// KindScripted reads replies from a file.
	KindScripted = "scripted"
)

// An Agent defines an agent.
type Agent struct {
	// Name is the agent's name in workflows.
	Name string
	// Use is the name of another agent that does the work, or "". The agent inherits every
	// setting that it does not set. A Go program must define the other agent, too. (In
	// wfc.yaml, `use` may also name a kind, or an agent that wfc knows; see Kind.)
	Use string
	// Kind is KindCommand, KindScripted or the name of a kind that the program links, such as
	// "claude" with claude.Kind(). It is "" if Use names another agent, from which the kind
	// then comes. In wfc.yaml, `use: claude` sets Kind to "claude", and a `program`
	// without `use` sets it to KindCommand.
	Kind string
	// Program is the name or the path of the agent's program; "" means the program that the
	// kind has. For KindScripted it is the path of the file of replies instead.
	Program string
	// Args are the program's arguments. If Args is nil, Program may contain the arguments
	// too, after the program, separated by spaces. An empty Args means no arguments.
	Args []string
	// Model is the model for prompts that name none, or "".
	Model string
	// SystemPrompt is the system prompt for prompts that have none, or "".
	SystemPrompt string
	// Options are the names of the options that the agent accepts. Nil means the
	// options of the agent in Use, and all options for a program.
	Options []string `settings:"compiler"`
	// Permission is what the agent may do to the machine without asking: one of the
	// kind's permissions. "" is the first, which is the safe one.
	Permission string
	// BaseURL is the address of the service, for kinds that call one; "" means the
	// vendor's.
	BaseURL string
	// KeyVariable is the environment variable with the key to the service; "" means
	// those that the kind reads.
	KeyVariable string
	// MaxTokens limits the tokens that a model writes in a turn; 0 means the kind's
	// default.
	MaxTokens int64
	// Price is the price of the agent's model; nil means the price in the kind's own
	// table.
	Price *Price
	// OnQuota decides about prompts whose agent's quota is used up; the zero Quota leaves that
	// to the project.
	OnQuota Quota
	// WorkerTags restrict the agent's nodes to Temporal workers that were started with these
	// tags; other engines ignore them.
	WorkerTags []string `settings:"compiler"`
	// PassEnv lists patterns of names of environment variables, with * for any
	// characters, that the agent gets although their names look like secrets.
	PassEnv []string
}

// Agents define agents by name. The last definition of a name counts.
type Agents []Agent

// Find returns the agent called name. It reports false if there is none.
func (list Agents) Find(name string) (Agent, bool) {
	for _, a := range slices.Backward(list) {
		if a.Name == name {
			return a, true
		}
	}
	return Agent{}, false
}

// Resolve follows Use from the agent called name and returns the last agent, which does the
// work. It reports false if an agent on the way is not defined, or if they form a cycle.
func (list Agents) Resolve(name string) (Agent, bool) {
	for range list {
		a, ok := list.Find(name)
		if !ok || a.Use == "" {
			return a, ok
		}
		name = a.Use
	}
	return Agent{}, false
}

// Names returns known names and then those of the agents, each once.
func (list Agents) Names(known ...string) []string {
	names := slices.Clone(known)
	for _, a := range list {
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	return names
}

// Used returns the agents in names and the agents that they use, also when their quota is used
// up, in the order of the list.
func (list Agents) Used(names []string) Agents {
	names = slices.Clone(names)
	for i := 0; i < len(names); i++ {
		a, _ := list.Find(names[i])
		for _, other := range []string{a.Use, a.OnQuota.Use} {
			if other != "" && !slices.Contains(names, other) {
				names = append(names, other)
			}
		}
	}
	var used Agents
	for _, a := range list {
		if slices.Contains(names, a.Name) {
			used = append(used, a)
		}
	}
	return used
}

// A Price is in US dollars per million tokens.
type Price struct {
	Input, Output float64
	// CachedInput is the price of input that the service had in its cache, and
	// CacheWrite of input put there; 0 means the price of other input.
	CachedInput, CacheWrite float64
}

// A Model defines a model tier such as "small" or an alias such as "@fast".
type Model struct {
	Name string
	// Agent is the agent that has the model, or "" for the agent of the prompt.
	Agent string
	// Model is the model's own name.
	Model string
	// Effort is the reasoning effort of prompts that set none, or "".
	Effort string
}
