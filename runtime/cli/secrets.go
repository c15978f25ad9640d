package cli

import (
	"bytes"
	"encoding/json"

	"github.com/wfc-lang/wfc/runtime/engine"
	"github.com/wfc-lang/wfc/runtime/internal/process"
)

// secretNames are the variables that are secrets because the program's settings
// say what is in them, whatever they are called.
func (a *app) secretNames() []string {
	names := append(engine.SecretNames(a.program.Performers, a.program.Defaults.Agents), gateTokenVariable)
	if a.program.OpenDatabase != nil {
		names = append(names, databaseVariable)
	}
	return names
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
