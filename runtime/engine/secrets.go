package engine

import (
	"slices"

	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// secretive is a performer that reads secrets from environment variables, whose
// names the project chose.
type secretive interface{ Secrets() []string }

// SecretNames are the variables that are secrets because settings say what is in
// them, whatever they are called: what performers read, and keys of agents.
func SecretNames(performers []Performer, agents []settings.Agent) []string {
	var names []string
	for _, p := range performers {
		if s, ok := p.(secretive); ok {
			names = append(names, s.Secrets()...)
		}
	}
	for _, c := range agents {
		// A key that looks like one is known as a secret, and agents of other kinds may
		// have a need for it.
		if c.KeyVariable != "" && !process.SecretName(c.KeyVariable) {
			names = append(names, c.KeyVariable)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
