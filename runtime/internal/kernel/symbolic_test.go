package kernel_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/kernel"
)

func TestSymbols(t *testing.T) {
	plan := kernel.OutputSymbol("plan")
	for _, c := range []struct {
		text  string
		path  []string
		field string
	}{
		{plan, nil, plan},
		{plan, []string{"kind"}, kernel.Symbol("plan.output.kind")},
		{kernel.Symbol("plan.output.kind"), []string{"a", "b"}, kernel.Symbol("plan.output.kind.a.b")},
		{plan + plan, []string{"kind"}, ""},
		{"a " + plan, []string{"kind"}, ""},
		{kernel.ShowSymbols(plan), []string{"kind"}, ""},
		{"", nil, ""},
	} {
		field, ok := kernel.SymbolField(c.text, c.path...)
		if ok != (c.field != "") || ok && field != c.field || ok != kernel.IsSymbol(c.text) {
			t.Errorf("%s %q: %q %t, want %q", c.text, c.path, field, ok, c.field)
		}
	}
	if got := kernel.Symbols("a" + plan + "b" + kernel.Symbol("c") + plan[:5]); !slices.Equal(got, []string{plan, kernel.Symbol("c")}) {
		t.Errorf("%q", got)
	}
	if got := kernel.ShowSymbols("a " + plan); got != "a ‹output of plan›" {
		t.Error(got)
	}
}
