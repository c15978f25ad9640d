package compiler

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
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
		return set && level == diag.Off && d.Severity != diag.Error
	})
	for _, d := range list {
		if level, set := c.opt.Severities[d.Code]; set && d.Severity != diag.Error {
			d.Severity = level
		}
		if c.opt.Strict && d.Severity == diag.Warning {
			d.Severity = diag.Error
		}
	}
	return list
}
