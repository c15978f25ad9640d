package yamlsrc

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

// explain turns an error of yaml.v3 into a diagnostic. The finder knows the usual
// faults and their exact places; other faults are reported at the place where the
// library stopped.
func explain(f *source.File, err error) *diag.Diagnostic {
	if d := find(f); d != nil {
		return d
	}
	at := wordAt(f.Content, stoppedAt(f.Content))
	at.File = f
	return finding.YAMLSyntax(at, reword(err.Error()))
}

// stoppedAt returns where yaml.v3 stops reading a text it rejects. Given one
// byte at a time it asks for no more than the four it may look ahead.
func stoppedAt(text []byte) int {
	const lookahead = 4
	r := &slowReader{text: text}
	func() {
		defer func() { _ = recover() }() // it stops there, too
		var doc yaml.Node
		_ = yaml.NewDecoder(r).Decode(&doc)
	}()
	if r.at >= len(text) {
		return len(text)
	}
	return max(r.at-lookahead, bomLen(text))
}

// A slowReader hands out one byte a call and counts them.
type slowReader struct {
	text []byte
	at   int
}

// Read implements io.Reader.
func (r *slowReader) Read(p []byte) (int, error) {
	if r.at >= len(r.text) {
		return 0, io.EOF
	}
	r.at++
	return copy(p[:min(1, len(p))], r.text[r.at-1:]), nil
}

// wordAt returns the word at or just before offset i: where reading stopped is
// known only roughly, and an error must be seen.
func wordAt(src []byte, i int) source.Span {
	for i > bomLen(src) && isGap(src, i) {
		i--
	}
	start := i
	for start > bomLen(src) && !isBlank(src[start-1]) && !endsBreak(src, start) {
		start--
	}
	for i < len(src) && !isGap(src, i) {
		_, n := utf8.DecodeRune(src[i:])
		i += n
	}
	return source.Span{Start: start, End: i}
}

// problems are yaml.v3's wordings, found by a part of them, and ours.
var problems = []struct{ theirs, ours string }{
	{"expected ',' or", "a `,` or a closing bracket is missing before this"},
	{"expected key", "no key of the mapping above fits here; check the indentation"},
	{"'-' indicator", "a list item must start with `- ` in the column of the others"},
	{"expected ':'", "a key without its `:`"},
	{"mapping values", "a `:` that belongs to no key; put quotes around text that holds `: `"},
	{"mapping keys", "a `?` cannot start a key here"},
	{"block sequence entries", "a list item cannot start here; put it on its own line"},
	{"document start", "text after the end of the document; check the indentation"},
	{"node content", "a value is missing here"},
	{"tag handle", "an unknown tag; put quotes around text that starts with `!`"},
	{"tag", "this tag cannot be read; put quotes around text that starts with `!`"},
	{"directive", "this directive cannot be read; only %YAML and %TAG may stand before `---`"},
	{"max depth", "collections are nested too deep"},
	{"tab character", "a tab stands where only spaces may; use spaces to indent"},
	{"document indicator", "a document marker inside a quoted text; its closing quote is missing"},
	{"end of stream", "the file ends inside a quoted text; its closing quote is missing"},
	{"escape", "an unknown escape in a double-quoted text"},
	{"start any token", "this character cannot start a value; put quotes around the text"},
}

func reword(problem string) string {
	for _, p := range problems {
		if strings.Contains(problem, p.theirs) {
			return p.ours
		}
	}
	return "reading stopped here; check quotes, brackets and indentation just before"
}

// quote shows a short piece of the file in a message.
func quote(text []byte) string {
	const most = 32
	text, _, _ = bytes.Cut(text, []byte("\n"))
	text = bytes.TrimRight(text, " \t\r")
	if utf8.RuneCount(text) > most {
		text = []byte(string([]rune(string(text))[:most-1]) + "…")
	}
	return "`" + strings.ReplaceAll(string(text), "`", "'") + "`"
}
