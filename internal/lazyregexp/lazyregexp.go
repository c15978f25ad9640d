// Package lazyregexp compiles regular expressions when they are first used. wfc has dozens,
// most commands use few of them, and compiling all would take a third of the time in which
// a command starts.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that returns the regular expression of a text. Its first call panics
// if the text is none, so a test of package house compiles all.
func New(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
