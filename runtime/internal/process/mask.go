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

// masked stands for a secret.
const masked = "***"

// masker replaces the values of secret variables in what is logged, as they are
// and in the forms in which programs write them: within JSON, within URLs, and
// encoded in base64. Other ways to write a value, such as backwards or in
// hexadecimal digits, it does not know.
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
// masking a line.
var maskers struct {
	sync.Mutex
	known map[string]*masker
}

// mostMaskers is how many maskers are kept: a run has one for scripts, and one or
// two for each agent.
const mostMaskers = 16

// newMasker returns a masker for the secrets of an environment.
func newMasker(environ []string) *masker {
	secrets := Secrets(environ, nil)
	key := strings.Join(secrets, "\x00")
	maskers.Lock()
	defer maskers.Unlock()
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
	// Where one secret begins another, the longer one is looked for first.
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

// inBase64 returns the characters that stand for a value in base64, wherever it is
// in what is encoded: behind a name and a colon, for example. What is before and
// behind it decides about the characters at its ends; they are left out.
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
