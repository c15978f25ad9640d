package compiler

import (
	"github.com/wfc-lang/wfc/compiler/internal/dialect"
	"github.com/wfc-lang/wfc/compiler/internal/keys"
)

// Schema returns the JSON Schema (draft 2020-12) of the workflow files of a dialect, made
// from the tables by which Compile reads them. It reports false for an unknown dialect.
//
// The schema accepts every file in which Compile finds nothing to report about keys and
// values (codes WFC1xx). If strict is false, it accepts unknown keys. If strict is true, it
// refuses them, except keys that begin with x-.
func Schema(dialect string, strict bool) (text []byte, ok bool) {
	for _, f := range frontends() {
		if f.Name() == dialect {
			return format(f).Schema(strict), true
		}
	}
	return nil, false
}

// format is the format of a front end's files.
func format(f dialect.Frontend) keys.Format {
	return keys.Format{Name: f.Name(), Title: f.Name() + " workflow", Tables: f.Tables(), Typed: f.Typed()}
}
