package settings_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/runtime/settings"
)

var chain = settings.Agents{
	{Name: "a", Use: "b"}, {Name: "b", Use: "c"}, {Name: "x", Use: "y"}, {Name: "y", Use: "x"}, {Name: "c", Kind: "old"},
	{Name: "lost", Use: "nobody"}, {Name: "c", Kind: "new"},
}

func TestNames(t *testing.T) {
	known := []string{"known", "b"}
	if got := chain.Names(known...); !slices.Equal(got, []string{"known", "b", "a", "x", "y", "c", "lost"}) {
		t.Errorf("the names are %q", got)
	}
	if len(known) != 2 {
		t.Error("the known names have changed")
	}
}

// Agents that use each other lead to the last one, unless one is missing or they form
// a cycle. The last definition of a name counts.
func TestEnd(t *testing.T) {
	for name, kind := range map[string]string{"a": "new", "b": "new", "c": "new", "x": "", "y": "", "lost": "", "nobody": ""} {
		if got, ok := chain.Resolve(name); got.Kind != kind || ok != (kind != "") {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
}

func TestUsed(t *testing.T) {
	for name, want := range map[string][]string{"a": {"a", "b", "c"}, "x": {"x", "y"}, "lost": {"lost"}, "nobody": nil} {
		if got := chain.Used([]string{name}).Names(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
