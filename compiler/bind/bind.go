// Package bind is what the rewriting of programs has in common, whatever their
// language: places where values are to stand, and names for the variables that
// take the values there.
package bind

import (
	"strconv"

	"github.com/wfc-lang/wfc/compiler/types"
)

// A Hole is a place of a program where a value is to stand.
type Hole struct {
	// Start and End are byte offsets into the program's text.
	Start, End int
	// Name suggests the name of the variable, such as "classify_output_kind";
	// it is made valid and unique.
	Name string
	// Type is the value's type; nil counts as types.Any.
	Type types.Type
	// Label is the hole as its author wrote it, such as `$classify.output.kind`.
	Label string
}

// Names gives out names of variables that a program cannot mean by accident.
type Names struct {
	taken map[string]bool
}

// NewNames takes every name-like word of a program as taken, be it in code or
// in a string: that is more than its variables, but needs no knowledge of what
// makes a variable, and a string may be run as code too.
func NewNames(program string) *Names {
	n := &Names{taken: map[string]bool{}}
	for i := 0; i < len(program); {
		if !IsNameByte(program[i]) {
			i++
			continue
		}
		start := i
		for i < len(program) && IsNameByte(program[i]) {
			i++
		}
		n.taken[program[start:i]] = true
	}
	return n
}

// Take returns base, with a number behind it if that is taken, and takes it.
func (n *Names) Take(base string) string {
	name := base
	for i := 2; n.taken[name]; i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	n.taken[name] = true
	return name
}

// IsNameByte reports whether c is a letter, a digit or an underscore of ASCII.
func IsNameByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// Word returns the suggestion with everything but name bytes replaced by
// underscores.
func Word(suggestion string) string {
	b := []byte(suggestion)
	for i, c := range b {
		if !IsNameByte(c) {
			b[i] = '_'
		}
	}
	return string(b)
}
