package source_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/source"
)

func TestTextSpans(t *testing.T) {
	f := source.NewFile("f", []byte("ab  cd  ef"))
	text := source.NewText("abcdef", f, []source.Segment{{Decoded: 0, Source: 0}, {Decoded: 2, Source: 4}, {Decoded: 4, Source: 8}}, 10)
	tests := []struct {
		name       string
		start, end int
		want       string
	}{
		{"in one run", 2, 4, "cd"},
		{"over a gap", 1, 3, "b  c"},
		{"up to a gap, without it", 0, 2, "ab"},
		{"whole", 0, 6, "ab  cd  ef"},
		{"empty", 2, 2, ""},
		{"empty at the end", 6, 6, ""},
	}
	for _, tt := range tests {
		if got := text.Span(tt.start, tt.end).Text(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	if s := text.Span(6, 6); s.Start != 10 {
		t.Errorf("the end is at %d, want 10", s.Start)
	}
	if got := text.Slice(1, 5).Slice(1, 3).Whole().Text(); got != "cd" {
		t.Errorf("a slice of a slice stands at %q, want cd", got)
	}
}

func TestVerbatimText(t *testing.T) {
	f := source.NewFile("f", []byte("0123456789"))
	text := source.VerbatimText("2345", f, 2)
	for _, tt := range []struct {
		got  source.Span
		want source.Span
	}{
		{text.Whole(), source.Span{File: f, Start: 2, End: 6}},
		{text.Span(1, 3), source.Span{File: f, Start: 3, End: 5}},
		{text.Span(4, 4), source.Span{File: f, Start: 6, End: 6}},
		{text.Slice(2, 4).Span(1, 2), source.Span{File: f, Start: 5, End: 6}},
	} {
		if tt.got != tt.want {
			t.Errorf("%d-%d, want %d-%d", tt.got.Start, tt.got.End, tt.want.Start, tt.want.End)
		}
	}
}

func TestTextsWithoutExactPlaces(t *testing.T) {
	f := source.NewFile("f", []byte("0123456789"))
	whole := source.Span{File: f, Start: 2, End: 6}
	text := source.CoarseText("decoded to something longer", whole)
	if text.Span(3, 4) != whole || text.Slice(5, 9).Whole() != whole || text.File() != f {
		t.Errorf("a coarse text has places finer than its whole")
	}
	if source.PlainText("x").Whole().IsValid() {
		t.Errorf("a text of no file has a place")
	}
}

func TestSpanTo(t *testing.T) {
	f, g := source.NewFile("f", []byte("0123456789")), source.NewFile("g", nil)
	a, b := source.Span{File: f, Start: 6, End: 8}, source.Span{File: f, Start: 1, End: 3}
	if got := a.To(b); got.Start != 1 || got.End != 8 {
		t.Errorf("%d-%d", got.Start, got.End)
	}
	if a.To(source.Span{File: g}) != a || a.To(source.Span{}) != a || (source.Span{}).To(a) != a {
		t.Errorf("a place of another file, or none, was joined")
	}
	if a.Compare(b) <= 0 || b.Compare(a) >= 0 || a.Compare(a) != 0 || (source.Span{}).Compare(a) >= 0 || a.Compare(source.Span{File: g}) >= 0 {
		t.Errorf("wrong order")
	}
}

func TestTrimFunc(t *testing.T) {
	f := source.NewFile("w.yaml", []byte("k:  \ta b \n"))
	cut := func(r rune) bool { return r == ' ' || r == '\t' }
	got := source.FileText(f, 2, 9).TrimFunc(cut)
	if at := got.Whole(); got.Value != "a b" || at.Start != 5 || at.End != 8 {
		t.Errorf("%q stands at %d to %d", got.Value, at.Start, at.End)
	}
	if got := source.FileText(f, 2, 5).TrimFunc(cut); got.Value != "" {
		t.Errorf("of blanks alone %q is left", got.Value)
	}
}

func TestJoin(t *testing.T) {
	file := source.NewFile("f", []byte("k: |\n  ab\n  cdef\n"))
	block := source.NewText("ab\ncdef\n", file, []source.Segment{{0, 7}, {3, 12}}, 17)
	joined := source.Join(block.Slice(0, 1), block.Slice(2, 5), block.Slice(5, 5), block.Slice(6, 8))
	if joined.Value != "a\ncdf\n" || joined.File() != file {
		t.Fatalf("%q", joined.Value)
	}
	for i := range len(joined.Value) {
		if got := joined.Span(i, i+1).Text(); got != joined.Value[i:i+1] {
			t.Errorf("byte %d is %q, want %q", i, got, joined.Value[i:i+1])
		}
	}
	if got := joined.Span(0, 6).Text(); got != "ab\n  cdef\n" {
		t.Errorf("the whole is %q", got)
	}
	verbatim := source.Join(source.FileText(file, 7, 9), source.FileText(file, 12, 14).Slice(1, 2))
	if verbatim.Value != "abd" || verbatim.Span(2, 3).Text() != "d" || verbatim.Slice(1, 3).Span(1, 2).Text() != "d" {
		t.Errorf("%q at %v", verbatim.Value, verbatim.Span(2, 3))
	}
	coarse := source.CoarseText("xyz", source.Span{File: file, Start: 3, End: 17})
	if got := source.Join(coarse.Slice(0, 1), coarse.Slice(2, 3)); got.Value != "xz" || got.Span(1, 2) != coarse.Whole() {
		t.Errorf("%q at %v", got.Value, got.Span(1, 2))
	}
	if got := source.Join(source.PlainText("a"), source.PlainText("b")); got.Value != "ab" || got.Span(0, 1).File != nil {
		t.Errorf("%q at %v", got.Value, got.Span(0, 1))
	}
}

// A text of several files has the place of each byte in its file.
func TestJoinFiles(t *testing.T) {
	outer := source.NewFile("outer", []byte("run: npm test\n"))
	inner := source.NewFile("inner", []byte("bash: a $X b $X\n"))
	value := source.FileText(outer, 5, 13)
	text := source.FileText(inner, 6, 15)
	joined := source.Join(text.Slice(0, 2), value, text.Slice(4, 7), value, text.Slice(9, 9))
	if joined.Value != "a npm test b npm test" || joined.File() != inner || !joined.Exact() {
		t.Fatalf("%q of %v", joined.Value, joined.File())
	}
	for _, c := range []struct {
		start, end int
		file       *source.File
		want       string
	}{
		{0, 1, inner, "a"}, {2, 5, outer, "npm"}, {6, 10, outer, "test"}, {11, 12, inner, "b"}, {13, 21, outer, "npm test"},
		{0, 13, inner, "a $X b "}, {0, 4, inner, "a "}, {4, 12, outer, "m test"}, {0, 21, inner, "a $X b "}, {10, 10, inner, ""}, {21, 21, outer, ""},
	} {
		if got := joined.Span(c.start, c.end); got.File != c.file || got.Text() != c.want {
			t.Errorf("%d to %d is %q of %v, want %q", c.start, c.end, got.Text(), got.File, c.want)
		}
	}
	if part := joined.Slice(2, 12); part.Value != "npm test b" || part.Span(0, 3).Text() != "npm" || part.Span(9, 10).Text() != "b" {
		t.Errorf("the part %q is at %q and %q", part.Value, part.Span(0, 3).Text(), part.Span(9, 10).Text())
	}
	again := source.Join(joined.Slice(11, 13), value)
	if again.Value != "b npm test" || again.Span(0, 1).Text() != "b" || again.Span(2, 5).Text() != "npm" {
		t.Errorf("%q", again.Value)
	}
	coarse := source.Join(text.Slice(0, 2), source.CoarseText("[1]", value.Whole()), text.Slice(4, 7))
	if coarse.Exact() || coarse.Span(3, 4) != value.Whole() || coarse.Span(5, 7).Text() != " b" {
		t.Errorf("a value without places is at %v, and the text behind it at %q", coarse.Span(3, 4), coarse.Span(5, 7).Text())
	}
	if one := source.Join(text.Slice(2, 2), value); one.Value != "npm test" || one.Span(0, 3).Text() != "npm" {
		t.Errorf("%q at %q", one.Value, one.Span(0, 3).Text())
	}
}
