package process

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// A form is a secret as a sequence of symbols: its bytes, or digits that encode it. A text
// may spell each symbol in any way of spell. Between digits there may be space, and lines may
// break there; a line may have a prefix, such as the time in a log.
type form struct {
	symbols []byte
	digits  *digits // nil if the symbols are bytes
}

// digits are an encoding of bytes.
type digits struct {
	// value has the values of characters that are digits, and noDigit for others.
	value [256]byte
	// separators may be between two digits, behind the first few.
	separators string
	few        int
}

const (
	noDigit = 255
	// shortestPiece is how many digits at the end of a line may begin a secret that the next
	// line continues. With fewer, many lines would wait for the next one to be shown.
	shortestPiece = 3
	// longestPrefix is the length of the longest prefix of a line, and longestSuffix that of
	// the longest suffix with its line break, such as `",` and CRLF.
	longestPrefix, longestSuffix = 128, 5
)

func newDigits(separators string, few int, alphabets ...string) *digits {
	d := &digits{separators: separators, few: few, value: [256]byte(bytes.Repeat([]byte{noDigit}, 256))}
	for _, alphabet := range alphabets {
		for i, c := range []byte(alphabet) {
			d.value[c] = byte(i)
		}
	}
	return d
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

var (
	base64Digits = newDigits(" \t\r\n", shortestPiece, letters+"+/", letters+"-_")
	hexDigits    = newDigits(" \t\r\n:-,", 2, "0123456789abcdef", "0123456789ABCDEF")
)

// formsOf returns the forms of a value. In base64, a value may be at three offsets within the
// encoded data: behind a name and a colon, for example. The digits at the ends depend on the
// bytes around the value, so the form omits them.
func formsOf(value string) []*form {
	list := []*form{{symbols: []byte(value)}}
	const shortestEncoded = 8 // what stays the same of a shorter one may be a word
	if len(value) < shortestEncoded {
		return list
	}
	add := func(code string, d *digits) {
		f := &form{digits: d}
		for _, c := range []byte(code) {
			f.symbols = append(f.symbols, d.value[c])
		}
		list = append(list, f)
	}
	add(hex.EncodeToString([]byte(value)), hexDigits)
	for before := range 3 {
		text := append(make([]byte, before), value...)
		code := base64.RawStdEncoding.EncodeToString(text)
		end := len(code)
		if len(text)%3 != 0 {
			end--
		}
		add(code[(before*4+2)/3:end], base64Digits)
	}
	return list
}

// minBeforeSeparator is how many symbols are before the first space between two.
func (f *form) minBeforeSeparator() int {
	if f.digits != nil {
		return f.digits.few
	}
	return 0
}

// isSymbol reports whether a character is the n-th symbol.
func (f *form) isSymbol(c byte, n int) bool {
	if f.digits != nil {
		return f.digits.value[c] == f.symbols[n]
	}
	return c == f.symbols[n] || c == '+' && f.symbols[n] == ' ' // in URLs
}

// mayRead reports whether a text may begin with the n-th symbol, or with what may be before
// it if few is false. It is quick, and true in doubt.
func (f *form) mayRead(text []byte, n int, few bool) bool {
	ok := func(c byte) bool { return f.isSymbol(c, n) || !few && f.isSeparator(c, n) }
	return len(text) == 0 || ok(text[0]) || mayMean(text, ok)
}

// isSeparator reports whether a character may be before the n-th symbol.
func (f *form) isSeparator(c byte, n int) bool {
	if f.digits != nil {
		return strings.IndexByte(f.digits.separators, c) >= 0
	}
	return c == '\r' && f.symbols[n] == '\n'
}

// progress is how far a text matches a form: its first at bytes are the first n symbols. cuts
// has the start and the end of each part that is not masked, such as a prefix.
type progress struct {
	at, n int
	cuts  []int
}

// matchText returns the end of the form in a text, the first bytes of which are the first symbols
// of it. The end is 0 if the text does not match. open says that more text may make it match.
func (f *form) matchText(sp *speller, text []byte, p progress) (end int, cuts []int, open bool) {
	s := search{form: f, speller: sp, text: text, from: p.n - 1}
	for {
		for p.n < len(f.symbols) && p.at < len(text) && f.isSymbol(text[p.at], p.n) && !s.isAmbiguous(text[p.at]) {
			p.at, p.n = p.at+1, p.n+1
		}
		switch {
		case p.n == len(f.symbols):
			if p.at > end {
				end, cuts = p.at, p.cuts
			}
		case p.at == len(text):
			s.open = true
		default:
			s.followPlace(p)
		}
		if len(s.places) == 0 {
			return end, cuts, s.open
		}
		p = s.places[len(s.places)-1]
		s.places = s.places[:len(s.places)-1]
	}
}

// search is the state of one match.
type search struct {
	*form
	*speller
	text []byte
	// from is the symbol with which the text begins.
	from   int
	places []progress
	seen   map[[2]int]bool
	open   bool
}

// isAmbiguous reports whether there is more than one way to read a character.
func (s *search) isAmbiguous(c byte) bool { return beginsEscape(c) || c == '\n' }

func (s *search) pushPlace(p progress) {
	if s.seen == nil {
		s.seen = map[[2]int]bool{}
	}
	if at := [2]int{p.at, p.n}; !s.seen[at] {
		s.seen[at] = true
		s.places = append(s.places, p)
	}
}

// followPlace finds the places after one.
func (s *search) followPlace(p progress) {
	c := s.text[p.at]
	switch {
	case beginsEscape(c) && s.mayRead(s.text[p.at:], p.n, p.n-s.from < s.minBeforeSeparator()):
		list := s.findSpellings(s.text[p.at:], deepest)
		s.open = s.open || list.open
		for _, one := range list.all() {
			s.followSpelling(p, one)
		}
	default:
		s.followSpelling(p, literals[c].list[0])
	}
	if s.digits == nil {
		if c == '\n' && s.symbols[p.n] == '\n' {
			s.followLine(p, p.at+1, p.n+1)
		}
		return
	}
	if p.n-s.from < shortestPiece {
		return
	}
	at := p.at
	for range longestSuffix {
		if at == len(s.text) {
			s.open = true
			return
		}
		list := s.findSpellings(s.text[at:], deepest)
		s.open = s.open || list.open
		one := slices.MaxFunc(list.all(), func(a, b spelling) int { return cmp.Compare(a.size, b.size) })
		at += int(one.size)
		switch c := one.bytes[0]; {
		case c == '\n':
			s.followLine(p, at, p.n)
			return
		case isLetter(c) || isDigit(c):
			return
		}
	}
}

// followSpelling follows a spelling of the next symbols, or of space.
func (s *search) followSpelling(p progress, one spelling) {
	next := progress{p.at + int(one.size), p.n, p.cuts}
	c := one.bytes[0]
	switch {
	case s.matchesSpelling(one, p.n):
		next.n += int(one.length)
	case s.isSeparator(c, p.n) && p.n-s.from >= s.minBeforeSeparator() && (c != '\n' || one.size > 1): // else see followLine
	default:
		return
	}
	s.pushPlace(next)
}

// matchesSpelling reports whether a spelling is that of the n-th symbol and of those behind it.
func (f *form) matchesSpelling(one spelling, n int) bool {
	for i, c := range one.bytes[:one.length] {
		if n+i == len(f.symbols) || !f.isSymbol(c, n+i) {
			return false
		}
	}
	return true
}

// followLine follows the line that starts at a place to where the n-th symbol may be.
func (s *search) followLine(p progress, start, n int) {
	for at := start; at < start+longestPrefix; at++ {
		if at == len(s.text) {
			s.open = true
			return
		}
		c := s.text[at]
		if n < len(s.symbols) && (s.isSymbol(c, n) || beginsEscape(c)) {
			cuts := p.cuts
			if len(bytes.TrimSpace(s.text[start:at])) > 0 {
				cuts = append(cuts[:len(cuts):len(cuts)], p.at, at)
			}
			s.pushPlace(progress{at, n, cuts})
		}
		if c == '\n' {
			return
		}
	}
}
