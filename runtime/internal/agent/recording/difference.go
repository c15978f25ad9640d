package recording

import (
	"fmt"
	"strings"
)

// difference tells two texts apart by the first line in which they differ.
func difference(was, is string) string {
	old, now := strings.Split(was, "\n"), strings.Split(is, "\n")
	n := 0
	for n < len(old) && n < len(now) && old[n] == now[n] {
		n++
	}
	switch {
	case n == len(old) && n == len(now):
		return "its text is the same, and its checksum in the recording is wrong"
	case n == len(old):
		return fmt.Sprintf("line %d, `%s`, is new", n+1, part(now[n], 0))
	case n == len(now):
		return fmt.Sprintf("line %d, `%s`, is gone", n+1, part(old[n], 0))
	}
	at := common(old[n], now[n])
	return fmt.Sprintf("line %d was `%s` and is `%s`", n+1, part(old[n], at), part(now[n], at))
}

// common is how many characters two texts begin with in common.
func common(a, b string) int {
	x, y := []rune(a), []rune(b)
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// part is what of a line is shown: 80 characters about the one at an index.
func part(line string, at int) string {
	const most, before = 80, 30
	runes := []rune(line)
	if len(runes) <= most {
		return line
	}
	begin := max(0, min(at-before, len(runes)-most))
	text := string(runes[begin : begin+most])
	if begin > 0 {
		text = "…" + text
	}
	if begin+most < len(runes) {
		text += "…"
	}
	return text
}
