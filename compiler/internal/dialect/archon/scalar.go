package archon

import (
	"math"
	"strings"
	"time"
	"unicode"
)

// milliseconds turns a positive number of milliseconds into a duration: at
// least a nanosecond, because zero would mean the default, and at most the
// longest that there is.
func milliseconds(f float64) time.Duration {
	ns := f * float64(time.Millisecond)
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return max(1, time.Duration(ns))
}

// isSpace reports whether the original engine's trim removes a character: the
// white space of JavaScript, which counts the byte order mark but not U+0085.
func isSpace(r rune) bool {
	return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r)
}

// trim removes white space from both ends of a text.
func trim(s string) string { return strings.TrimFunc(s, isSpace) }
