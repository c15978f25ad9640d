package plain

import (
	"strings"
)

// gap is the number of columns between those of a table.
const gap = 2

// Table returns the rows of a table, each of one or more lines with no line break at the
// end. Cells are as Line returns them. If the table is wider than width columns of a
// terminal, cells break between words; if that is not enough, each row becomes a paragraph.
// A width of 0 has no limit.
func Table(width int, rows ...[]string) []string {
	var natural, least []int // of each column
	for i, row := range rows {
		rows[i] = make([]string, len(row))
		for c, cell := range row {
			cell = Line(cell)
			rows[i][c] = cell
			if c == len(natural) {
				natural, least = append(natural, 0), append(least, 0)
			}
			natural[c] = max(natural[c], Columns(cell))
			words := strings.TrimLeft(cell, " ")
			for word := range strings.SplitSeq(words, " ") {
				least[c] = max(least[c], len(cell)-len(words)+Columns(word))
			}
		}
	}
	table := make([]string, len(rows))
	fits := width <= 0 || shrinkColumns(natural, least, width)
	if !fits {
		for i, row := range rows {
			table[i] = writeParagraph(row, width)
		}
		return table
	}
	cells := make([][][]string, len(rows)) // lines of each cell
	taken := make([]int, len(natural))
	for i, row := range rows {
		for c, cell := range row {
			if width > 0 {
				cell = Wrap(cell, natural[c])
			}
			lines := strings.Split(cell, "\n")
			cells[i] = append(cells[i], lines)
			for _, line := range lines {
				taken[c] = max(taken[c], displayWidth(line))
			}
		}
	}
	for i := range rows {
		table[i] = writeBeside(cells[i], taken)
	}
	return table
}

// shrinkColumns makes the widest columns narrower until all fit. It is false if their words do not.
func shrinkColumns(columns, least []int, width int) bool {
	sum := gap * (len(columns) - 1)
	for _, n := range columns {
		sum += n
	}
	for ; sum > width; sum-- {
		widest := -1
		for c, n := range columns {
			if n > least[c] && (widest < 0 || n > columns[widest]) {
				widest = c
			}
		}
		if widest < 0 {
			return false
		}
		columns[widest]--
	}
	return true
}

// writeBeside writes cells beside each other.
func writeBeside(cells [][]string, columns []int) string {
	var lines []string
	for i, more := 0, true; more; i++ {
		var b strings.Builder
		more = false
		for c, cell := range cells {
			text := ""
			if i < len(cell) {
				text, more = cell[i], more || i+1 < len(cell)
			}
			b.WriteString(text + strings.Repeat(" ", columns[c]-displayWidth(text)+gap))
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return strings.Join(lines, "\n")
}

// writeParagraph writes cells one after the other, and later lines farther to the right. The
// paragraph is indented like its most indented cell, which says what the row belongs to.
func writeParagraph(row []string, width int) string {
	const indent = 4
	inside := 0
	var cells []string
	for _, cell := range row {
		words := strings.TrimLeft(cell, " ")
		if words != "" {
			inside, cells = max(inside, len(cell)-len(words)), append(cells, words)
		}
	}
	inside = min(inside, width/4)
	lines := strings.Split(Wrap(strings.Join(cells, strings.Repeat(" ", gap)), max(1, width-indent-inside)), "\n")
	for i, line := range lines {
		margin := inside
		if i > 0 {
			margin += indent
		}
		lines[i] = strings.Repeat(" ", margin) + strings.TrimRight(line, " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), " ")
}

// displayWidth is the number of columns of a text, in which only East Asian characters and emoji
// take two.
func displayWidth(text string) int {
	n := 0
	for _, r := range text {
		if n++; r >= 0x1100 && r < 0x1200 || r > 0x2e7f {
			n++
		}
	}
	return n
}
