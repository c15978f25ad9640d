package source

import (
	"sort"
	"strings"
)

// A Text is decoded text (a YAML scalar, a template inside it, an expression
// inside that) together with where in a file each of its bytes came from.
//
// Parsers of nested languages take a Text, count bytes in Value, and ask for
// spans; so a position stays exact through YAML, template, expression and shell.
type Text struct {
	// Value is the decoded text.
	Value string

	file *File
	runs []Run
	size int // length of the text that runs describes
	base int // offset of Value[0] in it
	end  int // file offset just past the whole text

	coarse bool // the runs are unknown: every span is start to end
	start  int  // file offset of a coarse text, or of one without runs

	pieces []piece // of a text of several; then the fields above but base are not used
}

// A Run maps a part of a decoded text to a file: the bytes from offset Decoded up to the
// next run are the bytes of the file from offset Source on.
type Run struct {
	Decoded, Source int
}

// NewText returns a text whose bytes are placed by runs, which must be in
// increasing order of Decoded and start at 0. end is the file offset just past
// the text.
func NewText(value string, file *File, runs []Run, end int) Text {
	return Text{Value: value, file: file, runs: runs, size: len(value), end: end}
}

// FileText returns the part of a file from start to end as a text that is in the
// file byte for byte.
func FileText(file *File, start, end int) Text {
	return VerbatimText(string(file.Content[start:end]), file, start)
}

// VerbatimText returns a text that is in a file byte for byte from start on, as
// most scalars do: it needs no runs.
func VerbatimText(value string, file *File, start int) Text {
	return Text{Value: value, file: file, start: start, end: start + len(value)}
}

// CoarseText returns a text whose parts all have the span whole, because nothing more
// exact is known.
func CoarseText(value string, whole Span) Text {
	return Text{Value: value, file: whole.File, start: whole.Start, end: whole.End, coarse: true}
}

// PlainText returns a text that comes from no file; its spans are not valid.
func PlainText(value string) Text { return Text{Value: value} }

// Exact reports whether the place of each byte is known. If not, every span of the text is
// that of the whole text.
func (t Text) Exact() bool {
	for _, p := range t.pieces {
		if !p.text.Exact() {
			return false
		}
	}
	return (t.file != nil || t.pieces != nil) && !t.coarse
}

// File returns the file the text comes from, or nil. For a text of several files it returns
// the first one.
func (t Text) File() *File {
	if t.pieces != nil {
		return t.pieces[0].text.File()
	}
	return t.file
}

// Slice returns the text from byte start to byte end of Value; its spans still point into
// the file. Like a slice expression, it panics if the indices are out of range.
func (t Text) Slice(start, end int) Text {
	s := t
	s.Value = t.Value[start:end]
	s.base = t.base + start
	return s
}

// TrimFunc returns the text without the leading and trailing characters for which cut
// returns true, like strings.TrimFunc.
func (t Text) TrimFunc(cut func(rune) bool) Text {
	start := len(t.Value) - len(strings.TrimLeftFunc(t.Value, cut))
	end := len(strings.TrimRightFunc(t.Value, cut))
	if start >= end {
		return t.Slice(0, 0)
	}
	return t.Slice(start, end)
}

// Span returns where the bytes start to end of Value are in the file.
func (t Text) Span(start, end int) Span {
	if t.pieces != nil {
		return t.splicedSpan(start, end)
	}
	if t.file == nil {
		return Span{}
	}
	if t.coarse {
		return Span{File: t.file, Start: t.start, End: t.end}
	}
	from := t.offset(start)
	to := from
	if end > start {
		// The end is the byte after the last one, not the place of the next:
		// between them may lie indentation or an escape's tail.
		to = max(from, t.offset(end-1)+1)
	}
	return Span{File: t.file, Start: from, End: to}
}

// Whole returns where all of Value is in the file.
func (t Text) Whole() Span { return t.Span(0, len(t.Value)) }

func (t Text) offset(i int) int {
	i += t.base
	if t.runs == nil {
		return min(t.start+i, t.end)
	}
	if i >= t.size {
		return t.end // and not the byte after the last one, which may be in an escape
	}
	k := sort.Search(len(t.runs), func(k int) bool { return t.runs[k].Decoded > i }) - 1
	if k < 0 {
		return t.end
	}
	return min(t.runs[k].Source+i-t.runs[k].Decoded, t.end)
}
