package process

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/wfc-lang/wfc/internal/shared/plain"
)

// masked replaces a secret.
const masked = "***"

// masker replaces the values of secret variables in logged text. It recognizes a value in
// every spelling that decoding turns into it: with any of its characters escaped, and as
// digits in base64 or hexadecimal, also over several lines. See form and spell.
type masker struct {
	// pairs has the pairs of bytes with which secrets begin, and starts the forms by
	// their first byte.
	pairs  [1 << 16 / 64]uint64
	starts [256][]opening
	empty  bool
}

// opening is a form from its n-th symbol on.
type opening struct {
	*form
	n int
}

func (m *masker) markPair(a, b int) { m.pairs[a<<2|b>>6] |= 1 << (b & 63) }

// mayBeginSecret reports whether a secret may begin with two bytes.
func (m *masker) mayBeginSecret(a, b byte) bool { return m.pairs[int(a)<<2|int(b>>6)]&(1<<(b&63)) != 0 }

// maskers keeps the maskers of the last environments: making one takes longer than
// masking a line. Finding the secrets of an environment takes longer than comparing
// it, and nearly all steps of a run have the same one: last is the masker of environ.
var maskers struct {
	sync.Mutex
	known     map[string]*masker
	environ   []string
	last      *masker
	concealed []string
}

// Conceal makes all maskers of this process mask the secrets of an environment, too. They are
// those of variables that no process gets: a program may learn them elsewhere.
func Conceal(environ []string) {
	maskers.Lock()
	defer maskers.Unlock()
	for _, entry := range environ {
		if !slices.Contains(maskers.concealed, entry) {
			maskers.concealed, maskers.last = append(maskers.concealed, entry), nil
		}
	}
}

// mostMaskers is how many maskers are kept: a run has one for scripts, and one or
// two for each agent.
const mostMaskers = 16

// newMasker returns a masker for the secrets of an environment.
func newMasker(environ []string) *masker {
	maskers.Lock()
	defer maskers.Unlock()
	if maskers.last == nil || !slices.Equal(maskers.environ, environ) {
		maskers.environ, maskers.last = slices.Clone(environ), maskerOf(slices.Concat(Secrets(environ, nil), maskers.concealed))
	}
	return maskers.last
}

// maskerOf returns a masker for secrets. The caller holds maskers.
func maskerOf(secrets []string) *masker {
	key := strings.Join(secrets, "\x00")
	if m := maskers.known[key]; m != nil {
		return m
	}
	if maskers.known == nil || len(maskers.known) >= mostMaskers {
		maskers.known = map[string]*masker{}
	}
	m := makeMasker(secrets)
	maskers.known[key] = m
	return m
}

func makeMasker(secrets []string) *masker {
	m := &masker{empty: true}
	known := map[string]bool{}
	for _, entry := range secrets {
		name, value, _ := strings.Cut(entry, "=")
		for _, value := range valuesOf(name, value) {
			if len(value) < shortestSecret || known[value] {
				continue
			}
			known[value] = true
			for _, f := range formsOf(value) {
				m.addForm(f)
			}
		}
	}
	for first := range 256 {
		for second := 0; second < 256 && beginsEscape(byte(first)) && !m.empty; second++ {
			if mayMean([]byte{byte(first), byte(second)}, func(c byte) bool { return len(m.starts[c]) > 0 }) {
				m.markPair(first, second)
			}
		}
	}
	return m
}

// addForm adds a form. If a line ends with fewer than shortestPiece digits of it, it is found by
// the other ones.
func (m *masker) addForm(f *form) {
	m.empty = false
	last := 0
	if f.digits != nil {
		last = shortestPiece - 1
	}
	for n := 0; n <= last; n++ {
		for first := range 256 {
			if !f.isSymbol(byte(first), n) {
				continue
			}
			m.starts[first] = append(m.starts[first], opening{f, n})
			for second := range 256 {
				c := byte(second)
				if f.isSymbol(c, n+1) || beginsEscape(c) || f.digits == nil && c == '\r' {
					m.markPair(first, second)
				}
			}
		}
	}
}

// Mask returns the text with the values of secret variables of the environment
// replaced by ***.
func Mask(environ []string, text string) string { return newMasker(environ).maskText(text) }

func (m *masker) maskText(text string) string {
	if m.empty {
		return text
	}
	var out strings.Builder
	s := m.newStream(func(piece []byte) { out.Write(piece) })
	s.write([]byte(text))
	s.flush()
	return out.String()
}

// MaskStream masks the values of an environment's secret variables in an output
// that arrives in pieces, which may split secrets anywhere. write passes its
// pieces to out with the secrets replaced by ***, and holds back the beginning of
// a possible secret until flush. It keeps no piece. The caller must not call the
// functions concurrently.
func MaskStream(environ []string, out func(piece []byte)) (write func(piece []byte), flush func()) {
	s := newMasker(environ).newStream(out)
	return s.write, s.flush
}

// maskStream masks an output that comes in pieces, which may break secrets anywhere. It
// holds back no more than the possible beginning of a secret.
type maskStream struct {
	masker *masker
	held   []byte
	out    func([]byte)
}

func (m *masker) newStream(out func([]byte)) *maskStream { return &maskStream{masker: m, out: out} }

func (s *maskStream) write(piece []byte) {
	if s.masker.empty {
		s.out(piece)
		return
	}
	s.held = append(s.held, piece...)
	s.emitCertain(false)
}

// flush writes the held-back bytes.
func (s *maskStream) flush() {
	if len(s.held) > 0 {
		s.emitCertain(true)
	}
}

// emitCertain passes on the bytes that are certain: everything at the end.
func (s *maskStream) emitCertain(end bool) {
	var clear []byte
	var sp speller
	at := 0
	for at < len(s.held) {
		rest := s.held[at:]
		secret, cuts, open := s.masker.matchSecret(&sp, rest)
		switch {
		case open && !end:
			s.emitAndHold(clear, at)
			return
		case secret > 0:
			clear = append(clear, masked...)
			for ; len(cuts) > 0; cuts = cuts[2:] {
				clear = append(append(clear, rest[cuts[0]:cuts[1]]...), masked...)
			}
			at += secret
		default:
			// Nothing begins here: continue at the next place where a secret may.
			next := 1 + s.masker.nextPossibleSecret(rest[1:])
			clear = append(clear, rest[:next]...)
			at += next
		}
	}
	s.emitAndHold(clear, at)
}

// matchSecret returns the length of the longest secret with which the text begins, or 0, the parts
// of it that are shown, and whether more text may make it longer.
func (m *masker) matchSecret(sp *speller, text []byte) (end int, cuts []int, open bool) {
	spelled := sp.findSpellings(text, deepest)
	for _, one := range spelled.all() {
		for _, s := range m.starts[one.bytes[0]] {
			if next := s.n + int(one.length); s.matchesSpelling(one, s.n) && s.mayRead(text[one.size:], next, s.digits != nil) {
				e, c, o := s.matchText(sp, text, progress{at: int(one.size), n: next})
				if open = open || o; e > end {
					end, cuts = e, c
				}
			}
		}
	}
	return end, cuts, open || spelled.open
}

// nextPossibleSecret returns how far it is to where a secret may begin.
func (m *masker) nextPossibleSecret(text []byte) int {
	for i := range len(text) - 1 {
		if m.mayBeginSecret(text[i], text[i+1]) {
			return i
		}
	}
	if n := len(text); n > 0 && len(m.starts[text[n-1]]) == 0 && !beginsEscape(text[n-1]) {
		return n
	}
	return max(0, len(text)-1)
}

func (s *maskStream) emitAndHold(clear []byte, at int) {
	s.held = append(s.held[:0], s.held[at:]...)
	if len(clear) > 0 {
		s.out(clear)
	}
}

// MaskJSON masks the strings in a JSON value, keys included, and keeps the rest of
// it: spelling, order and all. It masks invalid JSON as one string.
func MaskJSON(environ []string, value json.RawMessage) json.RawMessage {
	if len(value) == 0 {
		return nil
	}
	m := newMasker(environ)
	if !json.Valid(value) {
		return plain.MustEncodeJSON(m.maskText(string(value)))
	}
	if m.empty {
		return value
	}
	var out bytes.Buffer
	for rest := []byte(value); len(rest) > 0; {
		begin := bytes.IndexByte(rest, '"')
		if begin < 0 {
			out.Write(rest)
			break
		}
		end := begin + 1
		for rest[end] != '"' {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		end++
		out.Write(rest[:begin])
		out.Write(m.maskLiteral(rest[begin:end]))
		rest = rest[end:]
	}
	return out.Bytes()
}

// maskLiteral masks one string of a JSON value.
func (m *masker) maskLiteral(quoted []byte) []byte {
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return quoted
	}
	masked := m.maskText(text)
	if masked == text {
		return quoted
	}
	return plain.MustEncodeJSON(masked)
}
