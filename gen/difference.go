package gen

import (
	"fmt"
	"strings"
)

// A difference is found line by line: common lines at both ends are set aside,
// and in between the longest common subsequence is found by Myers' greedy
// algorithm, whose time grows with the number of lines that differ. Files that
// differ in more than maxEdits lines are shown as replaced from the first
// difference to the last.

const (
	// contextLines is how many equal lines are shown around a change.
	contextLines = 3
	// maxEdits bounds the search for the smallest difference.
	maxEdits = 2000
)

// An edit is a line of a difference: ' ' is in both texts, '-' in the old one,
// '+' in the new one.
type edit struct {
	kind byte
	line string
}

// unified returns the difference of two texts in unified form, or "" when
// there is none. Lines that differ only in positions are equal and shown as they
// are in the old text.
func unified(from, to, old, new string) string {
	edits := compareTexts(lineList(old), lineList(new))
	var b strings.Builder
	oldAt, newAt := 1, 1
	for i := 0; i < len(edits); {
		if edits[i].kind == ' ' {
			oldAt, newAt, i = oldAt+1, newAt+1, i+1
			continue
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "--- %s\n+++ %s\n", from, to)
		}
		start := max(0, i-contextLines)
		for start < i && edits[start].kind != ' ' {
			start++
		}
		end := hunkEnd(edits, i)
		before := i - start
		hunk(&b, edits[start:end], oldAt-before, newAt-before)
		for _, e := range edits[i:end] {
			if e.kind != '+' {
				oldAt++
			}
			if e.kind != '-' {
				newAt++
			}
		}
		i = end
	}
	return b.String()
}

// hunkEnd returns where the hunk of the change at i ends: after the context
// that follows the last change that is near enough.
func hunkEnd(edits []edit, i int) int {
	last := i
	for j := i; j < len(edits) && j <= last+2*contextLines; j++ {
		if edits[j].kind != ' ' {
			last = j
		}
	}
	return min(len(edits), last+1+contextLines)
}

func hunk(b *strings.Builder, edits []edit, oldAt, newAt int) {
	olds, news := 0, 0
	for _, e := range edits {
		if e.kind != '+' {
			olds++
		}
		if e.kind != '-' {
			news++
		}
	}
	fmt.Fprintf(b, "@@ -%s +%s @@\n", lineRange(oldAt, olds), lineRange(newAt, news))
	for _, e := range edits {
		b.WriteByte(e.kind)
		b.WriteString(e.line)
		if !strings.HasSuffix(e.line, "\n") {
			b.WriteString("\n\\ No newline at end of file\n")
		}
	}
}

// lineRange names lines in a hunk's head; an empty range names the line before.
func lineRange(at, count int) string {
	switch count {
	case 0:
		return fmt.Sprintf("%d,0", at-1)
	case 1:
		return fmt.Sprint(at)
	}
	return fmt.Sprintf("%d,%d", at, count)
}

func lineList(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		list = append(list, line)
	}
	return list
}

// compareTexts compares lines without their positions.
func compareTexts(old, new []string) []edit {
	edits := compareLines(withoutPositions(old), withoutPositions(new))
	oldAt, newAt := 0, 0
	for i := range edits {
		e := &edits[i]
		if e.kind == '+' {
			e.line = new[newAt]
		} else {
			e.line = old[oldAt]
		}
		if e.kind != '+' {
			oldAt++
		}
		if e.kind != '-' {
			newAt++
		}
	}
	return edits
}

func compareLines(old, new []string) []edit {
	head := 0
	for head < len(old) && head < len(new) && old[head] == new[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(new)-head && old[len(old)-1-tail] == new[len(new)-1-tail] {
		tail++
	}
	var edits []edit
	for _, line := range old[:head] {
		edits = append(edits, edit{' ', line})
	}
	edits = append(edits, shortest(old[head:len(old)-tail], new[head:len(new)-tail])...)
	for _, line := range old[len(old)-tail:] {
		edits = append(edits, edit{' ', line})
	}
	return edits
}

// shortest returns the shortest list of edits, or when that is too long the
// whole replacement.
func shortest(old, new []string) []edit {
	bound := min(len(old)+len(new), maxEdits)
	// reach[k] is how far in old a path on diagonal k comes; trace keeps it as
	// it was before each step.
	reach := make([]int, 2*bound+2)
	var trace [][]int
	for d := 0; d <= bound; d++ {
		trace = append(trace, append([]int(nil), reach[bound-d:bound+d+2]...))
		for k := -d; k <= d; k += 2 {
			x := 0
			switch {
			case d == 0:
			case k == -d || k != d && reach[bound+k-1] < reach[bound+k+1]:
				x = reach[bound+k+1]
			default:
				x = reach[bound+k-1] + 1
			}
			for x < len(old) && x-k < len(new) && old[x] == new[x-k] {
				x++
			}
			reach[bound+k] = x
			if x >= len(old) && x-k >= len(new) {
				return walkBack(old, new, trace)
			}
		}
	}
	var edits []edit
	for _, line := range old {
		edits = append(edits, edit{'-', line})
	}
	for _, line := range new {
		edits = append(edits, edit{'+', line})
	}
	return edits
}

// walkBack follows the path that was found from its end.
func walkBack(old, new []string, trace [][]int) []edit {
	var back []edit
	x, y := len(old), len(new)
	for d := len(trace) - 1; d > 0; d-- {
		// trace[d][i] is of diagonal i-d.
		k, reach := x-y, trace[d]
		from := k - 1
		if k == -d || k != d && reach[k-1+d] < reach[k+1+d] {
			from = k + 1
		}
		fromX := reach[from+d]
		fromY := fromX - from
		for x > fromX && y > fromY {
			x, y = x-1, y-1
			back = append(back, edit{' ', old[x]})
		}
		if x == fromX {
			y--
			back = append(back, edit{'+', new[y]})
		} else {
			x--
			back = append(back, edit{'-', old[x]})
		}
	}
	for x > 0 {
		x--
		back = append(back, edit{' ', old[x]})
	}
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}
