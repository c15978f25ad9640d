package script

import (
	"strconv"
	"strings"
)

// namer gives out names of variables that the program cannot mean by accident.
type namer struct {
	taken map[string]bool
}

// newNamer takes every name-like word of the program as taken, be it in code
// or in a string: a string may be run as code too.
func newNamer(src string) *namer {
	n := &namer{taken: map[string]bool{}}
	for w := range strings.FieldsFuncSeq(src, func(r rune) bool { return !isNameRune(r) }) {
		n.taken[w] = true
	}
	return n
}

// name returns a free name like the suggestion and takes it. Its beginning
// keeps it apart from keywords and from what the language defines.
func (n *namer) name(suggestion string) string {
	base := "wfc_" + strings.Map(func(r rune) rune {
		if isNameRune(r) {
			return r
		}
		return '_'
	}, suggestion)
	name := base
	for i := 2; n.taken[name]; i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	n.taken[name] = true
	return name
}

func isNameRune(r rune) bool {
	return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// replaceLabel puts a hole's label into advice.
func replaceLabel(help, label string) string { return strings.ReplaceAll(help, "LABEL", label) }
