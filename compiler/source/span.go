package source

// A Span is a range of bytes in a file: Start is the offset of its first byte, End that of
// the byte after its last. The zero Span is invalid; see IsValid.
type Span struct {
	File       *File
	Start, End int
}

// IsValid reports whether s is a place in a file.
func (s Span) IsValid() bool { return s.File != nil }

// Text returns the bytes of the span as they are in the file.
func (s Span) Text() string {
	if s.File == nil {
		return ""
	}
	start := s.File.clamp(s.Start)
	return string(s.File.Content[start:max(start, s.File.clamp(s.End))])
}

// Position returns the line and column of the span's start. The span must be valid.
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
