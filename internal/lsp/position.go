package lsp

import (
	"bytes"
	"unicode/utf8"

	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/lsp/protocol"
)

// bom is a byte order mark. For the compiler it is not a character of the first line, but
// an editor that sends one counts it.
const bom = "\ufeff"

// position returns the place of a byte offset.
func position(f *source.File, offset int) protocol.Position {
	offset = min(max(offset, 0), len(f.Content))
	for offset > 0 && offset < len(f.Content) && !utf8.RuneStart(f.Content[offset]) {
		offset--
	}
	if offset > 0 && offset < len(f.Content) && f.Content[offset] == '\n' && f.Content[offset-1] == '\r' {
		offset-- // the end of the line, not the middle of its break
	}
	line, column := f.UTF16(offset)
	if line == 0 && offset >= len(bom) && bytes.HasPrefix(f.Content, []byte(bom)) {
		column++
	}
	return protocol.Position{Line: line, Character: column}
}

// rangeOf returns the range of a span. That of an invalid span is the start of the file.
func rangeOf(s source.Span) protocol.Range {
	if !s.IsValid() {
		return protocol.Range{}
	}
	return protocol.Range{Start: position(s.File, s.Start), End: position(s.File, max(s.Start, s.End))}
}

// offset returns the byte offset of a place. A line or a character behind the end counts
// as the end.
func offset(f *source.File, p protocol.Position) int {
	if p.Line < 0 {
		return 0
	}
	text, start := f.Line(p.Line + 1)
	at := 0
	for units := 0; at < len(text); {
		r, n := utf8.DecodeRune(text[at:])
		if units++; r > 0xFFFF {
			units++
		}
		if units > p.Character {
			break
		}
		at += n
	}
	return start + at
}
