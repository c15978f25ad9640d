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
	runs []Segment
	size int // length of the text that runs describes
	base int // offset of Value[0] in it
	end  int // file offset just past the whole text

	coarse bool // the runs are unknown: every span is start to end
	start  int  // file offset of a coarse text, or of one without runs

	pieces []piece // of a text of several; then the fields above but base are not used
}

// A Segment maps a part of a decoded text to a file: the bytes from offset Decoded of the
// text, up to the next Segment, are the bytes of the file from offset Source on.
type Segment struct {
	Decoded, Source int
}

// NewText returns a text of a file. segments say where in the file its bytes are: in
// increasing order of Decoded, the first with Decoded 0. end is the file offset just past
// the text.
func NewText(value string, file *File, segments []Segment, end int) Text {
	return Text{Value: value, file: file, runs: segments, size: len(value), end: end}
}

// FileText returns the part of a file from start to end as a text that is in the
// file byte for byte.
func FileText(file *File, start, end int) Text {
	return VerbatimText(string(file.Content[start:end]), file, start)
}

// VerbatimText is FileText for a caller that already has the text: value must equal the bytes
// of the file from start on.
func VerbatimText(value string, file *File, start int) Text {
	return Text{Value: value, file: file, start: start, end: start + len(value)}
}

// CoarseText returns a text that is known only to come from somewhere in the span called
// whole: Span returns that span for every part of the text.
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

// Span returns where the bytes start to end of Value are in the file. Unlike Slice, it
// does not panic if the indices are out of range, but then the span is meaningless. It is
// invalid for a text that comes from no file.
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
	from := t.fileOffset(start)
	to := from
	if end > start {
		// The end is the byte after the last one, not the place of the next:
		// between them may lie indentation or an escape's tail.
		to = max(from, t.fileOffset(end-1)+1)
	}
	return Span{File: t.file, Start: from, End: to}
}

// Whole returns where all of Value is in the file.
func (t Text) Whole() Span { return t.Span(0, len(t.Value)) }

func (t Text) fileOffset(i int) int {
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

// Join concatenates texts, which may come from several files. A span over texts of several
// files covers only the part in the first of these files. If one of the texts is not Exact,
// neither is the result.
func Join(texts ...Text) Text {
	if !areInFileOrder(texts) {
		return concatTexts(texts)
	}
	var joined Text
	length := 0
	for _, t := range texts {
		length += len(t.Value)
	}
	value := make([]byte, 0, length)
	for _, t := range texts {
		if t.Value == "" {
			continue
		}
		whole := t.Whole()
		if len(value) == 0 {
			joined.file, joined.start = t.file, whole.Start
		}
		joined.coarse = joined.coarse || t.coarse
		joined.end = max(joined.end, whole.End)
		joined.runs = t.appendRuns(joined.runs, len(value))
		value = append(value, t.Value...)
	}
	joined.Value, joined.size = string(value), len(value)
	return joined
}

// appendRuns adds the runs of a text that begins at an offset of another one.
func (t Text) appendRuns(runs []Segment, at int) []Segment {
	runs = append(runs, Segment{at, t.fileOffset(0)})
	// A part of a text has all of its runs, which are in order.
	first := sort.Search(len(t.runs), func(i int) bool { return t.runs[i].Decoded > t.base })
	for _, r := range t.runs[first:] {
		offset := r.Decoded - t.base
		if offset >= len(t.Value) {
			break
		}
		runs = append(runs, Segment{at + offset, r.Source})
	}
	return runs
}

// A piece is a part of a text that comes from another text.
type piece struct {
	at   int // where it begins
	text Text
}

// areInFileOrder reports whether texts come from one file, in its order.
func areInFileOrder(texts []Text) bool {
	var before *Text
	for i := range texts {
		t := &texts[i]
		switch {
		case t.pieces != nil:
			return false
		case t.Value == "":
			continue
		case before != nil && (t.file != before.file || t.file != nil && t.Whole().Start < before.Whole().End):
			return false
		}
		before = t
	}
	return true
}

// concatTexts concatenates texts that come from several places.
func concatTexts(texts []Text) Text {
	var s Text
	for _, t := range texts {
		if t.Value == "" && (len(s.pieces) > 0 || t.file == nil && t.pieces == nil) {
			continue
		}
		if n := len(s.pieces); n > 0 && s.pieces[n-1].text.Value == "" {
			s.pieces = s.pieces[:0]
		}
		s.pieces = append(s.pieces, piece{len(s.Value), t})
		s.Value += t.Value
	}
	return s
}

// pieceAt returns the index of the piece with the byte at an offset.
func (t Text) pieceAt(offset int) int {
	return max(0, sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].at > offset })-1)
}

// splicedSpan is Span for a text of pieces.
func (t Text) splicedSpan(start, end int) Span {
	start, end = start+t.base, end+t.base
	first, last := t.pieceAt(start), t.pieceAt(max(start, end-1))
	span := t.pieces[first].rangeSpan(start, end)
	for i := last; i > first; i-- {
		if s := t.pieces[i].rangeSpan(start, end); s.File != nil && (span.File == nil || s.File == span.File && s.End >= span.End) {
			if span.File == nil {
				return s
			}
			span.End = s.End
			return span
		}
	}
	return span
}

// rangeSpan returns where the piece's part of a range is.
func (p piece) rangeSpan(start, end int) Span {
	n := len(p.text.Value)
	from := min(max(start-p.at, 0), n)
	return p.text.Span(from, max(from, min(end-p.at, n)))
}
