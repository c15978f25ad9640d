package diag

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/compiler/source"
)

func TestNearest(t *testing.T) {
	for _, test := range []struct {
		name       string
		candidates []string
		want       string
	}{
		{"depend_on", []string{"id", "depends_on", "description"}, "depends_on"},
		{"Bash", []string{"bask", "bash"}, "bash"},
		{"frist", []string{"first", "list"}, "first"}, // swapped neighbours are one step
		{"ab", []string{"cd", "xy"}, ""},
		{"a", []string{"b"}, "b"},
		{"same", []string{"same"}, ""},
		{"kind", []string{"kand", "kund"}, "kand"}, // the earlier of equals
		{"größe", []string{"grösse", "grüße"}, "grüße"},
		{"", []string{"a"}, "a"},
		{"x", nil, ""},
	} {
		if got := Nearest(test.name, test.candidates); got != test.want {
			t.Errorf("Nearest(%q, %q) = %q, want %q", test.name, test.candidates, got, test.want)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, name := range []string{"WFC801", "wfc801", "unused-ignore"} {
		if c, ok := Lookup(name); !ok || c != unusedIgnore {
			t.Errorf("Lookup(%q) = %v, %v", name, c, ok)
		}
	}
	for _, name := range []string{"", "WFC000", "WFC8010", "Unused-Ignore"} {
		if c, ok := Lookup(name); ok {
			t.Errorf("Lookup(%q) = %v", name, c)
		}
	}
}

func TestCodesAreInOrder(t *testing.T) {
	if !slices.IsSortedFunc(Codes(), func(a, b *Code) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	}) {
		t.Error("codes are out of order, or one ID stands twice")
	}
}

func TestBag(t *testing.T) {
	file := source.NewFile("f", []byte("abc"))
	at := func(i int) source.Span { return source.Span{File: file, Start: i, End: i + 1} }
	var b Bag
	b.Add(YAMLSyntax(at(2), "x"), nil, BadDirective(at(1), "p"), YAMLSyntax(at(1), "x"), YAMLSyntax(at(2), "x"), YAMLSyntax(at(1), "w"))
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
	if HasErrors([]*Diagnostic{BadDirective(at(0), "p")}) {
		t.Error("a warning counts as an error")
	}
}
