package shell

import (
	"strconv"
	"strings"
)

// namer gives out variable names that the script cannot mean by accident.
type namer struct {
	taken map[string]bool
}

// newNamer takes every name-like word of the script as taken, which is more
// than its variables but needs no knowledge of what makes a variable.
func newNamer(src string) *namer {
	n := &namer{taken: map[string]bool{}}
	for i := 0; i < len(src); {
		if !isNameByte(src[i]) {
			i++
			continue
		}
		start := i
		for i < len(src) && isNameByte(src[i]) {
			i++
		}
		n.taken[src[start:i]] = true
	}
	return n
}

// name returns a free name like the suggestion and takes it.
func (n *namer) name(suggestion string) string {
	base := validName(suggestion)
	name := base
	for i := 2; n.taken[name]; i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	n.taken[name] = true
	return name
}

// validName makes a valid name that is not one bash or other programs read from
// the environment: those are upper case by custom, apart from a few.
func validName(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if isNameByte(s[i]) {
			b.WriteByte(s[i])
		} else {
			b.WriteByte('_')
		}
	}
	name := b.String()
	switch {
	case name == "", name[0] == '_', !isName(name), name == strings.ToUpper(name),
		name == "histchars", name == "auto_resume", strings.HasSuffix(name, "_proxy"):
		return "v_" + strings.TrimLeft(name, "_")
	}
	return name
}
