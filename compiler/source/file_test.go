package source_test

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/wfc-lang/wfc/compiler/source"
)

func TestPosition(t *testing.T) {
	tests := []struct {
		name, text           string
		offset, line, column int
		utf16                int // zero-based
	}{
		{"start", "ab\ncd", 0, 1, 1, 0},
		{"second line", "ab\ncd", 4, 2, 2, 1},
		{"at the break", "ab\ncd", 2, 1, 3, 2},
		{"end", "ab\ncd", 5, 2, 3, 2},
		{"end after a break", "ab\n", 3, 2, 1, 0},
		{"past the end", "ab", 9, 1, 3, 2},
		{"before the start", "ab", -1, 1, 1, 0},
		{"empty", "", 0, 1, 1, 0},
		{"tab is one column", "\tab", 1, 1, 2, 1},
		{"CRLF is one break", "a\r\nb", 3, 2, 1, 0},
		{"within CRLF", "a\r\nb", 2, 1, 3, 2},
		{"lone CR breaks", "a\rb\r", 2, 2, 1, 0},
		{"lone CR at the end", "a\r", 2, 2, 1, 0},
		{"wide characters", "日é🎉x", 9, 1, 4, 4},
		{"byte order mark is no column", "\ufeffab", 4, 1, 2, 1},
		{"byte order mark, start", "\ufeffab", 0, 1, 1, 0},
		{"after a mark's line", "\ufeffa\nb", 5, 2, 1, 0},
	}
	for _, tt := range tests {
		f := source.NewFile("f", []byte(tt.text))
		if p := f.Position(tt.offset); p.Line != tt.line || p.Column != tt.column {
			t.Errorf("%s: %d is at %v, want %d:%d", tt.name, tt.offset, p, tt.line, tt.column)
		}
		if line, column := f.UTF16(tt.offset); line != tt.line-1 || column != tt.utf16 {
			t.Errorf("%s: %d is at %d:%d in UTF-16, want %d:%d", tt.name, tt.offset, line, column, tt.line-1, tt.utf16)
		}
	}
}

func TestLine(t *testing.T) {
	f := source.NewFile("f", []byte("a\r\nbc\rd\n"))
	want := []string{"a", "bc", "d", ""}
	if f.LineCount() != len(want) {
		t.Errorf("%d lines, want %d", f.LineCount(), len(want))
	}
	for i, w := range want {
		if text, _ := f.Line(i + 1); string(text) != w {
			t.Errorf("line %d is %q, want %q", i+1, text, w)
		}
	}
	if text, start := f.Line(9); text != nil || start != 8 {
		t.Errorf("a line past the end: %q at %d", text, start)
	}
}

// A position is in the line that holds the offset, behind the characters before it. A byte
// order mark is not a character.
func TestPositionsCountCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching("(\ufeff)?[ab\té日🎉\r\n]{0,40}").Draw(t, "text")
		f := source.NewFile("f", []byte(text))
		for offset, r := range text {
			if r == '\n' || r == '\r' || r == '\ufeff' {
				continue
			}
			p := f.Position(offset)
			line, start := f.Line(p.Line)
			if offset < start || offset >= start+len(line) {
				t.Fatalf("%q: offset %d is in line %d, which is %q at %d", text, offset, p.Line, line, start)
			}
			before := strings.TrimPrefix(text[start:offset], "\ufeff")
			if want := utf8.RuneCountInString(before) + 1; p.Column != want {
				t.Fatalf("%q: offset %d is in column %d, want %d", text, offset, p.Column, want)
			}
		}
	})
}

// Far into long lines, columns are those that counting from the line's start gives.
func TestColumnsOfLongLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		for text.Len() < 9000 {
			piece := rapid.SampledFrom([]string{"a", "é", "日", "🎉", "\n", "\r\n", "\x80", "\xf0\x9f", "\xff"}).Draw(t, "piece")
			text.WriteString(strings.Repeat(piece, rapid.IntRange(1, 3000).Draw(t, "times")))
		}
		f := source.NewFile("f", []byte(text.String()))
		for range 20 {
			offset := rapid.IntRange(0, text.Len()).Draw(t, "offset")
			start := strings.LastIndexAny(text.String()[:offset], "\r\n") + 1
			before := text.String()[start:offset]
			if strings.HasSuffix(text.String()[:offset], "\r") && strings.HasPrefix(text.String()[offset:], "\n") {
				continue // within a line break
			}
			if got := f.Position(offset).Column; got != utf8.RuneCountInString(before)+1 {
				t.Fatalf("offset %d is in column %d, want %d", offset, got, utf8.RuneCountInString(before)+1)
			}
			if _, got := f.UTF16(offset); got != len(utf16.Encode([]rune(before))) {
				t.Fatalf("offset %d is in UTF-16 column %d, want %d", offset, got, len(utf16.Encode([]rune(before))))
			}
		}
	})
}
