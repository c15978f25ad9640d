package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/wfc-lang/wfc/compiler/internal/bind"
	"github.com/wfc-lang/wfc/internal/finding"
)

// A here-document whose delimiter has quotes is plain text: no variable can be in
// it. To put one there, the delimiter loses its quotes, so bash reads the body like
// "…". Every backslash, dollar sign and backquote of the author's text therefore
// gets a backslash, and the text stays the same. Inside `…`, the body passes
// through bash twice or more. So the text is first decoded to the text that bash
// reads at last, and encoded again.

// heredocEdits rewrites a here-document with a quoted delimiter around holes.
func (s writer) heredocEdits(r *syntax.Redirect, holes []*spot) []bind.Edit {
	start, end, delimiter := s.heredocBody(r)
	level := 0
	if len(holes) > 0 {
		level = holes[0].place.backticks
	}
	wordStart, wordEnd := nodeOffsets(r.Word)
	var edits []bind.Edit
	plain := delimiter
	if !isPlainDelimiter(delimiter) {
		plain = s.freeDelimiter()
		edits = append(edits, bind.Edit{Start: end, End: end + len(delimiter), Text: plain})
	}
	edits = append(edits, bind.Edit{Start: wordStart, End: wordEnd, Text: plain})
	at := start
	for _, p := range holes {
		edits = append(s.textEdits(edits, at, p.Start, s.src[p.Start], level),
			variableEdit(p, "${", "}"))
		at = p.End
	}
	return s.textEdits(edits, at, end, '\n', level)
}

// textEdits adds the edits that keep the text from start to end of a body plain.
func (s writer) textEdits(edits []bind.Edit, start, end int, next byte, level int) []bind.Edit {
	if s.form == nil {
		return append(edits, bind.Edit{Start: start, End: end, Text: escapeHeredocText(s.src[start:end], next, level)})
	}
	for _, p := range s.form.Pieces {
		if from, to := max(start, p.Start), min(end, p.End); from < to {
			edits = append(edits, bind.Edit{Start: from, End: to, Text: escapeHeredocText(s.src[from:to], next, level)})
		}
	}
	return edits
}

// emptyHeredocs returns the here-documents without a hole that lose the quotes of
// their delimiter because another form of the script has holes in them.
func (s writer) emptyHeredocs(bodies map[*syntax.Redirect][]*spot) []*syntax.Redirect {
	var list []*syntax.Redirect
	if len(s.unquoted) == 0 {
		return nil
	}
	for _, n := range s.tree.nodes {
		if r, ok := n.node.(*syntax.Redirect); ok && r.Hdoc != nil && bodies[r] == nil && s.isUnquoted(r) {
			list = append(list, r)
		}
	}
	return list
}

// heredocBody returns the start of the body of a here-document and the start of the
// delimiter that ends it.
func (s *parsed) heredocBody(r *syntax.Redirect) (start, end int, delimiter string) {
	delimiter, _ = wordText(r.Word)
	start, end = nodeOffsets(r.Hdoc)
	if strings.HasSuffix(s.masked[start:end], delimiter) {
		end -= len(delimiter)
	}
	return start, end, delimiter
}

// checkHeredoc refuses a here-document whose end cannot be found in the text,
// which an escaped delimiter inside `…` can cause.
func (s *parsed) checkHeredoc(p *spot) {
	if s.form != nil && p.place.backticks > 0 {
		s.refuseHole(p, finding.ShellHoleUndecided(s.sourceSpan(p.Start, p.End), p.Label, "in a here-document inside `…`, in a script with template statements"))
		return
	}
	_, end, delimiter := s.heredocBody(p.place.redirect)
	line := s.masked[strings.LastIndexByte(s.masked[:end], '\n')+1:]
	if rest, ok := strings.CutPrefix(strings.TrimLeft(line, "\t"), delimiter); !ok || rest != "" && rest[0] != '\n' && rest[0] != '\r' && rest[0] != '`' && rest[0] != ')' {
		s.refuseHole(p, finding.ShellHoleUndecided(s.sourceSpan(p.Start, p.End), p.Label, "in a here-document without a certain end"))
	}
}

// escapeHeredocText writes plain text so that an expanding here-document yields it
// unchanged. next is the character after it.
func escapeHeredocText(text string, next byte, level int) string {
	if level > 0 {
		text = decodeBackticks(text, next, level)
	}
	return encodeBackticks(text, level+1) // a here-document takes as many backslashes away as one level
}

// decodeBackticks returns the text that bash sees inside levels of `…`.
func decodeBackticks(text string, next byte, levels int) string {
	for range levels {
		decoded := removeBackslashes(text+string(next), "$`\\")
		text = strings.TrimSuffix(decoded, string(next))
	}
	return text
}

// encodeBackticks is the inverse of decodeBackticks.
func encodeBackticks(text string, levels int) string {
	for range levels {
		text = escapes.Replace(text)
	}
	return text
}

var escapes = strings.NewReplacer(`\`, `\\`, "$", `\$`, "`", "\\`")

func isPlainDelimiter(s string) bool {
	return s != "" && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.!+:,/@%") == ""
}

// freeDelimiter returns a delimiter that the script does not contain.
func (s writer) freeDelimiter() string {
	name := "END_OF_TEXT"
	for i := 2; strings.Contains(s.src, name); i++ {
		name = "END_OF_TEXT_" + strconv.Itoa(i)
	}
	return name
}
