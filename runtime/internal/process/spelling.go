package process

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A spelling is a way to read the beginning of a text: as its first byte, or as the bytes
// that an escape sequence stands for.
type spelling struct {
	bytes  [utf8.UTFMax]byte
	length uint8 // of bytes
	size   uint8 // of the spelling
}

// spellings are the different ways to read the beginning of a text.
type spellings struct {
	list  [12]spelling
	count int
	steps int
	// open says that the text ends within an escape sequence.
	open bool
}

// mayMean reports whether an escape sequence with which a text may begin may mean a byte for
// which ok is true. It is quick, and true in doubt.
func mayMean(text []byte, ok func(c byte) bool) bool {
	a := text[0]
	switch {
	case !beginsEscape(a):
		return false
	case isQuote(a):
		return ok(a) // quotes mean quotes only
	case len(text) == 1:
		return true
	}
	switch b := text[1]; {
	case a == '&':
		return b == '#' || isLetter(b) || beginsEscape(b)
	case a == '%':
		return hexDigitValue(b) < 16 || beginsEscape(b)
	case isQuote(b):
		return ok(b)
	case beginsEscape(b) || strings.IndexByte("uUx0123", b) >= 0:
		return true
	case isLetter(b) || isDigit(b):
		return controls[b] != 0 && ok(controls[b])
	default:
		return ok(b)
	}
}

func (s *spellings) all() []spelling { return s.list[:s.count] }

func (s *spellings) addSpelling(text string, size int) {
	new := spelling{length: uint8(len(text)), size: uint8(size)}
	copy(new.bytes[:], text)
	for _, old := range s.all() {
		if old == new {
			return
		}
	}
	if s.count < len(s.list) {
		s.list[s.count] = new
		s.count++
	}
}

// beginsEscape reports whether a byte begins escape sequences: of URLs, of strings in JSON and in
// programming languages, of HTML, or of quotes within quotes.
func beginsEscape(c byte) bool { return c == '%' || c == '\\' || c == '&' || c == '\'' || c == '"' }

// quotes are the ways to write a quote within quotes in shells, SQL and CSV, behind the
// first character.
var quotes = map[byte][]string{'\'': {`'`, `\''`, `"'"'`}, '"': {`"`}}

// deepest is how often an escape sequence may be escaped again: a quote in JSON that is a
// string in a script, for example.
const deepest = 3

// A speller finds the spellings at places of one text. It keeps those of some places: each
// place is read often if there are many escape sequences in a row.
type speller struct{ kept map[[2]int]*spellings }

// mostKept is how many spellings a speller keeps.
const mostKept = 1000

// findSpellings returns the spellings at the beginning of rest, which is not empty and the rest of the
// text. The characters of escape sequences may be escaped themselves, up to depth times.
func (sp *speller) findSpellings(rest []byte, depth int) *spellings {
	if depth == 0 || !beginsEscape(rest[0]) || bytes.HasPrefix(rest, manyBackslashes) {
		return &literals[rest[0]]
	}
	place := [2]int{len(rest), depth}
	if known := sp.kept[place]; known != nil {
		return known
	}
	s := *sp.findSpellings(rest, depth-1)
	for _, first := range s.all() {
		if first.length == 1 && beginsEscape(first.bytes[0]) {
			r := reader{speller: sp, text: rest, at: int(first.size), depth: depth - 1, found: &s}
			r.readEscape(first.bytes[0])
		}
	}
	if sp.kept == nil || len(sp.kept) == mostKept {
		sp.kept = map[[2]int]*spellings{}
	}
	sp.kept[place] = &s
	return &s
}

// manyBackslashes are more than escaping makes of one or two.
var manyBackslashes = bytes.Repeat([]byte{'\\'}, 4<<deepest)

// literals are the spellings of bytes that stand for themselves.
var literals = func() (list [256]spellings) {
	for c := range list {
		list[c].list[0] = spelling{bytes: [utf8.UTFMax]byte{byte(c)}, length: 1, size: 1}
		list[c].count = 1
	}
	return list
}()

// longestEntity is the length of the longest character reference of HTML that counts, and
// mostSteps bounds the work for one escape sequence.
const (
	longestEntity = len("&#x0010FFFF;")
	mostSteps     = 100
)

// A reader reads the characters of an escape sequence. Each of its functions calls another
// one for each way to read on.
type reader struct {
	*speller
	text  []byte
	at    int
	depth int
	found *spellings
}

// nextChar reads a character.
func (r reader) nextChar(then func(c byte, r reader)) {
	if r.at == len(r.text) {
		r.found.open = true
		return
	}
	list := r.findSpellings(r.text[r.at:], r.depth)
	r.found.open = r.found.open || list.open
	for _, s := range list.all() {
		if r.found.steps++; s.length == 1 && r.found.steps < mostSteps {
			after := r
			after.at += int(s.size)
			then(s.bytes[0], after)
		}
	}
}

// readWord reads the characters of a string.
func (r reader) readWord(want string, then func(r reader)) {
	if want == "" {
		then(r)
		return
	}
	r.nextChar(func(c byte, r reader) {
		if c == want[0] {
			r.readWord(want[1:], then)
		}
	})
}

// readDigits reads digits, which continue the number n.
func (r reader) readDigits(n rune, count, base int, then func(n rune, r reader)) {
	if count == 0 {
		then(n, r)
		return
	}
	r.nextChar(func(c byte, r reader) {
		if d := int(hexDigitValue(c)); d < base {
			r.readDigits(n*rune(base)+rune(d), count-1, base, then)
		}
	})
}

// hexDigitValue returns the value of a hexadecimal digit, or a larger number.
func hexDigitValue(c byte) byte {
	switch {
	case isDigit(c):
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 255
}

func isQuote(c byte) bool  { return c == '\'' || c == '"' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

func (r reader) addMeaning(text string) { r.found.addSpelling(text, r.at) }

// addChar adds a character. A number such as \xe9 is a byte in some languages.
func (r reader) addChar(n rune) {
	if n >= utf8.RuneSelf && n <= 0xff {
		r.addMeaning(string([]byte{byte(n)}))
	}
	r.addMeaning(string(n))
}

// readEscape adds the meanings of an escape sequence after its first character.
func (r reader) readEscape(first byte) {
	switch first {
	case '%':
		r.readDigits(0, 2, 16, func(n rune, r reader) { r.addMeaning(string([]byte{byte(n)})) })
	case '&':
		r.readEntity("&")
	case '\\':
		r.nextChar(func(c byte, r reader) { r.readBackslash(c) })
	default:
		for _, quoted := range quotes[first] {
			r.readWord(quoted, func(r reader) { r.addMeaning(string(rune(first))) })
		}
	}
}

// readEntity adds the meaning of a character reference.
func (r reader) readEntity(text string) {
	r.nextChar(func(c byte, r reader) {
		switch text := text + string(rune(c)); {
		case c == ';':
			if n := decodeCharReference(text); n != 0 {
				r.addMeaning(string(n))
			}
		case len(text) < longestEntity && (c == '#' || isDigit(c) || isLetter(c)):
			r.readEntity(text)
		}
	})
}

// decodeCharReference returns the character of a character reference, or 0. It knows the names that
// encoders write.
func decodeCharReference(text string) rune {
	digits, numeric := strings.CutPrefix(strings.TrimSuffix(text, ";"), "&#")
	if !numeric {
		return map[string]rune{"&amp;": '&', "&lt;": '<', "&gt;": '>', "&quot;": '"', "&apos;": '\'', "&nbsp;": '\u00a0', "&sol;": '/', "&equals;": '=', "&plus;": '+'}[text]
	}
	base := 10
	if hex := strings.TrimLeft(digits, "xX"); len(hex) == len(digits)-1 {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || n > unicode.MaxRune {
		return 0
	}
	return rune(n)
}

// controls are the control characters that letters after a backslash mean.
var controls = [256]byte{'a': '\a', 'b': '\b', 't': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', 'e': '\x1b'}

// readBackslash adds the meanings of an escape sequence after a backslash and a character.
func (r reader) readBackslash(c byte) {
	char := func(n rune, r reader) { r.addChar(n) }
	switch {
	case c == 'u':
		r.readDigits(0, 4, 16, func(n rune, r reader) {
			if !utf16.IsSurrogate(n) {
				r.addChar(n)
				return
			}
			r.readWord(`\u`, func(r reader) {
				r.readDigits(0, 4, 16, func(low rune, r reader) { r.addChar(utf16.DecodeRune(n, low)) })
			})
		})
		r.readWord("{", func(r reader) {
			for count := 1; count <= 6; count++ {
				r.readDigits(0, count, 16, func(n rune, r reader) { r.readWord("}", func(r reader) { r.addChar(n) }) })
			}
		})
	case c == 'U':
		r.readDigits(0, 8, 16, char)
	case c == 'x':
		r.readDigits(0, 2, 16, char)
	case c >= '0' && c <= '3':
		r.readDigits(rune(hexDigitValue(c)), 2, 8, char)
	case controls[c] != 0:
		r.addMeaning(string(rune(controls[c])))
	case c >= ' ' && c < utf8.RuneSelf && !isDigit(c) && !isLetter(c):
		r.addMeaning(string(rune(c)))
	}
}
