package reference

import (
	"strings"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/internal/lazyregexp"
)

// A ref is a reference in a text.
type ref struct {
	name string
	// start and end are its offsets; nameEnd is where its name ends.
	start, nameEnd, end int
	args                []arg
	// more is the text behind a colon that follows the name or the arguments, or nil, and
	// moreEnd is its end; see takeText.
	more    *arg
	moreEnd int
	// loose says that its arguments have no end.
	loose bool
	// literal says that it is in code, and launch that it is written #!name.
	literal, launch bool
	// review is the !! or ?? behind the name, or "".
	review string
	// missed says that it is only what an author may take for a reference.
	missed missedKind
}

// isCall reports whether more than a single name is written: an argument, or a path.
func (r *ref) isCall() bool {
	return r.end > r.nameEnd || r.loose || r.more != nil || strings.Contains(r.name, "/")
}

// An arg is an argument as it is written: marks represent holes.
type arg struct {
	name, text string
	// start and end are its offsets.
	start, end int
}

// A scanner finds the references of a text.
type scanner struct {
	text string
	// successor says that the rules of the format's successor hold: no reference is in
	// code or in a region without macros, and more forms of arguments exist.
	successor bool
	literal   literalZones
	// known reports whether a name is that of a prompt, and unknown gets the references
	// to other names.
	known   func(name string) bool
	unknown func(r *ref)
	// argsEnd is where the arguments of the last unknown reference end.
	argsEnd int
}

func newScanner(text string, successor bool, known func(string) bool, unknown func(*ref)) *scanner {
	return &scanner{text: text, successor: successor, literal: literalZones{successor: successor}, known: known, unknown: unknown}
}

// next finds the first reference to a known name from an offset on.
func (s *scanner) next(from int) (ref, bool) {
	for at := from; ; {
		i := strings.IndexByte(s.text[at:], '#')
		if i < 0 {
			return ref{}, false
		}
		at += i
		r := ref{start: at}
		at++
		if !startsRef(s.text, r.start) {
			if at > s.argsEnd {
				s.findGlued(r.start)
			}
			continue
		}
		r.literal = s.literal.contain(s.text, r.start)
		if r.literal && s.successor {
			continue
		}
		r.launch = strings.HasPrefix(s.text[at:], "!")
		if r.launch {
			at++
		}
		s.readName(&r, at)
		if r.name == "" && r.missed == notMissed {
			if !isHeading(s.text, r.start) {
				s.known("") // a reference that is being written: an editor proposes names
			}
			continue
		}
		if s.successor {
			r.name = strings.ReplaceAll(r.name, "__", "/")
		}
		known := r.missed == notMissed && s.known(r.name)
		s.literal.find(s.text)
		r.readArgs(s.text, s.successor, s.literal.blocks)
		if r.launch || !known {
			s.unknown(&r)
			s.argsEnd = r.end
			continue
		}
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

// nameForm is the form of the names of prompts: names, with slashes between them.
var nameForm = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*(?:/[A-Za-z_][A-Za-z0-9_]*)*`)

// nameEnd is where the name that begins at an offset ends.
func nameEnd(text string, at int) int { return at + len(nameForm().FindString(text[at:])) }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isName(s string) bool { return s != "" && nameEnd(s, 0) == len(s) && !strings.Contains(s, "/") }

// readArgs reads the arguments after a reference's name. blocks are the blocks of code of the
// text, in which no text behind a colon ends.
func (r *ref) readArgs(text string, successor bool, blocks []stretch) {
	r.end = r.nameEnd
	if suffix := text[r.end:min(r.end+2, len(text))]; successor && (suffix == "!!" || suffix == "??") {
		r.review = suffix
		r.end += len(suffix)
	}
	if r.end == len(text) {
		return
	}
	switch rest := text[r.end:]; {
	case rest[0] == '(':
		end := closingParen(text, r.end, successor)
		if end < 0 {
			r.loose = true
			return
		}
		r.args = splitArgs(text, r.end+1, end, successor)
		r.end = end + 1
		if !r.readMore(text, successor, blocks) && hasText(text, r.end) && startsLine(text, r.start) {
			r.moreEnd = paragraphEnd(text, r.end+1)
			r.more = &arg{text: dedentBlock(text[r.end+1 : r.moreEnd]), start: r.end + 1, end: r.moreEnd}
		}
	case rest[0] == '+':
		r.args = []arg{{text: "true", start: r.end, end: r.end + 1}}
		r.end++
	case r.readMore(text, successor, blocks):
	case hasText(text, r.end) && startsLine(text, r.start):
		end := paragraphEnd(text, r.end+1)
		r.args = []arg{{text: strings.TrimSpace(text[r.end+1 : end]), start: r.end + 1, end: end}}
		r.end = end
	case rest[0] == ':' && successor:
		r.args, r.end = colonArgs(text, r.end)
	case rest[0] == ':':
		if end := wordEnd(text, r.end+1); end > r.end+1 {
			r.args = []arg{{text: text[r.end+1 : end], start: r.end + 1, end: end}}
			r.end = end
		}
	}
}

// readMore reads the text behind two colons, up to the next line with a reference that
// has arguments. In the format's successor, one colon with a space begins a text up to
// the next empty line, anywhere in a line.
func (r *ref) readMore(text string, successor bool, blocks []stretch) bool {
	start, end := afterColons(text, r.end), 0
	switch {
	case start >= 0:
		end = nextCall(text, start, blocks)
	case successor && strings.HasPrefix(text[r.end:], ": "):
		start = r.end + 2
		end = indexOutside(text, "\n\n", start, blocks)
	default:
		return false
	}
	end = start + len(strings.TrimRight(text[start:end], " \t\r\n"))
	if end > start {
		r.more, r.moreEnd = &arg{text: text[start:end], start: start, end: end}, end
	}
	return true
}

// afterColons is where the text begins that two colons at an offset announce: behind a
// space, or in the next line. It is -1 if they announce none.
func afterColons(text string, at int) int {
	rest, ok := strings.CutPrefix(text[at:], "::")
	if !ok || strings.HasPrefix(rest, ":") {
		return -1
	}
	blank := strings.TrimLeft(rest, " \t")
	line := strings.TrimPrefix(blank, "\r")
	switch {
	case blank == "":
		return len(text)
	case strings.HasPrefix(line, "\n"):
		return len(text) - len(line) + 1
	case rest[0] == ' ':
		return len(text) - len(rest) + 1
	}
	return -1
}

// nextCall is where the line ends, from an offset on, that is before a reference with
// parentheses or with a text behind colons.
func nextCall(text string, from int, blocks []stretch) int {
	for at := from; ; at++ {
		if at = indexOutside(text, "\n#", at, blocks); at == len(text) {
			return at
		}
		end := nameEnd(text, at+2)
		rest := text[end:]
		if end > at+2 && (strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, ": ") || strings.HasPrefix(rest, ":: ") || isLineOfColons(rest)) {
			return at
		}
	}
}

// indexOutside is where the next of some characters are, from an offset on, that are not in a
// block of code; it is the end of the text if there are none.
func indexOutside(text, chars string, from int, blocks []stretch) int {
	for at := from; ; at++ {
		i := strings.Index(text[at:], chars)
		if i < 0 {
			return len(text)
		}
		if at += i; !isIn(blocks, at) {
			return at
		}
	}
}

// isLineOfColons reports whether only two colons are left on a line.
func isLineOfColons(rest string) bool {
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimRight(line, " \t\r") == "::"
}

// colonArgs reads what is behind a colon in the format's successor: a text between
// backquotes, a command, or words with commas between them, in which + is a space.
func colonArgs(text string, colon int) ([]arg, int) {
	start := colon + 1
	if rest := text[start:]; strings.HasPrefix(rest, "`") {
		if i := strings.IndexByte(rest[1:], '`'); i >= 0 {
			return []arg{{text: rest[1 : i+1], start: start, end: start + i + 2}}, start + i + 2
		}
	} else if strings.HasPrefix(rest, "$(") {
		if i := strings.IndexByte(rest, ')'); i >= 0 {
			return []arg{{text: rest[:i+1], start: start, end: start + i + 1}}, start + i + 1
		}
	}
	end := start
	for end < len(text) {
		if text[end] == markByte {
			end += markLength
			continue
		}
		if !bind.IsNameByte(text[end]) && strings.IndexByte(".~,+/@-", text[end]) < 0 {
			break
		}
		end++
	}
	end = start + len(strings.TrimRight(text[start:end], "."))
	if end == start {
		return nil, colon
	}
	var args []arg
	for word := range strings.SplitSeq(text[start:end], ",") {
		args = append(args, arg{text: strings.ReplaceAll(word, "+", " "), start: start, end: start + len(word)})
		start += len(word) + 1
	}
	return args, end
}

// hasText reports whether a colon and a space are at an offset.
func hasText(text string, at int) bool {
	return at+1 < len(text) && text[at] == ':' && (text[at+1] == ' ' || text[at+1] == '\t')
}

// takeText makes the text behind `#name(arguments):` or `#name::` the last argument, as
// the format's successor does. In the format itself that text is not an argument. A
// reference that lacks an argument is a mistake there, so it is treated as one of the
// successor's.
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
func closingParen(text string, open int, successor bool) int {
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
			j := blockEnd(text, i, successor)
			if j < 0 {
				return -1
			}
			i = j + 1
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

// blockEnd is where the ]] of the [[ at an offset is, or -1. In the format's successor,
// an end of an argument follows it.
func blockEnd(text string, at int, successor bool) int {
	for from := at + 2; ; {
		i := strings.Index(text[min(from, len(text)):], "]]")
		if i < 0 {
			return -1
		}
		end := from + i
		rest := strings.TrimLeft(text[end+2:], " \t\r\n")
		if !successor || rest == "" || strings.IndexByte(",)}|", rest[0]) >= 0 {
			return end
		}
		from = end + 1
	}
}

// splitArgs reads the arguments between two offsets: commas between quotes and
// between brackets do not part them. In the format's successor, nothing between two
// commas is an empty argument.
func splitArgs(text string, start, end int, successor bool) []arg {
	var list []arg
	from := start
	add := func(to int) {
		a, ok := readArg(text, from, to)
		if ok || successor && (to < end || to > start && text[to-1] == ',') {
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
			if j := blockEnd(text[:end], i, successor); j >= 0 {
				i = j + 1
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
	start = end - len(strings.TrimLeft(text[start:end], blanks))
	s := strings.TrimRight(text[start:end], blanks)
	a := arg{start: start, end: start + len(s)}
	if s == "" {
		return a, false
	}
	if n := nameEnd(s, 0); n > 0 && !strings.Contains(s[:n], "/") {
		if rest := strings.TrimLeft(s[n:], " \t\r\n"); strings.HasPrefix(rest, "=") {
			a.name, s = s[:n], strings.TrimSpace(rest[1:])
		}
	}
	a.text = unquoteArgument(s)
	return a, true
}

const blanks = " \t\r\n"

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
