package report

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// tabWidth is the distance of tab stops in snippets, counted from the start of
// the source line.
const tabWidth = 4

// runeWidth returns how many columns a printable character takes.
func runeWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// cleanText makes a text safe to print in one piece; line breaks stay.
func cleanText(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' {
			return r
		}
		return plain.Rune(r)
	}, s)
}

// A cell is one character of a line as it is shown.
type cell struct {
	text  string
	at    int // byte offset in the line
	width int
}

// A row is a line of source as it is shown: tabs are spaces, and there are no control
// characters for the terminal.
type row struct {
	cells []cell
	bytes int // length of the line in bytes
}

// newRow lays out a line of source.
func newRow(line string) row {
	r := row{bytes: len(line)}
	column := 0
	for at := 0; at < len(line); {
		c, n := utf8.DecodeRuneInString(line[at:])
		text, width := "", 0
		if c == '\t' {
			width = tabWidth - column%tabWidth
			text = strings.Repeat(" ", width)
		} else {
			c = plain.Rune(c)
			text, width = string(c), runeWidth(c)
		}
		r.cells = append(r.cells, cell{text, at, width})
		column += width
		at += n
	}
	return r
}

// cellIndex returns the cell that holds byte offset at of the line, or the number
// of cells for its end.
func (r row) cellIndex(at int) int {
	return sort.Search(len(r.cells), func(i int) bool { return r.cellEnd(i) > at })
}

// cellEnd returns the byte offset just past cell i.
func (r row) cellEnd(i int) int {
	if i+1 < len(r.cells) {
		return r.cells[i+1].at
	}
	return r.bytes
}

// columnWidth returns the width of cells from to to.
func (r row) columnWidth(from, to int) int {
	n := 0
	for _, c := range r.cells[from:to] {
		n += c.width
	}
	return n
}

func (r row) cellText(from, to int) string {
	var b strings.Builder
	for _, c := range r.cells[from:to] {
		b.WriteString(c.text)
	}
	return b.String()
}

// A window is the part of a row that is shown: cells from to to, with a mark
// where something is cut off.
type window struct {
	from, to int
}

// fitWindow returns a window of at most width columns that shows cells start to end, or as many
// of them as fit, with some of the cells before and behind.
func (r row) fitWindow(start, end, width int) window {
	if r.columnWidth(0, len(r.cells)) <= width {
		return window{0, len(r.cells)}
	}
	width -= 2 // the marks
	w := window{start, start}
	used := 0
	grow := func(i int) bool {
		if used+r.cells[i].width > width {
			return false
		}
		used += r.cells[i].width
		return true
	}
	for w.to < end && grow(w.to) {
		w.to++
	}
	// A third of the remaining width goes in front, then the rest behind, then any that
	// remains in front again.
	for before := (width - used) / 3; w.from > 0 && before > 0 && grow(w.from-1); before-- {
		w.from--
	}
	for w.to < len(r.cells) && grow(w.to) {
		w.to++
	}
	for w.from > 0 && grow(w.from-1) {
		w.from--
	}
	return w
}

// showsCells reports whether the window shows cell start and, if it can, all cells
// up to end.
func (w window) showsCells(start, end int) bool { return w.from <= start && end <= w.to }

// renderWindow returns the window's text and the number of columns before cell from.
func (r row) renderWindow(w window) (text string, lead int) {
	text = r.cellText(w.from, w.to)
	if w.from > 0 {
		text, lead = "…"+text, 1
	}
	if w.to < len(r.cells) {
		text += "…"
	}
	return strings.TrimRight(text, " "), lead
}
