package plain

import "strings"

// Wrap breaks the lines of a text at spaces, and words that are too long anywhere, so that
// they are at most so many columns wide. A continued line has the indentation of its
// beginning, unless that takes more than half of the width.
func Wrap(text string, width int) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		words := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(words)]
		if len(indent) > width/2 || width-len(indent) < 2 {
			words, indent = line, ""
		}
		used, empty := len(indent), true
		b.WriteString(indent)
		next := func() {
			b.WriteString("\n" + indent)
			used, empty = len(indent), true
		}
		for n, word := range strings.Split(words, " ") {
			if size := Columns(word); n > 0 {
				if used+1+size > width && !empty {
					next()
				} else {
					b.WriteByte(' ')
					used, empty = used+1, false
				}
			}
			for _, r := range word {
				if used+runeWidth(r) > width && !empty {
					next()
				}
				b.WriteRune(r)
				used, empty = used+runeWidth(r), false
			}
		}
	}
	return b.String()
}

// Columns returns the number of columns that a text takes in a terminal, or more.
func Columns(text string) int {
	sum := 0
	for _, r := range text {
		sum += runeWidth(r)
	}
	return sum
}

// runeWidth counts two for East Asian characters and emoji, and for some others that take only
// one. Marks that are drawn over other characters count, too: a terminal may not know them.
func runeWidth(r rune) int {
	switch {
	case r >= 0x1100 && r < 0x1200, r >= 0x2300 && r < 0x2400, r >= 0x2600 && r < 0x2c00, r > 0x2e7f:
		return 2
	}
	return 1
}
