package diag_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/compiler/diag"
	"github.com/wfc-lang/wfc/compiler/source"
	"github.com/wfc-lang/wfc/internal/finding"
)

func TestBag(t *testing.T) {
	file := source.NewFile("f", []byte("abc"))
	at := func(i int) source.Span { return source.Span{File: file, Start: i, End: i + 1} }
	var b diag.Bag
	b.Add(finding.YAMLSyntax(at(2), "x"), nil, finding.BadDirective(at(1), "p", source.Span{}, ""), finding.YAMLSyntax(at(1), "x"), finding.YAMLSyntax(at(2), "x"), finding.YAMLSyntax(at(1), "w"))
	var got []string
	for _, d := range b.Sorted() {
		got = append(got, d.Code.ID+" "+d.Span.Text()+" "+d.Message[len(d.Message)-1:])
	}
	want := []string{"WFC101 b w", "WFC101 b x", "WFC804 b p", "WFC101 c x"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !b.HasErrors() || b.Len() != 5 {
		t.Errorf("HasErrors %v, Len %d", b.HasErrors(), b.Len())
	}
	if diag.HasErrors([]*diag.Diagnostic{finding.BadDirective(at(0), "p", source.Span{}, "")}) {
		t.Error("a warning counts as an error")
	}
}
