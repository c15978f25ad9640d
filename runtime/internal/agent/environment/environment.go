// Package environment chooses the environment variables that an agent gets.
package environment

import (
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/internal/envvar"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// Divide returns the part of an environment that an agent gets, and the names of
// the variables that it does not get. If only is nil, Divide withholds variables
// that are secrets by name or value unless needs names them. Otherwise the agent
// gets the variables that only and needs name and those that every program gets.
// secrets names further variables that hold secrets; a pattern in needs or only
// does not match them.
func Divide(environ, needs, only, secrets []string) (given, withheld []string) {
	named := slices.Concat(needs, only)
	return envvar.SplitBy(environ, func(name, value string) bool {
		switch {
		case slices.Contains(secrets, name):
			return slices.Contains(named, name)
		case envvar.Named(name, named):
			return true
		case process.SecretName(name):
			return false
		case envvar.Named(name, envvar.Base()):
			return true // also the address of a proxy with its password: nothing works without
		}
		return only == nil && !process.Secret(name, value)
	})
}

// Without returns an environment without the named variables.
func Without(environ []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(names, name)
	})
}
