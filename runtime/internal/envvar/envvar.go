// Package envvar decides which environment variables processes get, and which of
// them are secrets.
package envvar

import (
	"runtime"
	"slices"
	"strings"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/process"
	"github.com/wfc-lang/wfc/runtime/settings"
)

// baseVariables are what every program needs to find its way about the machine.
// SSH_AUTH_SOCK is not among them: it lets a program act with somebody's keys.
var baseVariables = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TMPDIR", "TERM", "COLORTERM", "NO_COLOR", "TZ", "PWD",
	"XDG_*", "WFC_*",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
	// Windows does little without these.
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "USERDOMAIN",
	"HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "ALLUSERSPROFILE", "PUBLIC", "PROGRAMFILES*", "PROGRAMW6432",
	"COMMONPROGRAM*", "NUMBER_OF_PROCESSORS", "PROCESSOR_*", "OS",
}

// Base returns the names, * standing for any characters, of the environment
// variables that every program gets.
func Base() []string { return baseVariables }

// Divide returns the part of an environment that an agent gets, and the names of
// the variables that it does not get. If only is nil, Divide withholds variables
// that are secrets by name or value unless needs names them. Otherwise the agent
// gets the variables that only and needs name and those that every program gets.
// secrets names further variables that hold secrets; a pattern in needs or only
// does not match them.
func Divide(environ, needs, only, secrets []string) (given, withheld []string) {
	named := slices.Concat(needs, only)
	return Split(environ, func(name, value string) bool {
		switch {
		case slices.Contains(secrets, name):
			return slices.Contains(named, name)
		case Named(name, named):
			return true
		case process.NamesSecret(name):
			return false
		case Named(name, baseVariables):
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

// Split parts an environment, as os.Environ has it, by what allowed says of
// the variables. withheld are the names of the others, each once, in order.
func Split(environ []string, allowed func(name, value string) bool) (kept, withheld []string) {
	kept = make([]string, 0, len(environ))
	for _, entry := range environ {
		// The names of some of Windows' variables begin with =.
		name, value, _ := strings.Cut(strings.TrimPrefix(entry, "="), "=")
		if strings.HasPrefix(entry, "=") || allowed(name, value) {
			kept = append(kept, entry)
		} else {
			withheld = append(withheld, name)
		}
	}
	slices.Sort(withheld)
	return kept, slices.Compact(withheld)
}

// Named reports whether a variable's name is one of the patterns, in which * matches any
// characters. It ignores case where the system does.
func Named(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if runtime.GOOS == "windows" {
			name, pattern = strings.ToUpper(name), strings.ToUpper(pattern)
		}
		return matchesPattern(name, pattern)
	})
}

func matchesPattern(name, pattern string) bool {
	begin, rest, ok := strings.Cut(pattern, "*")
	if !ok {
		return name == pattern
	}
	if !strings.HasPrefix(name, begin) {
		return false
	}
	for name = name[len(begin):]; ; name = name[1:] {
		if matchesPattern(name, rest) {
			return true
		}
		if name == "" {
			return false
		}
	}
}

// secretive is a performer that reads secrets from environment variables, whose
// names the project chose.
type secretive interface{ Secrets() []string }

// SecretNames are the variables that are secrets because of their use in settings, not
// because of their names: those that performers read, and keys of agents.
func SecretNames(performers []engine.Performer, agents []settings.Agent) []string {
	var names []string
	for _, p := range performers {
		if s, ok := p.(secretive); ok {
			names = append(names, s.Secrets()...)
		}
	}
	for _, c := range agents {
		// A key that looks like one is known as a secret, and agents of other kinds may
		// have a need for it.
		if c.KeyVariable != "" && !process.NamesSecret(c.KeyVariable) {
			names = append(names, c.KeyVariable)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
