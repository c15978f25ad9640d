package diag

import "github.com/wfc-lang/wfc/compiler/source"

// A Code is a kind of diagnostic. Codes are never renumbered or reused.
type Code struct {
	// ID is the stable number, such as "WFC203". Its hundreds are the family:
	// 1 YAML and shape, 2 structure and references, 3 types and conditions,
	// 4 flow, 5 shell and scripts, 6 security, 7 agents and limits, 8 style,
	// 9 portability.
	ID string
	// Slug is the stable name, such as "unknown-node". Comments that ignore
	// findings and wfc.yaml accept it in place of the ID.
	Slug string
	// Severity is the default severity. The configuration may change it.
	Severity Severity
	// Portability marks codes about differences from the original engine, the program for
	// which the file's dialect was first made. They are reported only with
	// compiler.Options.Portability.
	Portability bool
}

// String returns the ID.
func (c *Code) String() string { return c.ID }

// New returns a diagnostic of the code at a place, with the default severity.
func (c *Code) New(at source.Span, message string) *Diagnostic {
	return &Diagnostic{Code: c, Severity: c.Severity, Span: at, Message: message, Portability: c.Portability}
}
