// Package source holds source files, byte spans in them, and texts whose bytes
// can be traced back to a file.
//
// The compiler represents every position as a byte offset. Convert it to a line and a
// column with File.Position or File.UTF16 only to show it to a person or an editor.
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
	// Private says that reports show places in the file but no text of it.
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
	runes, _ := f.count(start, f.clamp(offset))
	return Position{Line: line, Column: runes + 1}
}

// UTF16 returns the zero-based line and UTF-16 column of a byte offset, as the
// Language Server Protocol and SARIF count them.
func (f *File) UTF16(offset int) (line, column int) {
	n, start := f.lineOf(offset)
	_, column = f.count(start, f.clamp(offset))
	return n - 1, column
}

// Line returns the bytes of a line counted from 1, without its line break, and the offset
// where it starts. For a line that does not exist it returns nil and the length of the
// file.
func (f *File) Line(line int) (text []byte, start int) {
	f.index()
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
	f.index()
	return len(f.lines)
}

// Offset returns the byte offset of a 1-based line and code point column.
// A column past the end of the line gives the line's end.
func (f *File) Offset(line, column int) int {
	text, start := f.Line(line)
	if line == 1 && bytes.HasPrefix(text, []byte("\ufeff")) {
		// A byte order mark is not a character of the first line.
		start += 3
		text = text[3:]
	}
	at := 0
	for ; column > 1 && at < len(text); column-- {
		_, n := utf8.DecodeRune(text[at:])
		at += n
	}
	return start + at
}

func (f *File) clamp(offset int) int { return min(max(offset, 0), len(f.Content)) }

func (f *File) lineOf(offset int) (line, start int) {
	f.index()
	offset = f.clamp(offset)
	i := sort.Search(len(f.lines), func(i int) bool { return f.lines[i] > offset }) - 1
	start = f.lines[i]
	if i == 0 && offset >= 3 && bytes.HasPrefix(f.Content, []byte("\ufeff")) {
		start = 3
	}
	return i + 1, start
}

func (f *File) index() { f.once.Do(f.findLines) }

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
