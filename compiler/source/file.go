// Package source holds source files, byte spans in them, and texts whose bytes
// can be traced back to a file.
//
// The compiler represents every position as a byte offset. Convert it to a line and a
// column with File.Position or File.UTF16 only to show it to a person or an editor:
//
//	file := source.NewFile("triage.yaml", content)
//	span := source.Span{File: file, Start: 6, End: 12}
//	at := span.Position()
//	fmt.Printf("%s:%d:%d: %s\n", file.Name, at.Line, at.Column, span.Text())
//
// Callers of the compiler need [NewFile] and, for options, [PlainText]. All other functions
// that make a Text are for parsers inside the compiler.
package source

import (
	"bytes"
	"sort"
	"sync"
	"unicode/utf8"
)

// A File is one source file, held whole.
type File struct {
	// Name is the file's path as the user should see it.
	Name string
	// Content is the file as read, byte order mark and carriage returns included.
	Content []byte
	// Private says that reports show places in the file but no source lines, which may hold
	// a password.
	Private bool

	once   sync.Once
	lines  []int // byte offset of the start of each line, made on first use
	marked sync.Once
	marks  []mark // made when a place far into a line is asked for
}

// NewFile returns a file of the given name and content.
func NewFile(name string, content []byte) *File {
	return &File{Name: name, Content: content}
}

// Position is a place in lines and columns.
type Position struct {
	// Line counts from 1.
	Line int
	// Column counts Unicode code points from 1.
	Column int
}

// Position returns the line and column of a byte offset. Offsets outside the
// file are moved to its nearest end.
func (f *File) Position(offset int) Position {
	line, start := f.lineOf(offset)
	runes, _ := f.countBetween(start, f.clampOffset(offset))
	return Position{Line: line, Column: runes + 1}
}

// UTF16 returns the zero-based line and UTF-16 column of a byte offset, as the
// Language Server Protocol and SARIF count them.
func (f *File) UTF16(offset int) (line, column int) {
	n, start := f.lineOf(offset)
	_, column = f.countBetween(start, f.clampOffset(offset))
	return n - 1, column
}

// Line returns the bytes of a line counted from 1, without its line break, and the offset
// where it starts. For a line that does not exist it returns nil and the length of the
// file.
func (f *File) Line(line int) (text []byte, start int) {
	f.indexLines()
	if line < 1 || line > len(f.lines) {
		return nil, len(f.Content)
	}
	start = f.lines[line-1]
	end := len(f.Content)
	if line < len(f.lines) {
		end = f.lines[line]
	}
	return bytes.TrimRight(f.Content[start:end], "\r\n"), start
}

// LineCount returns the number of lines; an empty file has one.
func (f *File) LineCount() int {
	f.indexLines()
	return len(f.lines)
}

func (f *File) clampOffset(offset int) int { return min(max(offset, 0), len(f.Content)) }

func (f *File) lineOf(offset int) (line, start int) {
	f.indexLines()
	offset = f.clampOffset(offset)
	i := sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > offset }) - 1
	start = f.lines[i]
	if i == 0 && offset >= 3 && bytes.HasPrefix(f.Content, []byte("\ufeff")) {
		start = 3
	}
	return i + 1, start
}

func (f *File) indexLines() { f.once.Do(f.findLines) }

func (f *File) findLines() {
	f.lines = append(make([]int, 0, len(f.Content)/32+1), 0)
	for i, c := range f.Content {
		switch {
		case c == '\n',
			c == '\r' && (i+1 == len(f.Content) || f.Content[i+1] != '\n'):
			f.lines = append(f.lines, i+1)
		}
	}
}

// A Span is a range of bytes in a file: Start is the offset of its first byte, End that of
// the byte after its last. The zero Span is invalid; see IsValid.
type Span struct {
	File       *File
	Start, End int
}

// IsValid reports whether s is a place in a file.
func (s Span) IsValid() bool { return s.File != nil }

// Text returns the bytes of the span as they are in the file, without the part of the
// span that is outside the file. It returns "" for an invalid span.
func (s Span) Text() string {
	if s.File == nil {
		return ""
	}
	start := s.File.clampOffset(s.Start)
	return string(s.File.Content[start:max(start, s.File.clampOffset(s.End))])
}

// Position returns the line and column of the span's start: the zero Position if the span
// is invalid.
func (s Span) Position() Position {
	if s.File == nil {
		return Position{}
	}
	return s.File.Position(s.Start)
}

// To returns the smallest span that contains s and t. If one of them is invalid it returns
// the other one; if they are in different files it returns s.
func (s Span) To(t Span) Span {
	if !s.IsValid() {
		return t
	}
	if !t.IsValid() || t.File != s.File {
		return s
	}
	return Span{File: s.File, Start: min(s.Start, t.Start), End: max(s.End, t.End)}
}

// Compare orders spans by file name, then start, then end.
func (s Span) Compare(t Span) int {
	switch {
	case s.File == t.File:
	case s.File == nil:
		return -1
	case t.File == nil:
		return 1
	case s.File.Name < t.File.Name:
		return -1
	case s.File.Name > t.File.Name:
		return 1
	}
	if d := s.Start - t.Start; d != 0 {
		return d
	}
	return s.End - t.End
}

// Columns are counted from the start of their line. On a line of a megabyte with
// ten thousand findings that would be a lot of counting, so of such files it is
// kept how many characters there are before every thousandth byte or so.

// markDistance is how many bytes are counted again for a place at most.
const markDistance = 1024

// A mark is a place between two characters, with the counts of the characters
// before it.
type mark struct {
	offset, runes, utf16 int
}

// countBetween returns how many code points and UTF-16 units there are between two
// offsets, the first of which is between two characters.
func (f *File) countBetween(start, end int) (runes, utf16 int) {
	if end-start <= 2*markDistance {
		return countUnits(f.Content[start:end])
	}
	f.marked.Do(f.findMarks)
	startRunes, start16 := f.countBefore(start)
	endRunes, end16 := f.countBefore(end)
	return endRunes - startRunes, end16 - start16
}

// countBefore returns how many code points and UTF-16 units there are before an offset.
func (f *File) countBefore(offset int) (runes, utf16 int) {
	m := f.marks[offset/markDistance]
	if m.offset > offset {
		m = f.marks[offset/markDistance-1]
	}
	runes, utf16 = countUnits(f.Content[m.offset:offset])
	return m.runes + runes, m.utf16 + utf16
}

// findMarks makes a mark at, or just behind, every markDistance bytes.
func (f *File) findMarks() {
	f.marks = make([]mark, 1, len(f.Content)/markDistance+1)
	for last := (mark{}); len(f.marks) <= len(f.Content)/markDistance; {
		end := min(len(f.marks)*markDistance, len(f.Content))
		for i := 0; i < utf8.UTFMax-1 && end < len(f.Content) && !utf8.RuneStart(f.Content[end]); i++ {
			end++
		}
		runes, utf16 := countUnits(f.Content[last.offset:end])
		last = mark{end, last.runes + runes, last.utf16 + utf16}
		f.marks = append(f.marks, last)
	}
}

func countUnits(text []byte) (runes, utf16 int) {
	for _, r := range string(text) {
		if runes++; r > 0xFFFF {
			utf16++
		}
	}
	return runes, runes + utf16
}
