package compiler

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// Level is the configured weight of a diagnostic.
type Level int

// The levels.
const (
	// Off hides it.
	Off Level = iota
	// Note informs.
	Note
	// Warning fails a check with --strict only.
	Warning
	// Error fails a check.
	Error
)

// adjust returns the findings with the severities that were asked for, without
// those that were not.
//
// Errors keep their weight: what they are about has no program, and nobody
// should be able to configure a value into a program's text.
func (c *compilation) adjust(list []*diag.Diagnostic) []*diag.Diagnostic {
	list = slices.DeleteFunc(list, func(d *diag.Diagnostic) bool {
		if d.Portability && !c.opt.Portability {
			return true
		}
		level, set := c.opt.Severities[d.Code]
		return set && level == Off && d.Severity != diag.Error
	})
	for _, d := range list {
		if level, set := c.opt.Severities[d.Code]; set && d.Severity != diag.Error {
			d.Severity = map[Level]diag.Severity{Note: diag.Note, Warning: diag.Warning, Error: diag.Error}[level]
		}
		if c.opt.Strict && d.Severity == diag.Warning {
			d.Severity = diag.Error
		}
	}
	return list
}
