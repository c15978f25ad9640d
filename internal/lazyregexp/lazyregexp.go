// Package lazyregexp compiles regular expressions when they are first used. wfc has dozens,
// most commands use few of them, and compiling all would take a third of the time in which
// a command starts.
package lazyregexp

import (
	"regexp"
	"sync"
)

// A Regexp is a regular expression. Its methods are those of regexp.Regexp.
type Regexp struct {
	text string
	once sync.Once
	re   *regexp.Regexp
}

// New returns the regular expression of a text. The first use panics if the text is none, so a
// test of package house compiles all.
func New(text string) *Regexp { return &Regexp{text: text} }

func (r *Regexp) get() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.text) })
	return r.re
}

// MatchString reports whether s contains a match.
func (r *Regexp) MatchString(s string) bool { return r.get().MatchString(s) }

// Match reports whether b contains a match.
func (r *Regexp) Match(b []byte) bool { return r.get().Match(b) }

// FindString returns the first match, or "".
func (r *Regexp) FindString(s string) string { return r.get().FindString(s) }

// FindStringIndex returns where the first match begins and ends, or nil.
func (r *Regexp) FindStringIndex(s string) []int { return r.get().FindStringIndex(s) }

// FindStringSubmatch returns the first match and its groups, or nil.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.get().FindStringSubmatch(s) }

// FindStringSubmatchIndex returns where the first match and its groups begin and end, or nil.
func (r *Regexp) FindStringSubmatchIndex(s string) []int { return r.get().FindStringSubmatchIndex(s) }

// FindSubmatch returns the first match and its groups, or nil.
func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.get().FindSubmatch(b) }

// FindAllSubmatch returns the first n matches with their groups, or all if n is negative.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte { return r.get().FindAllSubmatch(b, n) }

// FindAllString returns the first n matches, or all if n is negative.
func (r *Regexp) FindAllString(s string, n int) []string { return r.get().FindAllString(s, n) }

// FindAllStringIndex returns where the first n matches begin and end, or all if n is negative.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.get().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch returns the first n matches with their groups, or all if n is negative.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.get().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex returns where the first n matches and their groups begin and end,
// or all if n is negative.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.get().FindAllStringSubmatchIndex(s, n)
}

// ReplaceAll replaces each match, and expands groups in the replacement.
func (r *Regexp) ReplaceAll(src, repl []byte) []byte { return r.get().ReplaceAll(src, repl) }

// ReplaceAllString replaces each match, and expands groups in the replacement.
func (r *Regexp) ReplaceAllString(src, repl string) string {
	return r.get().ReplaceAllString(src, repl)
}

// ReplaceAllStringFunc replaces each match by what f returns for it.
func (r *Regexp) ReplaceAllStringFunc(src string, f func(string) string) string {
	return r.get().ReplaceAllStringFunc(src, f)
}

// Split splits s at the first n-1 matches, or at all if n is negative.
func (r *Regexp) Split(s string, n int) []string { return r.get().Split(s, n) }
