package source

import "sort"

// A piece is a part of a text that comes from another text.
type piece struct {
	at   int // where it begins
	text Text
}

// ordered reports whether texts come from one file, in its order.
func ordered(texts []Text) bool {
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

// splice concatenates texts that come from several places.
func splice(texts []Text) Text {
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
	span := t.pieces[first].span(start, end)
	for i := last; i > first; i-- {
		if s := t.pieces[i].span(start, end); s.File != nil && (span.File == nil || s.File == span.File && s.End >= span.End) {
			if span.File == nil {
				return s
			}
			span.End = s.End
			return span
		}
	}
	return span
}

// span returns where the piece's part of a range is.
func (p piece) span(start, end int) Span {
	n := len(p.text.Value)
	from := min(max(start-p.at, 0), n)
	return p.text.Span(from, max(from, min(end-p.at, n)))
}
