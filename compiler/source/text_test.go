package source_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/source"
)

func TestTextSpans(t *testing.T) {
	f := source.NewFile("f", []byte("ab  cd  ef"))
	text := source.NewText("abcdef", f, []source.Run{{Decoded: 0, Source: 0}, {Decoded: 2, Source: 4}, {Decoded: 4, Source: 8}}, 10)
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
