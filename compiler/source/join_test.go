package source_test

import (
	"testing"

	"github.com/wfc-lang/wfc/compiler/source"
)

func TestJoin(t *testing.T) {
	file := source.NewFile("f", []byte("k: |\n  ab\n  cdef\n"))
	block := source.NewText("ab\ncdef\n", file, []source.Run{{0, 7}, {3, 12}}, 17)
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
