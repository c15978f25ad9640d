package plain

import "strings"

// Comparing every unknown name with every known one costs their product. So
// Nearest compares only candidates that start or end like the name if there are
// many, and none if there are very many.
const (
	manyCandidates = 100
	maxCandidates  = 1000
)

// DidYouMean is the end of a message about an unknown name: a question about the nearest known
// one, or "" if Nearest finds none.
func DidYouMean(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return "; did you mean `" + near + "`?"
	}
	return ""
}

// Nearest returns the candidate most like name, for "did you mean", or "" when
// none is near enough: at most a third of name's length (and at least one)
// apart, counting insertions, deletions, replacements and swapped neighbours.
// Ties go to the earlier candidate. Among more than 100 candidates, the first or
// the last byte must be the same; among more than 1,000 it finds nothing.
func Nearest(name string, candidates []string) string {
	limit := max(1, len(name)/3)
	if len(candidates) > maxCandidates {
		return ""
	}
	many := len(candidates) > manyCandidates
	best, found := limit+1, ""
	var m matrix
	for _, c := range candidates {
		if c == name {
			continue
		}
		if strings.EqualFold(c, name) {
			return c
		}
		if many && (c == "" || name == "" || c[0] != name[0] && c[len(c)-1] != name[len(name)-1]) {
			continue
		}
		// Every byte more or less is at least a fourth of a character.
		if d := len(c) - len(name); d >= 4*best || -d >= 4*best {
			continue
		}
		if d := m.editDistance(name, c, best); d < best {
			best, found = d, c
		}
	}
	return found
}

// A matrix is the memory of a calculation of distances.
type matrix struct {
	x, y               []rune
	before, above, row []int
}

// editDistance is the optimal string alignment distance, or some number of at
// least stop when it is not below stop.
func (m *matrix) editDistance(a, b string, stop int) int {
	m.x, m.y = appendRunes(m.x[:0], a), appendRunes(m.y[:0], b)
	x, y := m.x, m.y
	if d := len(x) - len(y); d >= stop || -d >= stop {
		return stop
	}
	if n := len(y) + 1; cap(m.row) < n {
		m.before, m.above, m.row = make([]int, n), make([]int, n), make([]int, n)
	}
	before, above, row := m.before[:len(y)+1], m.above[:len(y)+1], m.row[:len(y)+1]
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > stop {
			return stop // a swap looks back two rows, and no further
		}
		before, above, row = above, row, before
	}
	return above[len(y)]
}

func appendRunes(to []rune, s string) []rune {
	for _, r := range s {
		to = append(to, r)
	}
	return to
}
