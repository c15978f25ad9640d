package report

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// tabWidth is the distance of tab stops in snippets, counted from the start of
// the source line.
const tabWidth = 4

// wide are the ranges of characters that take two columns: the wide and full
// width forms of East Asian scripts, and pictures.
var wide = [...][2]rune{
	{0x1100, 0x115F}, {0x231A, 0x231B}, {0x2329, 0x232A}, {0x23E9, 0x23EC},
	{0x23F0, 0x23F0}, {0x23F3, 0x23F3}, {0x25FD, 0x25FE}, {0x2614, 0x2615},
	{0x2648, 0x2653}, {0x267F, 0x267F}, {0x2693, 0x2693}, {0x26A1, 0x26A1},
	{0x26AA, 0x26AB}, {0x26BD, 0x26BE}, {0x26C4, 0x26C5}, {0x26CE, 0x26CE},
	{0x26D4, 0x26D4}, {0x26EA, 0x26EA}, {0x26F2, 0x26F3}, {0x26F5, 0x26F5},
	{0x26FA, 0x26FA}, {0x26FD, 0x26FD}, {0x2705, 0x2705}, {0x270A, 0x270B},
	{0x2728, 0x2728}, {0x274C, 0x274C}, {0x274E, 0x274E}, {0x2753, 0x2755},
	{0x2757, 0x2757}, {0x2795, 0x2797}, {0x27B0, 0x27B0}, {0x27BF, 0x27BF},
	{0x2B1B, 0x2B1C}, {0x2B50, 0x2B50}, {0x2B55, 0x2B55}, {0x2E80, 0x303E},
	{0x3041, 0x33FF}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xA000, 0xA4CF},
	{0xA960, 0xA97F}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF}, {0xFE10, 0xFE19},
	{0xFE30, 0xFE6F}, {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}, {0x16FE0, 0x18CFF},
	{0x1B000, 0x1B2FF}, {0x1F004, 0x1F004}, {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E},
	{0x1F191, 0x1F19A}, {0x1F200, 0x1F265}, {0x1F300, 0x1F320}, {0x1F32D, 0x1F335},
	{0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA}, {0x1F3CF, 0x1F3D3},
	{0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E}, {0x1F440, 0x1F440},
	{0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E}, {0x1F550, 0x1F567},
	{0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4}, {0x1F5FB, 0x1F64F},
	{0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2}, {0x1F6D5, 0x1F6D7},
	{0x1F6DC, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7EB},
	{0x1F7F0, 0x1F7F0}, {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF},
	{0x1FA70, 0x1FAFF}, {0x20000, 0x3FFFD},
}

// runeWidth returns how many columns a printable character takes.
func runeWidth(r rune) int {
	if r < 0x300 {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	i := sort.Search(len(wide), func(i int) bool { return wide[i][1] >= r })
	if i < len(wide) && wide[i][0] <= r {
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
