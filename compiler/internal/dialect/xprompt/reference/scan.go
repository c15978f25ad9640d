package reference

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
)

// A ref is a reference in a text.
type ref struct {
	name string
	// start and end are its offsets; nameEnd is where its name ends.
	start, nameEnd, end int
	args                []arg
	// more is the text behind the arguments up to the next blank line, or nil, and
	// moreEnd is its end; see takeText.
	more    *arg
	moreEnd int
	// loose says that its arguments have no end.
	loose bool
}

// An arg is an argument as it is written: marks represent holes.
type arg struct {
	name, text string
	// start and end are its offsets.
	start, end int
}

// nextRef finds the first reference to a known name from an offset on. It passes
// unknown names to unknown.
func nextRef(text string, from int, known func(string) bool, unknown func(name string, start, end int)) (ref, bool) {
	for at := from; ; {
		i := strings.IndexByte(text[at:], '#')
		if i < 0 {
			return ref{}, false
		}
		at += i
		r := ref{start: at}
		at++
		if !startsRef(text, r.start) {
			continue
		}
		r.nameEnd = nameEnd(text, at)
		r.name = text[at:r.nameEnd]
		if r.name == "" {
			if !isHeading(text, r.start) {
				known("") // a reference that is being written: an editor proposes names
			}
			continue
		}
		if !known(r.name) {
			unknown(r.name, r.start, r.nameEnd)
			continue
		}
		r.readArgs(text)
		return r, true
	}
}

// isHeading reports whether the # at an offset starts a heading of Markdown: it follows
// only other # on its line, and a space is behind them.
func isHeading(text string, at int) bool {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	rest := strings.TrimLeft(text[at:], "#")
	return strings.Trim(text[start:at], "#") == "" && strings.HasPrefix(rest, " ")
}

// startsRef reports whether the # at an offset can begin a reference.
func startsRef(text string, at int) bool {
	return at == 0 || strings.IndexByte(" \t\r\n\v\f([{\"'", text[at-1]) >= 0
}

// nameEnd is where the name that begins at an offset ends: names, with slashes
// between them.
func nameEnd(text string, at int) int {
	end := at
	for i := at; ; {
		j := i
		for j < len(text) && bind.IsNameByte(text[j]) && !(j == i && isDigit(text[j])) {
			j++
		}
		if j == i {
			return end
		}
		end = j
		if j == len(text) || text[j] != '/' {
			return end
		}
		i = j + 1
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isName(s string) bool { return s != "" && nameEnd(s, 0) == len(s) && !strings.Contains(s, "/") }

// readArgs reads the arguments after a reference's name.
func (r *ref) readArgs(text string) {
	r.end = r.nameEnd
	if r.end == len(text) {
		return
	}
	switch rest := text[r.end:]; {
	case rest[0] == '(':
		end := closingParen(text, r.end)
		if end < 0 {
			r.loose = true
			return
		}
		r.args = splitArgs(text, r.end+1, end)
		r.end = end + 1
		if hasText(text, r.end) && startsLine(text, r.start) {
			r.moreEnd = paragraphEnd(text, r.end+1)
			r.more = &arg{text: dedentBlock(text[r.end+1 : r.moreEnd]), start: r.end + 1, end: r.moreEnd}
		}
	case rest[0] == '+':
		r.args = []arg{{text: "true", start: r.end, end: r.end + 1}}
		r.end++
	case hasText(text, r.end) && startsLine(text, r.start):
		end := paragraphEnd(text, r.end+1)
		r.args = []arg{{text: strings.TrimSpace(text[r.end+1 : end]), start: r.end + 1, end: end}}
		r.end = end
	case rest[0] == ':':
		if end := wordEnd(text, r.end+1); end > r.end+1 {
			r.args = []arg{{text: text[r.end+1 : end], start: r.end + 1, end: end}}
			r.end = end
		}
	}
}

// hasText reports whether a colon and a space are at an offset.
func hasText(text string, at int) bool {
	return at+1 < len(text) && text[at] == ':' && (text[at+1] == ' ' || text[at+1] == '\t')
}

// takeText makes the text behind `#name(arguments):` the last argument, as the format's
// successor does. In the format itself that text is not an argument. A reference that
// lacks an argument is a mistake there, so it is treated as one of the successor's.
func (r *ref) takeText(p *prompt, successor bool) {
	if r.more == nil || !successor && !p.lacksArgument(r.args) {
		return
	}
	r.args, r.end = append(r.args, *r.more), r.moreEnd
}

func startsLine(text string, at int) bool { return at == 0 || text[at-1] == '\n' }

// paragraphEnd is the end of the text that begins at an offset: before the next
// blank line, without trailing spaces.
func paragraphEnd(text string, at int) int {
	end := len(text)
	for i := at; i < len(text); i++ {
		if text[i] != '\n' {
			continue
		}
		line, _, _ := strings.Cut(text[i+1:], "\n")
		if strings.TrimSpace(line) == "" {
			end = i
			break
		}
	}
	return at + len(strings.TrimRight(text[at:end], " \t\r\n"))
}

// wordEnd is where the argument behind a colon ends.
func wordEnd(text string, at int) int {
	for at < len(text) {
		switch c := text[at]; {
		case c == markByte:
			at += markLength
		case bind.IsNameByte(c) || c == '.' || c == '-':
			at++
		default:
			return at
		}
	}
	return at
}

// closingParen is where the parenthesis that is open at an offset is closed, or -1.
func closingParen(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' || c == '\'':
			j := strings.IndexByte(text[i+1:], c)
			if j < 0 {
				return -1
			}
			i += j + 1
		case strings.HasPrefix(text[i:], "[["):
			j := strings.Index(text[i:], "]]")
			if j < 0 {
				return -1
			}
			i += j + 1
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// splitArgs reads the arguments between two offsets: commas between quotes and
// between brackets do not part them.
func splitArgs(text string, start, end int) []arg {
	var list []arg
	from := start
	add := func(to int) {
		if a, ok := readArg(text, from, to); ok {
			list = append(list, a)
		}
		from = to + 1
	}
	for i := start; i < end; i++ {
		switch c := text[i]; {
		case c == '"' || c == '\'':
			if j := strings.IndexByte(text[i+1:end], c); j >= 0 {
				i += j + 1
			}
		case strings.HasPrefix(text[i:end], "[["):
			if j := strings.Index(text[i:end], "]]"); j >= 0 {
				i += j + 1
			}
		case c == ',':
			add(i)
		}
	}
	add(end)
	return list
}

// readArg reads one argument; ok is false if it is blank.
func readArg(text string, start, end int) (arg, bool) {
	for start < end && isBlank(text[start]) {
		start++
	}
	for end > start && isBlank(text[end-1]) {
		end--
	}
	if start == end {
		return arg{}, false
	}
	a := arg{start: start, end: end}
	s := text[start:end]
	if n := nameEnd(s, 0); n > 0 && !strings.Contains(s[:n], "/") {
		if rest := strings.TrimLeft(s[n:], " \t\r\n"); strings.HasPrefix(rest, "=") {
			a.name, s = s[:n], strings.TrimSpace(rest[1:])
		}
	}
	a.text = unquoteArgument(s)
	return a, true
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// unquoteArgument is an argument without its quotes.
func unquoteArgument(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	if len(s) >= 4 && strings.HasPrefix(s, "[[") && strings.HasSuffix(s, "]]") {
		return dedentBlock(s[2 : len(s)-2])
	}
	return s
}

// dedentBlock is the text of a [[…]]: its first line begins where it begins, the others
// without the spaces that all of them begin with.
func dedentBlock(s string) string {
	lines := strings.Split(s, "\n")
	indent := -1
	for _, line := range lines[1:] {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if n := len(line) - len(strings.TrimLeft(line, " \t")); indent < 0 || n < indent {
			indent = n
		}
	}
	lines[0] = strings.TrimLeft(lines[0], " \t")
	for i, line := range lines[1:] {
		lines[i+1] = line[min(max(indent, 0), len(line)):]
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
