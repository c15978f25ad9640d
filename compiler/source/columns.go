package source

import "unicode/utf8"

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

// count returns how many code points and UTF-16 units there are between two
// offsets, the first of which is between two characters.
func (f *File) count(start, end int) (runes, utf16 int) {
	if end-start <= 2*markDistance {
		return units(f.Content[start:end])
	}
	f.marked.Do(f.findMarks)
	startRunes, start16 := f.before(start)
	endRunes, end16 := f.before(end)
	return endRunes - startRunes, end16 - start16
}

// before returns how many code points and UTF-16 units there are before an offset.
func (f *File) before(offset int) (runes, utf16 int) {
	m := f.marks[offset/markDistance]
	if m.offset > offset {
		m = f.marks[offset/markDistance-1]
	}
	runes, utf16 = units(f.Content[m.offset:offset])
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
		runes, utf16 := units(f.Content[last.offset:end])
		last = mark{end, last.runes + runes, last.utf16 + utf16}
		f.marks = append(f.marks, last)
	}
}

func units(text []byte) (runes, utf16 int) {
	for _, r := range string(text) {
		if runes++; r > 0xFFFF {
			utf16++
		}
	}
	return runes, runes + utf16
}
