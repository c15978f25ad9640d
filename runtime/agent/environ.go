package agent

import (
	"slices"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/process"
)

// Environ returns what an agent gets of an environment, and the names of the
// variables that it does not get. Without only those are withheld whose names
// look like those of secrets, unless needs name them. With only, which may be
// empty but not nil, an agent gets what that and needs name, and what every
// program does.
func Environ(environ, needs, only []string) (given, withheld []string) {
	if only != nil {
		allowed := slices.Concat(engine.BaseVariables(), needs, only)
		return engine.Variables(environ, func(name string) bool { return engine.Named(name, allowed) })
	}
	return engine.Variables(environ, func(name string) bool { return !process.SecretName(name) || engine.Named(name, needs) })
}
