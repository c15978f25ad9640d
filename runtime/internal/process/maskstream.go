package process

import "bytes"

// MaskStream returns what masks the values of an environment's secret variables
// in an output that comes in pieces, which may break them anywhere. What write
// is given comes to out with the secrets replaced by ***; flush hands on what is
// held back because it may be the beginning of one. Neither may be called
// concurrently.
func MaskStream(environ []string, out func(piece []byte)) (write func(piece []byte), flush func()) {
	s := newMasker(environ).stream(out)
	return s.write, s.flush
}

// maskStream masks an output that comes in pieces, which may break secrets
// anywhere. It holds back no more than the beginning of what may become a
// secret.
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
			// Nothing begins here: go on at the next place where a secret may.
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
