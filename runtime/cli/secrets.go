package cli

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/wfc-lang/wfc/runtime/process"
)

// secretive is a performer that reads secrets from environment variables, whose
// names the project chose.
type secretive interface{ Secrets() []string }

// secretNames are the variables that are secrets because the program's settings
// say what is in them, whatever they are called.
func (a *app) secretNames() []string {
	names := []string{gateTokenVariable}
	if a.program.OpenDatabase != nil {
		names = append(names, databaseVariable)
	}
	for _, p := range a.program.Performers {
		if s, ok := p.(secretive); ok {
			names = append(names, s.Secrets()...)
		}
	}
	for _, c := range a.program.Defaults.Agents {
		// A key that looks like one is known as a secret, and agents of other kinds may
		// have a need for it.
		if c.KeyVariable != "" && !process.SecretName(c.KeyVariable) {
			names = append(names, c.KeyVariable)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// secrets is the part of the environment that nobody is to be shown.
func (a *app) secrets() []string {
	list := process.Secrets(a.environ(), a.secretNames())
	for _, token := range []string{a.gateToken, a.shownToken} {
		if token != "" {
			list = append(list, gateTokenVariable+"="+token)
		}
	}
	return list
}

// mask replaces secrets in a text.
func (a *app) mask(text string) string { return process.Mask(a.secrets(), text) }

// maskDocument returns a document as it may be shown to somebody else than the
// person who may see the secrets.
func maskDocument[T any](a *app, d T) T {
	text, err := json.Marshal(d)
	if err != nil {
		return d // whoever prints it says so
	}
	masked := process.MaskJSON(a.secrets(), text)
	if bytes.Equal(masked, text) {
		return d
	}
	var clean T
	if json.Unmarshal(masked, &clean) != nil {
		// A secret stood where something else than any text must be, such as a time.
		var none T
		return none
	}
	return clean
}
