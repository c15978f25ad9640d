package plain

import "testing"

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
