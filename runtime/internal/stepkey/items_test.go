package stepkey_test

import (
	"slices"
	"testing"

	"github.com/wfc-lang/wfc/runtime/internal/stepkey"
)

func TestSortItems(t *testing.T) {
	for _, c := range []struct{ in, want []string }{
		{[]string{"a[10]", "a[9]", "a[0]", "a[1]"}, []string{"a[0]", "a[1]", "a[9]", "a[10]"}},
		{[]string{"a[1]", "a[1].x", "a[0]", "a[1].y", "a[0].x"}, []string{"a[0]", "a[0].x", "a[1]", "a[1].x", "a[1].y"}},
		{[]string{"gate#1", "gate/rework#1", "gate#2", "gate/rework#2"}, []string{"gate#1", "gate/rework#1", "gate#2", "gate/rework#2"}},
		{[]string{"g#1.a[1]", "g#2.a[0]", "g#1.a[0]"}, []string{"g#1.a[0]", "g#1.a[1]", "g#2.a[0]"}},
		{[]string{"a[1][10]", "a[1][2]", "a[0][3]"}, []string{"a[0][3]", "a[1][2]", "a[1][10]"}},
		{[]string{"odd[x]", "b[1]", "b[0]", "odd["}, []string{"odd[x]", "b[0]", "b[1]", "odd["}},
	} {
		got := slices.Clone(c.in)
		stepkey.SortItems(got, func(s string) string { return s })
		if !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
