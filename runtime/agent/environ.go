package agent

import (
	"slices"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// Environ returns what an agent gets of an environment, and the names of the
// variables that it does not get. Without only those are withheld that are secrets
// by name or value, unless needs name them. With only, which may be empty but not
// nil, an agent gets what that and needs name, and what every program does.
func Environ(environ, needs, only []string) (given, withheld []string) {
	return EnvironWithout(environ, needs, only, nil)
}

// EnvironWithout is Environ for an environment in which further variables are
// secrets, because settings say that they hold an address, a token or a key.
func EnvironWithout(environ, needs, only, secrets []string) (given, withheld []string) {
	named := slices.Concat(needs, only)
	return engine.VariablesBy(environ, func(name, value string) bool {
		switch {
		case slices.Contains(secrets, name):
			return slices.Contains(named, name) // a pattern is not meant for it
		case engine.Named(name, named):
			return true
		case process.SecretName(name):
			return false
		case engine.Named(name, engine.BaseVariables()):
			return true // also the address of a proxy with its password: nothing works without
		}
		return only == nil && !process.Secret(name, value)
	})
}
