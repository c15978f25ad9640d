// Package script puts run-time values into Python and JavaScript programs
// without making them part of the program: a hole becomes an expression that
// reads a binding.
package script

import (
	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/compiler/types"
)

// Language is the language of a script.
type Language int

const (
	// JavaScript is JavaScript or TypeScript, run by bun.
	JavaScript Language = iota
	// Python is Python 3, run by uv.
	Python
)

// A Hole is a place of a script where a value belongs.
type Hole struct {
	// Start and End are offsets in the script's text.
	Start, End int
	// Name suggests a name for the binding.
	Name string
	// Type is the type of the value.
	Type types.Type
	// Label is the hole as written, for messages.
	Label string
}

// A Script is a program whose holes are replaced by expressions.
type Script struct {
	Text     string
	Bindings []Binding
}

// A Binding is a value that the program reads by name.
type Binding struct {
	Name string
	// Hole is the index of the hole that the value belongs to.
	Hole int
	// Literal says that the value is handed over as a value of the language
	// and not as text.
	Literal bool
}

// Rewrite returns the program to run in place of text, whose holes are in
// order of their place. The result is nil when an error was reported.
func Rewrite(_ Language, text source.Text, holes []Hole, bag *diag.Bag) *Script {
	if len(holes) == 0 {
		return &Script{Text: text.Value}
	}
	for _, h := range holes {
		bag.Add(diag.ScriptHole(text.Span(h.Start, h.End), h.Label))
	}
	return nil
}
