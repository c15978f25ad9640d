// Package glob matches paths with the patterns of wfc.yaml.
package glob

import (
	"path"
	"strings"
)

// Match reports whether a pattern matches a path with slashes. In a pattern ** matches
// any number of folders, also none. *, ? and [a-z] mean the same as in path.Match, and a
// pattern that path.Match refuses matches nothing.
func Match(pattern, name string) bool {
	return matchParts(strings.Split(pattern, "/"), strings.Split(name, "/"))
}

func matchParts(pattern, name []string) bool {
	// reached[j] says that the pattern so far matches the first j parts.
	reached := make([]bool, len(name)+1)
	reached[0] = true
	for _, part := range pattern {
		next := make([]bool, len(name)+1)
		for j, ok := range reached {
			switch {
			case part == "**":
				next[j] = ok || j > 0 && next[j-1]
			case ok && j < len(name):
				matched, err := path.Match(part, name[j])
				next[j+1] = matched && err == nil
			}
		}
		reached = next
	}
	return reached[len(name)]
}

// Valid reports whether a pattern can match anything at all.
func Valid(pattern string) bool {
	for _, part := range strings.Split(pattern, "/") {
		if _, err := path.Match(part, ""); err != nil {
			return false
		}
	}
	return pattern != ""
}
