// Package bind is what the rewriting of programs has in common, whatever their
// language: places where values are to stand, and names for the variables that
// take the values there.
package bind

import (
	"strconv"
	"strings"

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
	program string
	// words are the words of the program; nil until so many names were asked
	// for that looking each of them up in the text would be slow.
	words map[string]bool
	asked int
	given map[string]bool
}

// fewNames is how many names are looked for in the text itself.
const fewNames = 16

// NewNames takes every name-like word of a program as taken, be it in code or
// in a string: that is more than its variables, but needs no knowledge of what
// makes a variable, and a string may be run as code too.
func NewNames(program string) *Names {
	return &Names{program: program, given: map[string]bool{}}
}

// Take returns base, with a number behind it if that is taken, and takes it.
func (n *Names) Take(base string) string {
	name := base
	for i := 2; n.given[name] || n.isWord(name); i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	n.given[name] = true
	return name
}

// isWord reports whether a name is a word of the program.
func (n *Names) isWord(name string) bool {
	if n.asked++; n.asked > fewNames {
		if n.words == nil {
			n.words = wordsOf(n.program)
		}
		return n.words[name]
	}
	for at := 0; ; {
		i := strings.Index(n.program[at:], name)
		if i < 0 || name == "" {
			return false
		}
		start, end := at+i, at+i+len(name)
		if (start == 0 || !IsNameByte(n.program[start-1])) && (end == len(n.program) || !IsNameByte(n.program[end])) {
			return true
		}
		at = start + 1
	}
}

func wordsOf(program string) map[string]bool {
	words := map[string]bool{}
	for i := 0; i < len(program); {
		if !IsNameByte(program[i]) {
			i++
			continue
		}
		start := i
		for i < len(program) && IsNameByte(program[i]) {
			i++
		}
		words[program[start:i]] = true
	}
	return words
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
