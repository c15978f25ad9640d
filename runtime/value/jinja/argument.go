package jinja

import (
	"fmt"
	"slices"

	"github.com/wfc-lang/wfc/internal/shared/plain"
	"github.com/wfc-lang/wfc/internal/shared/scalar"
	"github.com/wfc-lang/wfc/runtime/flow"
	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

// The methods below convert strings to the scalar types of prompts' arguments.

// ToInt parses an int by the rules of package scalar. what names the argument for the
// message of an error, such as "the argument `n` of #greet".
func (e *Eval) ToInt(text, what string) int64 {
	n, _ := e.parseScalar("int", text, what).(int64)
	return n
}

// ToFloat parses a float, as ToInt does an int.
func (e *Eval) ToFloat(text, what string) float64 {
	f, _ := e.parseScalar("float", text, what).(float64)
	return f
}

// ToBool parses a bool, as ToInt does an int.
func (e *Eval) ToBool(text, what string) bool {
	b, _ := e.parseScalar("bool", text, what).(bool)
	return b
}

// ToWord returns text if it is one word; otherwise it sets the error, as ToInt does.
func (e *Eval) ToWord(text, what string) string {
	e.parseScalar("word", text, what)
	return text
}

// ToLine returns text if it is one line; otherwise it sets the error, as ToInt does.
func (e *Eval) ToLine(text, what string) string {
	e.parseScalar("line", text, what)
	return text
}

// ToChoice returns text if it is one of the choices; otherwise it sets the error, as ToInt
// does.
func (e *Eval) ToChoice(text, what string, choices ...string) string {
	if !e.Failed() && !slices.Contains(choices, text) {
		e.Fail(fmt.Errorf("%s: %s is not one of %s", what, plain.Quoted(text), plain.NameList(choices)))
	}
	return text
}

// ToPath checks that a string can be a path. Flow code reads no files, so whether
// the file exists is checked where the prompt is performed: RequiredFiles lists it.
func (e *Eval) ToPath(text, what string) string {
	if e.parseScalar("path", text, what) == nil || len(kernel.Symbols(text)) > 0 {
		return text
	}
	first := len(e.required)
	e.required = append(e.required, flow.RequiredFile{Path: text, Missing: fmt.Sprintf("%s: the file %q does not exist", what, text)})
	if !e.unplaced {
		e.unplaced = true
		e.AtPlace(func(at string) {
			for i := first; i < len(e.required); i++ {
				e.required[i].Missing += " in " + at
			}
			e.unplaced = false
		})
	}
	return text
}

// RequiredFiles returns the files of ToPath, which must exist before the prompt is
// performed, and clears the list.
func (e *Eval) RequiredFiles() []flow.RequiredFile {
	list := e.required
	e.required, e.unplaced = nil, false
	e.AtPlace(nil)
	return list
}

// parseScalar reads a string as a value of a type, or returns nil after an error.
func (e *Eval) parseScalar(name, text, what string) any {
	if e.Failed() {
		return nil
	}
	v, err := scalar.Rules{}.Parse(name, text)
	if err != nil {
		e.Fail(fmt.Errorf("%s: %w", what, err))
	}
	return v
}
