package compiler

import (
	"slices"

	"github.com/wfc-lang/wfc/compiler/diag"
)

// adjust returns the findings with their configured severities, without those that
// are off.
//
// Errors stay errors: a file with errors has no program, and no configuration may
// let a value into a program's text.
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
