package gen

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Gofmt sets spaces and indentation and leaves line breaks to the author. The
// layout is that author: it decides where a line breaks, so that none is longer
// than it can be read. The generator renders code with marks in it, which say
// where a line may break, and the layout replaces them before gofmt sees the
// text. Marks are control characters, which no Go code holds: strings escape
// them, and comments are cleaned of them.
//
// A group is what stands between two brackets. It stays on its line if it fits;
// otherwise its items get lines of their own or, in a fill, as many share a line
// as fit.
const (
	listMark   = "\x01" // begins a group with an item a line
	fillMark   = "\x05" // begins a group that fills lines
	brokenMark = "\x04" // begins a group with an item a line even if it fits
	rowMark    = "\x0b" // begins a group that fills lines from the bracket on
	callMark   = "\x0c" // begins the arguments of a call, which fill lines like a row if each of them fits
	nextMark   = "\x02" // stands between two items
	closeMark  = "\x03" // ends a group, with a comma behind the last item
	endMark    = "\x08" // ends a group without a comma
	aloneMark  = "\x06" // begins an item that shares no line of a fill
	funcMark   = "\x0d" // begins an item like aloneMark, unless all items fit on one line
	softMark   = "\x07" // a line may break here, outside groups
	placeStart = "\x0e" // begins a position, which becomes the line's comment
	placeEnd   = "\x0f"
)

// lineWidth is the most columns of a line, with tabs of four.
const lineWidth = 119

const tabWidth = 4

// bodyWidth is the most columns of a function on one line, from func to the end of its
// statement: gofmt breaks longer ones.
const bodyWidth = 98

// A lexeme is a mark, a line break, a literal, a comment, or other text.
type lexeme struct {
	kind  byte // a mark's character, '\n', '"' for a literal, '/' for a comment, 'x' for the rest
	text  string
	width int
	// breaks says that the token has a line break in it or behind it.
	breaks bool
}

// A layout is the text of a section while its lines are broken.
type layout struct {
	tokens []lexeme
	ends   []int // of each token that begins a group, the one that ends it
	out    bytes.Buffer
	limit  int
	column int
	// place is the comment of the line, and said the last one of the declaration.
	place, said string
	// open are the lines on which the brackets around begin.
	open []int
	line int
	// header is the column at which the last function begins.
	header int
	// start is where the line begins in out, and margin its column.
	start, margin int
	// noted is the last line with a position: its number, margin and width.
	noted [3]int
}

// setLines breaks the lines of rendered code. Without a limit only those break
// that must.
func setLines(text []byte, limited bool) []byte {
	l := &layout{tokens: tokenize(string(text)), limit: 1 << 30}
	if limited {
		l.limit = lineWidth
	}
	l.match()
	l.run(0, len(l.tokens), false)
	l.newline()
	return l.out.Bytes()
}

// tokenize cuts text into tokens.
func tokenize(s string) []lexeme {
	var list []lexeme
	for len(s) > 0 {
		n, kind := 1, s[0]
		switch {
		case kind == '\n':
		case strings.HasPrefix(s, placeStart):
			n = strings.Index(s, placeEnd) + 1
			list = append(list, lexeme{kind: kind, text: s[1 : n-1]})
			s = s[n:]
			continue
		case kind < 0x10 && kind != '\t':
		case kind == '"' || kind == '\'':
			for s[n] != kind {
				if s[n] == '\\' {
					n++
				}
				n++
			}
			n, kind = n+1, '"'
		case kind == '`':
			n, kind = strings.IndexByte(s[1:], '`')+2, '"'
		case strings.HasPrefix(s, "//"):
			if n = strings.IndexByte(s, '\n'); n < 0 {
				n = len(s)
			}
			kind = '/'
		default:
			n = 1 // a slash that begins no comment
			if end := strings.IndexFunc(s[n:], special); end >= 0 {
				n += end
			} else {
				n = len(s)
			}
			kind = 'x'
		}
		t := lexeme{kind: kind, text: s[:n]}
		switch kind {
		case '\n', '/':
			t.breaks = true
		case '"':
			t.width, t.breaks = columns(t.text), strings.Contains(t.text, "\n")
		case 'x':
			t.width = codeWidth(steady(t.text))
		}
		list = append(list, t)
		s = s[n:]
	}
	return list
}

// special reports whether a character ends a token of other text.
func special(r rune) bool { return r < 0x10 && r != '\t' || strings.ContainsRune("\"'`/", r) }

// codeWidth is the width that gofmt gives to code, which the renderer separates by spaces
// of its own.
func codeWidth(s string) int {
	width := 0
	var before byte // the last character that is not a space
	apart := false  // a space is behind it
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == ' ' || c == '\t' {
			apart = true
			continue
		}
		operator := operatorAt(s[i:])
		switch {
		case operator > 0:
			width += operator + 2
			i += operator - 1
		case c == ',' || c == ':':
			width += 2
		case c == '*' && '0' <= before && before <= '9':
			width += 3
		case (c == '(' || c == '{') && before == ')',
			apart && wordByte(before) && (wordByte(c) || c == '*' || strings.HasPrefix(s[i:], "[]") || strings.HasPrefix(s[i:], "...")):
			width += 2
		case c < utf8.RuneSelf || utf8.RuneStart(c):
			width++
		}
		before, apart = s[i], false
	}
	return width
}

// operatorAt is the length of the operator with which code begins and around which gofmt
// puts spaces, or 0.
func operatorAt(s string) int {
	for _, op := range []string{":=", "+=", "==", "!=", "<=", ">=", "&&", "||", "=", "+", "<", ">"} {
		if strings.HasPrefix(s, op) {
			return len(op)
		}
	}
	return 0
}

func wordByte(c byte) bool {
	return c == '_' || c >= utf8.RuneSelf || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// match finds the ends of groups.
func (l *layout) match() {
	l.ends = make([]int, len(l.tokens))
	var open []int
	for i, t := range l.tokens {
		switch string(t.kind) {
		case listMark, fillMark, brokenMark, rowMark, callMark:
			open = append(open, i)
		case closeMark, endMark:
			l.ends[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
}

// run writes tokens; flat says that no mark breaks the line.
func (l *layout) run(from, to int, flat bool) {
	for i := from; i < to; i++ {
		switch t := l.tokens[i]; string(t.kind) {
		case listMark, fillMark, brokenMark, rowMark, callMark:
			i = l.group(i, flat)
		case softMark:
			if !flat && l.column+l.reach(i+1) > l.limit {
				l.newline()
			}
		case placeStart:
			if l.place == "" {
				l.place = t.text
			}
		case "\n":
			l.newline()
		case aloneMark, funcMark:
		default:
			if t.kind == '"' && t.breaks && l.place != "" && l.place != l.said && l.continues() {
				l.placeAbove() // else the position would stand where the text ends
			}
			l.write(t)
		}
	}
}

// group writes the group that begins at a token and returns where it ends.
func (l *layout) group(start int, flat bool) int {
	end, kind := l.ends[start], string(l.tokens[start].kind)
	flat = flat || kind != brokenMark && l.fits(start, end)
	if kind == callMark {
		kind = listMark
		if !flat && l.rows(start, end) {
			kind = rowMark
		}
	}
	if flat || kind == rowMark {
		l.items(start, end, kind, flat)
		if l.is(end, endMark) {
			l.column += 2 // the spaces inside the braces of a body
		}
		return end
	}
	l.newline()
	l.items(start, end, kind, false)
	if l.is(end, closeMark) {
		l.text(",", 1)
	}
	l.newline()
	return end
}

// items writes the items of a group with what separates them.
func (l *layout) items(start, end int, kind string, flat bool) {
	first, fills := l.line, kind == fillMark || kind == rowMark
	whole := kind == fillMark && !l.breaks(start, end) && l.column+l.span(start, end)+1 <= l.limit
	share := false // the next item may stand behind the last one
	last := start
	for i := start + 1; i < end; {
		next := l.item(i, end)
		alone := l.is(i, aloneMark) || l.is(i, funcMark) && !whole
		switch {
		case i == start+1:
		case flat, share && !alone && l.column+2+l.shared(i, next, end, kind, first == l.line) <= l.limit:
			l.text(", ", 2)
		default:
			l.text(",", 1)
			l.newline()
			if l.is(last, aloneMark) { // whose value gofmt aligns with this one
				l.column += max(0, l.key(last)-l.key(i))
			}
		}
		line := l.line
		l.run(i, next, flat)
		share = fills && !alone && line == l.line
		last, i = i, next+1
	}
}

// key is the width of the field that an item sets.
func (l *layout) key(i int) int {
	for l.tokens[i].kind < ' ' {
		i++
	}
	name, _, _ := strings.Cut(l.tokens[i].text, ":")
	return len(strings.TrimSpace(name))
}

// is reports whether a token is a mark.
func (l *layout) is(i int, mark string) bool { return string(l.tokens[i].kind) == mark }

// rows reports whether the arguments of a call that does not fit may fill lines: none breaks
// further, and the call is not the head of a block, whose lines would look like theirs.
func (l *layout) rows(start, end int) bool {
	head := bytes.TrimLeft(l.out.Bytes()[l.start:], " \t")
	if bytes.HasPrefix(head, []byte("if ")) || bytes.HasPrefix(head, []byte("for ")) {
		return false
	}
	column := l.column
	for i := start + 1; i < end; {
		next := l.item(i, end)
		behind := 1 // a comma
		if next == end {
			behind = l.reach(end + 1)
		}
		if l.breaks(i, next) || column+l.span(i, next)+behind > l.limit {
			return false
		}
		column, i = l.margin+tabWidth, next+1
	}
	return true
}

// breaks reports whether one of the tokens breaks the line.
func (l *layout) breaks(from, to int) bool {
	return slices.ContainsFunc(l.tokens[from:to], func(t lexeme) bool { return t.breaks })
}

// shared is the room that an item needs to share the line of the one before it. The last
// one of a group needs less on the group's first line if it is a list that breaks anyway: its
// bracket stays there.
func (l *layout) shared(from, to, end int, kind string, first bool) int {
	width := l.span(from, to) + l.comma(from, to)
	if to == end && kind == rowMark {
		width += l.reach(end + 1) // the closing bracket
	}
	if !first || to < end || l.indent()+width <= l.limit && !l.breaks(from, to) {
		return width
	}
	for i := from; i < to; i++ {
		if (l.is(i, listMark) || l.is(i, brokenMark)) && l.ends[i]+2 == to && l.is(l.ends[i], closeMark) {
			return l.span(from, i)
		}
	}
	return width
}

// placeAbove writes the position above the line.
func (l *layout) placeAbove() {
	l.above("// " + l.place)
	l.said, l.place = l.place, ""
}

// above writes a line above the one that is being written.
func (l *layout) above(text string) {
	line := slices.Clone(l.out.Bytes()[l.start:])
	l.out.Truncate(l.start)
	l.out.WriteString(text + "\n")
	l.out.Write(line)
}

// comma is the room that an item with a group needs behind it, so that the group fits, too.
func (l *layout) comma(from, to int) int {
	return min(1, slices.Max(append(l.ends[from:to:to], 0)))
}

// item returns where the item of a group ends that begins at a token.
func (l *layout) item(i, end int) int {
	for i < end && string(l.tokens[i].kind) != nextMark {
		i = max(i, l.ends[i]) + 1
	}
	return i
}

// fits reports whether a group fits on its line, with what follows it there.
func (l *layout) fits(start, end int) bool {
	body := l.is(end, endMark)
	if l.breaks(start, end) || body && l.column-l.header+l.code(start, end) > bodyWidth {
		return false
	}
	return l.column+l.span(start, end+1)+l.reach(end+1) <= l.limit
}

// span is the width of tokens on one line, with the position as the line's comment.
func (l *layout) span(from, to int) int {
	width := l.code(from, to)
	for _, t := range l.tokens[from:to] {
		if string(t.kind) == placeStart && l.place == "" {
			width += l.placeWidth(t.text)
		}
	}
	return width
}

// code is the width of tokens on one line without a comment.
func (l *layout) code(from, to int) int {
	width := 0
	for _, t := range l.tokens[from:to] {
		width += t.width
		switch string(t.kind) {
		case nextMark, endMark: // a comma and a space; the spaces inside the braces of a body
			width += 2
		}
	}
	return width
}

// placeWidth is the width of a position as the line's comment, which a declaration has once.
func (l *layout) placeWidth(place string) int {
	if place == "" || place == l.said {
		return 0
	}
	if at := withoutNumber(place); at != place {
		return columns(at) + len(" // 123")
	}
	return columns(place) + len(" // ")
}

// withoutNumber is a position without its line number, and another comment as it is.
func withoutNumber(place string) string { return strings.TrimRight(place, "0123456789") }

// reach is the width of what follows up to where the line may break.
func (l *layout) reach(i int) int {
	width := l.placeWidth(l.place)
	for ; i < len(l.tokens); i++ {
		t := l.tokens[i]
		switch string(t.kind) {
		case nextMark:
			return width + 1
		case closeMark, endMark, softMark, "\n":
			return width
		case placeStart:
			if l.place == "" {
				width += l.placeWidth(t.text)
			}
		case fillMark:
			return width // its items can begin on the next line
		case listMark, rowMark, callMark:
			if string(l.tokens[l.ends[i]].kind) == endMark {
				return width // a body can begin on the next line
			}
			width += l.span(i, l.ends[i])
			i = l.ends[i]
		case brokenMark:
			return width
		default:
			if t.breaks {
				return width
			}
			width += t.width
		}
	}
	return width
}

// newline ends the line, with the position of what stands on it.
func (l *layout) newline() {
	operator := l.operator()
	if len(l.open) == 0 {
		l.said = "" // a declaration ends
	}
	if place := l.place; place != "" && place != l.said {
		if l.column+l.placeWidth(place) > l.limit {
			l.above("// " + place)
		} else {
			if n := l.noted; n[0] == l.line && n[1] == l.margin && n[2] != l.column && withoutNumber(place) != place {
				l.above("") // else gofmt would align the comments of two statements
			}
			l.noted = [3]int{l.line + 1, l.margin, l.column}
			l.out.WriteString(" // " + place)
		}
		l.said = place
	}
	l.place = ""
	l.out.WriteByte('\n')
	l.line++
	l.start, l.margin = l.out.Len(), l.indent()
	l.column = l.margin
	if operator {
		l.column += tabWidth
	}
}

// operator reports whether the line ends with an operator, after which gofmt indents the
// next line.
func (l *layout) operator() bool {
	line := bytes.TrimRight(l.out.Bytes()[l.start:], " \t")
	return len(line) > 0 && bytes.IndexByte([]byte("+&|"), line[len(line)-1]) >= 0
}

// indent is the column at which a line begins: brackets that begin on one line
// indent what is in them once.
func (l *layout) indent() int {
	depth, last := 0, -1
	for _, line := range l.open {
		if line != last {
			depth++
		}
		last = line
	}
	return depth * tabWidth
}

func (l *layout) text(s string, width int) {
	l.out.WriteString(s)
	l.column += width
}

// continues reports whether the line may go on on the next: it is an assignment, a field
// or a call without its value.
func (l *layout) continues() bool {
	line := bytes.TrimRight(l.out.Bytes(), " \t")
	return len(line) > 0 && bytes.IndexByte([]byte("=:("), line[len(line)-1]) >= 0
}

// write writes a token that is no mark.
func (l *layout) write(t lexeme) {
	l.text(t.text, t.width)
	switch {
	case t.kind == '"' && t.breaks:
		l.line += strings.Count(t.text, "\n")
		l.column = len(t.text) - strings.LastIndexByte(t.text, '\n')
	case t.kind == 'x':
		if at := strings.LastIndex(t.text, "func"); at >= 0 {
			l.header = l.column - codeWidth(t.text[at:])
		}
		for _, r := range t.text {
			switch r {
			case '(', '{', '[':
				l.open = append(l.open, l.line)
			case ')', '}', ']':
				l.open = l.open[:len(l.open)-1]
			}
		}
	}
}
