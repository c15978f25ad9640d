package diag

import "strings"

// Nearest returns the candidate most like name, for "did you mean", or "" when
// none is near enough: at most a third of name's length (and at least one)
// apart, counting insertions, deletions, replacements and swapped neighbours.
// Ties go to the earlier candidate.
func Nearest(name string, candidates []string) string {
	limit := max(1, len(name)/3)
	best, found := limit+1, ""
	for _, c := range candidates {
		if c == name {
			continue
		}
		if strings.EqualFold(c, name) {
			return c
		}
		if d := distance(name, c, best); d < best {
			best, found = d, c
		}
	}
	return found
}

// distance is the optimal string alignment distance, or some number of at
// least stop when it is not below stop.
func distance(a, b string, stop int) int {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d >= stop || -d >= stop {
		return stop
	}
	before, above := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(above[j]+1, row[j-1]+1, above[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above = above, row
	}
	return above[len(y)]
}
