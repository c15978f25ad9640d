package process

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// masked replaces a secret.
const masked = "***"

// masker replaces the values of secret variables in logged text: unchanged, within JSON,
// within URLs, and encoded in base64. It does not know other forms, such as reversed or
// in hexadecimal digits.
type masker struct {
	// starts holds the pairs of bytes with which secrets begin, and byFirst the
	// secrets by their first byte, the longest first.
	starts  [1 << 16 / 64]uint64
	first   [256]bool
	byFirst map[byte][][]byte
}

func pair(a, b byte) int { return int(a)<<8 | int(b) }

func (m *masker) begins(a, b byte) bool { n := pair(a, b); return m.starts[n/64]&(1<<(n%64)) != 0 }

// maskers keeps the maskers of the last environments: making one takes longer than
// masking a line. Finding the secrets of an environment takes longer than comparing
// it, and nearly all steps of a run have the same one: last is the masker of environ.
var maskers struct {
	sync.Mutex
	known   map[string]*masker
	environ []string
	last    *masker
}

// mostMaskers is how many maskers are kept: a run has one for scripts, and one or
// two for each agent.
const mostMaskers = 16

// newMasker returns a masker for the secrets of an environment.
func newMasker(environ []string) *masker {
	maskers.Lock()
	defer maskers.Unlock()
	if maskers.last == nil || !slices.Equal(maskers.environ, environ) {
		maskers.environ, maskers.last = slices.Clone(environ), maskerOf(Secrets(environ, nil))
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
	m := &masker{byFirst: map[byte][][]byte{}}
	known := map[string]bool{}
	for _, entry := range secrets {
		name, value, _ := strings.Cut(entry, "=")
		for _, value := range valuesOf(name, value) {
			for _, form := range forms(value) {
				if len(form) < shortestSecret || known[form] {
					continue
				}
				known[form] = true
				n := pair(form[0], form[1])
				m.starts[n/64] |= 1 << (n % 64)
				m.first[form[0]] = true
				m.byFirst[form[0]] = append(m.byFirst[form[0]], []byte(form))
			}
		}
	}
	// If one secret begins with another, the longer one is tried first.
	for _, list := range m.byFirst {
		slices.SortFunc(list, func(a, b []byte) int { return cmp.Compare(len(b), len(a)) })
	}
	return m
}

// forms returns a value in the forms in which it may be written.
func forms(value string) []string {
	if len(value) < shortestSecret {
		return nil
	}
	list := []string{value, url.QueryEscape(value), url.PathEscape(value)}
	for _, html := range []bool{false, true} {
		list = append(list, withinJSON(value, html))
	}
	const shortestEncoded = 8 // what stays the same of a shorter one may be a word
	if len(value) >= shortestEncoded {
		list = append(list, inBase64(value)...)
	}
	return list
}

// withinJSON returns a value as it is written within a JSON string, with or without
// the characters escaped that HTML does not like.
func withinJSON(value string, html bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if e.Encode(value) != nil {
		return value
	}
	text := strings.TrimSuffix(b.String(), "\n")
	return text[1 : len(text)-1]
}

// inBase64 returns the encodings of a value in base64 at any offset in the encoded data:
// behind a name and a colon, for example. The characters at the ends depend on the bytes
// around the value; they are left out.
func inBase64(value string) []string {
	var list []string
	for before := range 3 {
		text := append(make([]byte, before), value...)
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			code := encoding.EncodeToString(text)
			begin, end := (before*4+2)/3, len(code)
			if len(text)%3 != 0 {
				end--
			}
			list = append(list, code[begin:end])
		}
	}
	return list
}

// Mask returns the text with the values of secret variables of the environment
// replaced by ***.
func Mask(environ []string, text string) string { return newMasker(environ).text(text) }

func (m *masker) text(text string) string {
	if len(m.byFirst) == 0 {
		return text
	}
	var out strings.Builder
	s := m.stream(func(piece []byte) { out.Write(piece) })
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
	s := newMasker(environ).stream(out)
	return s.write, s.flush
}

// maskStream masks an output that comes in pieces, which may break secrets anywhere. It
// holds back no more than the possible beginning of a secret.
type maskStream struct {
	masker *masker
	held   []byte
	out    func([]byte)
}

func (m *masker) stream(out func([]byte)) *maskStream { return &maskStream{masker: m, out: out} }

func (s *maskStream) write(piece []byte) {
	if len(s.masker.byFirst) == 0 {
		s.out(piece)
		return
	}
	s.held = append(s.held, piece...)
	s.emit(false)
}

// flush writes the held-back bytes.
func (s *maskStream) flush() {
	if len(s.held) > 0 {
		s.emit(true)
	}
}

// emit passes on the bytes that are certain: everything at the end.
func (s *maskStream) emit(end bool) {
	var clear []byte
	at := 0
	for at < len(s.held) {
		rest := s.held[at:]
		secret, open := s.match(rest)
		switch {
		case open && !end:
			s.keep(clear, at)
			return
		case secret > 0:
			clear = append(clear, masked...)
			at += secret
		default:
			// Nothing begins here: continue at the next place where a secret may.
			next := 1 + s.next(rest[1:])
			clear = append(clear, rest[:next]...)
			at += next
		}
	}
	s.keep(clear, at)
}

// match returns the length of the secret that the text begins with, or 0, and
// whether the text's end may yet grow into a longer one.
func (s *maskStream) match(text []byte) (length int, open bool) {
	for _, secret := range s.masker.byFirst[text[0]] {
		if bytes.HasPrefix(text, secret) {
			return len(secret), open
		}
		if len(text) < len(secret) && bytes.HasPrefix(secret, text) {
			open = true
		}
	}
	return 0, open
}

// next returns how far it is to where a secret may begin.
func (s *maskStream) next(text []byte) int {
	for i := range len(text) - 1 {
		if s.masker.begins(text[i], text[i+1]) {
			return i
		}
	}
	if n := len(text); n > 0 && !s.masker.first[text[n-1]] {
		return n
	}
	return max(0, len(text)-1)
}

func (s *maskStream) keep(clear []byte, at int) {
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
		return quote(m.text(string(value)))
	}
	if len(m.byFirst) == 0 {
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
		out.Write(m.literal(rest[begin:end]))
		rest = rest[end:]
	}
	return out.Bytes()
}

// literal masks one string of a JSON value.
func (m *masker) literal(quoted []byte) []byte {
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return quoted
	}
	masked := m.text(text)
	if masked == text {
		return quoted
	}
	return quote(masked)
}

// quote is a text as a JSON string, in which HTML's characters stay as they are.
func quote(text string) []byte { return []byte(`"` + withinJSON(text, false) + `"`) }
