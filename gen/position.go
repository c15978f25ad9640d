package gen

import (
	"regexp"
	"slices"
)

// Generated code has two kinds of positions: a comment at the end of a line and
// the field Line in the table of nodes. Both follow from where a node is defined,
// which the fingerprint of the workflow leaves out. So two files that differ only
// in what looks like a position do the same: any other change of the workflow
// changes the fingerprint, which is in the file, too.

var (
	positionComment = regexp.MustCompile(`(// .*):\d+(\r?\n?)$`)
	positionField   = regexp.MustCompile(`(^\t*\{Key: .*\bLine: )\d+`)
)

// withoutPositions returns lines of generated code with every position's number
// replaced.
func withoutPositions(lines []string) []string {
	list := make([]string, len(lines))
	for i, line := range lines {
		line = positionComment.ReplaceAllString(line, "${1}:0${2}")
		list[i] = positionField.ReplaceAllString(line, "${1}0")
	}
	return list
}

// samePlaces reports whether two generated files differ in nothing but
// positions.
func samePlaces(old, new string) bool {
	return slices.Equal(withoutPositions(lineList(old)), withoutPositions(lineList(new)))
}
