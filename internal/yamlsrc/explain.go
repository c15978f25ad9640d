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

// explainError turns an error of yaml.v3 into a diagnostic. The finder knows the usual
// faults and their exact places; other faults are reported at the place where the
// library stopped.
func explainError(f *source.File, err error) *diag.Diagnostic {
	if d := findFault(f); d != nil {
		return d
	}
	at := wordAt(f.Content, stoppedAt(f.Content))
	at.File = f
	return finding.YAMLSyntax(at, rewordProblem(err.Error()))
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
	{"expected ',' or", "missing `,` or closing bracket before this"},
	{"expected key", "this matches no key of the mapping above; check the indentation"},
	{"'-' indicator", "a list item must start with `- `, indented like the others"},
	{"expected ':'", "a key without a `:`"},
	{"mapping values", "a `:` without a key; put quotes around strings that contain `: `"},
	{"mapping keys", "a `?` cannot start a key here"},
	{"block sequence entries", "a list item cannot start here; put it on a new line"},
	{"document start", "text after the end of the document; check the indentation"},
	{"node content", "missing value"},
	{"tag handle", "unknown tag; put quotes around strings that start with `!`"},
	{"tag", "invalid tag; put quotes around strings that start with `!`"},
	{"directive", "invalid directive; only %YAML and %TAG are allowed before `---`"},
	{"max depth", "collections are nested too deeply"},
	{"tab character", "a tab is not allowed here; indent with spaces"},
	{"document indicator", "a document marker inside a quoted string; add the closing quote"},
	{"end of stream", "the file ends inside a quoted string; add the closing quote"},
	{"escape", "unknown escape in a double-quoted string"},
	{"start any token", "this character cannot start a value; put quotes around the string"},
}

func rewordProblem(problem string) string {
	for _, p := range problems {
		if strings.Contains(problem, p.theirs) {
			return p.ours
		}
	}
	return "parsing failed here; check quotes, brackets and indentation before"
}

// quoteSnippet shows a short piece of the file in a message.
func quoteSnippet(text []byte) string {
	const most = 32
	text, _, _ = bytes.Cut(text, []byte("\n"))
	text = bytes.TrimRight(text, " \t\r")
	if utf8.RuneCount(text) > most {
		text = []byte(string([]rune(string(text))[:most-1]) + "…")
	}
	return "`" + strings.ReplaceAll(string(text), "`", "'") + "`"
}
