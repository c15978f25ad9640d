package report

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
)

// A snippet shows the lines of one file that a finding speaks of, each with its
// spans underlined. Lines that lie apart are separated by a gap.
type snippet struct {
	file  *source.File
	marks []mark
}

// A mark is the part of a span that lies on one line.
type mark struct {
	line       int // counted from 1
	start, end int // byte offsets in the line
	primary    bool
	label      string
}

// addSpan adds a span to the snippet: one mark for a span on one line. For a longer span it
// marks the first line; for the finding's primary span also the last one, then with the
// label.
func (s *snippet) addSpan(span source.Span, label string, primary bool) {
	start, end := visibleSpan(span)
	first, last := s.file.Position(start).Line, s.file.Position(end).Line
	if first == last {
		_, from := lineOf(s.file, first)
		s.marks = append(s.marks, mark{first, start - from, end - from, primary, label})
		return
	}
	text, from := lineOf(s.file, first)
	opening := mark{first, start - from, len(strings.TrimRight(text, " \t")), primary, ""}
	if !primary {
		opening.label = label
		s.marks = append(s.marks, opening)
		return
	}
	s.marks = append(s.marks, opening)
	text, from = lineOf(s.file, last)
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	s.marks = append(s.marks, mark{last, min(indent, end-from), end - from, primary, label})
}

// visibleSpan returns a span without the white space at its end, and inside
// its file.
func visibleSpan(span source.Span) (start, end int) {
	content := span.File.Content
	start = min(max(span.Start, 0), len(content))
	end = min(max(span.End, start), len(content))
	return start, start + len(bytes.TrimRight(content[start:end], " \t\r\n"))
}

// lineOf returns a line of a file and where it starts, without a byte order
// mark.
func lineOf(f *source.File, line int) (text string, start int) {
	b, start := f.Line(line)
	if rest, ok := bytes.CutPrefix(b, []byte("\ufeff")); ok && line == 1 {
		return string(rest), start + len(b) - len(rest)
	}
	return string(b), start
}

// lastLine returns the greatest line number that the snippet shows.
func (s *snippet) lastLine() int {
	last := 0
	for _, m := range s.marks {
		last = max(last, m.line)
	}
	return last
}

// printLines prints the snippet's lines.
func (s *snippet) printLines(p *printer) {
	slices.SortStableFunc(s.marks, func(a, b mark) int { return cmp.Or(a.line-b.line, a.start-b.start) })
	p.printBar()
	previous := 0
	for i := 0; i < len(s.marks); {
		line := s.marks[i].line
		switch {
		case previous > 0 && line == previous+2:
			text, _ := lineOf(s.file, line-1)
			r := newRow(text)
			shown, _ := r.renderWindow(r.fitWindow(0, 0, p.sourceColumns()))
			p.printSource(line-1, shown)
		case previous > 0 && line > previous+1:
			p.printGap()
		}
		n := i
		for n < len(s.marks) && s.marks[n].line == line {
			n++
		}
		s.writeLine(p, line, s.marks[i:n])
		previous, i = line, n
	}
}

// writeLine prints one line and its marks. A line that does not fit is printed
// again for each mark that its first window does not show.
func (s *snippet) writeLine(p *printer, line int, marks []mark) {
	text, _ := lineOf(s.file, line)
	if len(text) > longLine {
		for _, m := range marks {
			part, from := lineAround(text, m, 4*p.sourceColumns())
			m.start, m.end = m.start-from, min(m.end-from, len(part))
			s.writeRow(p, line, part, []mark{m})
		}
		return
	}
	s.writeRow(p, line, text, marks)
}

// longLine is the length in bytes from which on only the part of a line around each mark is
// laid out, because the rest would not be shown anyway.
const longLine = 1 << 14

// lineAround returns the part of a line that reaches a number of bytes beyond the
// start of a mark, and where the part begins.
func lineAround(line string, m mark, reach int) (part string, from int) {
	from, to := max(0, m.start-reach), min(len(line), m.start+reach)
	for from > 0 && !utf8.RuneStart(line[from]) {
		from--
	}
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to++
	}
	return line[from:to], from
}

// writeRow prints a line, or the part of one around its only mark.
func (s *snippet) writeRow(p *printer, line int, text string, marks []mark) {
	r := newRow(text)
	var w window
	for i, m := range marks {
		start, end := r.cellIndex(m.start), r.cellIndex(m.end)
		if i == 0 || !w.showsCells(start, min(end, start+1)) {
			w = r.fitWindow(start, end, p.sourceColumns())
			shown, _ := r.renderWindow(w)
			p.printSource(line, shown)
		}
		_, lead := r.renderWindow(w)
		end = max(start, min(end, w.to))
		p.printUnderline(lead+r.columnWidth(w.from, start), max(1, r.columnWidth(start, end)), m)
	}
}

// replacedLines returns the lines of a file that edits touch, before and after, and
// the number of the first, as far as they change; ok is false for edits that do
// not fit the file.
func replacedLines(f *source.File, edits []diag.Edit) (line int, before, after []string, ok bool) {
	first, last := f.LineCount(), 1
	for _, e := range edits {
		if e.Span.Start < 0 || e.Span.End < e.Span.Start || e.Span.End > len(f.Content) {
			return 0, nil, nil, false
		}
		first = min(first, f.Position(e.Span.Start).Line)
		last = max(last, f.Position(e.Span.End).Line)
	}
	_, from := lineOf(f, first)
	text, to := lineOf(f, last)
	to += len(text)
	var b strings.Builder
	at := from
	for _, e := range edits {
		if e.Span.Start < at {
			return 0, nil, nil, false
		}
		b.Write(f.Content[at:e.Span.Start])
		b.WriteString(e.New)
		at = e.Span.End
	}
	b.Write(f.Content[at:max(at, to)])
	before, after = splitLines(string(f.Content[from:max(from, to)])), splitLines(b.String())
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		first, before, after = first+1, before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	return first, before, after, true
}

func splitLines(s string) []string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	if lines[len(lines)-1] == "" && len(lines) > 1 {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// changedRange returns the byte range of after in which it differs from before.
func changedRange(before, after string) (start, end int) {
	for start < len(before) && start < len(after) && before[start] == after[start] {
		start++
	}
	for start > 0 && start < len(after) && !utf8.RuneStart(after[start]) {
		start--
	}
	end = len(after)
	for back := len(before); end > start && back > start && before[back-1] == after[end-1]; {
		end--
		back--
	}
	return start, end
}
