package process

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// shortestSecret is the length in bytes of the shortest value that is masked.
// Masking shorter ones would riddle logs and hide nothing.
const shortestSecret = 6

// masked stands for a secret.
const masked = "***"

// SecretName reports whether a variable's name says that its value is a secret:
// *_TOKEN, *_KEY, *SECRET*, *PASSWORD*, *DATABASE_URL and a few more, in any case.
func SecretName(name string) bool {
	name = strings.ToUpper(name)
	if name == stepKeyVariable {
		return false // a node's id is no secret, and its log is about it
	}
	for _, part := range []string{"SECRET", "PASSWORD", "PASSPHRASE", "APIKEY"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	for _, end := range []string{"_TOKEN", "_KEY", "_PASS", "DATABASE_URL"} { // a database's URL holds its password
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// masker replaces the values of secret variables in what is logged.
type masker struct{ secrets [][]byte }

// newMasker returns a masker for the secrets of an environment.
func newMasker(environ []string) *masker {
	m := &masker{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if value = strings.TrimSpace(value); len(value) >= shortestSecret && SecretName(name) {
			m.secrets = append(m.secrets, []byte(value))
		}
	}
	// Where one secret begins another, the longer one is looked for first.
	slices.SortFunc(m.secrets, func(a, b []byte) int { return cmp.Compare(len(b), len(a)) })
	return m
}

// Mask returns the text with the values of secret variables of the environment
// replaced by ***.
func Mask(environ []string, text string) string {
	var out strings.Builder
	s := newMasker(environ).stream(func(piece []byte) { out.Write(piece) })
	s.write([]byte(text))
	s.flush()
	return out.String()
}

// A MaskedOutput hands on a text that comes in pieces, with the values of secret
// variables replaced by ***. It holds back no more than the beginning of what
// may become one.
type MaskedOutput struct{ stream *maskStream }

// NewMaskedOutput returns one that masks the secrets of an environment.
func NewMaskedOutput(environ []string, out func(piece []byte)) *MaskedOutput {
	return &MaskedOutput{newMasker(environ).stream(out)}
}

// Write takes the next piece; nothing of it is kept.
func (m *MaskedOutput) Write(piece []byte) { m.stream.write(piece) }

// Flush hands on what is held back.
func (m *MaskedOutput) Flush() { m.stream.flush() }

// maskStream masks an output that comes in pieces, which may break secrets
// anywhere. It holds back no more than the beginning of what may become a
// secret.
type maskStream struct {
	secrets [][]byte
	held    []byte
	out     func([]byte)
}

func (m *masker) stream(out func([]byte)) *maskStream {
	return &maskStream{secrets: m.secrets, out: out}
}

func (s *maskStream) write(piece []byte) {
	if len(s.secrets) == 0 {
		s.out(piece)
		return
	}
	s.held = append(s.held, piece...)
	s.emit(false)
}

// flush lets go of what is held back.
func (s *maskStream) flush() {
	if len(s.held) > 0 {
		s.emit(true)
	}
}

// emit hands on what is certain: everything at the end.
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
			// Nothing begins here: go on at the next place where a secret's
			// first byte is.
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
	for _, secret := range s.secrets {
		if bytes.HasPrefix(text, secret) {
			return len(secret), open
		}
		if len(text) < len(secret) && bytes.HasPrefix(secret, text) {
			open = true
		}
	}
	return 0, open
}

// next returns how far it is to a byte with which a secret begins.
func (s *maskStream) next(text []byte) int {
	nearest := len(text)
	for _, secret := range s.secrets {
		if i := bytes.IndexByte(text[:nearest], secret[0]); i >= 0 {
			nearest = i
		}
	}
	return nearest
}

func (s *maskStream) keep(clear []byte, at int) {
	s.held = append(s.held[:0], s.held[at:]...)
	if len(clear) > 0 {
		s.out(clear)
	}
}
