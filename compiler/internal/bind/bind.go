// Package bind is the common part of the packages that bind values into programs of any
// language: the holes of a program, and the names of the variables that replace them.
package bind

import (
	"iter"
	"strconv"
	"strings"
	"unicode"

	"github.com/wfc-lang/wfc/internal/types"
)

// A Hole is a place of a program that receives a value.
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
	// OfRun says that the value is the run's, such as its id, and no node's output.
	OfRun bool
}

// A Script is a program whose holes are replaced by variables.
type Script struct {
	// Text is the program as it is run.
	Text string
	// Bindings are the variables that must be set before the program starts, in the order of
	// their first use. A hole that stays text, in a comment or after a backslash, has none.
	Bindings []Binding
	// Calls are the programs that a shell script calls by plain names and does not look for.
	// Programs that every system has are not among them.
	Calls []string
}

// A Binding is a value that a program reads by name. Holes with the same label and name share
// one for each way in which they are used.
type Binding struct {
	// Name is the variable's name.
	Name string
	// Hole is the index of the first hole that the variable represents.
	Hole int
	// Literal says that the value is handed over as a value of the language and not as text.
	Literal bool
	// Integer says that bash evaluates the variable's text as arithmetic
	// somewhere, so that it must be a whole number, which has to be checked
	// before the script starts. A leading zero makes bash read octal digits.
	Integer bool
	// Words says that the variable must be an array of the value's words.
	Words bool
	// Echoed says that the variable must hold the value for an `echo` that
	// interprets backslashes and options.
	Echoed bool
}

// Names gives out names of variables that a program cannot mean by accident.
type Names struct {
	program string
	// taken are the words of the program and the names given out; nil before the first one.
	taken map[string]bool
}

// NewNames treats every word of a program as a used name, in code or in strings.
// These are more names than its variables, but the rule needs no knowledge of the
// language, and a string may run as code, too.
func NewNames(program string) *Names {
	return &Names{program: program}
}

// Take returns base, with a number behind it if that is taken, and takes it.
func (n *Names) Take(base string) string {
	if n.taken == nil {
		n.taken = map[string]bool{}
		for word := range Words(n.program) {
			n.taken[word] = true
		}
	}
	name := base
	for i := 2; n.taken[name]; i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	n.taken[name] = true
	return name
}

// Words yields the words of a program: runs of name bytes.
func Words(program string) iter.Seq[string] {
	return strings.FieldsFuncSeq(program, func(r rune) bool { return r > unicode.MaxASCII || !IsNameByte(byte(r)) })
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
